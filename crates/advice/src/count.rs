//! How many of each component a build has, and how many are left after a failure: those that stand
//! in what failed are gone, too.

use iopath_study::Class;

use crate::bill::{Bill, Inventory, Table};
use crate::choice::Choice;

/// How many of a component builds have.
#[derive(Clone, Debug)]
pub struct Count {
    /// In all, or within each of what may fail.
    each: Bill,
    /// What may fail, and how many of it.
    failing: Option<(Bill, f64)>,
}

/// Some of an item fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// Its place in the inventory.
    pub item: usize,
    /// How many of it.
    pub count: usize,
}

impl Count {
    /// Of each item how many there are in all; then, for each failure, of each item how many are
    /// left: see [`Self::after`].
    #[must_use]
    pub fn of_each(
        choices: &[Choice],
        failing: &[Failing],
        inventory: &Inventory<'_>,
    ) -> Vec<Self> {
        let table = Table::read(choices, inventory);
        let items = 0..table.base.len();
        let in_all = |at| Self { each: Bill::count(&table, at, None), failing: None };
        let left = |failing: &Failing, at| {
            let Failing { item, count } = *failing;
            if !table.goes_with(at, item) {
                return in_all(at);
            }
            let failing = Some((Bill::count(&table, item, None), count as f64));
            Self { each: Bill::count(&table, at, Some(item)), failing }
        };
        let after = failing.iter().flat_map(|one| items.clone().map(move |at| left(one, at)));
        items.clone().map(in_all).chain(after).collect()
    }

    /// Where the count of an item after the failure of this number stands among `items` items.
    #[must_use]
    pub fn after(failure: usize, item: usize, items: usize) -> usize {
        items * (failure + 1) + item
    }

    /// Whether some of what it stands in have failed.
    pub(crate) fn may_fail(&self) -> bool {
        self.failing.is_some()
    }

    /// How many builds have at least that begin with these levels.
    pub(crate) fn at_least(&self, begun: &[usize]) -> f64 {
        self.number(|bill| bill.at_least(begun))
    }

    /// The same at most.
    pub(crate) fn at_most(&self, begun: &[usize]) -> f64 {
        self.number(|bill| bill.at_most(begun))
    }

    fn number(&self, of: impl Fn(&Bill) -> f64) -> f64 {
        let failing = self.failing.as_ref();
        of(&self.each) * failing.map_or(1.0, |(all, failed)| (of(all) - failed).max(0.0))
    }
}

impl Table<'_> {
    /// Whether an item is gone with another one that it is or stands in. What keeps data in a
    /// controller may be taken over by its partner.
    fn goes_with(&self, at: usize, failing: usize) -> bool {
        let class = |item: usize| Class::of(self.base[item].kind);
        let mut between = self.outwards(at).take_while(|up| *up != failing);
        let keeps_data = between.any(|up| matches!(class(up), Class::Volume | Class::Medium));
        let stands_in = self.outwards(at).any(|up| up == failing);
        stands_in && !(keeps_data && class(failing) == Class::Controller)
    }
}

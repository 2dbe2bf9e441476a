//! What a build costs: for each component its price, rack space or power, times how many there are
//! of it and of everything that it stands in.
//!
//! Each of these numbers is a constant or follows from the levels of few choices, so that a build
//! is billed by some multiplications, and builds of which only some choices are made are at least
//! as expensive as with the least of every number. Left out: what assignments with an index change.

use std::ops::Range;

use iopath_study::{Class, Item};
use iopath_units::Ratio;

use crate::choice::Choice;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Prices, in the currency of the study.
    Price,
    /// Rack space.
    RackUnits,
    /// Power, in watts.
    Watts,
    /// Components.
    Parts,
}

/// A number that depends on some choices.
#[derive(Clone, Debug)]
struct Figure {
    /// Which choices, by their places.
    by: Vec<usize>,
    /// The number at each combination of their levels, the last choice fastest.
    values: Vec<f64>,
    least: f64,
    most: f64,
}

/// What builds cost.
#[derive(Clone, Debug)]
pub struct Bill {
    /// How many levels each choice has.
    levels: Vec<usize>,
    figures: Vec<Figure>,
    /// Figures that are multiplied; their products are added.
    products: Vec<Vec<usize>>,
    constant: f64,
}

/// The items of a build; the same list at all levels, but for its numbers.
pub(crate) type Inventory<'a> = dyn Fn(&[usize]) -> Vec<Item> + 'a;

impl Bill {
    /// Reads what a build costs off the items at some builds.
    #[must_use]
    pub fn of(choices: &[Choice], measure: Measure, inventory: &Inventory<'_>) -> Self {
        let [bill] = Self::of_each(choices, [measure], inventory);
        bill
    }

    /// The same by several measures, of items that are read once.
    #[must_use]
    pub fn of_each<const N: usize>(
        choices: &[Choice],
        measures: [Measure; N],
        inventory: &Inventory<'_>,
    ) -> [Self; N] {
        let table = Table::read(choices, inventory);
        let all = 0..table.base.len();
        measures
            .map(|measure| Self::of_items(&table, all.clone(), &|item: &Item| measure.of_one(item)))
    }

    /// How many of an item there are within another one; in all where that is none.
    pub(crate) fn count(table: &Table<'_>, at: usize, within: Option<usize>) -> Self {
        let mut bill = Self::nothing(table);
        let counted: Vec<usize> =
            table.outwards(at).take_while(|item| Some(*item) != within).collect();
        bill.add(table, &counted, &|_| 1.0);
        bill
    }

    /// What some items cost, of which one is so much.
    fn of_items(table: &Table<'_>, items: Range<usize>, of_one: &dyn Fn(&Item) -> f64) -> Self {
        let mut bill = Self::nothing(table);
        for at in items {
            let counted: Vec<usize> = table.outwards(at).collect();
            bill.add(table, &counted, &|items: &[Item]| of_one(&items[at]));
        }
        bill
    }

    fn nothing(table: &Table<'_>) -> Self {
        let (levels, figures, products) = (table.levels.clone(), Vec::new(), Vec::new());
        Self { levels, figures, products, constant: 0.0 }
    }

    /// Adds a product: a price, say, times the counts of some items.
    fn add(&mut self, table: &Table<'_>, counted: &[usize], of_one: &dyn Fn(&[Item]) -> f64) {
        let mut product = Vec::new();
        let mut constant = 1.0;
        let count = |item: &usize| table.figure(&|items: &[Item]| f64::from(items[*item].count));
        for figure in std::iter::once(table.figure(of_one)).chain(counted.iter().map(count)) {
            match figure.by.is_empty() {
                true => constant *= figure.values[0],
                false => {
                    self.figures.push(figure);
                    product.push(self.figures.len() - 1);
                }
            }
        }
        if product.is_empty() {
            self.constant += constant;
        } else if constant > 0.0 {
            let fixed = Figure::of(Vec::new(), vec![constant]);
            self.figures.push(fixed);
            product.push(self.figures.len() - 1);
            self.products.push(product);
        }
    }

    /// What a build costs.
    #[must_use]
    pub fn total(&self, build: &[usize]) -> f64 {
        self.at_least(build)
    }

    /// What builds cost at least that begin with these levels.
    pub(crate) fn at_least(&self, begun: &[usize]) -> f64 {
        self.sum(|figure| figure.at(begun, &self.levels).unwrap_or(figure.least))
    }

    /// The same at most.
    pub(crate) fn at_most(&self, begun: &[usize]) -> f64 {
        self.sum(|figure| figure.at(begun, &self.levels).unwrap_or(figure.most))
    }

    fn sum(&self, number: impl Fn(&Figure) -> f64) -> f64 {
        let product = |product: &Vec<usize>| -> f64 {
            product.iter().map(|figure| number(&self.figures[*figure])).product()
        };
        self.constant + self.products.iter().map(product).sum::<f64>()
    }

    /// Whether anything costs something.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.at_most(&[]) == 0.0
    }
}

impl Figure {
    fn of(by: Vec<usize>, values: Vec<f64>) -> Self {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        Self { by, values, least, most }
    }

    /// Its value; none where a choice that it follows from is not made.
    fn at(&self, begun: &[usize], levels: &[usize]) -> Option<f64> {
        if self.by.iter().any(|choice| *choice >= begun.len()) {
            return None;
        }
        let at = self.by.iter().fold(0, |at, choice| at * levels[*choice] + begun[*choice]);
        Some(self.values[at])
    }
}

impl Measure {
    fn of_one(self, item: &Item) -> f64 {
        let number = |number: Option<Ratio>| number.unwrap_or_default().as_f64();
        match self {
            Self::Price => number(item.price),
            Self::RackUnits => number(item.rack_units),
            Self::Watts => number(item.watts),
            Self::Parts => f64::from(u8::from(Class::of(item.kind).is_component())),
        }
    }
}

/// Items at the first level of every choice, and with each level of one of them.
pub(crate) struct Table<'a> {
    levels: Vec<usize>,
    inventory: &'a Inventory<'a>,
    pub base: Vec<Item>,
    /// By choice, by level.
    each: Vec<Vec<Vec<Item>>>,
}

impl<'a> Table<'a> {
    pub(crate) fn read(choices: &[Choice], inventory: &'a Inventory<'a>) -> Self {
        let levels: Vec<usize> = choices.iter().map(|choice| choice.levels).collect();
        let first = vec![0; levels.len()];
        let with = |choice: usize, level: usize| {
            let mut build = first.clone();
            build[choice] = level;
            inventory(&build)
        };
        let each = levels.iter().enumerate();
        let each = each.map(|(choice, levels)| (0..*levels).map(|at| with(choice, at)).collect());
        let (each, base) = (each.collect(), inventory(&first));
        Self { levels, inventory, base, each }
    }

    /// An item, what it stands in, what that stands in, and so on.
    pub(crate) fn outwards(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(at), |item| self.base[*item].parent)
    }

    /// A number of the items, and the choices that it follows from.
    fn figure(&self, number: &dyn Fn(&[Item]) -> f64) -> Figure {
        let base = number(&self.base);
        let changes = |levels: &[Vec<Item>]| levels.iter().any(|items| number(items) != base);
        let by: Vec<usize> =
            (0..self.levels.len()).filter(|choice| changes(&self.each[*choice])).collect();
        let values: Vec<f64> = match by.as_slice() {
            [] => vec![base],
            [only] => self.each[*only].iter().map(|items| number(items)).collect(),
            several => self.at_all(several, number),
        };
        Figure::of(by, values)
    }

    /// The number at every combination of the levels of several choices.
    fn at_all(&self, several: &[usize], number: &dyn Fn(&[Item]) -> f64) -> Vec<f64> {
        let combinations = several.iter().map(|choice| self.levels[*choice]).product();
        let value = |mut index: usize| {
            let mut build = vec![0; self.levels.len()];
            for choice in several.iter().rev() {
                build[*choice] = index % self.levels[*choice];
                index /= self.levels[*choice];
            }
            number(&(self.inventory)(&build))
        };
        (0..combinations).map(value).collect()
    }
}

//! Sparse non-negative coefficients of classes of streams on limits, read along either.
//!
//! It leaves out zeros: what a class does not use, it does not have.

/// How much of a limit one request per second of each stream of a class uses up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    pub limit: u32,
    /// Which class of streams.
    pub class: u32,
    /// Bytes, operations, seconds or token-seconds.
    pub amount: f64,
}

/// The coefficients, by limit and by class.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// The other axis' position with the amount.
    by_limit: Lists<(u32, f64)>,
    by_class: Lists<(u32, f64)>,
}

/// Lists, one behind the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists<T> {
    /// Where each list begins; one more at the end.
    first: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// So many lists of items with the list that each is put in.
    pub(crate) fn new(count: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut first = vec![0_u32; count + 1];
        for (at, _) in pairs.clone() {
            first[at as usize + 1] += 1;
        }
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let mut next = first.clone();
        let mut items = vec![T::default(); first.last().map_or(0, |last| *last as usize)];
        for (at, item) in pairs {
            let place = &mut next[at as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { first, items }
    }

    pub(crate) fn of(&self, index: usize) -> &[T] {
        &self.items[self.first[index] as usize..self.first[index + 1] as usize]
    }

    fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }
}

impl Matrix {
    /// A matrix of so many limits and classes. Entries that are not above zero are dropped; those
    /// of one place must have been added up.
    #[must_use]
    pub fn new(limits: usize, classes: usize, entries: &[Entry]) -> Self {
        let used = entries.iter().filter(|entry| entry.amount > 0.0);
        let by_limit = used.clone().map(|entry| (entry.limit, (entry.class, entry.amount)));
        let by_class = used.map(|entry| (entry.class, (entry.limit, entry.amount)));
        Self { by_limit: Lists::new(limits, by_limit), by_class: Lists::new(classes, by_class) }
    }

    /// The classes that use a limit, with their amounts.
    #[must_use]
    pub fn classes_of(&self, limit: usize) -> &[(u32, f64)] {
        self.by_limit.of(limit)
    }

    /// The limits that a class uses, with its amounts.
    #[must_use]
    pub fn limits_of(&self, class: usize) -> &[(u32, f64)] {
        self.by_class.of(class)
    }

    /// How many limits there are.
    #[must_use]
    pub fn limits(&self) -> usize {
        self.by_limit.len()
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.by_class.len()
    }

    /// What rates of the classes, in requests per second of each stream, use up of every limit.
    #[must_use]
    pub fn used(&self, rates: &[f64]) -> Vec<f64> {
        let used = |limit| {
            let users = self.classes_of(limit).iter();
            users.map(|(class, amount)| amount * rates[*class as usize]).sum()
        };
        (0..self.limits()).map(used).collect()
    }
}

//! Weighted max–min fair shares by progressive filling.
//!
//! All streams rise together, each in proportion to its weight, until a limit is used up or a
//! stream has as much as it can take; those that this concerns stay where they are, the others
//! rise on (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2). The result is the only
//! allocation in which nobody gets more without somebody of the same or a lower level getting
//! less. The weight is what a stream keeps in flight, because that is what queues in order of
//! arrival do: of what passes, each has the share that it has of what waits.
//!
//! The level at which a limit is used up only grows while others freeze, so an old level is a
//! lower bound and is looked at again only when it is the lowest: O(n log n) for n coefficients.
//! It leaves out where limits and weights come from.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::matrix::Matrix;

/// Relative distance at which a limit counts as used up, so that ties of equal sums are ties:
/// chosen, far above the rounding of sums of 10^5 terms and far below any rating's accuracy.
pub const TIE: f64 = 1e-9;

/// What everybody gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// Requests per second of each stream of a class; infinite where nothing limits it.
    pub rates: Vec<f64>,
    /// What is used up of each limit.
    pub used: Vec<f64>,
    /// Classes in the order in which they stopped rising, with the limit that stopped them; `None`
    /// where it was their own cap. Those that one limit stopped stand together.
    pub stopped: Vec<(u32, Option<u32>)>,
}

impl Shares {
    /// Whether somebody uses a limit and nothing of it is left.
    #[must_use]
    pub fn is_saturated(&self, matrix: &Matrix, capacity: &[f64], limit: usize) -> bool {
        capacity[limit].is_finite()
            && !matrix.classes_of(limit).is_empty()
            && self.used[limit] >= capacity[limit] * (1.0 - TIE)
    }
}

/// What is to be shared among whom.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a> {
    /// Who uses how much of what.
    pub matrix: &'a Matrix,
    /// Requests that each stream of a class keeps in flight; above zero.
    pub weights: &'a [f64],
    /// How much there is of each limit; infinite where it limits nothing.
    pub capacity: &'a [f64],
    /// The most requests per second that each stream of a class can take; infinite without end.
    pub caps: &'a [f64],
}

/// The max–min fair shares.
#[must_use]
pub fn fill(shared: Shared<'_>) -> Shares {
    let mut filling = Filling::new(shared);
    let mut by_cap = caps_by_level(shared);
    while filling.stopped.len() < shared.matrix.classes() {
        while by_cap.last().is_some_and(|(_, class)| filling.is_frozen(*class)) {
            by_cap.pop();
        }
        let cap = by_cap.last().copied();
        let limit = filling.lowest();
        match (cap, limit) {
            (Some((level, class)), limit) if limit.is_none_or(|(at, _)| level <= at) => {
                filling.freeze((class, None), shared.caps[class as usize]);
            }
            (_, Some((level, limit))) => filling.freeze_users(limit, level),
            (_, None) => break,
        }
    }
    let used = shared.matrix.used(&filling.rates);
    Shares { rates: filling.rates, used, stopped: filling.stopped }
}

/// Classes with a cap and the level at which they reach it; the lowest last.
fn caps_by_level(shared: Shared<'_>) -> Vec<(f64, u32)> {
    let level = |(class, cap): (u32, &f64)| (cap / shared.weights[class as usize], class);
    let all = (0..).zip(shared.caps).filter(|(_, cap)| cap.is_finite());
    let mut levels: Vec<(f64, u32)> = all.map(level).collect();
    levels.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(right.1.cmp(&left.1)));
    levels
}

/// The filling while it goes on.
struct Filling<'a> {
    shared: Shared<'a>,
    /// Infinite until the class is frozen.
    rates: Vec<f64>,
    frozen: Vec<bool>,
    stopped: Vec<(u32, Option<u32>)>,
    rows: Vec<Row>,
    /// Limits by the level at which they were last known to be used up.
    heap: BinaryHeap<Reverse<Level>>,
}

/// One limit.
#[derive(Clone, Copy, Default)]
struct Row {
    /// What frozen classes use.
    frozen: Sum,
    /// What the others use at level 1.
    slope: Sum,
    /// How many others there are.
    rising: u32,
}

impl<'a> Filling<'a> {
    fn new(shared: Shared<'a>) -> Self {
        let Shared { matrix, weights, capacity, .. } = shared;
        let row = |limit| {
            let mut row = Row::default();
            for (class, amount) in matrix.classes_of(limit) {
                row.slope.add(amount * weights[*class as usize]);
                row.rising += 1;
            }
            row
        };
        let rows: Vec<Row> = (0..matrix.limits()).map(row).collect();
        let classes = matrix.classes();
        // Of limits that only one class uses, only the lowest can stop it.
        let mut own = vec![Level(f64::INFINITY, u32::MAX); classes];
        let mut heap = Vec::new();
        for (limit, (row, capacity)) in (0..).zip(rows.iter().zip(capacity)) {
            let level = Level(row.level(*capacity), limit);
            match matrix.classes_of(limit as usize) {
                [(class, _)] => own[*class as usize] = own[*class as usize].min(level),
                _ => heap.push(level),
            }
        }
        let all = heap.into_iter().chain(own).filter(|level| level.0.is_finite());
        let heap: BinaryHeap<Reverse<Level>> = all.map(Reverse).collect();
        let (rates, frozen) = (vec![f64::INFINITY; classes], vec![false; classes]);
        Self { shared, rates, frozen, stopped: Vec::with_capacity(classes), rows, heap }
    }

    fn is_frozen(&self, class: u32) -> bool {
        self.frozen[class as usize]
    }

    /// The lowest level at which a limit that somebody rising uses is used up, and that limit.
    fn lowest(&mut self) -> Option<(f64, u32)> {
        while let Some(Reverse(Level(known, limit))) = self.heap.peek().copied() {
            let level = self.rows[limit as usize].level(self.shared.capacity[limit as usize]);
            if level <= known {
                return Some((known, limit));
            }
            self.heap.pop();
            if level.is_finite() {
                self.heap.push(Reverse(Level(level, limit)));
            }
        }
        None
    }

    fn freeze_users(&mut self, limit: u32, level: f64) {
        let Shared { matrix, weights, .. } = self.shared;
        for (class, _) in matrix.classes_of(limit as usize) {
            if !self.is_frozen(*class) {
                self.freeze((*class, Some(limit)), level * weights[*class as usize]);
            }
        }
    }

    fn freeze(&mut self, (class, limit): (u32, Option<u32>), rate: f64) {
        self.stopped.push((class, limit));
        self.frozen[class as usize] = true;
        self.rates[class as usize] = rate;
        let weight = self.shared.weights[class as usize];
        for (limit, amount) in self.shared.matrix.limits_of(class as usize) {
            let row = &mut self.rows[*limit as usize];
            row.frozen.add(amount * rate);
            row.slope.add(-amount * weight);
            row.rising -= 1;
        }
    }
}

impl Row {
    /// The level at which it is used up; infinite where nobody rises.
    fn level(&self, capacity: f64) -> f64 {
        if self.rising == 0 || !capacity.is_finite() {
            return f64::INFINITY;
        }
        ((capacity - self.frozen.value()) / self.slope.value()).max(0.0)
    }
}

/// A level and whose it is, ordered by both.
#[derive(Clone, Copy, PartialEq)]
struct Level(f64, u32);

impl Eq for Level {}

impl Ord for Level {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A sum that keeps what rounding loses, so that taking away what was added leaves what is left
/// (Knuth's two-sum; Neumaier, Rundungsfehleranalyse einiger Verfahren, ZAMM 54, 1974).
#[derive(Clone, Copy, Default)]
struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let added = sum - self.sum;
        self.lost += (self.sum - (sum - added)) + (value - added);
        self.sum = sum;
    }

    fn value(self) -> f64 {
        self.sum + self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Entry;

    fn rates(entries: &[(u32, u32, f64)], capacity: &[f64], weights: &[f64]) -> Vec<f64> {
        let entry = |&(limit, class, amount)| Entry { limit, class, amount };
        let entries: Vec<Entry> = entries.iter().map(entry).collect();
        let matrix = Matrix::new(capacity.len(), weights.len(), &entries);
        let caps = vec![f64::INFINITY; weights.len()];
        fill(Shared { matrix: &matrix, weights, capacity, caps: &caps }).rates
    }

    #[test]
    fn the_example_of_the_textbook() {
        // Two links of capacity 1, one flow over both, two over the first, none else.
        let flows = [(0, 0, 1.0), (1, 0, 1.0), (0, 1, 1.0), (0, 2, 1.0), (1, 3, 1.0)];
        let found = rates(&flows, &[1.0, 1.0], &[1.0; 4]);
        let third = 1.0 / 3.0;
        assert_eq!(found, [third, third, third, 1.0 - third]);
    }

    #[test]
    fn what_is_in_flight_weighs() {
        assert_eq!(rates(&[(0, 0, 1.0), (0, 1, 1.0)], &[12.0], &[11.0, 1.0]), [11.0, 1.0]);
    }

    #[test]
    fn nothing_gives_nothing_and_no_limit_no_end() {
        assert_eq!(rates(&[(0, 0, 1.0)], &[0.0], &[1.0, 1.0]), [0.0, f64::INFINITY]);
    }

    #[test]
    fn a_small_user_is_not_lost_beside_a_large_one() {
        // The large one freezes first; what it leaves is 1 of 1e12.
        let entries = [(0, 0, 1e12), (1, 0, 1e12), (0, 1, 1.0)];
        let found = rates(&entries, &[1e12 + 1.0, 5e11], &[1.0, 1.0]);
        assert_eq!(found, [0.5, 5e11 + 1.0]);
    }
}

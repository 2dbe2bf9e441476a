//! How often requests visit each leg: the sum over all ways through the graph of legs; what they
//! use up there (`charges`), and how long they wait for what a leg leads to (`joins`).
//!
//! Legs stand before those that they lead to, so one pass in their order is enough. What is to be
//! visited is kept as bits: looking for the next one is cheaper than sorting them.

mod charges;
mod joins;
mod lanes;

use std::ops::{AddAssign, Mul};

pub use charges::{Charges, Use};
pub use joins::{NextTimes, RequestTime, below};
pub use lanes::{LANES, Lanes};

use crate::network::{Leg, LegId, Network, Way};

/// What is summed up: a number, or one for each of several starts.
pub trait Amount: Copy + Default + AddAssign + Mul<f64, Output = Self> {}

impl<T: Copy + Default + AddAssign + Mul<f64, Output = T>> Amount for T {}

/// The visits to legs of one network; used for many starts, it keeps its memory.
pub struct Visits<'a, T = f64> {
    network: &'a Network,
    visits: Scatter<T>,
}

impl<'a, T: Amount> Visits<'a, T> {
    pub fn new(network: &'a Network) -> Self {
        Self { network, visits: Scatter::new(network.legs.len()) }
    }

    /// Every leg that requests reach from `roots`, with the visits of one request, in their order.
    pub fn all(&mut self, roots: &[(LegId, T)], see: impl FnMut(LegId, T)) {
        self.walk(roots, |_| true, see);
    }

    /// Only those that somebody waits for.
    pub fn waited(&mut self, roots: &[(LegId, T)], see: impl FnMut(LegId, T)) {
        self.walk(roots, |leg| !leg.background, see);
    }

    fn walk(
        &mut self,
        roots: &[(LegId, T)],
        follow: impl Fn(&Leg) -> bool,
        mut see: impl FnMut(LegId, T),
    ) {
        for (leg, share) in roots {
            self.visits.add(leg.0 as usize, *share);
        }
        while let Some((leg, visits)) = self.visits.take_first() {
            let leg = LegId(leg);
            for next in &self.network.leg(leg).next {
                if follow(self.network.leg(next.leg)) {
                    self.visits.add(next.leg.0 as usize, visits * next.times);
                }
            }
            see(leg, visits);
        }
    }
}

/// Whether requests of a leg come to its end from elsewhere: those behind a volume's cache are
/// there already.
pub fn enters(network: &Network) -> Vec<bool> {
    let mut enters = vec![false; network.legs.len()];
    for (root, _) in network.streams.iter().flat_map(|stream| &stream.roots) {
        enters[root.0 as usize] = true;
    }
    for leg in &network.legs {
        for next in &leg.next {
            enters[next.leg.0 as usize] |= network.leg(next.leg).to != leg.to;
        }
    }
    enters
}

/// The delay of a leg's end, where its ways do not contain it.
pub fn end_latency(network: &Network, leg: &Leg) -> f64 {
    let contains = |way: &Way| {
        network.route(way.route).crossed.iter().any(|(component, _)| *component == leg.to)
    };
    if leg.ways.iter().any(contains) { 0.0 } else { network.component(leg.to).latency_s }
}

/// Sums by position, kept sparse: only what was added to is read and forgotten again.
pub struct Scatter<T = f64> {
    sums: Vec<T>,
    /// A bit for each position that was added to.
    touched: Vec<u64>,
    /// The words of `touched` that may not be empty.
    words: std::ops::Range<usize>,
}

impl<T: Amount> Scatter<T> {
    pub fn new(length: usize) -> Self {
        let touched = vec![0; length.div_ceil(64)];
        Self { sums: vec![T::default(); length], touched, words: 0..0 }
    }

    pub fn add(&mut self, index: usize, amount: T) {
        self.sums[index] += amount;
        let word = index / 64;
        self.touched[word] |= 1 << (index % 64);
        self.words = match self.words.is_empty() {
            true => word..word + 1,
            false => self.words.start.min(word)..self.words.end.max(word + 1),
        };
    }

    /// The first position that was added to, with its sum, which begins anew.
    pub fn take_first(&mut self) -> Option<(u32, T)> {
        while !self.words.is_empty() {
            let word = &mut self.touched[self.words.start];
            if *word != 0 {
                let index = self.words.start * 64 + word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some((index as u32, std::mem::take(&mut self.sums[index])));
            }
            self.words.start += 1;
        }
        None
    }

    /// What was added, in order; all sums begin anew.
    pub fn take(&mut self, mut see: impl FnMut(u32, T)) {
        while let Some((index, sum)) = self.take_first() {
            see(index, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_come_in_order_and_begin_anew() {
        let mut sums = Scatter::new(200);
        for _ in 0..2 {
            for (index, amount) in [(199, 1.0), (3, 2.0), (199, 4.0), (64, 0.5)] {
                sums.add(index, amount);
            }
            let mut found = Vec::new();
            sums.take(|index, sum| found.push((index, sum)));
            assert_eq!(found, [(3, 2.0), (64, 0.5), (199, 5.0)]);
        }
    }
}

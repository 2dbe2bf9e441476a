//! How often requests visit each leg: the sum over all ways through the graph of legs.
//!
//! Legs stand before those that they lead to, so one pass in their order is enough.

use iopath_path::{Leg, LegId, Network};

/// A walk over the legs of one network; it is used for many starts and keeps its memory.
pub(crate) struct Walk<'a> {
    network: &'a Network,
    visits: Vec<f64>,
    is_reached: Vec<bool>,
    reached: Vec<u32>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(network: &'a Network) -> Self {
        let legs = network.legs.len();
        let (visits, is_reached) = (vec![0.0; legs], vec![false; legs]);
        Self { network, visits, is_reached, reached: Vec::new() }
    }

    /// Every leg that requests reach from `roots`, with the visits of one request, in their order.
    pub(crate) fn all(&mut self, roots: &[(LegId, f64)], see: impl FnMut(&Leg, LegId, f64)) {
        self.walk(roots, |_| true, see);
    }

    /// Only those that somebody waits for.
    pub(crate) fn waited(&mut self, roots: &[(LegId, f64)], see: impl FnMut(&Leg, LegId, f64)) {
        self.walk(roots, |leg| !leg.background, see);
    }

    fn walk(
        &mut self,
        roots: &[(LegId, f64)],
        follow: impl Fn(&Leg) -> bool,
        mut see: impl FnMut(&Leg, LegId, f64),
    ) {
        for (leg, share) in roots {
            self.reach(*leg);
            self.visits[leg.0 as usize] += share;
        }
        let mut at = 0;
        while let Some(leg) = self.reached.get(at) {
            for next in &self.network.legs[*leg as usize].next {
                if follow(self.network.leg(next.leg)) {
                    self.reach(next.leg);
                }
            }
            at += 1;
        }
        self.reached.sort_unstable();
        for leg in std::mem::take(&mut self.reached) {
            self.is_reached[leg as usize] = false;
            let visits = std::mem::take(&mut self.visits[leg as usize]);
            let leg = LegId(leg);
            let found = self.network.leg(leg);
            for next in found.next.iter().filter(|next| follow(self.network.leg(next.leg))) {
                self.visits[next.leg.0 as usize] += visits * next.times;
            }
            see(found, leg, visits);
        }
    }

    fn reach(&mut self, leg: LegId) {
        let is_reached = &mut self.is_reached[leg.0 as usize];
        if !*is_reached {
            *is_reached = true;
            self.reached.push(leg.0);
        }
    }
}

/// Sums by position, kept sparse: only what was added to is read and forgotten again.
pub(crate) struct Scatter {
    sums: Vec<f64>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
}

impl Scatter {
    pub(crate) fn new(length: usize) -> Self {
        let (sums, is_touched) = (vec![0.0; length], vec![false; length]);
        Self { sums, is_touched, touched: Vec::new() }
    }

    pub(crate) fn add(&mut self, index: usize, amount: f64) {
        self.sums[index] += amount;
        if !self.is_touched[index] {
            self.is_touched[index] = true;
            self.touched.push(index as u32);
        }
    }

    /// What was added, in order; the sums begin anew.
    pub(crate) fn take(&mut self, mut see: impl FnMut(u32, f64)) {
        self.touched.sort_unstable();
        for index in self.touched.drain(..) {
            self.is_touched[index as usize] = false;
            see(index, std::mem::take(&mut self.sums[index as usize]));
        }
    }
}

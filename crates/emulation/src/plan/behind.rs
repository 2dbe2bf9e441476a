//! What is behind the end of a request: everything that it uses up there, and how long it waits.
//!
//! What no request waits for is used up all the same. Time of service is no delay here: it is what
//! rates are made of. So a request takes as long as `iopath_path::visits` says where every rate is
//! without limit.

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::visits::{Charges, NextTimes, RequestTime, Visits, below, end_latency, enters};
use iopath_path::{Leg, LegId, Network, Next, RowId};

pub(super) struct Behind<'a> {
    network: &'a Network,
    charges: Charges,
    visits: Visits<'a>,
    /// Delays of legs, in seconds: at the end, behind it, and of the whole with its ways.
    at_end: Vec<f64>,
    behind: Vec<f64>,
    whole: Vec<f64>,
}

/// Whether a leg is the copy of a write in the partner's cache: one that goes to a cache for its
/// own sake.
pub(super) fn is_copy(network: &Network, leg: &Leg) -> bool {
    leg.to == leg.volume && network.component(leg.to).kind == "cache"
}

impl<'a> Behind<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        let legs = network.legs.iter().zip(enters(network));
        let at_end = |(leg, enters): (&Leg, bool)| {
            leg.delay_s + if enters { end_latency(network, leg) } else { 0.0 }
        };
        let at_end: Vec<f64> = legs.map(at_end).collect();
        let (charges, visits) = (Charges::of(network), Visits::new(network));
        let zeros = vec![0.0; at_end.len()];
        let mut all =
            Self { network, charges, visits, behind: zeros.clone(), whole: zeros, at_end };
        // Legs stand before those that they lead to.
        for (index, leg) in network.legs.iter().enumerate().rev() {
            let ways = leg.ways.iter();
            let on_the_way: f64 =
                ways.map(|way| way.share * network.route(way.route).latency_s).sum();
            all.behind[index] = below(leg, &all).delay;
            all.whole[index] = on_the_way + all.at_end[index] + all.behind[index];
        }
        all
    }

    /// What one request uses up of what it leads to there, in the order in which it is met.
    pub(super) fn uses(&mut self, next: &Next) -> Vec<(RowId, f64)> {
        let mut sums: BTreeMap<RowId, f64> = BTreeMap::new();
        self.visits.all(&[(next.leg, next.times)], |leg, visits| {
            for used in self.charges.of_leg(leg) {
                *sums.entry(RowId(used.row)).or_default() += visits * used.share * used.amount;
            }
        });
        let mut uses = Vec::with_capacity(sums.len());
        self.meet(next.leg, &mut BTreeSet::new(), &mut |row| {
            uses.extend(sums.remove(&row).map(|amount| (row, amount)));
        });
        uses
    }

    /// The rows of a leg and of all that it leads to, from here to the media.
    fn meet(&self, id: LegId, met: &mut BTreeSet<LegId>, see: &mut impl FnMut(RowId)) {
        if !met.insert(id) {
            return;
        }
        self.charges.of_leg(id).iter().for_each(|used| see(RowId(used.row)));
        self.network.leg(id).next.iter().for_each(|next| self.meet(next.leg, met, see));
    }

    /// Delay at the end of a leg, in seconds, without what is behind it.
    pub(super) fn at_end(&self, id: LegId) -> f64 {
        self.at_end[id.0 as usize]
    }

    /// Delay behind the end of a leg, in seconds.
    pub(super) fn latency(&self, id: LegId) -> f64 {
        self.behind[id.0 as usize]
    }

    /// Delay of a whole leg: on its ways, at its end and behind it.
    pub(super) fn whole(&self, id: LegId) -> f64 {
        self.whole[id.0 as usize]
    }
}

impl NextTimes for Behind<'_> {
    /// A copy is a device of its own.
    fn of(&self, next: &Next, _requests: f64) -> Option<RequestTime> {
        let leg = self.network.leg(next.leg);
        let is_waited_for = !leg.background && !is_copy(self.network, leg);
        let delay = self.whole[next.leg.0 as usize];
        is_waited_for.then_some(RequestTime { delay, transfer: 0.0 })
    }
}

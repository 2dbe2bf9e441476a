//! Streams that nothing limits but a processor time that is assumed.

use std::collections::BTreeSet;

use iopath_path::{Leg, LegId, Network, RowId, StreamLoad, assumed_processors};
use iopath_study::Case;

/// What of a network only assumed processor times limit.
pub(crate) struct Unrated {
    /// Positions of streams.
    pub streams: BTreeSet<usize>,
    /// For each leg whether it, and all below it, meets no other limit and no delay.
    legs: Vec<bool>,
}

impl Unrated {
    pub(crate) fn of(case: &Case, network: &Network) -> Self {
        let assumed = assumed_processors(&case.system, network);
        if assumed.is_empty() {
            return Self { streams: BTreeSet::new(), legs: Vec::new() };
        }
        let legs = free_but_for(&assumed, network);
        let is_unrated = |load: &StreamLoad| {
            let is_free = load.wants_per_sec.is_none() && load.flushing.is_none();
            is_free && load.roots.iter().all(|(leg, _)| legs[leg.0 as usize])
        };
        let streams = (0..).zip(&network.streams).filter(|(_, load)| is_unrated(load));
        Self { streams: streams.map(|(position, _)| position).collect(), legs }
    }

    /// The network as if these took no processor time.
    pub(crate) fn without_processors(&self, network: &Network) -> Network {
        let mut rest = network.clone();
        for (leg, _) in rest.legs.iter_mut().zip(&self.legs).filter(|(_, is_free)| **is_free) {
            leg.charges.clear();
            leg.issue = None;
        }
        self.streams.iter().for_each(|at| rest.streams[*at].thread_s = 0.0);
        rest
    }
}

/// For each leg whether it and all below it use these processors at most. Legs stand before those
/// that they lead to.
fn free_but_for(processors: &BTreeSet<RowId>, network: &Network) -> Vec<bool> {
    let mut free = vec![false; network.legs.len()];
    for at in (0..network.legs.len()).rev() {
        let leg = network.leg(LegId(at as u32));
        free[at] = leg.charges.iter().all(|charge| processors.contains(&charge.row))
            && leg.holds.is_empty()
            && leg.delay_s <= 0.0
            && network.component(leg.to).latency_s <= 0.0
            && crosses_nothing(network, leg)
            && leg.next.iter().all(|next| free[next.leg.0 as usize]);
    }
    free
}

/// Whether no limit and no delay is on any way of a leg.
fn crosses_nothing(network: &Network, leg: &Leg) -> bool {
    leg.ways.iter().all(|way| {
        let is_at_once = network.route(way.route).latency_s <= 0.0;
        is_at_once && network.crossing(way.route, leg.op, leg.bytes).next().is_none()
    })
}

//! Streams that nothing limits but the processor time that a study assumes.

use std::collections::BTreeSet;

use iopath_path::{LegId, Network, StreamLoad, assumed_costs};
use iopath_study::Case;

/// The property of rows that are processors.
const PROCESSORS: &str = "cpus";

/// Positions of streams that meet no limit and no delay but processors, where their time is
/// assumed.
pub(crate) fn streams(case: &Case, network: &Network) -> BTreeSet<usize> {
    if assumed_costs(&case.system).is_empty() {
        return BTreeSet::new();
    }
    let meets_processors_only = meets_processors_only(network);
    let is_unrated = |load: &StreamLoad| {
        let is_free = load.wants_per_sec.is_none() && load.flushing.is_none();
        is_free && load.roots.iter().all(|(leg, _)| meets_processors_only[leg.0 as usize])
    };
    let streams = (0..).zip(&network.streams).filter(|(_, load)| is_unrated(load));
    streams.map(|(position, _)| position).collect()
}

/// The network as if no request took processor time.
pub(crate) fn without_processors(network: &Network) -> Network {
    let mut rest = network.clone();
    for leg in &mut rest.legs {
        leg.charges.retain(|charge| network.row(charge.row).property != PROCESSORS);
        leg.issue = None;
    }
    rest.streams.iter_mut().for_each(|load| load.thread_s = 0.0);
    rest
}

/// For each leg whether it and all below it use processors at most. Legs stand before those that
/// they lead to.
fn meets_processors_only(network: &Network) -> Vec<bool> {
    let mut only = vec![false; network.legs.len()];
    for at in (0..network.legs.len()).rev() {
        let leg = network.leg(LegId(at as u32));
        let is_processor =
            |charge: &iopath_path::Charge| network.row(charge.row).property == PROCESSORS;
        let crosses_limits = leg.ways.iter().any(|way| {
            let route = network.route(way.route);
            route.latency_s > 0.0 || network.crossing(way.route, leg.op, leg.bytes).next().is_some()
        });
        let end = network.component(leg.to);
        only[at] = leg.charges.iter().all(is_processor)
            && leg.holds.is_empty()
            && leg.delay_s <= 0.0
            && end.latency_s <= 0.0
            && !crosses_limits
            && leg.next.iter().all(|next| only[next.leg.0 as usize]);
    }
    only
}

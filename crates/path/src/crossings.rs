//! Which components the bytes of each stream cross or end at, and how many times.
//!
//! Law: the sum over all legs that a request reaches of visits × share of the way × bytes of the
//! leg, over the bytes of the request. It leaves out what components can carry, so it also tells of
//! those without a limit.

use std::collections::BTreeMap;

use crate::network::{ComponentId, LegId, Network, StreamLoad};
use crate::visits::Visits;

/// Bytes of each component for one byte of a stream; one for each stream that counts.
#[must_use]
pub fn crossings(network: &Network) -> Vec<BTreeMap<ComponentId, f64>> {
    let mut visits = Visits::new(network);
    network.streams.iter().map(|load| of_stream(network, load, &mut visits)).collect()
}

fn of_stream(
    network: &Network,
    load: &StreamLoad,
    visits: &mut Visits<'_>,
) -> BTreeMap<ComponentId, f64> {
    let mut crossed: BTreeMap<ComponentId, f64> = BTreeMap::new();
    visits.all(&load.roots, |leg, times| {
        for (component, share) in of_leg(network, leg) {
            *crossed.entry(component).or_default() +=
                times * share * network.leg(leg).bytes as f64 / load.bytes;
        }
    });
    crossed
}

/// The components of all ways of a leg with their share of its requests, and its end.
fn of_leg(network: &Network, leg: LegId) -> BTreeMap<ComponentId, f64> {
    let leg = network.leg(leg);
    let mut shares = BTreeMap::new();
    for way in &leg.ways {
        for (component, _) in &network.route(way.route).crossed {
            *shares.entry(*component).or_default() += way.share;
        }
    }
    shares.entry(leg.to).or_insert(1.0);
    shares
}

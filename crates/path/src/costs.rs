//! Processor times that nobody stated: those of the catalogue that a host has by default, and what
//! a study marks as assumed or does not mark at all.

use std::collections::BTreeMap;

use iopath_study::{PartId, System, unindexed};
use iopath_units::Nanos;

/// Properties of `cost` that are times of a request, in the order of its course.
const TIMES: [&str; 2] = ["request", "part"];

/// The time of a request by `cost`, declarations once; without those of nothing.
#[must_use]
pub fn assumed_costs(system: &System) -> BTreeMap<String, Nanos> {
    let costs = system.ids().filter(|id| system.kind(*id) == "cost");
    let assumed = costs.filter_map(|id| {
        let time = TIMES.iter().filter_map(|property| assumed(system, id, property)).sum();
        (time > 0).then(|| (unindexed(&system.part(id).name), Nanos(time)))
    });
    assumed.collect()
}

fn assumed(system: &System, id: PartId, property: &str) -> Option<u64> {
    let is_assumed = system.value(id, property)?.origin.is_assumed();
    system.time(id, property).filter(|_| is_assumed).map(|time| time.0)
}

//! Processor times that nobody stated: those of the catalogue that a host has by default, and what
//! a study marks as assumed or does not mark at all.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::source::Origin;
use iopath_study::{PartId, System, unindexed};
use iopath_units::Nanos;

use crate::network::{ComponentId, Network, RowId};
use crate::rows::CPUS;

/// Properties of `cost` that are times of a request, in the order of its course.
const TIMES: [&str; 2] = ["request", "part"];

/// The time of a request by `cost`, declarations once, of machines whose processors requests use;
/// without those of nothing.
#[must_use]
pub fn assumed_costs(system: &System, network: &Network) -> BTreeMap<String, Nanos> {
    let of = |row: &RowId| cost_of(system, network.row(*row).component);
    let costs: BTreeSet<PartId> = used_processors(network).iter().filter_map(of).collect();
    let assumed = costs.into_iter().filter_map(|id| {
        let time = |property: &&str| {
            let is_assumed = system.value(id, property)?.origin.is_assumed();
            system.time(id, property).filter(|_| is_assumed).map(|time| time.0)
        };
        let time = TIMES.iter().filter_map(time).sum();
        (time > 0).then(|| (unindexed(&system.part(id).name), Nanos(time)))
    });
    assumed.collect()
}

/// Processors whose time of a request is marked as assumed, as that of the catalogue is.
#[must_use]
pub fn assumed_processors(system: &System, network: &Network) -> BTreeSet<RowId> {
    let is_assumed = |row: &RowId| {
        let request = cost_of(system, network.row(*row).component)
            .and_then(|cost| system.value(cost, "request"));
        request.is_some_and(|request| request.origin == Origin::Assumed)
    };
    used_processors(network).into_iter().filter(is_assumed).collect()
}

/// Rows of processors that requests use.
fn used_processors(network: &Network) -> BTreeSet<RowId> {
    let charges = network.legs.iter().flat_map(|leg| &leg.charges).map(|charge| charge.row);
    charges.filter(|row| network.row(*row).property == CPUS).collect()
}

/// The cost of a machine's requests: its own, or that of what it stands in. A network that was made
/// without a system has none.
fn cost_of(system: &System, machine: ComponentId) -> Option<PartId> {
    let machine = Some(PartId::from(machine)).filter(|id| id.0 < system.parts.len())?;
    let mut around = std::iter::once(machine).chain(system.ancestors(machine));
    around.find_map(|up| system.children(up).find(|id| system.kind(*id) == "cost"))
}

//! One component for each part of a system, with its rows, pools and delays.

use std::collections::BTreeSet;

use iopath_study::{PartId, System};
use iopath_units::{Nanos, Ratio};

use crate::class::Class;
use crate::network::{Component, ComponentId, Network, Pool, PoolId};
use crate::rows;

/// The property of the pool that every request holds while it is in a part.
pub(crate) const OUTSTANDING: &str = "outstanding";

/// The components of a system, their rows and pools; nothing is removed yet.
pub(crate) fn lay(system: &System, network: &mut Network) {
    for id in system.ids() {
        let component = ComponentId::from(id);
        let first = network.rows.len();
        rows::push(system, id, &mut network.rows);
        let rows = (first..network.rows.len()).map(rows::number).collect();
        let outstanding = outstanding(system, id, &mut network.pools);
        let part = system.part(id);
        network.components.push(Component {
            name: part.name.clone(),
            kind: system.kind(id),
            parent: part.parent.map(ComponentId::from),
            place: place(system, id),
            missing: BTreeSet::new(),
            rows,
            latency_s: system.time(id, "latency").map_or(0.0, Nanos::as_secs_f64),
            outstanding,
            variability: system.ratio(id, "variability").map(Ratio::as_f64),
            removed: false,
        });
        debug_assert_eq!(component.0 as usize + 1, network.components.len());
    }
}

/// The tokens that requests hold while they are in a part.
fn outstanding(system: &System, id: PartId, pools: &mut Vec<Pool>) -> Option<PoolId> {
    let value = system.value(id, OUTSTANDING)?;
    let tokens = system.count(id, OUTSTANDING)?;
    let component = ComponentId::from(id);
    let origin = value.origin.clone();
    pools.push(Pool { component, property: OUTSTANDING, tokens, origin });
    u32::try_from(pools.len() - 1).ok().map(PoolId)
}

/// Where a volume is split: `at`, else what a `lun` or `raid` stands in.
fn place(system: &System, id: PartId) -> Option<ComponentId> {
    if Class::of(system.kind(id)) != Class::Volume {
        return None;
    }
    let part = system.part(id);
    part.place.or(part.parent).map(ComponentId::from)
}

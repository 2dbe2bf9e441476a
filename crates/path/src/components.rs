//! One component for each part of a system, with its rows, pools and delays.

use std::collections::BTreeSet;

use iopath_study::words::FlushedBy;
use iopath_study::{Class, PartId, System};
use iopath_units::{Nanos, Ratio};

use crate::network::{Component, ComponentId, Network, Pool, PoolId};
use crate::rows;

/// The property of the pool that every request holds while it is in a part.
pub(crate) const OUTSTANDING: &str = "outstanding";

/// What may split requests: RAID adapters count as host bus adapters.
const SPLITS: [&str; 4] = ["host", "controller", "array", "hba"];

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
            contention: system.ratio(id, "contention").map_or(0.0, Ratio::as_f64),
            empties_on_sync: system.choice(id, "flush") == Some(FlushedBy::OnSync),
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

/// Where a volume is split: `at`, else the nearest part around a `lun` or `raid` that has its own
/// processor. Links, ports and bridges pass on what was split: they carry its parity and copies.
fn place(system: &System, id: PartId) -> Option<ComponentId> {
    if system.class(id) != Class::Volume {
        return None;
    }
    let part = system.part(id);
    let around = std::iter::successors(part.parent, |up| system.part(*up).parent);
    let splits = |up: &PartId| SPLITS.contains(&system.kind(*up));
    let nearest = || around.clone().find(splits).or(part.parent);
    part.place.or_else(nearest).map(ComponentId::from)
}

//! Which wired ends are of a network (Ethernet, RoCE, InfiniBand) and not of a storage fabric.
//! Zones, pairs of ports and the halves of a fabric are practice of Fibre Channel: rules about them
//! leave networks alone.
//!
//! A `nic` is of a network, an `hba` is not. Any other port is what it is wired to, and behind a
//! switch what adapters of that fabric are.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::PartId;

use super::reach::{Way, ports};
use super::view::View;
use super::wiring::{fabrics, switch_of};

/// Wired ends that are of a network.
pub(super) struct Networks(BTreeSet<PartId>);

impl Networks {
    pub(super) fn new(view: &View<'_>) -> Self {
        let fabrics = fabrics(view);
        let fabric = |id: PartId| {
            let switch = switch_of(view, id)?;
            Some(fabrics.get(&switch).copied().unwrap_or(switch))
        };
        let pairs = view.system.wires.iter().flat_map(|link| &link.pairs);
        let ends: Vec<(PartId, PartId)> =
            pairs.flat_map(|(one, other)| [(*one, *other), (*other, *one)]).collect();
        // Of each fabric whether all its adapters are of a network.
        let mut joined: BTreeMap<PartId, bool> = BTreeMap::new();
        for (end, beyond) in &ends {
            if let (Some(is_nic), Some(fabric)) = (is_nic(view, *end), fabric(*beyond)) {
                *joined.entry(fabric).or_insert(true) &= is_nic;
            }
        }
        let is_network = |(end, beyond): &(PartId, PartId)| {
            let of_fabric = || fabric(*beyond).and_then(|fabric| joined.get(&fabric).copied());
            let own = is_nic(view, *end).or_else(|| is_nic(view, *beyond));
            own.or_else(of_fabric).unwrap_or(false)
        };
        Self(ends.iter().filter(|ends| is_network(ends)).map(|(end, _)| *end).collect())
    }

    pub(super) fn has(&self, end: PartId) -> bool {
        self.0.contains(&end)
    }

    /// Whether a way leaves its box for a network.
    pub(super) fn carry(&self, view: &View<'_>, way: &Way) -> bool {
        way.routes().filter_map(|route| ports(view, route)).any(|(leaves, _)| self.has(leaves))
    }
}

/// Whether an end is in a network adapter or in another one; none where it is in neither.
fn is_nic(view: &View<'_>, end: PartId) -> Option<bool> {
    let mut around = std::iter::once(end).chain(view.system.ancestors(end));
    let adapter = around.find(|up| matches!(view.kind(*up), "nic" | "hba"))?;
    Some(view.kind(adapter) == "nic")
}

//! Zones: which ends may talk through the fabric.
//!
//! A zone joins two ends; each is a wired port itself or anything that contains it. Zones are kept
//! by the switches of a fabric, so a cable from end to end, SAS and PCI Express need none.

use std::collections::BTreeMap;

use iopath_study::System;

use super::doors::{Door, within};
use super::tree::Tree;
use crate::network::ComponentId;

/// Who may talk to whom.
#[derive(Debug)]
pub(super) struct Zones {
    /// The other ends of each end's zones.
    partners: BTreeMap<u32, Vec<u32>>,
}

impl Zones {
    pub(super) fn new(system: &System) -> Self {
        let mut partners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (one, other) in system.zones.iter().flat_map(|link| &link.pairs) {
            let (one, other) = (ComponentId::from(*one).0, ComponentId::from(*other).0);
            partners.entry(one).or_default().push(other);
            partners.entry(other).or_default().push(one);
        }
        Self { partners }
    }

    /// Without any zone all that is wired may talk.
    pub(super) fn is_empty(&self) -> bool {
        self.partners.is_empty()
    }

    /// The doors, sorted by part, that may talk to a door: their positions, in order.
    pub(super) fn partners(&self, tree: &Tree, door: &Door, others: &[Door]) -> Vec<usize> {
        let zones = tree.outwards(door.inside).filter_map(|end| self.partners.get(&end));
        let mut found = Vec::new();
        for partner in zones.flatten() {
            let inside = within(others, tree.range(*partner));
            let first = others.partition_point(|other| other.inside < *partner);
            found.extend(first..first + inside.len());
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

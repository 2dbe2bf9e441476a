//! What successive requests have of a member: how far apart, in how many pieces.

use std::collections::BTreeMap;

use super::reach::Met;
use super::{Asked, Share};
use crate::legs::Request;
use crate::volume::Geometry;

/// What requests have had of each member, one after the other.
#[derive(Default)]
pub(super) struct Passed {
    /// Where the first of them began and the last one ended.
    from_to: BTreeMap<u32, (u64, u64)>,
    /// The least distance between two.
    least: BTreeMap<u32, u64>,
}

impl Passed {
    /// The parts of the next request, in order of members.
    pub(super) fn add(&mut self, met: &[Met]) {
        for of_member in met.chunk_by(|one, other| one.part.member == other.part.member) {
            let parts = of_member.iter().map(|met| met.part);
            let from = parts.clone().map(|part| part.offset).min().unwrap_or(0);
            let to = parts.map(|part| part.offset + part.bytes).max().unwrap_or(0);
            let member = of_member[0].part.member;
            let begun = self.from_to.get(&member).copied();
            if let Some((_, last)) = begun {
                self.note(member, from.saturating_sub(last));
            }
            self.from_to.insert(member, (begun.map_or(from, |(first, _)| first), to));
        }
    }

    fn note(&mut self, member: u32, bytes: u64) {
        let least = self.least.entry(member).or_insert(bytes);
        *least = bytes.min(*least);
    }

    /// The least distance on the members of each class, where everything comes again after so many
    /// bytes.
    pub(super) fn least(mut self, again: u64, classes: &[u32]) -> BTreeMap<u32, u64> {
        for (member, (first, last)) in std::mem::take(&mut self.from_to) {
            self.note(member, (first + again).saturating_sub(last));
        }
        let mut of_class: BTreeMap<u32, u64> = BTreeMap::new();
        for (member, bytes) in self.least {
            let least = of_class.entry(classes[member as usize]).or_insert(bytes);
            *least = bytes.min(*least);
        }
        of_class
    }
}

impl Share {
    /// Parts of one request that lie one behind the other on a member, at the most. Those of a
    /// volume with parity say themselves how they are reached.
    pub(in crate::legs) fn pieces(&self, geometry: &Geometry) -> u32 {
        match geometry {
            Geometry::Scattered { .. } | Geometry::Parity(_) => 1,
            Geometry::Whole
            | Geometry::Mirror
            | Geometry::Concat { .. }
            | Geometry::Stripe { .. }
            | Geometry::StripedMirrors { .. } => self.at_once.ceil().max(1.0) as u32,
        }
    }

    /// Bytes between what one request of a stride has of a member and what the next has; none where
    /// requests are not known to be at that distance.
    pub(in crate::legs) fn apart_of(&self, request: &Request, geometry: &Geometry) -> Option<u64> {
        let between = request.apart?;
        match geometry {
            Geometry::Whole | Geometry::Mirror | Geometry::Concat { .. } => Some(between),
            Geometry::Scattered { .. } => None,
            Geometry::Stripe { .. } | Geometry::StripedMirrors { .. } | Geometry::Parity(_) => {
                let Asked { bytes, at, .. } = request.asked;
                let apart = self.apart.filter(|_| between + bytes == at.step);
                if between == 0 { Some(0) } else { apart }
            }
        }
    }
}

//! Where on its members each volume and file begins, for whoever needs offsets on media.
//!
//! Volumes that share a member lie on it one behind the other, in the order of the study, each
//! with what its size takes of it; those that state no size have equal shares of the member. Files
//! lie in their file system the same way. Left out: what volume managers and file
//! systems keep for themselves.

use std::collections::BTreeMap;

use iopath_study::{Class, PartId, System};
use iopath_units::Bytes;

use crate::capacity::Room;
use crate::members::members;
use crate::volume::{Geometry, Volume};

/// Places begin at multiples of this: chosen, as partitions and volume managers do (1 MiB).
const ALIGNED: Bytes = Bytes(1 << 20);

/// The size of a member that does not state its own: chosen, only distances matter.
const UNKNOWN: Bytes = Bytes(1 << 40);

/// For each part of a system the byte on each of its members at which it begins.
#[must_use]
pub fn bases(system: &System) -> Vec<u64> {
    let room = Room::new(system);
    let [aligned, unknown] = [ALIGNED, UNKNOWN].map(|size| system.scale.size(size).0);
    let lying: Vec<(PartId, PartId)> = system.ids().filter_map(|id| lies_on(system, id)).collect();
    let mut sharers: BTreeMap<PartId, u64> = BTreeMap::new();
    for (_, member) in &lying {
        *sharers.entry(*member).or_default() += 1;
    }
    let mut bases = vec![0; system.parts.len()];
    let mut ends: BTreeMap<PartId, u64> = BTreeMap::new();
    for (id, member) in lying {
        let end = ends.entry(member).or_default();
        bases[id.0] = *end;
        let equal = room.usable(member).unwrap_or(unknown) / sharers[&member];
        let extent = extent(system, id).unwrap_or(equal).max(1);
        *end = end.saturating_add(extent).next_multiple_of(aligned);
    }
    bases
}

/// The first of the members that are named, so that others may name them, too.
fn lies_on(system: &System, id: PartId) -> Option<(PartId, PartId)> {
    let is_one = matches!(system.class(id), Class::Volume | Class::File);
    let first = system.part(id).members.first().filter(|_| is_one)?;
    Some((id, *first))
}

/// Bytes that a volume or file of a stated size takes of each member.
fn extent(system: &System, id: PartId) -> Option<u64> {
    let size = system.size(id, "size")?.0;
    let members = members(system, id);
    let volume = Volume::read(system, id, &members).ok()?;
    let over = |count: u32| size.div_ceil(u64::from(count.max(1)));
    Some(match volume.geometry {
        Geometry::Whole | Geometry::Mirror | Geometry::Concat { .. } => size,
        Geometry::Stripe { .. } | Geometry::Scattered { .. } => over(volume.members),
        Geometry::StripedMirrors { .. } => over(volume.members / 2),
        Geometry::Parity(parity) => over(parity.groups * parity.data(volume.members)),
    })
}

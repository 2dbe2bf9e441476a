//! The volumes and file systems of a case in neutral terms, those at the bottom first.
//!
//! Law: level 0 is a stripe, level 1 a mirror of all members; units and segments are 64 KiB where
//! nothing is said (docs/volumes.md). Spares are the last members.

use std::collections::BTreeSet;

use iopath_study::{Case, PartId, System};

/// Unit and segment where nothing is said, as the models take them.
const UNIT: u64 = 64 << 10;

/// How a volume keeps its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Members in turn.
    Stripe,
    /// Members one after the other.
    Concat,
    /// The same on all members.
    Mirror,
    /// Level 3, 4, 5 or 6, with so many members' worth of parity.
    Parity { level: u64, parity: usize },
    /// Pairs in turn.
    Pairs,
    /// Level 50 or 60: a stripe over so many groups, each with parity.
    Groups { level: u64, parity: usize, groups: usize },
}

/// A volume.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    pub id: PartId,
    pub shape: Shape,
    pub members: Vec<PartId>,
    pub spares: Vec<PartId>,
    /// Bytes of one member before the next one's turn; none of what is not striped.
    pub unit: Option<u64>,
    pub size: Option<u64>,
    pub largest_request: Option<u64>,
}

/// A file system.
#[derive(Clone, Debug)]
pub(crate) struct FileSystem {
    pub id: PartId,
    pub on: Vec<PartId>,
    pub block: Option<u64>,
    pub record: Option<u64>,
    /// Unit and number of requests that are read ahead; 0 of them turns it off.
    pub read_ahead: Option<ReadAhead>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadAhead {
    pub unit: Option<u64>,
    pub streams: u64,
}

impl Shape {
    /// How many members' worth of data a row has, of so many members.
    pub(crate) fn columns(self, members: usize) -> usize {
        match self {
            Self::Stripe => members,
            Self::Concat | Self::Mirror => 1,
            Self::Parity { parity, .. } => members.saturating_sub(parity),
            Self::Pairs => members / 2,
            Self::Groups { parity, groups, .. } => members.saturating_sub(parity * groups),
        }
    }

    /// What the study calls it.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Stripe => "stripe".to_owned(),
            Self::Concat => "concatenation".to_owned(),
            Self::Mirror => "mirror".to_owned(),
            Self::Parity { level, .. } | Self::Groups { level, .. } => format!("RAID {level}"),
            Self::Pairs => "RAID 10".to_owned(),
        }
    }
}

impl Volume {
    pub(crate) fn columns(&self) -> usize {
        self.shape.columns(self.members.len())
    }

    /// How many groups are made of it.
    pub(crate) const fn groups(&self) -> usize {
        match self.shape {
            Shape::Groups { groups, .. } => groups,
            Shape::Stripe | Shape::Concat | Shape::Mirror | Shape::Parity { .. } | Shape::Pairs => {
                0
            }
        }
    }
}

/// Every volume that is laid over members, each behind those that it lies on.
pub(crate) fn volumes(system: &System) -> Vec<Volume> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for id in system.ids().filter(|id| is_volume(system, *id)) {
        visit(system, id, &mut seen, &mut order);
    }
    order.into_iter().map(|id| volume(system, id)).collect()
}

pub(crate) fn is_volume(system: &System, id: PartId) -> bool {
    let is_kind = matches!(system.kind(id), "stripe" | "concat" | "mirror" | "raid" | "lun");
    is_kind && !system.part(id).members.is_empty()
}

fn visit(system: &System, id: PartId, seen: &mut BTreeSet<PartId>, order: &mut Vec<PartId>) {
    if !seen.insert(id) {
        return;
    }
    for member in system.part(id).members.iter() {
        if is_volume(system, *member) {
            visit(system, *member, seen, order);
        }
    }
    order.push(id);
}

fn volume(system: &System, id: PartId) -> Volume {
    let mut members = system.part(id).members.to_vec();
    let bytes = |property| system.size(id, property).map(|size| size.0);
    let spares = count(system, id, "spares").unwrap_or(0);
    let spares = members.split_off(members.len().saturating_sub(spares));
    let shape = shape(system, id, members.len());
    let unit = match shape {
        Shape::Concat | Shape::Mirror => None,
        Shape::Stripe | Shape::Parity { .. } | Shape::Pairs | Shape::Groups { .. } => {
            bytes("unit").or_else(|| bytes("segment")).or(Some(UNIT))
        }
    };
    let (size, largest_request) = (bytes("size"), bytes("largest-request"));
    Volume { id, shape, members, spares, unit, size, largest_request }
}

fn shape(system: &System, id: PartId, members: usize) -> Shape {
    let level = match system.kind(id) {
        "stripe" => return Shape::Stripe,
        "concat" => return Shape::Concat,
        "mirror" => return Shape::Mirror,
        _ => system.count(id, "level").unwrap_or(0),
    };
    let parity = match level {
        6 | 60 => count(system, id, "parity").unwrap_or(2),
        _ => 1,
    };
    match level {
        0 => Shape::Stripe,
        1 => Shape::Mirror,
        10 => Shape::Pairs,
        50 | 60 => {
            let width = count(system, id, "width");
            let groups = width.map_or_else(|| groups(members, parity), |width| members / width);
            Shape::Groups { level, parity, groups: groups.max(1) }
        }
        _ => Shape::Parity { level, parity },
    }
}

/// Two groups, or the fewest that divide the members.
fn groups(members: usize, parity: usize) -> usize {
    let is_fit = |groups: &usize| members.is_multiple_of(*groups) && members / *groups > parity + 1;
    (2..=members).find(is_fit).unwrap_or(1)
}

/// What the streams of a case go through below their targets.
pub(crate) fn used(case: &Case) -> BTreeSet<PartId> {
    let mut seen = BTreeSet::new();
    let mut left: Vec<PartId> = case.targets.iter().map(|target| target.part).collect();
    while let Some(id) = left.pop() {
        if seen.insert(id) {
            left.extend(case.system.part(id).members.iter());
        }
    }
    seen
}

/// Whether something is below two of these.
pub(crate) fn overlap(volumes: &[Volume], file_systems: &[FileSystem]) -> bool {
    let members = volumes.iter().flat_map(|one| one.members.iter().chain(&one.spares));
    let mut all = members.chain(file_systems.iter().flat_map(|one| &one.on));
    let mut seen = BTreeSet::new();
    !all.all(|id| seen.insert(*id))
}

fn count(system: &System, id: PartId, property: &str) -> Option<usize> {
    usize::try_from(system.count(id, property)?).ok()
}

/// Every file system over something.
pub(crate) fn file_systems(system: &System) -> Vec<FileSystem> {
    let is_it =
        |id: &PartId| system.kind(*id) == "filesystem" && !system.part(*id).members.is_empty();
    system.ids().filter(is_it).map(|id| file_system(system, id)).collect()
}

fn file_system(system: &System, id: PartId) -> FileSystem {
    let bytes = |property| system.size(id, property).map(|size| size.0);
    let read_ahead = system.children(id).find(|child| system.kind(*child) == "readahead");
    let read_ahead = read_ahead.and_then(|child| {
        let unit = system.size(child, "unit").map(|size| size.0);
        system.count(child, "streams").map(|streams| ReadAhead { unit, streams })
    });
    let on = system.part(id).members.to_vec();
    FileSystem { id, on, block: bytes("block"), record: bytes("record"), read_ahead }
}

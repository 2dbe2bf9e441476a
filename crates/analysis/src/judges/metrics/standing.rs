//! What targets stand on: the devices that bytes are compared with, and the drives at the bottom.

use std::collections::BTreeSet;

use iopath_record::{Entity, EntityId, Layer, Record, Relation};

use crate::usage::pass::Pass;
use crate::usage::related::stacked;

/// Devices on which targets stand and which stand on nothing themselves.
pub(crate) fn leaves<'a>(pass: &Pass<'a>) -> Vec<(EntityId, &'a Entity)> {
    let record = pass.record;
    let above: BTreeSet<EntityId> = record.relations.iter().map(|one| one.upper).collect();
    let below: BTreeSet<EntityId> =
        record.relations.iter().flat_map(|one| one.lower.iter().copied()).collect();
    let is_leaf = |(id, entity): &(EntityId, &Entity)| {
        entity.layer == Layer::Device && below.contains(id) && !above.contains(id)
    };
    (0u32..).map(EntityId).zip(&record.entities).filter(is_leaf).collect()
}

/// Devices on which targets stand: of what a volume of the kernel stands on only the volume.
pub(crate) fn devices<'a>(pass: &Pass<'a>) -> Vec<(EntityId, &'a Entity)> {
    let record = pass.record;
    let stacked = stacked(record);
    let inner = lowers(record, |relation| stacked.contains(&relation.upper));
    let below = lowers(record, |_| true);
    let volumes = stacked.iter().filter(|id| below.contains(id));
    let volumes = volumes.map(|id| (*id, &record.entities[id.0 as usize]));
    let mut all: Vec<_> = leaves(pass).into_iter().chain(volumes).collect();
    all.retain(|(id, _)| !inner.contains(id));
    all.sort_by_key(|(id, _)| *id);
    all
}

/// Devices at the bottom of such volumes.
pub(super) fn members<'a>(
    pass: &Pass<'a>,
    stacked: &BTreeSet<EntityId>,
) -> Vec<(EntityId, &'a Entity)> {
    let inner = lowers(pass.record, |relation| stacked.contains(&relation.upper));
    let mut all = leaves(pass);
    all.retain(|(id, _)| inner.contains(id));
    all
}

fn lowers(record: &Record, of: impl Fn(&Relation) -> bool) -> BTreeSet<EntityId> {
    let relations = record.relations.iter().filter(|relation| of(relation));
    relations.flat_map(|relation| relation.lower.iter().copied()).collect()
}

/// What the streams stand on.
pub(crate) fn targets<'a>(pass: &Pass<'a>) -> Vec<(EntityId, &'a Entity)> {
    let record = pass.record;
    let streams: BTreeSet<EntityId> = record.streams.iter().map(|stream| stream.entity).collect();
    let of_streams = record.relations.iter().filter(|one| streams.contains(&one.upper));
    let below: BTreeSet<EntityId> = of_streams.flat_map(|one| one.lower.iter().copied()).collect();
    let entities = (0u32..).map(EntityId).zip(&record.entities);
    entities.filter(|(id, _)| below.contains(id)).collect()
}

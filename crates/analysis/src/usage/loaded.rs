//! When counters that were watched tell of a load, and of which things they are.
//!
//! The things are those at the bottom of the path: drives, mounts of a server, what stands on
//! nothing that is watched. Loop devices that moved more than what only they stand on count in its
//! place: the page cache served the rest. Who watches begins before a load and ends after it, so the
//! load is from the first interval with a hundredth of the most that any interval moved to the last.

use std::collections::BTreeSet;

use iopath_record::{Counter, Entity, EntityId, Kind, Layer, Record, Technique};

use crate::thresholds::trials::LOADED_SHARE;
use crate::usage::counters::{Counters, Span};

/// Whether a record has only counters of others' load.
pub(crate) fn is_watched(record: &Record) -> bool {
    record.technique == Technique::Observation && record.streams.is_empty()
}

/// What stands at the bottom of the path and counts what it moves.
pub(crate) fn bottoms(record: &Record) -> Vec<(EntityId, &Entity)> {
    let loops = cached_loops(record);
    let hidden = below(&loops, record);
    let above = &uppers(record) - &loops;
    let is_bottom = |(id, entity): &(EntityId, &Entity)| {
        let may_carry = match entity.layer {
            Layer::FileSystem => matches!(entity.kind, Kind::Nfs | Kind::Pool | Kind::Dataset),
            Layer::Volume | Layer::Lun | Layer::Device => true,
            Layer::Application
            | Layer::Port
            | Layer::Switch
            | Layer::Adapter
            | Layer::Bus
            | Layer::Memory
            | Layer::Processor
            | Layer::Generator => false,
        };
        may_carry && !above.contains(id) && !hidden.contains(id)
    };
    // A pool or a mount is told by its own devices, where these are watched.
    let all: Vec<_> = (0u32..).map(EntityId).zip(&record.entities).filter(is_bottom).collect();
    let has_devices = all.iter().any(|(_, entity)| entity.layer == Layer::Device);
    let is_twice =
        |entity: &Entity| has_devices && matches!(entity.kind, Kind::Pool | Kind::Dataset);
    all.into_iter().filter(|(_, entity)| !is_twice(entity)).collect()
}

fn uppers(record: &Record) -> BTreeSet<EntityId> {
    record.relations.iter().map(|one| one.upper).collect()
}

/// The loop devices, where they moved more bytes than all at the bottom below them, and nothing
/// else stands on that.
fn cached_loops(record: &Record) -> BTreeSet<EntityId> {
    let entities = (0u32..).map(EntityId).zip(&record.entities);
    let loops = entities.filter(|(_, entity)| entity.kind == Kind::Loop).map(|(id, _)| id);
    let loops: BTreeSet<EntityId> = loops.collect();
    let below = below(&loops, record);
    let is_theirs = |upper: &EntityId| loops.contains(upper) || below.contains(upper);
    let mut onto =
        record.relations.iter().filter(|one| one.lower.iter().any(|id| below.contains(id)));
    if below.is_empty() || !onto.all(|one| is_theirs(&one.upper)) {
        return BTreeSet::new();
    }
    let counters = Counters::of(record);
    let moved = |ids: &BTreeSet<EntityId>| -> u64 {
        let each = ids.iter().flat_map(|id| MOVED.map(|counter| counters.whole(*id, counter)));
        each.flatten().fold(0, u64::saturating_add)
    };
    let (tops, ends) = (&loops - &below, &below - &uppers(record));
    if moved(&tops) > moved(&ends) { tops } else { BTreeSet::new() }
}

/// Everything below, down to the bottom.
fn below(ids: &BTreeSet<EntityId>, record: &Record) -> BTreeSet<EntityId> {
    let (mut found, mut next) = (BTreeSet::new(), Vec::from_iter(ids.iter().copied()));
    while let Some(upper) = next.pop() {
        let of = record.relations.iter().filter(|one| one.upper == upper);
        next.extend(of.flat_map(|one| &one.lower).filter(|lower| found.insert(**lower)));
    }
    found
}

/// Counters of bytes.
const MOVED: [Counter; 3] = [Counter::ReadBytes, Counter::WriteBytes, Counter::MovedBytes];

/// From the first interval under load to the last; all where nothing was moved.
pub(crate) fn loaded(record: &Record, counters: &Counters) -> Span {
    let all = counters.sampled();
    let mut moved = vec![0.0; record.instants_ns.len().saturating_sub(1)];
    for (id, _) in bottoms(record) {
        for counter in MOVED {
            let Some(values) = counters.values(id, counter) else { continue };
            for (at, pair) in values.windows(2).enumerate() {
                moved[at] += pair[1].saturating_sub(pair[0]) as f64;
            }
        }
    }
    let rates: Vec<f64> = moved
        .iter()
        .zip(record.instants_ns.windows(2))
        .map(|(moved, time)| moved / (time[1] - time[0]).max(1) as f64)
        .collect();
    let most = rates.iter().copied().fold(0.0, f64::max);
    let is_loaded = |rate: &f64| *rate > 0.0 && *rate >= LOADED_SHARE * most;
    let first = rates.iter().position(is_loaded);
    let last = rates.iter().rposition(is_loaded);
    first.zip(last).map_or(all, |(first, last)| Span {
        from_ns: record.instants_ns[first],
        to_ns: record.instants_ns[last + 1],
    })
}

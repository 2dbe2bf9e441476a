//! When counters that were watched tell of a load, and of which things they are.
//!
//! The things are the streams of a system that counts its own, as one that is emulated live; else
//! those at the bottom of the path: drives, mounts of a server, what stands on nothing that is
//! watched. Who watches begins before a load and ends after it, so the load is from
//! the first interval with a hundredth of the most that any interval moved to the last.

use std::collections::BTreeSet;

use iopath_record::{Counter, Entity, EntityId, Kind, Layer, Record, Technique};

use crate::thresholds::trials::LOADED_SHARE;
use crate::usage::counters::{Counters, Span};

/// Whether a record has only counters of others' load.
pub(crate) fn is_watched(record: &Record) -> bool {
    record.technique == Technique::Observation && record.streams.is_empty()
}

/// What counts the load: streams, or what stands at the bottom of the path.
pub(crate) fn carriers(record: &Record) -> Vec<(EntityId, &Entity)> {
    // What a stream is made of moves the same bytes once more.
    let is_stream = |entity: &Entity| entity.kind == Kind::Stream;
    let all = (0u32..).map(EntityId).zip(&record.entities);
    let streams: Vec<_> = all.filter(|(_, entity)| is_stream(entity)).collect();
    if streams.is_empty() { bottoms(record) } else { streams }
}

/// What stands at the bottom of the path and counts what it moves.
pub(crate) fn bottoms(record: &Record) -> Vec<(EntityId, &Entity)> {
    let above: BTreeSet<EntityId> = record.relations.iter().map(|one| one.upper).collect();
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
        may_carry && !above.contains(id)
    };
    // A pool or a mount is told by its own devices, where these are watched.
    let all: Vec<_> = (0u32..).map(EntityId).zip(&record.entities).filter(is_bottom).collect();
    let has_devices = all.iter().any(|(_, entity)| entity.layer == Layer::Device);
    let is_twice =
        |entity: &Entity| has_devices && matches!(entity.kind, Kind::Pool | Kind::Dataset);
    all.into_iter().filter(|(_, entity)| !is_twice(entity)).collect()
}

/// From the first interval under load to the last; all where nothing was moved.
pub(crate) fn loaded(record: &Record, counters: &Counters) -> Span {
    let all = counters.sampled();
    let mut moved = vec![0.0; record.instants_ns.len().saturating_sub(1)];
    for (id, _) in carriers(record) {
        for counter in [Counter::ReadBytes, Counter::WriteBytes, Counter::MovedBytes] {
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

//! One interval as one line of JSON, `iopath-watch/2`; keys are told in `docs/watching.md`.

use iopath_analysis::{Usage, shares};
use iopath_record::{Entity, EntityId, Kind, Layer, Relation};
use serde_json::{Value, json};

use super::Watched;

/// The line as a value. `events` are those of this interval.
#[must_use]
pub fn watch_json(watched: &Watched<'_>, events: &[String]) -> Value {
    let each = || (0u32..).map(EntityId).zip(watched.entities);
    let below = watched.below();
    let path = each().filter(|(_, one)| is_of_path(one));
    let path = path.map(|of| entity(watched, below.get(&of.0).copied(), of));
    let processors = each().filter_map(|(id, one)| processor(watched, id, one));
    json!({
        "format": "iopath-watch/2",
        "at_unix_ns": watched.at_unix_ns,
        "interval_ns": watched.interval_ns,
        "what": watched.what,
        "entities": path.collect::<Vec<_>>(),
        "processors": processors.collect::<Vec<_>>(),
        "memory": each().find(|(_, one)| one.name == "memory").map(|(id, _)| memory(watched, id)),
        "pressure": each().filter(|(_, one)| one.kind == Kind::Pressure).map(|(id, one)| {
            let share = watched.usage_of(id).and_then(|of| of.utilisation);
            json!({ "name": one.name, "stalled": share })
        }).collect::<Vec<_>>(),
        "events": events,
    })
}

fn is_of_path(one: &Entity) -> bool {
    !matches!(one.layer, Layer::Processor | Layer::Memory | Layer::Generator)
}

fn entity(
    watched: &Watched<'_>,
    relation: Option<&Relation>,
    (id, one): (EntityId, &Entity),
) -> Value {
    let of = watched.usage_of(id).copied().unwrap_or_default();
    let below = relation.into_iter().flat_map(|relation| &relation.lower);
    let below: Vec<&str> = below.map(|id| watched.name(*id)).collect();
    let found =
        relation.and_then(|relation| shares::of(relation, watched.usage, watched.interval_ns));
    let found = found.map(|found| {
        json!({
            "members": found.members,
            "idle": found.idle,
            "least_share": found.least_share,
            "most_share": found.most_share,
            "least_ns": found.least_ns,
            "most_ns": found.most_ns,
            "odd": found.odd.map(|id| watched.name(id)),
        })
    });
    json!({
        "name": one.name,
        "kind": one.kind,
        "layer": one.layer,
        "binding": one.binding,
        "below": below,
        "read_bytes_per_sec": of.read.bytes_per_sec,
        "write_bytes_per_sec": of.write.bytes_per_sec,
        "read_operations_per_sec": of.read.operations_per_sec,
        "write_operations_per_sec": of.write.operations_per_sec,
        "read_ns_mean": of.read.ns_mean,
        "write_ns_mean": of.write.ns_mean,
        "flushes_per_sec": of.flush.operations_per_sec,
        "flush_ns_mean": of.flush.ns_mean,
        "discards_per_sec": of.discard.operations_per_sec,
        "discard_bytes_per_sec": of.discard.bytes_per_sec,
        "discard_ns_mean": of.discard.ns_mean,
        "in_flight_mean": of.in_flight_mean,
        "in_flight": of.gauges.in_flight,
        "utilisation": of.utilisation,
        "errors_per_sec": of.errors_per_sec,
        "balance": found,
    })
}

fn processor(watched: &Watched<'_>, id: EntityId, one: &Entity) -> Option<Value> {
    if one.layer != Layer::Processor {
        return None;
    }
    let shares = watched.usage_of(id)?.processor;
    let share = |of: fn(&iopath_analysis::usage::ProcessorShares) -> f64| shares.as_ref().map(of);
    Some(json!({
        "name": one.name,
        "count": one.count,
        "user": share(|one| one.user),
        "system": share(|one| one.system),
        "io_wait": share(|one| one.io_wait),
        "interrupt": share(|one| one.interrupt),
        "steal": share(|one| one.steal),
        "idle": share(|one| one.idle),
    }))
}

fn memory(watched: &Watched<'_>, id: EntityId) -> Value {
    let of: Usage = watched.usage_of(id).copied().unwrap_or_default();
    json!({
        "cached_bytes": of.gauges.cached_bytes,
        "dirty_bytes": of.gauges.dirty_bytes,
        "writeback_bytes": of.gauges.writeback_bytes,
        "read_bytes_per_sec": of.read.bytes_per_sec,
        "write_bytes_per_sec": of.write.bytes_per_sec,
    })
}

//! One interval of what is watched, `iopath-watch/2`; keys are described in `docs/watching.md`.

use iopath_analysis::usage::ProcessorShares;
use iopath_analysis::{MemberShares, Usage};
use iopath_record::{self as record, EntityId, Kind, Layer, Relation};
use serde::Serialize;
use serde_json::Value;

use super::{Versioned, value};
use crate::view::watched::{Stored, Watched};

#[derive(Serialize)]
pub(super) struct Interval<'a> {
    at_unix_ns: u64,
    interval_ns: u64,
    what: &'a str,
    entities: Vec<Entity<'a>>,
    processors: Vec<Processor<'a>>,
    memory: Option<Memory>,
    pressure: Vec<Pressure<'a>>,
    events: &'a [String],
}

#[derive(Serialize)]
struct Entity<'a> {
    name: &'a str,
    kind: &'a Kind,
    layer: Layer,
    binding: Option<&'a str>,
    below: Vec<&'a str>,
    read_bytes_per_sec: Option<f64>,
    write_bytes_per_sec: Option<f64>,
    read_operations_per_sec: Option<f64>,
    write_operations_per_sec: Option<f64>,
    read_ns_mean: Option<f64>,
    write_ns_mean: Option<f64>,
    flushes_per_sec: Option<f64>,
    flush_ns_mean: Option<f64>,
    discards_per_sec: Option<f64>,
    discard_bytes_per_sec: Option<f64>,
    discard_ns_mean: Option<f64>,
    in_flight_mean: Option<f64>,
    in_flight: Option<u64>,
    utilisation: Option<f64>,
    errors_per_sec: Option<f64>,
    balance: Option<Balance<'a>>,
}

#[derive(Serialize)]
struct Balance<'a> {
    #[serde(flatten)]
    shares: MemberShares,
    odd: Option<&'a str>,
}

#[derive(Serialize)]
struct Processor<'a> {
    name: &'a str,
    count: u32,
    user: Option<f64>,
    system: Option<f64>,
    io_wait: Option<f64>,
    interrupt: Option<f64>,
    steal: Option<f64>,
    idle: Option<f64>,
}

#[derive(Serialize)]
struct Memory {
    cached_bytes: Option<u64>,
    dirty_bytes: Option<u64>,
    writeback_bytes: Option<u64>,
    read_bytes_per_sec: Option<f64>,
    write_bytes_per_sec: Option<f64>,
}

#[derive(Serialize)]
struct Pressure<'a> {
    name: &'a str,
    stalled: Option<f64>,
}

/// One line of the format. `events` are those of this interval.
#[must_use]
pub fn watch_json(watched: &Watched<'_>, events: &[String]) -> Value {
    value(&interval(watched, events))
}

pub(super) fn stored(stored: &Stored) -> Versioned<Interval<'_>> {
    interval(&stored.watched(), stored.events())
}

fn interval<'a>(watched: &Watched<'a>, events: &'a [String]) -> Versioned<Interval<'a>> {
    let each = || (0u32..).map(EntityId).zip(watched.entities);
    let path = each().filter(|(_, one)| one.is_of_path());
    let below = watched.below();
    let path = path.map(|(id, one)| entity(watched, below.get(&id).copied(), id, one));
    let pressure = each().filter(|(_, one)| one.kind == Kind::Pressure);
    let of = Interval {
        at_unix_ns: watched.at_unix_ns,
        interval_ns: watched.interval_ns,
        what: watched.what,
        entities: path.collect(),
        processors: each().filter_map(|(id, one)| processor(watched, id, one)).collect(),
        memory: each().find(|(_, one)| one.name == "memory").map(|(id, _)| memory(watched, id)),
        pressure: pressure.map(|(id, one)| stalled(watched, id, &one.name)).collect(),
        events,
    };
    Versioned { format: "iopath-watch/2", of }
}

fn entity<'a>(
    watched: &Watched<'a>,
    relation: Option<&Relation>,
    id: EntityId,
    one: &'a record::Entity,
) -> Entity<'a> {
    let of = watched.usage_of(id).copied().unwrap_or_default();
    let below = relation.into_iter().flat_map(|relation| &relation.lower);
    Entity {
        name: &one.name,
        kind: &one.kind,
        layer: one.layer,
        binding: one.binding.as_deref(),
        below: below.map(|id| watched.name(*id)).collect(),
        read_bytes_per_sec: of.read.bytes_per_sec,
        write_bytes_per_sec: of.write.bytes_per_sec,
        read_operations_per_sec: of.read.operations_per_sec,
        write_operations_per_sec: of.write.operations_per_sec,
        read_ns_mean: of.read.ns_mean,
        write_ns_mean: of.write.ns_mean,
        flushes_per_sec: of.flush.operations_per_sec,
        flush_ns_mean: of.flush.ns_mean,
        discards_per_sec: of.discard.operations_per_sec,
        discard_bytes_per_sec: of.discard.bytes_per_sec,
        discard_ns_mean: of.discard.ns_mean,
        in_flight_mean: of.in_flight_mean,
        in_flight: of.gauges.in_flight,
        utilisation: of.utilisation,
        errors_per_sec: of.errors_per_sec,
        balance: relation.and_then(|relation| balance(watched, relation)),
    }
}

fn balance<'a>(watched: &Watched<'a>, relation: &Relation) -> Option<Balance<'a>> {
    let shares = watched.shares_of(relation)?;
    let odd = shares.odd.map(|id| watched.name(id));
    Some(Balance { shares, odd })
}

fn processor<'a>(
    watched: &Watched<'a>,
    id: EntityId,
    one: &'a record::Entity,
) -> Option<Processor<'a>> {
    if one.kind != Kind::Cpu {
        return None;
    }
    let shares = watched.usage_of(id)?.processor;
    let share = |of: fn(&ProcessorShares) -> f64| shares.as_ref().map(of);
    Some(Processor {
        name: &one.name,
        count: one.count,
        user: share(|one| one.user),
        system: share(|one| one.system),
        io_wait: share(|one| one.io_wait),
        interrupt: share(|one| one.interrupt),
        steal: share(|one| one.steal),
        idle: share(|one| one.idle),
    })
}

fn memory(watched: &Watched<'_>, id: EntityId) -> Memory {
    let of: Usage = watched.usage_of(id).copied().unwrap_or_default();
    Memory {
        cached_bytes: of.gauges.cached_bytes,
        dirty_bytes: of.gauges.dirty_bytes,
        writeback_bytes: of.gauges.writeback_bytes,
        read_bytes_per_sec: of.read.bytes_per_sec,
        write_bytes_per_sec: of.write.bytes_per_sec,
    }
}

fn stalled<'a>(watched: &Watched<'_>, id: EntityId, name: &'a str) -> Pressure<'a> {
    Pressure { name, stalled: watched.usage_of(id).and_then(|of| of.utilisation) }
}

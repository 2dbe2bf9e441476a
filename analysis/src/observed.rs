//! What the passes of a trial show about devices, caches, processors and the streams' threads,
//! as shares and means: the facts from which a limit is judged.
//!
//! Passes are summed by name. Utilisation law: utilisation = busy time / time; mean in flight =
//! time in flight, summed over requests / time (Denning and Buzen 1978).

use std::collections::BTreeSet;

use iopath_record::{Counter, Entity, EntityId, Layer, Limit};

use crate::counters::Span;
use crate::pass::{Part, Pass, bytes, phases};
use crate::prediction::used;
use crate::statistics::mean;

/// The facts of one trial.
pub(crate) struct Observed {
    pub engine: String,
    pub streams: Vec<StreamUse>,
    pub devices: Vec<DeviceUse>,
    pub targets: Vec<TargetUse>,
    pub components: Vec<ComponentUse>,
    /// What the application moved since go: read, written.
    pub application_bytes: [f64; 2],
    /// Achieved in the window, or the measured part without one.
    pub operations_per_sec: f64,
    pub processors: Option<ProcessorUse>,
    /// Growth of dirty pages since go, over all passes.
    pub dirty_growth: Option<f64>,
    /// Time held back by a limit, as a share of the measured part, by entity.
    pub throttled: Vec<(String, f64)>,
    /// What the generator does against no storage at all.
    pub ceiling: Option<f64>,
    /// Bytes a second of all devices, by interval, of the first pass.
    pub device_rates: Vec<f64>,
}

/// One stream over the counted phases.
pub(crate) struct StreamUse {
    pub name: String,
    pub depth: Option<u64>,
    pub in_flight: f64,
    /// Share of the time its thread, or each of its threads, was on a processor.
    pub user: f64,
    pub system: f64,
    /// Wanted by the study: measure and amount a second.
    pub wanted: Option<Limit>,
    /// Achieved in the window, or the measured part without one.
    pub operations_per_sec: f64,
    pub bytes_per_sec: f64,
}

/// One device below the targets.
pub(crate) struct DeviceUse {
    pub name: String,
    pub utilisation: Option<f64>,
    pub in_flight: Option<f64>,
    /// Moved since go: read, written.
    pub bytes: Option<[f64; 2]>,
    pub bytes_per_sec: Option<f64>,
    pub operations_per_sec: Option<f64>,
    pub ratings: Vec<Limit>,
}

/// One capacity of a component above the devices.
pub(crate) struct ComponentUse {
    pub name: String,
    pub measure: String,
    pub origin: String,
    /// How much a second, or how many at once.
    pub most: u64,
    /// Of all passes together.
    pub utilisation: f64,
}

/// One target.
pub(crate) struct TargetUse {
    pub name: String,
    pub cache: Option<String>,
    pub in_memory: bool,
    /// The least share of it that was in the page cache at any sample.
    pub cached: Option<f64>,
}

/// All processors together.
pub(crate) struct ProcessorUse {
    pub busy: f64,
    pub steal: f64,
    /// Share of all processor time that went to this process and the kernel's workers for it.
    pub own: Option<f64>,
    pub count: u32,
}

impl Observed {
    pub(crate) fn of(passes: &[Pass<'_>]) -> Self {
        let first = &passes[0];
        let best =
            if passes.iter().any(|p| p.window.is_some()) { Part::Window } else { Part::Counted };
        let seconds = seconds(passes, best);
        let entities = || (0u32..).map(EntityId).zip(&first.record.entities);
        let ceiling = first.fact("generator.ceiling_operations_per_sec");
        Self {
            engine: first.engine().to_owned(),
            streams: first
                .record
                .streams
                .iter()
                .map(|s| stream(passes, first.name(s), best))
                .collect(),
            devices: leaves(first).map(|(_, entity)| device(passes, entity)).collect(),
            targets: targets(first).map(|(_, entity)| target(passes, entity)).collect(),
            components: components(passes),
            application_bytes: application_bytes(passes),
            operations_per_sec: passes.iter().map(|p| p.operations(best)).sum::<f64>() / seconds,
            processors: entities()
                .find(|(_, entity)| entity.kind == "cpu" && entity.parent.is_none())
                .and_then(|(_, entity)| processors(passes, entity)),
            dirty_growth: entities()
                .find(|(_, entity)| entity.layer == Layer::Memory)
                .and_then(|(_, entity)| growth(passes, entity)),
            throttled: entities().filter_map(|(_, e)| throttled(passes, e)).collect(),
            ceiling: ceiling.and_then(|text| text.parse().ok()),
            device_rates: device_rates(first),
        }
    }
}

fn seconds(passes: &[Pass<'_>], part: Part) -> f64 {
    let spans = passes.iter().filter_map(|pass| match part {
        Part::Window => pass.window,
        Part::Counted | Part::Whole => Some(pass.measured),
    });
    spans.map(Span::length_ns).sum::<u64>().max(1) as f64 / 1e9
}

fn application_bytes(passes: &[Pass<'_>]) -> [f64; 2] {
    let all = || passes.iter().flat_map(|pass| pass.phases(Part::Whole));
    let read: u64 = all().map(|totals| totals.read_bytes).sum();
    let written: u64 = all().map(|totals| totals.write_bytes).sum();
    [read as f64, written as f64]
}

fn stream(passes: &[Pass<'_>], name: &str, best: Part) -> StreamUse {
    let within = |part| {
        passes.iter().flat_map(move |pass| {
            let mine = pass.record.streams.iter().filter(move |stream| pass.name(stream) == name);
            mine.flat_map(move |stream| phases(stream, part))
        })
    };
    let of = within(Part::Counted);
    let (mut time, mut in_flight, mut user, mut system) = (0, 0, 0, 0);
    for totals in of {
        time += totals.to_ns.saturating_sub(totals.from_ns);
        in_flight += totals.in_flight_ns;
        user += totals.user_ns;
        system += totals.system_ns;
    }
    let share = |part: u64| part as f64 / time.max(1) as f64;
    let limits = limits_of(&passes[0], name);
    let depth = limits.iter().find_map(|limit| limit.tokens);
    // That engine has a thread for each request in flight; all others one for each stream.
    let threads = match passes[0].engine() {
        "threads" => depth.unwrap_or(1).max(1) as f64,
        _ => 1.0,
    };
    StreamUse {
        name: name.to_owned(),
        depth,
        in_flight: share(in_flight),
        user: share(user) / threads,
        system: share(system) / threads,
        wanted: limits.iter().find(|l| l.tokens.is_none() && l.origin == "study").cloned(),
        operations_per_sec: within(best).map(|t| t.operations_ppm as f64 / 1e6).sum::<f64>()
            / seconds(passes, best),
        bytes_per_sec: within(best).map(bytes).sum::<u64>() as f64 / seconds(passes, best),
    }
}

fn limits_of<'a>(pass: &Pass<'a>, name: &str) -> &'a [Limit] {
    let mut mine = pass.record.streams.iter().filter(|stream| pass.name(stream) == name);
    let entity = mine.next().and_then(|s| pass.record.entities.get(s.entity.0 as usize));
    entity.map_or(&[], |entity| &entity.limits)
}

/// Devices on which targets stand and which stand on nothing themselves.
pub(crate) fn leaves<'a>(pass: &Pass<'a>) -> impl Iterator<Item = (EntityId, &'a Entity)> {
    let record = pass.record;
    let below = |id| record.relations.iter().any(|relation| relation.lower.contains(&id));
    let above = |id| record.relations.iter().any(|relation| relation.upper == id);
    let entities = (0u32..).map(EntityId).zip(&record.entities);
    entities.filter(move |(id, e)| e.layer == Layer::Device && below(*id) && !above(*id))
}

/// What the streams stand on.
pub(crate) fn targets<'a>(pass: &Pass<'a>) -> impl Iterator<Item = (EntityId, &'a Entity)> {
    let record = pass.record;
    let stands = |id: EntityId| {
        let on = record.relations.iter().filter(move |relation| relation.lower.contains(&id));
        on.map(|relation| relation.upper).any(|u| record.streams.iter().any(|s| s.entity == u))
    };
    (0u32..).map(EntityId).zip(&record.entities).filter(move |(id, _)| stands(*id))
}

fn device(passes: &[Pass<'_>], entity: &Entity) -> DeviceUse {
    let time = seconds(passes, Part::Counted) * 1e9;
    let per_time = |counter| Some(over(passes, entity, counter)? / time);
    let either = |read, write| Some((per_time(read)? + per_time(write).unwrap_or_default()) * 1e9);
    let read = whole(passes, entity, Counter::ReadBytes);
    let written = whole(passes, entity, Counter::WriteBytes);
    DeviceUse {
        name: entity.name.clone(),
        utilisation: per_time(Counter::BusyNs),
        in_flight: per_time(Counter::InFlightNs),
        bytes: read.zip(written).map(|(read, written)| [read, written]),
        bytes_per_sec: either(Counter::ReadBytes, Counter::WriteBytes),
        operations_per_sec: either(Counter::ReadOperations, Counter::WriteOperations),
        ratings: entity.limits.iter().filter(|l| l.tokens.is_none()).cloned().collect(),
    }
}

/// Everything between the streams and the devices that has limits and counters.
fn components(passes: &[Pass<'_>]) -> Vec<ComponentUse> {
    let first = &passes[0];
    let devices: BTreeSet<EntityId> = leaves(first).map(|(id, _)| id).collect();
    let entities = (0u32..).map(EntityId).zip(&first.record.entities);
    let between = entities.filter(|(id, entity)| {
        entity.layer != Layer::Application && !entity.limits.is_empty() && !devices.contains(id)
    });
    let use_of = |id, entity: &Entity, limit: &Limit| {
        let rest = passes[1..].iter().filter_map(|pass| Some((pass, find(pass, entity)?.0)));
        let all = std::iter::once((first, id)).chain(rest);
        let each: Vec<f64> =
            all.filter_map(|(pass, id)| Some(used(pass, id, limit)?.utilisation)).collect();
        Some(ComponentUse {
            name: entity.name.clone(),
            measure: limit.measure.clone(),
            origin: limit.origin.clone(),
            most: limit.tokens.unwrap_or(limit.per_sec),
            utilisation: mean(&each)?,
        })
    };
    between
        .flat_map(|(id, entity)| entity.limits.iter().map(move |limit| (id, entity, limit)))
        .filter_map(|(id, entity, limit)| use_of(id, entity, limit))
        .collect()
}

fn target(passes: &[Pass<'_>], entity: &Entity) -> TargetUse {
    let name = &entity.name;
    let fact = |what: &str| passes[0].fact(&format!("target.{name}.{what}"));
    let size = fact("bytes").and_then(|text| text.parse::<f64>().ok()).filter(|size| *size > 0.0);
    let cached = passes.iter().filter_map(|pass| {
        let (id, _) = find(pass, entity)?;
        pass.counters.values(id, Counter::CachedBytes)?.iter().min().copied()
    });
    let least = cached.min();
    TargetUse {
        name: name.clone(),
        cache: fact("cache").map(str::to_owned),
        in_memory: fact("in_memory") == Some("true"),
        cached: least.zip(size).map(|(least, size)| (least as f64 / size).min(1.0)),
    }
}

fn processors(passes: &[Pass<'_>], entity: &Entity) -> Option<ProcessorUse> {
    let sum = |counters: &[Counter]| {
        let known = counters.iter().filter_map(|counter| over(passes, entity, *counter));
        known.sum::<f64>()
    };
    let steal = sum(&[Counter::StealNs]);
    let busy = sum(&[Counter::UserNs, Counter::SystemNs, Counter::InterruptNs]) + steal;
    let all = busy + sum(&[Counter::IdleNs, Counter::IoWaitNs]);
    let count = entity.count;
    let own = own_time(passes).map(|own| own / all);
    (all > 0.0).then(|| ProcessorUse { busy: busy / all, steal: steal / all, own, count })
}

fn own_time(passes: &[Pass<'_>]) -> Option<f64> {
    let process = passes[0].record.entities.iter().find(|entity| entity.kind == "process")?;
    let each = [Counter::UserNs, Counter::SystemNs, Counter::WorkerNs];
    let known = each.into_iter().filter_map(|counter| over(passes, process, counter));
    known.reduce(|left, right| left + right)
}

/// Growth of the gauge from its first sample to its highest, summed over passes.
fn growth(passes: &[Pass<'_>], memory: &Entity) -> Option<f64> {
    let grown = passes.iter().filter_map(|pass| {
        let (id, _) = find(pass, memory)?;
        let values = pass.counters.values(id, Counter::DirtyBytes)?;
        Some(values.iter().max()?.saturating_sub(*values.first()?) as f64)
    });
    grown.reduce(|left, right| left + right)
}

fn throttled(passes: &[Pass<'_>], entity: &Entity) -> Option<(String, f64)> {
    let held = over(passes, entity, Counter::ThrottledNs)?;
    Some((entity.name.clone(), held / (seconds(passes, Part::Counted) * 1e9)))
}

fn device_rates(pass: &Pass<'_>) -> Vec<f64> {
    let mut all: Vec<f64> = Vec::new();
    for (id, _) in leaves(pass) {
        for counter in [Counter::ReadBytes, Counter::WriteBytes] {
            let rates = pass.counters.rates(id, counter);
            all.resize(all.len().max(rates.len()), 0.0);
            all.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += rate);
        }
    }
    all
}

/// The same entity in another pass: by name and kind, as a target may be called like anything.
pub(crate) fn find<'a>(pass: &Pass<'a>, wanted: &Entity) -> Option<(EntityId, &'a Entity)> {
    let is_same = |entity: &Entity| entity.name == wanted.name && entity.kind == wanted.kind;
    (0u32..).map(EntityId).zip(&pass.record.entities).find(|(_, entity)| is_same(entity))
}

/// Growth over the measured parts of all passes.
pub(crate) fn over(passes: &[Pass<'_>], wanted: &Entity, counter: Counter) -> Option<f64> {
    let grown = passes.iter().filter_map(|pass| {
        let (id, _) = find(pass, wanted)?;
        pass.counters.over(id, counter, pass.measured)
    });
    grown.reduce(|left, right| left + right)
}

fn whole(passes: &[Pass<'_>], wanted: &Entity, counter: Counter) -> Option<f64> {
    let grown = passes.iter().filter_map(|pass| {
        let (id, _) = find(pass, wanted)?;
        Some(pass.counters.whole(id, counter)? as f64)
    });
    grown.reduce(|left, right| left + right)
}

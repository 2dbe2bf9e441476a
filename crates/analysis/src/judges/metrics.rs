//! What the passes of a trial show about devices, caches, processors and the streams' threads,
//! as shares and means: the facts from which a limit is judged.
//!
//! Passes are summed by name. Utilisation law: utilisation = busy time / time; mean in flight =
//! time in flight, summed over requests / time (Denning and Buzen 1978).

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{
    Counter, Entity, EntityId, Fact, Histogram, Latency, Layer, Limit, Measure, Origin,
    PhaseTotals, StreamTotals, TargetFact,
};
use iopath_units::Op;

use crate::judges::balance::{Balance, balance};
use crate::thresholds::limits::RATE_REACHED_SHARE;
use crate::usage::Usage;
use crate::usage::counters::Spans;
use crate::usage::loaded;
use crate::usage::pass::{Part, Pass, grown, phases};
use crate::usage::related::stacked;

mod capacities;
mod emulated;
mod exact;
mod flushes;
mod joins;
mod moved;
mod processors;
mod standing;

pub(crate) use capacities::{CapacityClass, Fullest};
use emulated::FullWhenEmulated;
pub(crate) use flushes::{DeviceFlushes, FlushUse};
pub(crate) use joins::JoinUse;
pub(crate) use moved::Moved;
pub(crate) use processors::{Busiest, ProcessorUse};
pub(crate) use standing::{devices, leaves, targets};

/// The facts of one trial.
pub(crate) struct TrialMetrics {
    /// Whether a model made the record: all that could hold it is described, and nobody else is
    /// there.
    pub is_model: bool,
    /// Whether a live system answered real requests: what is on their way is described and counted,
    /// as in a model.
    pub is_live: bool,
    /// Whether counters of others' load were watched, and no stream of our own.
    pub is_watched: bool,
    pub engine: String,
    pub streams: Vec<StreamUse>,
    /// What the targets lie on: a volume of the kernel as one.
    pub devices: Vec<DeviceUse>,
    /// What such volumes stand on in the end.
    pub members: Vec<DeviceUse>,
    /// Names of such volumes.
    pub volumes: BTreeSet<String>,
    /// How members that share a load do so, of the first pass.
    pub balances: Vec<Balance>,
    pub targets: Vec<TargetUse>,
    pub fullest: Fullest,
    /// Of what carries the devices.
    pub carriers: Fullest,
    /// What an emulated path fills first.
    pub full_when_emulated: Option<FullWhenEmulated>,
    pub joins: Vec<JoinUse>,
    pub flushes: FlushUse,
    /// What the application moved since go: read, written.
    pub application_bytes: [f64; 2],
    /// Achieved in the window, or the measured part without one.
    pub operations_per_sec: f64,
    pub bytes_per_sec: f64,
    /// Of each operation that occurred.
    pub times: Vec<OpTime>,
    pub processors: Option<ProcessorUse>,
    /// Growth of dirty pages since go, over all passes.
    pub dirty_growth: Option<f64>,
    /// Time held back by a limit, as a share of the measured part, by entity.
    pub throttled: Vec<(String, f64)>,
    /// What the generator does against no storage at all.
    pub ceiling: Option<f64>,
    /// Bytes a second of all devices, by interval, of the first pass.
    pub device_rates: Vec<f64>,
    /// Requests a second of all devices, likewise.
    pub device_operations: Vec<f64>,
    /// How long such an interval is.
    pub interval_seconds: f64,
}

/// How long requests of one operation took.
#[derive(Clone, Copy)]
pub(crate) struct OpTime {
    /// Of the window, or the measured part without one.
    pub mean_ns: f64,
    /// Of all since go: the first request meets empty queues.
    pub least_ns: f64,
}

impl OpTime {
    pub(crate) fn ratio(self) -> f64 {
        self.mean_ns / self.least_ns.max(1.0)
    }
}

/// One stream over the counted phases.
pub(crate) struct StreamUse {
    pub name: String,
    pub depth: Option<u64>,
    /// Of the time of all epochs, how much was its own.
    pub time_share: f64,
    /// While it ran.
    pub in_flight: f64,
    /// Share of that time its thread, or each of its threads, was on a processor.
    pub user: f64,
    pub system: f64,
    /// Wanted by the study: measure and amount a second.
    pub wanted: Option<Limit>,
    /// Achieved in the window, or the measured part without one.
    pub operations_per_sec: f64,
    pub bytes_per_sec: f64,
    /// Whether it issues flushes.
    pub flushes: bool,
}

impl StreamUse {
    /// Whether the rate that it wants is what holds it.
    pub(crate) fn keeps_its_rate(&self) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| {
            let achieved = match wanted.measure {
                Measure::Bytes => self.bytes_per_sec,
                _ => self.operations_per_sec,
            };
            achieved >= RATE_REACHED_SHARE * wanted.per_sec as f64
        })
    }

    /// Share of its time that its thread was on a processor.
    pub(crate) fn busy(&self) -> f64 {
        self.user + self.system
    }
}

/// One device below the targets.
pub(crate) struct DeviceUse {
    pub name: String,
    /// The kernel's processors do its work: a loop device, compressed or plain memory.
    pub is_software: bool,
    pub usage: Usage,
    /// Moved since go: read, written.
    pub bytes: Option<[f64; 2]>,
    pub ratings: Vec<Limit>,
}

/// One target.
pub(crate) struct TargetUse {
    pub name: String,
    pub cache: Option<String>,
    pub in_memory: bool,
    /// The least share of it that was in the page cache at any sample.
    pub cached: Option<f64>,
}

impl TrialMetrics {
    /// Requests that all streams may have in flight; none where one of them has no such number.
    pub(crate) fn slots(&self) -> Option<u64> {
        let depths = self.streams.iter().map(|one| Some(one.depth? as f64 * one.time_share));
        Some(depths.sum::<Option<f64>>()?.round() as u64)
    }

    /// Mean requests in flight in the streams.
    pub(crate) fn in_flight(&self) -> f64 {
        self.streams.iter().map(|stream| stream.in_flight * stream.time_share).sum()
    }

    /// Mean requests in flight in the devices, as they came; none where one of them could not be
    /// watched.
    pub(crate) fn in_devices(&self) -> Option<f64> {
        self.devices.iter().map(|device| device.usage.held_mean()).sum()
    }

    /// How many threads issue requests: one of that engine for each request in flight, of all
    /// others one for each stream.
    pub(crate) fn threads(&self) -> f64 {
        let of = |stream: &StreamUse| match self.engine.as_str() {
            "threads" => stream.depth.unwrap_or(1).max(1) as f64 * stream.time_share,
            _ => stream.time_share,
        };
        self.streams.iter().map(of).sum()
    }

    /// Devices that stand on nothing else.
    pub(crate) fn bottoms(&self) -> impl Iterator<Item = &DeviceUse> {
        let whole = self.devices.iter().filter(|one| !self.volumes.contains(&one.name));
        self.members.iter().chain(whole)
    }

    pub(crate) fn of(passes: &[Pass<'_>]) -> Self {
        let first = &passes[0];
        let best =
            if passes.iter().any(|p| p.window.is_some()) { Part::Window } else { Part::Counted };
        let seconds = seconds(passes, best);
        let entities = || (0u32..).map(EntityId).zip(&first.record.entities);
        let ceiling = first.fact(Fact::Ceiling);
        let is_model = first.record.technique.is_model();
        let is_live = first.record.is_answered_live();
        let is_watched = loaded::is_watched(first.record);
        let stacked = stacked(first.record);
        let devices = if is_watched { loaded::bottoms(first.record) } else { devices(first) };
        let members = if is_watched { Vec::new() } else { standing::members(first, &stacked) };
        let rates = |counters| device_rates(first, &devices, counters);
        let streams = streams(passes, best);
        let of_each = |all: &[(EntityId, &Entity)]| -> Vec<DeviceUse> {
            all.iter().map(|(_, entity)| device(passes, entity)).collect()
        };
        let metrics = Self {
            is_model,
            is_live,
            is_watched,
            engine: first.engine().to_owned(),
            flushes: FlushUse::of(passes, best, &streams, first.engine()),
            streams,
            devices: of_each(&devices),
            members: of_each(&members),
            volumes: stacked
                .iter()
                .map(|id| first.record.entities[id.0 as usize].name.clone())
                .collect(),
            balances: if is_model { Vec::new() } else { balance(first.record) },
            targets: targets(first).iter().map(|(_, entity)| target(passes, entity)).collect(),
            fullest: capacities::fullest(passes, is_model || is_live),
            carriers: capacities::of_carriers(passes),
            full_when_emulated: FullWhenEmulated::of(first),
            joins: joins::all(first),
            application_bytes: application_bytes(passes),
            operations_per_sec: match is_watched {
                true => Moved::of(passes, |usage| usage.transfers).operations_per_sec(),
                false => passes.iter().map(|p| p.operations(best)).sum::<f64>() / seconds,
            },
            bytes_per_sec: passes.iter().map(|p| p.bytes(best) as f64).sum::<f64>() / seconds,
            times: Op::BOTH.into_iter().filter_map(|op| op_time(passes, best, op)).collect(),
            processors: processors::fullest(passes),
            dirty_growth: entities()
                .find(|(_, entity)| entity.layer == Layer::Memory)
                .and_then(|(_, entity)| growth(passes, entity)),
            throttled: entities().filter_map(|(_, e)| throttled(passes, e)).collect(),
            ceiling: ceiling.and_then(|text| text.parse().ok()),
            device_rates: rates([Counter::ReadBytes, Counter::WriteBytes]),
            device_operations: rates([Counter::ReadOperations, Counter::WriteOperations]),
            interval_seconds: first.counters.interval_seconds(),
        };
        if first.epochs().len() == 1 { exact::timed(metrics) } else { metrics }
    }
}

fn seconds(passes: &[Pass<'_>], part: Part) -> f64 {
    let spans = passes.iter().filter_map(|pass| match part {
        Part::Window => pass.window.as_ref(),
        Part::Counted | Part::Whole => Some(&pass.measured),
    });
    spans.map(Spans::length_ns).sum::<u64>().max(1) as f64 / 1e9
}

fn op_time(passes: &[Pass<'_>], best: Part, op: Op) -> Option<OpTime> {
    let merged = |part| {
        let mut all = Histogram::default();
        passes.iter().for_each(|pass| all.merge(&pass.latency(part, Latency::Total, Some(op))));
        all
    };
    let least = Some(merged(Part::Whole)).filter(|all| all.count() > 0)?.min_ns;
    Some(OpTime { mean_ns: merged(best).mean_ns()?, least_ns: least as f64 })
}

fn application_bytes(passes: &[Pass<'_>]) -> [f64; 2] {
    let all = || passes.iter().flat_map(|pass| pass.phases(Part::Whole));
    let read: u64 = all().map(|totals| totals.read_bytes).sum();
    let written: u64 = all().map(|totals| totals.write_bytes).sum();
    [read as f64, written as f64]
}

/// Those of the first pass; passes are summed by name.
fn streams(passes: &[Pass<'_>], best: Part) -> Vec<StreamUse> {
    let mut by_name: BTreeMap<&str, Vec<(&Pass<'_>, &StreamTotals)>> = BTreeMap::new();
    for pass in passes {
        for stream in &pass.record.streams {
            by_name.entry(pass.name(stream)).or_default().push((pass, stream));
        }
    }
    let first = &passes[0];
    let shares = first.time_shares();
    let streams = first.record.streams.iter().zip(shares);
    let all = streams.map(|(stream, time_share)| {
        let one = use_of((first, stream), &by_name[first.name(stream)], best);
        StreamUse { time_share, ..one }
    });
    all.collect()
}

fn use_of(
    (first, stream): (&Pass<'_>, &StreamTotals),
    of_passes: &[(&Pass<'_>, &StreamTotals)],
    best: Part,
) -> StreamUse {
    let within = |part| of_passes.iter().flat_map(move |(_, stream)| phases(stream, part));
    let total = |of: fn(&PhaseTotals) -> u64| within(Part::Counted).map(of).sum::<u64>() as f64;
    let ran = total(|totals| totals.to_ns.saturating_sub(totals.from_ns));
    let own = Usage::of_phases(ran / 1e9, &within(Part::Counted));
    let share = |ns: f64| ns / ran.max(1.0);
    let entity = first.record.entities.get(stream.entity.0 as usize);
    let limits: &[Limit] = entity.map_or(&[], |entity| &entity.limits);
    let depth = limits.iter().find_map(|limit| limit.tokens);
    // That engine has a thread for each request in flight; all others one for each stream. A
    // simulation says how many there are.
    let threads = match (first.engine(), first.simulated_threads(stream)) {
        ("threads", _) => depth.unwrap_or(1).max(1) as f64,
        (_, Some(threads)) => threads,
        _ => 1.0,
    };
    let seconds =
        of_passes.iter().map(|(pass, stream)| seconds_of(pass, stream, best)).sum::<f64>();
    let transfers = Usage::of_phases(seconds, &within(best)).transfers;
    StreamUse {
        name: first.name(stream).to_owned(),
        depth,
        time_share: 1.0,
        in_flight: own.in_flight_mean.unwrap_or_default(),
        user: share(total(|totals| totals.user_ns)) / threads,
        system: share(total(|totals| totals.system_ns)) / threads,
        wanted: limits.iter().find(|l| l.tokens.is_none() && l.origin == Origin::Study).cloned(),
        operations_per_sec: transfers.operations_per_sec.unwrap_or_default(),
        bytes_per_sec: transfers.bytes_per_sec.unwrap_or_default(),
        flushes: within(best)
            .flat_map(|phase| &phase.latency)
            .any(|kept| kept.what == Latency::Flush),
    }
}

/// How long a part of a stream's epoch lasted.
fn seconds_of(pass: &Pass<'_>, stream: &StreamTotals, part: Part) -> f64 {
    let window = pass.window_of(stream).filter(|_| part == Part::Window);
    let length =
        window.map_or_else(|| pass.measured.length_ns(), crate::usage::counters::Span::length_ns);
    length as f64 / 1e9
}

fn device(passes: &[Pass<'_>], entity: &Entity) -> DeviceUse {
    let read = whole(passes, entity, Counter::ReadBytes);
    let written = whole(passes, entity, Counter::WriteBytes);
    DeviceUse {
        name: entity.name.clone(),
        is_software: is_software(entity),
        usage: Usage::of_passes(passes, entity),
        bytes: read.zip(written).map(|(read, written)| [read, written]),
        ratings: entity.limits.iter().filter(|l| l.tokens.is_none()).cloned().collect(),
    }
}

fn target(passes: &[Pass<'_>], entity: &Entity) -> TargetUse {
    let name = &entity.name;
    let fact = |what| passes[0].fact(Fact::Target(name, what));
    let size = fact(TargetFact::Bytes)
        .and_then(|text| text.parse::<f64>().ok())
        .filter(|size| *size > 0.0);
    let cached = passes.iter().filter_map(|pass| {
        let id = pass.find(entity)?;
        pass.counters.values(id, Counter::CachedBytes)?.iter().min().copied()
    });
    let least = cached.min();
    TargetUse {
        name: name.clone(),
        cache: fact(TargetFact::Cache).map(str::to_owned),
        in_memory: fact(TargetFact::InMemory) == Some("true"),
        cached: least.zip(size).map(|(least, size)| (least as f64 / size).min(1.0)),
    }
}

/// Names of devices that processors serve (Documentation/admin-guide/devices.txt).
const SOFTWARE: [&str; 4] = ["loop", "zram", "ram", "nullb"];

fn is_software(entity: &Entity) -> bool {
    let node = entity.binding.as_deref().and_then(|binding| binding.strip_prefix("/dev/"));
    let name = node.unwrap_or(&entity.name);
    let digits = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    SOFTWARE.iter().any(|kind| name.strip_prefix(kind).is_some_and(digits))
}

/// Growth of the gauge from its first sample to its highest, summed over passes.
fn growth(passes: &[Pass<'_>], memory: &Entity) -> Option<f64> {
    let grown = passes.iter().filter_map(|pass| {
        let id = pass.find(memory)?;
        let values = pass.counters.values(id, Counter::DirtyBytes)?;
        Some(values.iter().max()?.saturating_sub(*values.first()?) as f64)
    });
    grown.reduce(|left, right| left + right)
}

fn throttled(passes: &[Pass<'_>], entity: &Entity) -> Option<(String, f64)> {
    let held = grown(passes, entity, Counter::ThrottledNs)?;
    Some((entity.name.clone(), held / (seconds(passes, Part::Counted) * 1e9)))
}

fn device_rates(
    pass: &Pass<'_>,
    devices: &[(EntityId, &Entity)],
    counters: [Counter; 2],
) -> Vec<f64> {
    let mut all: Vec<f64> = Vec::new();
    for (id, _) in devices {
        for counter in counters {
            let rates = pass.counters.rates(*id, counter);
            all.resize(all.len().max(rates.len()), 0.0);
            all.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += rate);
        }
    }
    all
}

fn whole(passes: &[Pass<'_>], wanted: &Entity, counter: Counter) -> Option<f64> {
    let grown = passes.iter().filter_map(|pass| {
        let id = pass.find(wanted)?;
        Some(pass.counters.whole(id, counter)? as f64)
    });
    grown.reduce(|left, right| left + right)
}

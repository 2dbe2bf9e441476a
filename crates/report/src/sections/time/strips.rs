//! What was counted besides bytes, a figure each on the axis of throughput over time: requests,
//! latency, requests in flight, busy time, processors, flushes.
//!
//! Percentiles need latencies over time; counters of devices have a mean time of a request only.
//! What nothing counts, or what was 0 all the time, has no figure.

use iopath_analysis::usage::ProcessorShares;
use iopath_analysis::{Timeline, Usage};
use iopath_record::{EntityId, Kind, Record};

use super::{device_ids, name};
use crate::document::Figure;
use crate::sections::Shown;
use crate::sections::chosen::ChosenTrial;
use crate::sections::over_time::{Besides, Line, Measure, Titled, figure, timeline};

/// A figure that is not made yet.
struct Strip {
    /// In its anchor.
    id: &'static str,
    title: &'static str,
    guide: &'static str,
    measure: Measure,
    lines: Vec<Line>,
}

const REQUESTS: &str = "Requests that completed in a second, by device and of all streams \
    together. Devices above the streams: requests were split, or others are at work; below: they \
    were merged, or a cache served them.";

const LATENCY: &str = "Half of the requests that completed in an interval took no longer than the \
    lower line, 99 % no longer than the upper one, from issue. A line that climbs while throughput \
    is level is a queue that grows; single peaks are stalls.";

const AWAIT: &str = "Mean time of the reads and writes that completed in an interval, by the \
    kernel's counters, queue included: what iostat calls await. No line means no request.";

const QUEUE: &str = "Requests in flight on average: what iostat calls aqu-sz, and of streams what \
    they had asked for. By Little's law it is requests a second times the time of one.";

const BUSY: &str = "Share of the time with at least one request in flight: iostat's %util. A disk \
    with one arm is full at 100 %; flash and arrays serve many requests at once, so 100 % only \
    means never idle.";

const PROCESSORS: &str = "Share of all processors' time, by what it went to. Waiting for I/O is \
    idle time with a request outstanding.";

const FLUSHES: &str = "Flushes of a volatile cache that completed in a second, by device. Where \
    they come in bursts, see whether latency rises with them.";

/// The figures of a trial's first pass.
pub(super) fn all(told: &ChosenTrial<'_>, record: &Record, shown: &Shown<'_>) -> Vec<Figure> {
    let ids = device_ids(record);
    let timeline = timeline(record, ids.len() + 1);
    let drawn = |strip: Strip| {
        let titled = Titled {
            id: format!("time-{}-{}", strip.id, told.number()),
            title: told.title(strip.title),
            guide: format!("{}{}", strip.guide, told.of_passes()),
            measure: strip.measure,
        };
        figure(&timeline, (titled, strip.lines), Besides::Nothing, shown.system)
    };
    let is_instant = told.trial.is_instant();
    let latency = (!is_instant).then(|| latency(&timeline, record, &ids));
    let mut strips = of_devices(&timeline, record, &ids);
    strips.splice(1..1, latency);
    strips.push(processors(&timeline, record));
    strips.into_iter().filter_map(drawn).collect()
}

/// Requests, those in flight, busy time and flushes.
fn of_devices(timeline: &Timeline<'_>, record: &Record, ids: &[EntityId]) -> Vec<Strip> {
    let of = |value: fn(&Usage) -> Option<f64>| lines(timeline, record, ids, value);
    let with_streams = |value: fn(&Usage) -> Option<f64>| {
        streams(timeline, record, value).into_iter().chain(of(value)).collect()
    };
    let strip = |id, title, guide, measure, lines| Strip { id, title, guide, measure, lines };
    let in_flight = |usage: &Usage| usage.in_flight_mean;
    let requests = with_streams(|usage| usage.transfers.operations_per_sec);
    let flushes = of(|usage| usage.flush.operations_per_sec);
    vec![
        strip("requests", "Requests", REQUESTS, Measure::Requests, requests),
        strip("queue", "Requests in flight", QUEUE, Measure::Queue, with_streams(in_flight)),
        strip("busy", "Busy", BUSY, Measure::Busy, of(|usage| usage.utilisation)),
        strip("flushes", "Flushes", FLUSHES, Measure::Flushes, flushes),
    ]
}

/// A line for each of these that counts it and was not 0 all the time.
fn lines(
    timeline: &Timeline<'_>,
    record: &Record,
    ids: &[EntityId],
    value: impl Fn(&Usage) -> Option<f64>,
) -> Vec<Line> {
    let line = |id: &EntityId| Line {
        name: name(record, *id),
        values: timeline.usage(*id).iter().map(&value).collect(),
    };
    ids.iter().map(line).filter(is_news).collect()
}

fn is_news(line: &Line) -> bool {
    line.values.iter().flatten().any(|value| *value > 0.0)
}

/// All streams together; none where one of them is not counted.
fn streams(
    timeline: &Timeline<'_>,
    record: &Record,
    value: impl Fn(&Usage) -> Option<f64>,
) -> Option<Line> {
    let each = record.streams.iter().map(|stream| timeline.usage(stream.entity));
    let sum = |sum: Vec<Usage>, one: Vec<Usage>| {
        sum.into_iter().zip(one).map(|(sum, one)| sum + one).collect()
    };
    let all = each.reduce(sum)?;
    let line = Line { name: "streams".to_owned(), values: all.iter().map(value).collect() };
    Some(line).filter(is_news)
}

/// Percentiles where they are known over time, else the mean of each device.
fn latency(timeline: &Timeline<'_>, record: &Record, ids: &[EntityId]) -> Strip {
    let heat = timeline.heat();
    let (title, guide) = match heat.is_empty() {
        true => ("Mean latency of devices", AWAIT),
        false => ("p50 and p99 of latency", LATENCY),
    };
    let of = |name: &str, share: f64| Line {
        name: name.to_owned(),
        values: heat.iter().map(|one| one.quantile_ns(share).map(|ns| ns as f64)).collect(),
    };
    let lines = match heat.is_empty() {
        true => lines(timeline, record, ids, |usage| usage.transfers.ns_mean),
        false => vec![of("p50", 0.5), of("p99", 0.99)],
    };
    Strip { id: "latency", title, guide, measure: Measure::Latency, lines }
}

/// What the time of all processors of a machine went to.
fn processors(timeline: &Timeline<'_>, record: &Record) -> Strip {
    let entities = (0..).map(EntityId).zip(&record.entities);
    let mut all = entities.filter(|(_, one)| one.kind == Kind::Cpu && one.parent.is_none());
    let usage = all.next().map_or_else(Vec::new, |(id, _)| timeline.usage(id));
    let line = |name: &str, share: fn(&ProcessorShares) -> f64| Line {
        name: name.to_owned(),
        values: usage.iter().map(|one| one.processor.as_ref().map(share)).collect(),
    };
    let lines = [
        line("user", |shares| shares.user),
        line("system", |shares| shares.system),
        line("interrupts", |shares| shares.interrupt),
        line("stolen by the hypervisor", |shares| shares.steal),
        line("waiting for I/O", |shares| shares.io_wait),
    ];
    Strip {
        id: "processors",
        title: "Processors",
        guide: PROCESSORS,
        measure: Measure::Processors,
        lines: lines.into_iter().filter(is_news).collect(),
    }
}

//! Metrics of one record, as published figures name them. Rates are those of the window in which
//! every stream is active. It leaves out percentiles of what has no histogram.

use iopath_record::{Counter, Kind, Latency, Measure, Phase, PhaseTotals, Record};
use iopath_study::case::Rate;
use iopath_study::published::METRICS;
use iopath_study::unindexed;
use iopath_study::value::Value;

use super::Unit;
use crate::statistics::{jain, mean, median};
use crate::thresholds::validation::SLOW_STREAM_SHARE;
use crate::usage::counters::{Span, Spans};
use crate::usage::pass::Pass;

/// What a metric is in.
pub(super) fn unit(metric: &str) -> Unit {
    match metric {
        "throughput" | "throughput-mean" | "median" => Unit::BytesPerSec,
        "operations" => Unit::OperationsPerSec,
        "bytes" => Unit::Bytes,
        "skew" => Unit::Seconds,
        latency if latency.starts_with("latency-") => Unit::Seconds,
        _ => Unit::One,
    }
}

/// Whether a metric tells how streams share, not what they have together.
pub(super) fn is_of_shares(metric: &str) -> bool {
    matches!(metric, "jain" | "slow" | "median")
}

/// The group of streams and the metric that a key means: `reader` is its throughput.
pub(super) fn key(key: &str) -> (Option<&str>, &str) {
    match key.split_once('.') {
        Some((group, metric)) => (Some(group), metric),
        None if METRICS.iter().any(|(metric, _)| *metric == key) => (None, key),
        None => (Some(key), "throughput"),
    }
}

/// The number that a value stands for, in the base unit of its metric.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Rate(Rate::Bytes(rate)) => Some(rate.0 as f64),
        Value::Rate(Rate::Operations(rate)) => Some(rate.per_sec()),
        Value::Time(time) => Some(time.0 as f64 / 1e9),
        Value::Size(size) => Some(size.0 as f64),
        Value::Share(ratio) | Value::Number(ratio) => Some(ratio.as_f64()),
        Value::Count(count) => Some(*count as f64),
        _ => None,
    }
}

/// The metric of a record, of one group of streams or of all; `None` where it has no such thing.
pub(super) fn of(record: &Record, group: Option<&str>, metric: &str) -> Option<f64> {
    let windows = windows(record, group);
    let rates = || windows.iter().filter_map(|totals| per_sec(totals, bytes(totals)));
    match metric {
        "throughput" => together(&windows, |totals| bytes(totals) as f64),
        "throughput-mean" => mean(&rates().collect::<Vec<_>>()),
        "median" => median(rates().collect()),
        "operations" => together(&windows, |totals| totals.operations_ppm as f64 / 1e6),
        "jain" => jain(&rates().collect::<Vec<_>>()),
        "slow" => slow(&rates().collect::<Vec<_>>()),
        "bytes" => sum(&windows, |totals| bytes(totals) as f64),
        "requests" => sum(&windows, |totals| totals.completed as f64),
        "cpu" | "cpu-system" => processors(record),
        "latency-mean" => latency_mean(&windows),
        "latency-p50" => quantile(&windows, 0.5),
        "latency-p90" => quantile(&windows, 0.9),
        "latency-p99" => quantile(&windows, 0.99),
        "latency-p999" => quantile(&windows, 0.999),
        "latency-max" => quantile(&windows, 1.0),
        _ => None,
    }
}

fn windows<'a>(record: &'a Record, group: Option<&str>) -> Vec<&'a PhaseTotals> {
    let wanted = |entity: usize| {
        let name = record.entities.get(entity).map_or("", |entity| entity.name.as_str());
        group.is_none_or(|group| unindexed(name) == group)
    };
    let streams = record.streams.iter().filter(|stream| wanted(stream.entity.0 as usize));
    let window = |totals: &&PhaseTotals| totals.phase == Phase::Window;
    streams.filter_map(|stream| stream.phases.iter().find(window)).collect()
}

fn bytes(totals: &PhaseTotals) -> u64 {
    totals.read_bytes + totals.write_bytes
}

fn per_sec(totals: &PhaseTotals, amount: u64) -> Option<f64> {
    let nanos = totals.to_ns.checked_sub(totals.from_ns).filter(|nanos| *nanos > 0)?;
    Some(amount as f64 / nanos as f64 * 1e9)
}

fn sum(windows: &[&PhaseTotals], of: fn(&PhaseTotals) -> f64) -> Option<f64> {
    (!windows.is_empty()).then(|| windows.iter().map(|totals| of(totals)).sum())
}

/// Over the time of all windows: what runs one after the other is not added.
fn together(windows: &[&PhaseTotals], of: fn(&PhaseTotals) -> f64) -> Option<f64> {
    let span = |totals: &&PhaseTotals| Span { from_ns: totals.from_ns, to_ns: totals.to_ns };
    let nanos = Spans::covering(windows.iter().map(span).collect()).length_ns();
    let amount = sum(windows, of).filter(|_| nanos > 0)?;
    Some(amount / nanos as f64 * 1e9)
}

fn slow(rates: &[f64]) -> Option<f64> {
    let edge = mean(rates)? * SLOW_STREAM_SHARE;
    Some(rates.iter().filter(|rate| **rate < edge).count() as f64)
}

/// Share of the hosts' processors that is busy. What studies describe as costs (requests, copies,
/// pinning) is the kernel's work, so it is the system's share too; a model's record has no other.
fn processors(record: &Record) -> Option<f64> {
    let pass = Pass::of(record);
    let span = pass.best();
    let (mut busy, mut capacity) = (0.0, 0.0);
    for series in record.series.iter().filter(|series| series.counter == Counter::BusyNs) {
        let cpus = record.entities.get(series.entity.0 as usize)?;
        let parent = cpus.parent.and_then(|parent| record.entities.get(parent.0 as usize));
        let of_host = parent.is_some_and(|parent| matches!(parent.kind, Kind::Host | Kind::Socket));
        let limit = cpus.limits.iter().find(|limit| limit.measure == Measure::BusyNs);
        let Some(limit) = limit.filter(|_| cpus.kind == Kind::Cpu && of_host) else { continue };
        busy += pass.counters.over(series.entity, Counter::BusyNs, span)?;
        capacity += f64::from(cpus.count) * limit.per_sec as f64 / 1e9 * span.length_ns() as f64;
    }
    (capacity > 0.0).then_some(busy / capacity)
}

/// By Little's law: time in flight over operations.
fn latency_mean(windows: &[&PhaseTotals]) -> Option<f64> {
    let in_flight: f64 = windows.iter().map(|totals| totals.in_flight_ns as f64).sum();
    let operations: f64 = windows.iter().map(|totals| totals.operations_ppm as f64 / 1e6).sum();
    (in_flight > 0.0 && operations > 0.0).then(|| in_flight / operations / 1e9)
}

fn quantile(windows: &[&PhaseTotals], share: f64) -> Option<f64> {
    let histograms = windows.iter().flat_map(|totals| &totals.latency);
    let mut of_all = histograms.filter(|named| named.what == Latency::Total);
    let mut merged = of_all.next()?.histogram.clone();
    for named in of_all {
        merged.merge(&named.histogram);
    }
    merged.quantile_ns(share).map(|nanos| nanos as f64 / 1e9)
}

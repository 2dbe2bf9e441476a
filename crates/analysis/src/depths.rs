//! Trials of a run that differ in nothing but depth: whether more requests in flight give more,
//! and where they do not, whether a device is full or somebody holds the rate.
//!
//! With all slots taken a request takes N / X (Little's law), so once the rate X stays, time grows
//! with depth (asymptotic bounds of closed networks: Denning and Buzen 1978). A device that is full
//! is busy then. Where the rate is the same to 1 %, time follows depth, and every device rests, a
//! throttle lets requests through at its own pace; one trial alone cannot tell that from a device
//! that takes its time.
//!
//! Only of measurements, whose studies tell their depth. It leaves out what lies behind a device
//! that is busy all the time: a throttle there, as of a cloud's volume, looks like a full device.

use std::collections::BTreeMap;

use iopath_record::{CaseText, Record, Technique};
use serde::Serialize;

use crate::findings::Findings;
use crate::judges::evidence::{Cause, DepthChange, Evidence, Fact};
use crate::judges::metrics::TrialMetrics;
use crate::thresholds::limits::BUSY_SHARE;
use crate::thresholds::trials::{DEPTH_RATIO, FLAT_DIFFERENCE, FOLLOWED_SHARE, IMPOSED_DIFFERENCE};
use crate::usage::pass::Pass;

/// Trials that differ in depth, in the order of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Depths {
    /// Whose trials.
    pub experiment: String,
    /// The levels that all of them share.
    pub levels: BTreeMap<String, String>,
    /// What was found.
    pub verdict: DepthVerdict,
    /// The lowest depth from which on more gives no more; none where the rate rises or falls.
    pub flat_from: Option<u64>,
    /// The mean rate from there on: requests a second.
    pub flat_operations_per_sec: Option<f64>,
    /// The same in bytes a second.
    pub flat_bytes_per_sec: Option<f64>,
    /// The trials.
    pub points: Vec<DepthPoint>,
    /// Why.
    #[serde(skip)]
    pub evidence: Vec<Evidence>,
}

/// What more depth does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DepthVerdict {
    /// The rate still rises with depth: too few requests are in flight.
    Rising,
    /// The rate at the highest depth is below that of a lower one.
    Falling,
    /// The rate is the same to 1 %, time follows depth, and every device rests.
    Throttled,
    /// The rate stays, and a device is busy: it is full, or what lies behind it.
    Saturated,
    /// The rate stays for a reason that a trial names: processors, the generator, a wanted rate.
    Elsewhere,
    /// The rate stays, and nobody knows why.
    Flat,
    /// The last change of the rate is within its confidence intervals.
    Unclear,
}

/// One trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DepthPoint {
    /// The trial's place in the run.
    pub trial: u32,
    /// Requests that all streams together may have in flight.
    pub depth: u64,
    /// Mean requests in flight in the streams.
    pub in_flight_mean: f64,
    /// Requests a second, while all streams were active where there was such a time.
    pub operations_per_sec: f64,
    /// Bytes a second, likewise.
    pub bytes_per_sec: f64,
    /// Half of its 95 % interval; none of a single pass.
    pub half_width_bytes_per_sec: Option<f64>,
    /// Mean time of a request.
    pub latency_ns_mean: f64,
    /// Of the busiest device; none where one could not be watched.
    pub utilisation: Option<f64>,
    /// What is named as the trial's own limit.
    pub cause: Cause,
}

impl DepthPoint {
    /// Of all passes of a trial; none of a model, of a rate that was asked for, and where no depth
    /// is told or nothing completed.
    #[must_use]
    pub fn of(passes: &[Record], findings: &Findings) -> Option<Self> {
        let first = passes.first()?;
        if !matches!(first.technique, Technique::Measurement { .. }) {
            return None;
        }
        let seen: Vec<Pass<'_>> = passes.iter().map(Pass::of).collect();
        let metrics = TrialMetrics::of(&seen);
        let is_open = metrics.streams.iter().any(|stream| stream.wanted.is_some());
        let busy: Option<Vec<f64>> =
            metrics.devices.iter().map(|one| one.usage.utilisation).collect();
        let deskewed = findings.deskewed_operations_per_sec;
        let bytes = findings.deskewed_throughput_bytes_per_sec;
        let bytes_per_sec = bytes.unwrap_or(findings.throughput_bytes_per_sec);
        let half = findings.confidence.map(|known| known.half_width_percent / 100.0);
        Some(Self {
            trial: first.case.trial,
            depth: metrics.slots().filter(|depth| *depth > 0 && !is_open)?,
            in_flight_mean: metrics.in_flight(),
            operations_per_sec: deskewed.unwrap_or(findings.operations_per_sec),
            bytes_per_sec,
            half_width_bytes_per_sec: half.map(|half| half * bytes_per_sec),
            latency_ns_mean: findings.latency_ns_mean?,
            utilisation: busy.and_then(|all| all.into_iter().reduce(f64::max)),
            cause: findings.limit.cause,
        })
    }
}

/// Every comparison of depths among the trials of a run.
#[must_use]
pub fn depths(trials: &[(&CaseText, DepthPoint)]) -> Vec<Depths> {
    let mut groups: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
    for (index, (case, _)) in trials.iter().enumerate() {
        if let Some(rest) = without_depth(&case.text) {
            groups.entry((&case.experiment, rest)).or_default().push(index);
        }
    }
    let of = |((experiment, _), members): ((&str, String), Vec<usize>)| {
        let mut members: Vec<_> = members.into_iter().map(|index| &trials[index]).collect();
        members.sort_by_key(|(case, point)| (point.depth, case.trial));
        let [(first, least), .., (_, most)] = members.as_slice() else { return None };
        let shared = |(name, level): &(&String, &String)| {
            members.iter().all(|(case, _)| case.levels.get(*name) == Some(level))
        };
        let levels = first.levels.iter().filter(shared);
        let levels = levels.map(|(name, level)| (name.clone(), level.clone())).collect();
        let points: Vec<DepthPoint> = members.iter().map(|(_, point)| point.clone()).collect();
        (most.depth > least.depth).then(|| judge(experiment.to_owned(), levels, points))
    };
    let mut all: Vec<Depths> = groups.into_iter().filter_map(of).collect();
    all.sort_by_key(|one| one.points.iter().map(|point| point.trial).min());
    all
}

/// A study's text with every `depth=N` left out, and factors of a depth, which have one level in a
/// case's text; none where it tells no depth.
fn without_depth(text: &str) -> Option<String> {
    let is_factor =
        |line: &&str| line.trim_start().starts_with("factor ") && line.contains(".depth\" ");
    let lines: Vec<&str> = text.lines().filter(|line| !is_factor(line)).collect();
    let joined = lines.join("\n");
    let mut rest = joined.as_str();
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("depth=") {
        kept.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    (!kept.is_empty()).then(|| kept + rest)
}

fn judge(experiment: String, levels: BTreeMap<String, String>, points: Vec<DepthPoint>) -> Depths {
    let flat = &points[flat_from(&points)..];
    let (least, most) = (&flat[0], &flat[flat.len() - 1]);
    let more = most.depth as f64 / least.depth as f64;
    let mean = |of: fn(&DepthPoint) -> f64| flat.iter().map(of).sum::<f64>() / flat.len() as f64;
    let is_flat = more >= DEPTH_RATIO;
    let (verdict, evidence) = match (is_flat, peak(&points)) {
        (true, _) => stays(flat),
        (false, Some(peak)) => changed(DepthVerdict::Falling, &points[peak..]),
        (false, None) => changed(DepthVerdict::Rising, &points),
    };
    Depths {
        experiment,
        levels,
        verdict,
        flat_from: is_flat.then_some(least.depth),
        flat_operations_per_sec: is_flat.then(|| mean(|point| point.operations_per_sec)),
        flat_bytes_per_sec: is_flat.then(|| mean(|point| point.bytes_per_sec)),
        evidence,
        points,
    }
}

/// The first of the points at the end whose rates are the same.
fn flat_from(points: &[DepthPoint]) -> usize {
    let last = points.len() - 1;
    (0..last).find(|from| spread(&points[*from..]) <= FLAT_DIFFERENCE).unwrap_or(last)
}

/// Greatest less least rate over their mean.
fn spread(points: &[DepthPoint]) -> f64 {
    let rates = || points.iter().map(|point| point.operations_per_sec);
    let mean = rates().sum::<f64>() / points.len() as f64;
    let (least, most) = (rates().fold(f64::MAX, f64::min), rates().fold(0.0, f64::max));
    if mean > 0.0 { (most - least) / mean } else { f64::MAX }
}

fn stays(flat: &[DepthPoint]) -> (DepthVerdict, Vec<Evidence>) {
    let (least, most) = (&flat[0], &flat[flat.len() - 1]);
    let spread = spread(flat);
    let more = most.in_flight_mean / least.in_flight_mean.max(f64::MIN_POSITIVE);
    let longer = most.latency_ns_mean / least.latency_ns_mean.max(1.0);
    let change = DepthChange::Stays { longer, more };
    let rate = Fact::DepthRate { from: least.depth, to: most.depth, change };
    let mut lines = vec![line(rate, spread, IMPOSED_DIFFERENCE)];
    let busiest: Option<Vec<f64>> = flat.iter().map(|point| point.utilisation).collect();
    let busiest = busiest.and_then(|all| all.into_iter().reduce(f64::max));
    lines.extend(busiest.map(|busy| line(Fact::DepthBusy, busy, BUSY_SHARE)));
    let named = flat.iter().find(|point| is_elsewhere(point.cause));
    let cause = |point: &DepthPoint| line(Fact::DepthCause(point.cause), point.depth as f64, 0.0);
    lines.extend(named.map(cause));
    let follows = more >= DEPTH_RATIO && longer >= DEPTH_RATIO && longer >= FOLLOWED_SHARE * more;
    let verdict = match busiest {
        _ if named.is_some() => DepthVerdict::Elsewhere,
        Some(busy) if busy >= BUSY_SHARE => DepthVerdict::Saturated,
        Some(_) if spread <= IMPOSED_DIFFERENCE && follows => DepthVerdict::Throttled,
        Some(_) | None => DepthVerdict::Flat,
    };
    (verdict, lines)
}

/// Limits that hold a rate and are no place where requests queue below the program.
fn is_elsewhere(cause: Cause) -> bool {
    match cause {
        Cause::Cpu | Cause::Generator | Cause::PageCache | Cause::Rate => true,
        Cause::Device
        | Cause::Throttle
        | Cause::Component
        | Cause::Synchronisation
        | Cause::Flush
        | Cause::Latency
        | Cause::Unknown => false,
    }
}

/// Where the rate is highest, if it is lower at the end, by more than what counts as the same.
fn peak(points: &[DepthPoint]) -> Option<usize> {
    let rate = |at: &usize| points[*at].operations_per_sec;
    let last = points.len() - 1;
    let peak = (0..last).max_by(|one, other| rate(one).total_cmp(&rate(other)))?;
    let ends = [points[peak].clone(), points[last].clone()];
    (rate(&peak) > rate(&last) && spread(&ends) > FLAT_DIFFERENCE).then_some(peak)
}

/// From the first point to the last, if that is more than their intervals.
fn changed(verdict: DepthVerdict, points: &[DepthPoint]) -> (DepthVerdict, Vec<Evidence>) {
    let (least, most) = (&points[0], &points[points.len() - 1]);
    let times = most.operations_per_sec / least.operations_per_sec.max(f64::MIN_POSITIVE);
    let is_before = |point: &&DepthPoint| point.depth as f64 * DEPTH_RATIO <= most.depth as f64;
    let (change, before) = match verdict {
        DepthVerdict::Falling => (DepthChange::Fell { times }, least),
        // A rate rises still where it did from half the depth on.
        _ => (DepthChange::Grew { times }, points.iter().rev().find(is_before).unwrap_or(least)),
    };
    let rate = Fact::DepthRate { from: least.depth, to: most.depth, change };
    let verdict = if overlap(before, most) { DepthVerdict::Unclear } else { verdict };
    (verdict, vec![line(rate, spread(points), FLAT_DIFFERENCE)])
}

fn overlap(one: &DepthPoint, other: &DepthPoint) -> bool {
    let halves = one.half_width_bytes_per_sec.zip(other.half_width_bytes_per_sec);
    let apart = (one.bytes_per_sec - other.bytes_per_sec).abs();
    halves.is_some_and(|(one, other)| apart <= one + other)
}

fn line(fact: Fact, value: f64, threshold: f64) -> Evidence {
    Evidence { entity: "all streams".to_owned(), fact, value, threshold }
}

#[cfg(test)]
mod tests;

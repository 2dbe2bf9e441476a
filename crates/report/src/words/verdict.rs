//! What came out, in one sentence.
//!
//! The page cache is said first, because a figure out of memory that looks like a device's is the
//! most common mistake in measuring storage. A device's figure is only given as such when the
//! requests are known to have gone there.

use iopath_analysis::findings::Warning;
use iopath_analysis::limit::{Cause, EvidenceLaw, Limiting};
use iopath_analysis::{EpochFindings, FailureSpan, Findings, LagFindings};
use iopath_record::{Emulated, Fact, TargetFact, Technique};
use iopath_units::System;

use super::actions::{only, plural};
use super::{evidence, hosts, layers, prediction};
use crate::numbers::{is_small, maybe_ns, operations, plus_minus, rate, size, time};
use crate::view::fastest;
use crate::view::removal::Carried;
use crate::view::run::TrialReport;
use crate::view::watched::Stored;

/// The sentence for one trial.
#[must_use]
pub fn verdict(trial: &TrialReport, system: System) -> String {
    if let Some(predicted) = &trial.prediction {
        return format!("{}: {}", trial.label(), prediction::sentence(predicted, system));
    }
    if matches!(trial.technique, Technique::Simulation { .. }) {
        return simulated(trial, system);
    }
    let early = ended_early(&trial.findings);
    format!("{early}{}{}", emulated(trial), sentence(trial, system))
}

/// The sentence for several trials of which each did something: from where to where they reach,
/// and what held the fastest back.
pub(crate) fn of_several(trials: &[TrialReport], system: System) -> Option<String> {
    let has_figure = |trial: &TrialReport| trial.prediction.is_none() && !trial.is_watched();
    if trials.len() < 2 || !trials.iter().all(has_figure) {
        return None;
    }
    let ends = fastest::ends(trials)?;
    let [slowest, fastest] = [ends.slowest, ends.fastest].map(|at| &trials[at]);
    if fastest::speed(fastest) <= 0.0 {
        return None;
    }
    let [least, most] = [slowest, fastest].map(|trial| rate(fastest::speed(trial), system));
    let said = verdict(fastest, system);
    Some(format!("{} trials from {least} to {most}; the fastest: {said}", trials.len()))
}

/// What is added where there is no response to tell.
const INSTANT: &str =
    "; no component of the described path takes time, so this says nothing about storage";

/// The sentence for several simulated trials in none of which a request takes time.
pub(crate) fn instant(trials: &[TrialReport]) -> Option<String> {
    let is_all = trials.len() > 1 && trials.iter().all(TrialReport::is_instant);
    is_all.then(|| format!("simulated: {} trials carry their load at once{INSTANT}", trials.len()))
}

/// What a simulation says, which has no page cache but what the study describes as one.
fn simulated(trial: &TrialReport, system: System) -> String {
    let (label, findings) = (trial.label(), &trial.findings);
    let without = trial.fact(Fact::Without).map(|removed| format!("without {removed}, "));
    let said = match (trial.fact(Fact::NothingLeft), findings.requests) {
        (Some(why), _) => why.to_owned(),
        (None, 0) => "no request completed".to_owned(),
        (None, _) => {
            let figure = figure(findings, trial.carried(), system);
            let instant = if trial.is_instant() { INSTANT } else { "" };
            let lags = lags(findings, system);
            match failures(findings, system) {
                Some(course) => format!("{figure} on average, {course}{instant}{lags}"),
                None => format!("{figure}, {}{instant}{lags}", limit(findings)),
            }
        }
    };
    format!("{}: {label}: {}{said}", kind(trial), without.unwrap_or_default())
}

/// Whose requests were simulated: those of the study's streams, or recorded ones.
fn kind(trial: &TrialReport) -> String {
    let replayed = trial.fact(Fact::Replayed).zip(percent(trial, Fact::ReplayedAsRecorded));
    let Some((requests, percent)) = replayed else { return "simulated".to_owned() };
    format!("replayed {requests} requests, {percent:.1} % of them answered as recorded")
}

/// A share that the record has in millionths.
fn percent(trial: &TrialReport, share: Fact<'_>) -> Option<f64> {
    trial.fact(share)?.parse::<f64>().ok().map(|ppm| ppm / 10_000.0)
}

/// What streams got before the first failure, at worst and at the end.
fn failures(findings: &Findings, system: System) -> Option<String> {
    let spans = &findings.failures;
    let by_rate = |a: &&FailureSpan, b: &&FailureSpan| {
        a.throughput_bytes_per_sec.total_cmp(&b.throughput_bytes_per_sec)
    };
    let [first, .., last] = &spans[..] else { return None };
    let worst = spans.iter().min_by(by_rate)?;
    let [first, worst_rate, last] =
        [first, worst, last].map(|span| rate(span.throughput_bytes_per_sec, system));
    let when = worst.events.join(", ");
    let longest = spans.iter().filter_map(|span| span.latency_ns_max).max();
    let longest = maybe_ns(longest, system);
    Some(format!(
        "{first} at first, {worst_rate} after \"{when}\", {last} at the end; the longest request \
         took {longest}"
    ))
}

/// Whose figure it is, where it is that of devices which stand for others; of a live system, how
/// far it can be believed.
fn emulated(trial: &TrialReport) -> String {
    let Some(Emulated { scale, stretch }) = trial.technique.emulated() else {
        return String::new();
    };
    let stretched = match stretch {
        1 => String::new(),
        stretch => format!(", stretched {stretch} times"),
    };
    match percent(trial, Fact::AnswersInTime) {
        Some(in_time) => {
            format!("live at 1:{scale}{stretched}, {in_time:.1} % of answers in time: ")
        }
        None => format!("emulated at 1:{scale}{stretched}: "),
    }
}

/// A figure of a trial that did not end as it should must not look like any other.
fn ended_early(findings: &Findings) -> &'static str {
    match (findings.bad_blocks.is_empty(), findings.bad_blocks.are_unwritten()) {
        (true, _) => {}
        (false, true) => return "not verified: ",
        (false, false) => return "wrong data: ",
    }
    let is = |kind: &str| findings.warnings.iter().any(|warning| warning.kind() == kind);
    match (is("pass-failed"), is("interrupted")) {
        (true, _) => "ended by an error: ",
        (false, true) => "interrupted: ",
        (false, false) => "",
    }
}

fn sentence(trial: &TrialReport, system: System) -> String {
    let findings = &trial.findings;
    let what = format!("{}: {}", trial.label(), figure(findings, trial.carried(), system));
    if trial.is_watched() {
        return watched(trial, system);
    }
    // Some tools tell bytes and no requests.
    if findings.requests == 0 && findings.bytes == 0 {
        return format!("{}: no request completed", trial.label());
    }
    if let Some(why) = memory(trial, system) {
        let first = if is_mixed(trial) { "partly memory" } else { "page cache" };
        let lags = lags(findings, system);
        return format!("{first}: {what}{}; {why}{lags}", conditions(trial));
    }
    let side = trial.hosts.as_ref().and_then(hosts::side).unwrap_or_default();
    let lags = lags(findings, system);
    let limit = format!("{}{}", limit(findings), unrequested(findings));
    format!("{what}{}, {limit}{side}{lags}", conditions(trial))
}

/// What filled the only device, where it was mostly nothing that this measurement requested.
fn unrequested(findings: &Findings) -> String {
    let entity = findings.limit.entity.as_slice();
    let share = findings.warnings.iter().find_map(|warning| match warning {
        // Of several devices it is not known which one moved it.
        Warning::OtherTraffic { devices, ratio } if devices == entity => Some(1.0 - 1.0 / ratio),
        _ => None,
    });
    match share {
        Some(share) if share > 0.5 => {
            format!(", {:.0} % of whose traffic this measurement did not request", share * 100.0)
        }
        _ => String::new(),
    }
}

/// What others did while it was watched; a rest around their load is not counted.
fn watched(trial: &TrialReport, system: System) -> String {
    let findings = &trial.findings;
    let label = trial.label();
    if findings.bytes == 0 && findings.requests == 0 {
        // What carried something may be no device: a switch's ports, say.
        return format!("{label}: {}", layers::watched(trial, system));
    }
    let figure = figure(findings, trial.carried(), system);
    let whole_ns = trial.watched.as_ref().map_or(0, Stored::interval_ns);
    let [busy, whole] = [findings.duration_ns, whole_ns].map(|ns| time(ns as f64, system));
    let within =
        if busy == whole { format!("in {whole}") } else { format!("in {busy} of {whole}") };
    let slow = layers::slow(trial);
    format!("{label}: watched: {figure} {within}, {}{slow}", limit(findings))
}

/// How far those who follow others were behind.
fn lags(findings: &Findings, system: System) -> String {
    let lag = |lag: &LagFindings| {
        let LagFindings { name, lag_bytes_mean, lag_bytes_max } = lag;
        let [mean, most] = [lag_bytes_mean.round() as u64, *lag_bytes_max];
        let [mean, most] = [mean, most].map(|bytes| size(bytes, system));
        format!("; {name} lagged by {mean} on average, {most} at most")
    };
    findings.lags.iter().map(lag).collect()
}

/// Why the figure is memory's, or may be; none when it is the device's.
fn memory(trial: &TrialReport, system: System) -> Option<String> {
    let findings = &trial.findings;
    let is_cached = findings.limit.cause == Cause::PageCache;
    let in_memory: Vec<&str> = in_memory(trial).collect();
    let has_engine = engine(trial) != Some("null");
    let why = if let Some(doubt) = may_be_memory(trial, system) {
        doubt
    } else if is_mixed(trial) {
        let names = in_memory.join(", ");
        format!(
            "{names} has no device below, its files are in memory; the total is not that of a \
                 device"
        )
    } else if !in_memory.is_empty() && has_engine {
        "the file system is in memory, with no device below".to_owned()
    } else if is_cached {
        "the requests did not reach a device, so this is not a device's figure".to_owned()
    } else {
        return None;
    };
    // What else holds memory back is worth a word; a device's name is not, here.
    match findings.limit.cause {
        Cause::Cpu | Cause::Generator | Cause::Rate | Cause::Throttle => {
            Some(format!("{why}; {}", limit(findings)))
        }
        Cause::PageCache
        | Cause::Device
        | Cause::Component
        | Cause::Synchronisation
        | Cause::Flush
        | Cause::Latency
        | Cause::Unknown => Some(why),
    }
}

/// Targets whose files are in memory.
fn in_memory(trial: &TrialReport) -> impl Iterator<Item = &str> {
    trial
        .of_targets(TargetFact::InMemory)
        .filter(|(_, value)| *value == "true")
        .map(|(name, _)| name)
}

/// Some targets are in memory and others are not.
fn is_mixed(trial: &TrialReport) -> bool {
    let all = trial.of_targets(TargetFact::InMemory).count();
    (1..all).contains(&in_memory(trial).count()) && engine(trial) != Some("null")
}

/// Direct I/O was refused and the files are smaller than twice the memory.
fn may_be_memory(trial: &TrialReport, system: System) -> Option<String> {
    let memory: u64 = trial.fact(Fact::MemoryBytes)?.parse().ok()?;
    let refused: Vec<&str> = trial
        .of_targets(TargetFact::Cache)
        .filter(|(_, value)| *value == TargetFact::DIRECT_REFUSED)
        .map(|(name, _)| name)
        .collect();
    let sizes = trial.of_targets(TargetFact::Bytes).filter(|(name, _)| refused.contains(name));
    let bytes: u64 = sizes.filter_map(|(_, value)| value.parse::<u64>().ok()).sum();
    let is_small = !refused.is_empty() && bytes < memory.saturating_mul(2);
    is_small.then(|| {
        format!(
            "the file system refuses direct I/O and {} ({}) is smaller than twice the memory \
             ({}), so the device's own throughput is unknown",
            refused.join(", "),
            size(bytes, system),
            size(memory, system)
        )
    })
}

fn figure(findings: &Findings, carried: Carried, system: System) -> String {
    let bytes = rate(carried.throughput_bytes_per_sec, system);
    let done = operations(carried.operations_per_sec, system);
    let spread =
        findings.confidence.map(|known| format!(" {}", plus_minus(known.half_width_percent)));
    let spread = spread.unwrap_or_default();
    let all = match (
        only(&findings.actions, findings.requests),
        is_small(findings.bytes as f64, findings.requests as f64),
    ) {
        (Some(only), _) => {
            let bytes = besides(only.bytes_per_sec, system);
            format!("{done} {}{spread}{bytes}", plural(only.action))
        }
        (None, true) => {
            let bytes = besides(carried.throughput_bytes_per_sec, system);
            format!("{done} requests{spread}{bytes}")
        }
        (None, false) => format!("{bytes}{spread}"),
    };
    if findings.epochs.is_empty() {
        return all;
    }
    let each = findings.epochs.iter().map(|epoch| of_epoch(epoch, system));
    format!("{}: {all} on average", each.collect::<Vec<_>>().join(", then "))
}

/// Bytes a second behind requests a second, where any were moved.
fn besides(bytes_per_sec: f64, system: System) -> String {
    match bytes_per_sec > 0.0 {
        true => format!(", {}", rate(bytes_per_sec, system)),
        false => String::new(),
    }
}

/// What ran together reached, while others ran before it or after it.
fn of_epoch(epoch: &EpochFindings, system: System) -> String {
    let done = operations(epoch.headline.operations_per_sec, system);
    let figure = match (
        only(&epoch.actions, epoch.requests),
        is_small(epoch.bytes as f64, epoch.requests as f64),
    ) {
        (Some(only), _) => format!("{done} {}", plural(only.action)),
        (None, true) => format!("{done} requests"),
        (None, false) => rate(epoch.headline.throughput_bytes_per_sec, system),
    };
    format!("{} {figure}", epoch.streams.join(", "))
}

/// How it was done: block and depth, cache mode and engine, and whether writes were flushed.
fn conditions(trial: &TrialReport) -> String {
    let words = |value| {
        if value == TargetFact::DIRECT_REFUSED { "buffered, direct refused" } else { value }
    };
    let mut caches: Vec<&str> =
        trial.of_targets(TargetFact::Cache).map(|(_, value)| words(value)).collect();
    caches.sort_unstable();
    caches.dedup();
    let depth = trial.fact(Fact::Depth).map(|depth| format!("depth {depth}"));
    let load = [trial.fact(Fact::Block).map(str::to_owned), depth];
    let sync = trial.fact(Fact::Sync).filter(|_| engine(trial) != Some("null"));
    let sync = sync.map(|sync| match sync {
        "none" => "writes not flushed".to_owned(),
        "end" => "flushed at the end".to_owned(),
        sync if sync.split(", ").any(|one| one == "none") => "some writes not flushed".to_owned(),
        sync => sync.to_owned(),
    });
    let how = caches.into_iter().chain(engine(trial)).map(str::to_owned);
    let all: Vec<String> = load.into_iter().flatten().chain(how).chain(sync).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// The engine's name, without what it reached.
fn engine(trial: &TrialReport) -> Option<&str> {
    trial.fact(Fact::EngineUsed)?.split_whitespace().next()
}

/// How the member of a volume differs from the others, where it is the limit.
fn odd_member(limit: &Limiting) -> Option<String> {
    let mut of_limit =
        limit.evidence.iter().filter(|line| Some(&line.entity) == limit.entity.as_ref());
    of_limit.find_map(evidence::others)
}

/// What limited it.
pub(crate) fn limit(findings: &Findings) -> String {
    let limit = &findings.limit;
    let entity = limit.entity.as_deref().unwrap_or("unknown");
    let line = |law: EvidenceLaw| limit.evidence.iter().find(|line| line.law() == law);
    let odd = odd_member(limit);
    match limit.cause {
        Cause::Device | Cause::Cpu | Cause::Component if line(EvidenceLaw::Capacity).is_some() => {
            format!("limited by {entity}, whose capacity is used up")
        }
        Cause::Device => match (line(EvidenceLaw::Depth), line(EvidenceLaw::Utilisation)) {
            (Some(depth), _) if depth.threshold <= 1.0 => {
                format!("limited by the latency of the device {entity} at queue depth 1")
            }
            _ if odd.is_some() => {
                format!("limited by the device {entity}: {}", odd.unwrap_or_default())
            }
            (_, Some(busy)) if busy.value >= busy.threshold => {
                format!(
                    "limited by the device {entity} ({:.0} % busy)",
                    busy.value.min(1.0) * 100.0
                )
            }
            _ if line(EvidenceLaw::Residence).is_some() => {
                let share = line(EvidenceLaw::Residence).map_or(0.0, |line| line.value) * 100.0;
                format!(
                    "limited by the device {entity}, where requests spent {share:.0} % of \
                         their time"
                )
            }
            _ => format!("limited by the device {entity}"),
        },
        Cause::Cpu if entity == "cpu" => "limited by the processors".to_owned(),
        Cause::Cpu if entity.ends_with(".cpu") => {
            format!("limited by the processors of {}", entity.trim_end_matches(".cpu"))
        }
        Cause::Cpu => "limited by the processor time of a single thread in the kernel".to_owned(),
        Cause::Generator => "limited by the load generator, not by the storage".to_owned(),
        Cause::PageCache => "limited by memory, not by a device".to_owned(),
        Cause::Rate => "limited by the requested rate".to_owned(),
        Cause::Throttle => format!("limited by a throttle ({entity})"),
        Cause::Component => format!("limited by {entity}"),
        Cause::Synchronisation => {
            format!("limited by the slowest member of {entity}: split requests wait for it")
        }
        Cause::Flush => "limited by flushes".to_owned(),
        Cause::Latency => {
            "latency-bound: too few requests in flight to saturate any component".to_owned()
        }
        Cause::Unknown => "bottleneck not identified".to_owned(),
    }
}

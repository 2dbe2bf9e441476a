//! From the passes of one trial to its findings.

use std::cell::Cell;

use iopath_record::{Counter, Kind, Latency, Measure, Record, Technique};
use iopath_units::Op;
use thiserror::Error;

use crate::findings::trial::{chosen, pass_findings, per_second};
use crate::findings::{
    Findings, FlushFindings, Headline, LatencyOf, LatencySummary, PassFindings, StreamFindings,
    StreamRate, Trial, action, epoch,
};
use crate::findings::{warnings, watched};
use crate::judges::advice::{self, Scene};
use crate::judges::audit::{LawCheck, audit};
use crate::judges::failures::failures;
use crate::judges::intensity;
use crate::judges::lag::lags;
use crate::judges::limit::{judge, rate};
use crate::judges::metrics::TrialMetrics;
use crate::usage::loaded::is_watched;
use crate::usage::pass::{Part, Pass, grown};

/// Why records have no common findings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoFindings {
    /// Nothing was given.
    #[error("no pass to analyse: pass the records of at least one pass")]
    NoPass,
    /// Records of different cases.
    #[error("passes of trials {first} and {other} together: give the passes of one trial only")]
    SeveralTrials {
        /// Trial of the first record.
        first: u32,
        /// Trial of another one.
        other: u32,
    },
}

thread_local! {
    static ANALYSES: Cell<u64> = const { Cell::new(0) };
}

/// How often this thread has analysed: commands are tested for analysing each trial once.
#[doc(hidden)]
#[must_use]
pub fn analyses() -> u64 {
    ANALYSES.get()
}

/// The findings of all passes of one trial.
///
/// # Errors
/// Where there is no pass, or the passes belong to different trials.
pub fn analyse(passes: &[Record]) -> Result<Findings, NoFindings> {
    ANALYSES.set(ANALYSES.get() + 1);
    let first = passes.first().ok_or(NoFindings::NoPass)?;
    if let Some(other) = passes.iter().find(|record| !is_same_trial(first, record)) {
        return Err(NoFindings::SeveralTrials { first: first.case.trial, other: other.case.trial });
    }
    let passes: Vec<Pass<'_>> = passes.iter().map(Pass::of).collect();
    let findings = findings(&Trial::of(&passes));
    let all_watched = passes.iter().all(|pass| is_watched(pass.record));
    let findings = if all_watched { watched::fill(findings, &passes) } else { findings };
    Ok(Findings { headline: headline(&first.technique, &findings), ..findings })
}

/// The rate that stands for a trial.
fn headline(technique: &Technique, findings: &Findings) -> Headline {
    let Findings { throughput_bytes_per_sec, operations_per_sec, .. } = *findings;
    let bytes = findings.deskewed_throughput_bytes_per_sec;
    let window = bytes.zip(findings.deskewed_operations_per_sec);
    chosen(technique, (throughput_bytes_per_sec, operations_per_sec), window)
}

fn is_same_trial(first: &Record, other: &Record) -> bool {
    let case = |record: &Record| {
        let case = &record.case;
        (case.trial, case.experiment.clone(), case.levels.clone())
    };
    case(first) == case(other)
}

/// All findings of a trial.
fn findings(trial: &Trial<'_, '_>) -> Findings {
    let latency = LatencySummary::of(&trial.latency);
    let intended = LatencySummary::of(&trial.merged(Latency::Intended, None));
    let streams = trial.streams();
    let cpu = Cpu::of(trial);
    let metrics = TrialMetrics::of(trial.passes);
    let limit = judge(&metrics);
    let each: Vec<PassFindings> = trial.passes.iter().map(pass_findings).collect();
    let throughput_bytes_per_sec = per_second(trial.bytes as f64, trial.duration_ns);
    let operations_per_sec = per_second(trial.operations, trial.duration_ns);
    let of = LatencyOf::Counted;
    Findings {
        headline: Headline { throughput_bytes_per_sec, operations_per_sec, of },
        throughput_bytes_per_sec,
        deskewed_throughput_bytes_per_sec: trial.deskewed_bytes(),
        operations_per_sec,
        deskewed_operations_per_sec: trial.deskewed(|pass| pass.operations(Part::Window)),
        wanted_operations_per_sec: rate::wanted(&metrics, Measure::Operations),
        wanted_bytes_per_sec: rate::wanted(&metrics, Measure::Bytes),
        requests: trial.requests,
        failed: trial.failed(),
        bytes: trial.bytes,
        duration_ns: trial.duration_ns,
        window_ns: trial.window_ns,
        latency_of: trial.latency_of,
        latency_ns_mean: latency.mean.or_else(|| trial.in_flight_mean_ns()),
        latency_ns_p50: latency.p50,
        latency_ns_p90: latency.p90,
        latency_ns_p99: latency.p99,
        latency_ns_p999: latency.p999,
        latency_ns_max: latency.max,
        intended_latency_ns_mean: intended.mean,
        intended_latency_ns_p50: intended.p50,
        intended_latency_ns_p90: intended.p90,
        intended_latency_ns_p99: intended.p99,
        intended_latency_ns_p999: intended.p999,
        intended_latency_ns_max: intended.max,
        read: trial.op(Op::Read),
        write: trial.op(Op::Write),
        flush: FlushFindings::of(trial),
        actions: action::all(trial),
        cpu_user_ns: cpu.user,
        cpu_system_ns: cpu.system,
        cpu_worker_ns: cpu.worker,
        cpu_ns_per_request: cpu.over(trial.operations),
        cpu_ns_per_byte: cpu.over(trial.bytes as f64),
        skew_ns: trial.skew(),
        jain: trial.jain(&streams),
        min_stream: extreme(&streams, |a, b| a < b),
        max_stream: extreme(&streams, |a, b| a > b),
        streams,
        epochs: epoch::all(trial.passes),
        lags: lags(trial.passes),
        failures: failures(trial.passes),
        intensities: intensity::of(trial.passes),
        advice: advice::of(&Scene { pass: &trial.passes[0], metrics: &metrics, limit: &limit }),
        limit,
        passes: each,
        confidence: trial.confidence(),
        bad_blocks: trial.bad_blocks(),
        warnings: warnings::all(trial),
        audit: audits(trial.passes),
    }
}

/// The checks of all passes, failed ones first.
fn audits(passes: &[Pass<'_>]) -> Vec<LawCheck> {
    let mut checks: Vec<_> = passes.iter().flat_map(|pass| audit(pass.record)).collect();
    checks.sort_by_key(|check| check.holds);
    checks
}

fn extreme(streams: &[StreamFindings], wins: fn(f64, f64) -> bool) -> Option<StreamRate> {
    let rates = streams.iter().filter_map(|s| Some((&s.name, s.throughput_bytes_per_sec?)));
    let (name, rate) = rates.reduce(|best, next| if wins(next.1, best.1) { next } else { best })?;
    Some(StreamRate { name: name.clone(), throughput_bytes_per_sec: rate })
}

/// Processor time over the measured parts.
struct Cpu {
    user: Option<f64>,
    /// With the kernel workers.
    system: Option<f64>,
    worker: Option<f64>,
}

impl Cpu {
    /// Of the process where its counters were sampled, else of the streams' own threads.
    fn of(trial: &Trial<'_, '_>) -> Self {
        let entities = &trial.passes[0].record.entities;
        // One of each host.
        let processes = || entities.iter().filter(|entity| entity.kind == Kind::Process);
        let sampled = |counter| {
            let each = processes().filter_map(|process| grown(trial.passes, process, counter));
            each.reduce(|left, right| left + right)
        };
        let worker = sampled(Counter::WorkerNs);
        let in_kernel = |system: f64| system + worker.unwrap_or_default();
        let counted = || trial.passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        let (user, system) = (sampled(Counter::UserNs), sampled(Counter::SystemNs).map(in_kernel));
        let threads = || {
            let user: u64 = counted().map(|totals| totals.user_ns).sum();
            let system: u64 = counted().map(|totals| totals.system_ns).sum();
            (user + system > 0).then_some((user as f64, in_kernel(system as f64)))
        };
        let both = user.zip(system).or_else(threads);
        Self { user: both.map(|(user, _)| user), system: both.map(|(_, system)| system), worker }
    }

    fn over(&self, amount: f64) -> Option<f64> {
        let sum = self.user? + self.system?;
        (amount > 0.0).then_some(sum / amount)
    }
}

#[cfg(test)]
mod hosts_tests;
#[cfg(test)]
mod tests;

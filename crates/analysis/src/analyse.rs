//! From the passes of one trial to its findings. Passes are put together as Σ bytes / Σ time,
//! and histograms are merged, so a long pass weighs more than a short one.

use std::collections::BTreeMap;

use iopath_record::{BadBlocks, Counter, Histogram, Latency, Record, StreamTotals, Technique};
use iopath_units::{Action, Op};
use thiserror::Error;

use crate::advice::{self, Scene};
use crate::audit::audit;
use crate::counters::Spans;
use crate::findings::{
    Findings, FlushFindings, Headline, LatencyOf, LatencySummary, OpFindings, PassFindings, Skew,
    StreamFindings, StreamRate, action, epoch,
};
use crate::intensity;
use crate::lag::lags;
use crate::limit::{judge, rate};
use crate::observed::Observed;
use crate::pass::{Part, Pass, bytes, grown, is_full, phases, pooled};
use crate::statistics::{Confidence, confidence, jain};
use crate::{warnings, watched};

/// Why records have no common findings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoFindings {
    /// Nothing was given.
    #[error("no pass to analyse: give the records of at least one pass")]
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

/// The findings of all passes of one trial.
///
/// # Errors
/// Where there is no pass, or the passes belong to different trials.
pub fn analyse(passes: &[Record]) -> Result<Findings, NoFindings> {
    let first = passes.first().ok_or(NoFindings::NoPass)?;
    if let Some(other) = passes.iter().find(|record| !is_same_trial(first, record)) {
        return Err(NoFindings::SeveralTrials { first: first.case.trial, other: other.case.trial });
    }
    let passes: Vec<Pass<'_>> = passes.iter().map(Pass::of).collect();
    let findings = Trial::of(&passes).findings();
    let is_watched = passes.iter().all(|pass| watched::is_watched(pass.record));
    let findings = if is_watched { watched::fill(findings, &passes) } else { findings };
    Ok(Findings { headline: headline(&first.technique, &findings), ..findings })
}

/// The rate that stands for a trial.
fn headline(technique: &Technique, findings: &Findings) -> Headline {
    let Findings { throughput_bytes_per_sec, operations_per_sec, .. } = *findings;
    let bytes = findings.deskewed_throughput_bytes_per_sec;
    let window = bytes.zip(findings.deskewed_operations_per_sec);
    chosen(technique, (throughput_bytes_per_sec, operations_per_sec), window)
}

/// Of bytes and requests a second of the measured part and of the window those that stand for it.
fn chosen(technique: &Technique, counted: (f64, f64), window: Option<(f64, f64)>) -> Headline {
    let is_simulated = matches!(technique, Technique::Simulation { .. });
    let window = window.filter(|_| is_simulated);
    let (throughput_bytes_per_sec, operations_per_sec) = window.unwrap_or(counted);
    let of = if window.is_some() { LatencyOf::Window } else { LatencyOf::Counted };
    Headline { throughput_bytes_per_sec, operations_per_sec, of }
}

fn is_same_trial(first: &Record, other: &Record) -> bool {
    let case = |record: &Record| {
        let case = &record.case;
        (case.trial, case.experiment.clone(), case.levels.clone())
    };
    case(first) == case(other)
}

/// A stream in one pass.
type OfPass<'p, 'a> = (&'p Pass<'a>, &'a StreamTotals);

/// The sums over passes that several findings share.
pub(crate) struct Trial<'p, 'a> {
    pub passes: &'p [Pass<'a>],
    pub duration_ns: u64,
    pub window_ns: u64,
    pub bytes: u64,
    pub requests: u64,
    pub operations: f64,
    pub latency: Histogram,
    pub latency_of: LatencyOf,
}

impl<'p, 'a> Trial<'p, 'a> {
    pub(crate) fn of(passes: &'p [Pass<'a>]) -> Self {
        let what = told(passes);
        let in_window = merged(passes, Part::Window, what, None);
        let latency_of = if in_window.count() > 0 { LatencyOf::Window } else { LatencyOf::Counted };
        let counted = || passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        Self {
            passes,
            duration_ns: passes.iter().map(|pass| pass.measured.length_ns()).sum(),
            window_ns: passes.iter().filter_map(|p| p.window.as_ref()).map(Spans::length_ns).sum(),
            bytes: counted().map(bytes).sum(),
            requests: counted().map(|totals| totals.completed).sum(),
            operations: passes.iter().map(|pass| pass.operations(Part::Counted)).sum(),
            latency: merged(passes, part_of(latency_of), what, None),
            latency_of,
        }
    }

    fn findings(&self) -> Findings {
        let latency = LatencySummary::of(&self.latency);
        let intended = LatencySummary::of(&self.merged(Latency::Intended, None));
        let streams = self.streams();
        let cpu = Cpu::of(self);
        let observed = Observed::of(self.passes);
        let limit = judge(&observed);
        let each: Vec<PassFindings> = self.passes.iter().map(pass_findings).collect();
        let throughput_bytes_per_sec = per_second(self.bytes as f64, self.duration_ns);
        let operations_per_sec = per_second(self.operations, self.duration_ns);
        let of = LatencyOf::Counted;
        Findings {
            headline: Headline { throughput_bytes_per_sec, operations_per_sec, of },
            throughput_bytes_per_sec,
            deskewed_throughput_bytes_per_sec: self.deskewed_bytes(),
            operations_per_sec,
            deskewed_operations_per_sec: self.deskewed(|pass| pass.operations(Part::Window)),
            wanted_operations_per_sec: rate::wanted(&observed, "operations"),
            wanted_bytes_per_sec: rate::wanted(&observed, "bytes"),
            requests: self.requests,
            failed: self.failed(),
            bytes: self.bytes,
            duration_ns: self.duration_ns,
            window_ns: self.window_ns,
            latency_of: self.latency_of,
            latency_ns_mean: latency.mean.or_else(|| self.in_flight_mean_ns()),
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
            read: self.op(Op::Read),
            write: self.op(Op::Write),
            flush: FlushFindings::of(self),
            actions: action::all(self),
            cpu_user_ns: cpu.user,
            cpu_system_ns: cpu.system,
            cpu_worker_ns: cpu.worker,
            cpu_ns_per_request: cpu.over(self.operations),
            cpu_ns_per_byte: cpu.over(self.bytes as f64),
            skew_ns: self.skew(),
            jain: self.jain(&streams),
            min_stream: extreme(&streams, |a, b| a < b),
            max_stream: extreme(&streams, |a, b| a > b),
            streams,
            epochs: epoch::all(self.passes),
            lags: lags(self.passes),
            intensities: intensity::of(self.passes),
            advice: advice::of(&Scene {
                pass: &self.passes[0],
                observed: &observed,
                limit: &limit,
            }),
            limit,
            passes: each,
            confidence: self.confidence(),
            bad_blocks: self.bad_blocks(),
            warnings: warnings::all(self),
            audit: self.audit(),
        }
    }

    /// The mean time of a request where no distribution was kept, as of most tools' texts: the time
    /// in flight of all over their number (Little's law).
    fn in_flight_mean_ns(&self) -> Option<f64> {
        let counted = self.passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        let in_flight_ns: u64 = counted.map(|totals| totals.in_flight_ns).sum();
        let is_known = in_flight_ns > 0 && self.requests > 0;
        is_known.then(|| in_flight_ns as f64 / self.requests as f64)
    }

    /// What verification found in all passes together.
    pub(crate) fn bad_blocks(&self) -> BadBlocks {
        let mut all = BadBlocks::default();
        self.passes.iter().for_each(|pass| all.merge(pass.record.bad_blocks.clone()));
        all
    }

    /// Of the passes that did not end early: by their spread, of a single one by what it tells. Of
    /// bytes a second, or of requests where nothing moves any.
    pub(crate) fn confidence(&self) -> Option<Confidence> {
        let full: Vec<_> = self.passes.iter().filter(|pass| is_full(pass.record)).collect();
        let rate = |pass: &PassFindings| match self.bytes {
            0 => pass.operations_per_sec,
            _ => pass.throughput_bytes_per_sec,
        };
        let rates: Vec<f64> = full.iter().map(|pass| rate(&pass_findings(pass))).collect();
        let told = |rate: f64| {
            let half_width_percent = 100.0 * pooled(&[full.first()?.record])?;
            Some(Confidence { mean: rate, half_width_percent, passes: 1 })
        };
        match rates[..] {
            [rate] => told(rate).filter(|_| rate > 0.0),
            _ => confidence(&rates),
        }
    }

    /// Bytes and requests a second.
    pub(crate) fn headline(&self) -> Headline {
        let counted = [self.bytes as f64, self.operations];
        let [bytes, requests] = counted.map(|amount| per_second(amount, self.duration_ns));
        let window = self.deskewed_bytes().zip(self.deskewed(|pass| pass.operations(Part::Window)));
        chosen(&self.passes[0].record.technique, (bytes, requests), window)
    }

    /// All of the measured part.
    pub(crate) fn counted(&self, what: Latency) -> Histogram {
        merged(self.passes, Part::Counted, what, None)
    }

    /// Over the length of the measured part.
    pub(crate) fn per_second(&self, count: u64) -> f64 {
        per_second(count as f64, self.duration_ns)
    }

    /// Latencies of one kind of streams that do this.
    pub(crate) fn acted(&self, what: Latency, action: Action) -> Histogram {
        let mut all = Histogram::default();
        let part = part_of(self.latency_of);
        self.passes.iter().for_each(|pass| all.merge(&pass.acted(part, what, action)));
        all
    }

    pub(crate) fn merged(&self, what: Latency, op: Option<Op>) -> Histogram {
        merged(self.passes, part_of(self.latency_of), what, op)
    }

    pub(crate) fn deskewed_bytes(&self) -> Option<f64> {
        self.deskewed(|pass| pass.bytes(Part::Window) as f64)
    }

    /// Something of the windows over their length; none where all are empty.
    fn deskewed(&self, of: impl Fn(&Pass<'a>) -> f64) -> Option<f64> {
        let amount = self.passes.iter().filter(|pass| pass.window.is_some()).map(of).sum();
        (self.window_ns > 0).then(|| per_second(amount, self.window_ns))
    }

    fn failed(&self) -> u64 {
        let counted = self.passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        counted.map(|totals| totals.failed).sum()
    }

    /// One operation, where the trial has both, or does something else besides.
    pub(crate) fn op(&self, op: Op) -> Option<OpFindings> {
        let [moved, other] = [op, op.reverse()].map(|op| self.bytes_of(op));
        let mut streams = self.passes.iter().flat_map(|pass| &pass.streams);
        let is_alone = other == 0 && streams.all(|stream| stream.action.is_transfer());
        if moved == 0 || is_alone {
            return None;
        }
        let latency = LatencySummary::of(&self.merged(told(self.passes), Some(op)));
        let all = merged(self.passes, Part::Counted, told(self.passes), Some(op));
        Some(OpFindings {
            throughput_bytes_per_sec: per_second(moved as f64, self.duration_ns),
            operations_per_sec: per_second(all.count() as f64, self.duration_ns),
            requests: all.count(),
            bytes: moved,
            latency_ns_mean: latency.mean,
            latency_ns_p50: latency.p50,
            latency_ns_p90: latency.p90,
            latency_ns_p99: latency.p99,
            latency_ns_p999: latency.p999,
            latency_ns_max: latency.max,
        })
    }

    fn bytes_of(&self, op: Op) -> u64 {
        let counted = self.passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        counted
            .map(|totals| match op {
                Op::Read => totals.read_bytes,
                Op::Write => totals.write_bytes,
            })
            .sum()
    }

    /// The worst epoch of the worst pass decides: skew does not average out.
    pub(crate) fn skew(&self) -> Skew {
        let spread = |of: fn(&StreamTotals) -> u64| {
            let of_epoch = |streams: Vec<&StreamTotals>| {
                let times = || streams.iter().map(|stream| of(stream));
                times().max().unwrap_or_default() - times().min().unwrap_or_default()
            };
            let epochs = self.passes.iter().flat_map(Pass::epochs);
            epochs.map(of_epoch).max().unwrap_or_default()
        };
        Skew { front: spread(|s| s.first_issue_ns), back: spread(|s| s.last_done_ns) }
    }

    /// Of the epoch that is shared least evenly: who runs at other times shares nothing.
    fn jain(&self, streams: &[StreamFindings]) -> Option<f64> {
        if streams.len() == 1 {
            return Some(1.0);
        }
        let rates: BTreeMap<&str, Option<f64>> =
            streams.iter().map(|one| (one.name.as_str(), one.throughput_bytes_per_sec)).collect();
        let of_epoch = |epoch: &Vec<&StreamTotals>| {
            let each = epoch.iter().map(|stream| rates[self.passes[0].name(stream)]);
            jain(&each.collect::<Option<Vec<f64>>>()?)
        };
        let mut epochs = self.passes[0].epochs();
        epochs.iter_mut().for_each(|epoch| epoch.retain(|stream| stream.action.is_transfer()));
        epochs
            .iter()
            .filter(|epoch| !epoch.is_empty())
            .map(of_epoch)
            .collect::<Option<Vec<f64>>>()?
            .into_iter()
            .reduce(f64::min)
    }

    /// In the order in which the passes name them.
    pub(crate) fn streams(&self) -> Vec<StreamFindings> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut each: Vec<(&str, Vec<OfPass<'_, 'a>>)> = Vec::new();
        for pass in self.passes {
            for stream in &pass.record.streams {
                let name = pass.name(stream);
                let place = *places.entry(name).or_insert(each.len());
                if place == each.len() {
                    each.push((name, Vec::new()));
                }
                each[place].1.push((pass, stream));
            }
        }
        each.into_iter().map(|(name, passes)| Self::stream(name, &passes)).collect()
    }

    fn stream(name: &str, each: &[OfPass<'_, 'a>]) -> StreamFindings {
        let mine = || each.iter().map(|(_, stream)| *stream);
        let sum = |part| mine().flat_map(|stream| phases(stream, part)).map(bytes).sum::<u64>();
        let own = |(pass, stream): &OfPass<'_, 'a>| Some(pass.window_of(stream)?.length_ns());
        let window_ns: u64 = each.iter().filter_map(own).sum();
        // What moves no data has no share of it.
        let has_share = window_ns > 0 && mine().all(|stream| stream.action.is_transfer());
        StreamFindings {
            name: name.to_owned(),
            bytes: sum(Part::Counted),
            throughput_bytes_per_sec: has_share
                .then(|| per_second(sum(Part::Window) as f64, window_ns)),
            first_done_ns: mine().map(|stream| stream.first_done_ns).min().unwrap_or_default(),
            last_done_ns: mine().map(|stream| stream.last_done_ns).max().unwrap_or_default(),
        }
    }

    fn audit(&self) -> Vec<crate::LawCheck> {
        let mut checks: Vec<_> = self.passes.iter().flat_map(|pass| audit(pass.record)).collect();
        checks.sort_by_key(|check| check.holds);
        checks
    }
}

/// From when latencies count: other tools may tell only from when the kernel had taken a request.
fn told(passes: &[Pass<'_>]) -> Latency {
    let kept =
        || passes.iter().flat_map(|pass| pass.phases(Part::Counted)).flat_map(|one| &one.latency);
    let has = |what| kept().any(|one| one.what == what && !one.histogram.buckets.is_empty());
    if !has(Latency::Total) && has(Latency::Complete) { Latency::Complete } else { Latency::Total }
}

fn part_of(latency_of: LatencyOf) -> Part {
    match latency_of {
        LatencyOf::Window => Part::Window,
        LatencyOf::Counted => Part::Counted,
    }
}

fn merged(passes: &[Pass<'_>], part: Part, what: Latency, op: Option<Op>) -> Histogram {
    let mut all = Histogram::default();
    passes.iter().for_each(|pass| all.merge(&pass.latency(part, what, op)));
    all
}

fn pass_findings(pass: &Pass<'_>) -> PassFindings {
    let duration = pass.measured.length_ns();
    PassFindings {
        pass: pass.record.case.pass,
        throughput_bytes_per_sec: per_second(pass.bytes(Part::Counted) as f64, duration),
        deskewed_throughput_bytes_per_sec: pass
            .window
            .as_ref()
            .map(|window| per_second(pass.bytes(Part::Window) as f64, window.length_ns())),
        operations_per_sec: per_second(pass.operations(Part::Counted), duration),
    }
}

fn extreme(streams: &[StreamFindings], wins: fn(f64, f64) -> bool) -> Option<StreamRate> {
    let rates = streams.iter().filter_map(|s| Some((&s.name, s.throughput_bytes_per_sec?)));
    let (name, rate) = rates.reduce(|best, next| if wins(next.1, best.1) { next } else { best })?;
    Some(StreamRate { name: name.clone(), throughput_bytes_per_sec: rate })
}

/// 0 where no time passed: then nothing was done either.
pub(crate) fn per_second(amount: f64, nanos: u64) -> f64 {
    if nanos == 0 { 0.0 } else { amount * 1e9 / nanos as f64 }
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
        let process = entities.iter().find(|entity| entity.kind == "process");
        let sampled = |counter| grown(trial.passes, process?, counter);
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
mod tests;

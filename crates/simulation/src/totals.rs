//! What a stream did, by phase: what a measurement would have counted.
//!
//! The edges of the window are instants that become known as time passes them. A request in flight
//! at an edge is divided by time; histograms and completions count it whole where it ends.

use std::collections::VecDeque;

use iopath_record::histogram::{Summary, bucket_of};
use iopath_record::{Histogram, LatencyHistogram, Phase, PhaseTotals};
use iopath_units::Op;
use iopath_workload::flushes::Flush;

use crate::core::Ps;
use crate::task::Task;

/// The edges of an epoch's phases: warm-up, ramp, window, drain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    pub begin: Ps,
    /// Where warm-up ends; the end of time while it has not.
    pub warm: Ps,
    /// Where the window begins: warm-up is over and every stream has begun.
    pub window: Ps,
    /// Where the window ends; the end of time while it has not.
    pub stop: Ps,
}

/// The phases that a simulation has.
pub(crate) const PHASES: [Phase; 4] = [Phase::WarmUp, Phase::Ramp, Phase::Window, Phase::Drain];

/// What one stream did.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub first_issue: Option<Ps>,
    pub first_done: Option<Ps>,
    pub last_done: Ps,
    pub done: Done,
    phases: [PhaseSums; 4],
    /// When its threads are on a processor: what has not been divided among phases yet.
    work: VecDeque<(Ps, Ps)>,
}

/// Everything that is done, by operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub bytes: [u64; 2],
    pub operations: [u64; 2],
}

#[derive(Debug, Default)]
struct PhaseSums {
    submitted: u64,
    completed: u64,
    operations: f64,
    bytes: [f64; 2],
    in_flight: f64,
    joined: Ps,
    pool_wait: f64,
    idle: f64,
    worked: f64,
    latency: [Counts; 2],
    since_due: [Counts; 2],
    flush: Counts,
    commit: Counts,
    commit_since_due: Counts,
}

/// Times, counted by the buckets of a histogram.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    buckets: Vec<u32>,
    summary: Option<Summary>,
}

impl Edges {
    /// Of an epoch that begins.
    pub(crate) fn since(begin: Ps) -> Self {
        Self { begin, warm: Ps::MAX, window: Ps::MAX, stop: Ps::MAX }
    }

    /// When each phase begins, and the end of time.
    pub(crate) fn starts(&self) -> [Ps; 5] {
        [self.begin, self.warm, self.window, self.stop, Ps::MAX]
    }

    fn phase_at(&self, at: Ps) -> usize {
        let has_come = |edge: Ps| usize::from(at >= edge);
        has_come(self.warm) + has_come(self.window) + has_come(self.stop)
    }

    /// Divides a span among the phases that it lies in.
    fn divide(&self, (from, to): (Ps, Ps), mut add: impl FnMut(usize, Ps)) {
        let starts = self.starts();
        for at in self.phase_at(from)..=self.phase_at(to) {
            add(at, to.min(starts[at + 1]) - from.max(starts[at]));
        }
    }
}

impl Totals {
    /// A request goes out.
    #[inline]
    pub(crate) fn issued(&mut self, edges: &Edges, now: Ps) {
        self.first_issue.get_or_insert(now);
        self.phases[edges.phase_at(now)].submitted += 1;
    }

    /// A request of so many bytes, which went out at `began`, is done.
    #[inline]
    pub(crate) fn done(&mut self, edges: &Edges, bytes: u64, (task, now): (&Task, Ps)) {
        let (op, began) = (task.op, task.began);
        self.first_done.get_or_insert(now);
        self.last_done = now;
        self.done.bytes[op.index()] += bytes;
        self.done.operations[op.index()] += 1;
        let last = edges.phase_at(now);
        let phase = &mut self.phases[last];
        phase.completed += 1;
        phase.joined += task.joined;
        phase.latency[op.index()].record((now - began).as_nanos().0);
        let is_inside = edges.phase_at(began) == last;
        let span = (now - began).0 as f64;
        edges.divide((began, now), |at, inside| {
            let share = if is_inside { 1.0 } else { inside.0 as f64 / span };
            let phase = &mut self.phases[at];
            phase.operations += share;
            phase.bytes[op.index()] += share * bytes as f64;
            phase.in_flight += inside.0 as f64;
        });
    }

    /// How many requests are done.
    pub(crate) fn completed(&self) -> u64 {
        self.phases.iter().map(|phase| phase.completed).sum()
    }

    /// A request that was due at an instant is done.
    pub(crate) fn done_since_due(&mut self, edges: &Edges, op: Op, (due, now): (Ps, Ps)) {
        let phase = &mut self.phases[edges.phase_at(now)];
        phase.since_due[op.index()].record((now - due).as_nanos().0);
    }

    /// A flush is done; of an open loop its writes count from when they were due, too.
    pub(crate) fn flushed(&mut self, edges: &Edges, flush: &Flush<'_, Ps>, is_open: bool) {
        let phase = &mut self.phases[edges.phase_at(flush.done)];
        let since = |instant: Ps| (flush.done - instant).as_nanos().0;
        phase.flush.record(since(flush.began));
        for wrote in flush.writes {
            phase.commit.record(since(wrote.issued));
            if is_open {
                phase.commit_since_due.record(since(wrote.intended));
            }
        }
    }

    /// Nothing was in flight from one instant to another, as nothing was due.
    pub(crate) fn idled(&mut self, edges: &Edges, span: (Ps, Ps)) {
        edges.divide(span, |phase, inside| self.phases[phase].idle += inside.0 as f64);
    }

    /// A request that was due at an instant has waited for a slot until now. It counts whole in
    /// the phase in which it goes out, as in a measurement.
    pub(crate) fn slot_waited(&mut self, edges: &Edges, (due, now): (Ps, Ps)) {
        self.phases[edges.phase_at(now)].pool_wait += (now - due).0 as f64;
    }

    /// The stream waited for its partner from one instant to another.
    pub(crate) fn partner_waited(&mut self, edges: &Edges, span: (Ps, Ps)) {
        edges.divide(span, |phase, inside| self.phases[phase].pool_wait += inside.0 as f64);
    }

    /// A thread of the stream is on a processor from one instant to another, which may lie ahead.
    #[inline]
    pub(crate) fn works(&mut self, edges: &Edges, (from, to): (Ps, Ps), now: Ps) {
        self.count_work(edges, now);
        match self.work.back_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => self.work.push_back((from, to)),
        }
    }

    /// Divides the work that is over by now: before, an edge might still come within it.
    pub(crate) fn count_work(&mut self, edges: &Edges, now: Ps) {
        while let Some(span) = self.work.pop_front_if(|(_, to)| *to <= now) {
            edges.divide(span, |phase, inside| self.phases[phase].worked += inside.0 as f64);
        }
    }

    /// The totals of a phase that lasted from one instant to another.
    pub(crate) fn phase(&self, at: usize, (from, to): (Ps, Ps)) -> Option<PhaseTotals> {
        let sums = &self.phases[at];
        let has_any = sums.submitted + sums.completed > 0 || sums.operations > 0.0 || to > from;
        let [reads, writes] = sums.bytes.map(|bytes| bytes.round() as u64);
        let requests = [&sums.latency, &sums.since_due];
        let flushes = [&sums.flush, &sums.commit, &sums.commit_since_due];
        let latency = LatencyHistogram::of_phase(requests, flushes, Counts::histogram);
        has_any.then(|| PhaseTotals {
            phase: PHASES[at],
            from_ns: from.as_nanos().0,
            to_ns: to.as_nanos().0,
            submitted: sums.submitted,
            completed: sums.completed,
            operations_ppm: (sums.operations * 1e6).round() as u64,
            read_bytes: reads,
            write_bytes: writes,
            in_flight_ns: nanos(sums.in_flight),
            join_wait_ns: sums.joined.as_nanos().0,
            pool_wait_ns: nanos(sums.pool_wait),
            idle_ns: nanos(sums.idle),
            system_ns: nanos(sums.worked),
            latency,
            ..PhaseTotals::default()
        })
    }
}

fn nanos(picoseconds: f64) -> u64 {
    (picoseconds / 1e3).round() as u64
}

impl Counts {
    #[inline]
    pub(crate) fn record(&mut self, value_ns: u64) {
        let bucket = bucket_of(value_ns);
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        let none = Summary { sum_ns: 0, min_ns: u64::MAX, max_ns: 0 };
        let summary = self.summary.get_or_insert(none);
        summary.sum_ns += value_ns;
        summary.min_ns = summary.min_ns.min(value_ns);
        summary.max_ns = summary.max_ns.max(value_ns);
    }

    /// Adds those of others.
    pub(crate) fn merge(&mut self, others: &Self) {
        self.buckets.resize(self.buckets.len().max(others.buckets.len()), 0);
        self.buckets.iter_mut().zip(&others.buckets).for_each(|(sum, count)| *sum += count);
        self.summary = match (self.summary, others.summary) {
            (Some(one), Some(other)) => Some(Summary {
                sum_ns: one.sum_ns + other.sum_ns,
                min_ns: one.min_ns.min(other.min_ns),
                max_ns: one.max_ns.max(other.max_ns),
            }),
            (one, other) => one.or(other),
        };
    }

    pub(crate) fn histogram(&self) -> Option<Histogram> {
        let counts = self.buckets.iter().map(|count| u64::from(*count));
        self.summary.map(|summary| Histogram::from_counts(counts, summary))
    }
}

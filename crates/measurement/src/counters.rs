//! What a worker counts, readable by others while it runs.
//!
//! Every cell has one writer, the worker, which adds with a plain load and store; relaxed atomics
//! only make it lawful for the sampler to read them meanwhile. Allocated before the pass.
//! A request that straddles an edge is divided by time among the phases it lies in.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use iopath_record::histogram::{Summary, bucket_of};
use iopath_record::{Histogram, LatencyHistogram, Phase, PhaseTotals};
use iopath_units::{Action, Op};
use iopath_workload::flushes::Flush;

use crate::edges::Starts;

/// Latencies above 2^40 ns (18 minutes) share the last bucket; their sum and maximum are exact.
const BUCKETS: usize = bucket_of(1 << 40) + 1;

/// The counts of one worker.
pub(crate) struct Counters {
    pub action: Action,
    phases: [PhaseCounters; 5],
    /// One for each sub-stream of a load that has some.
    pub subs: Box<[SubCounters]>,
    pub first_issue_ns: Cell,
    pub first_done_ns: Cell,
    pub last_done_ns: Cell,
    /// None where nothing is read ahead.
    pub ahead: Option<AheadCounters>,
}

/// What reading ahead counts.
#[derive(Default)]
pub(crate) struct AheadCounters {
    /// Units that were requested.
    pub requested: Cell,
    /// Bytes of reads that were there when they were asked for.
    pub hit_bytes: Cell,
    /// Bytes of reads that had to wait, or went their own way.
    pub missed_bytes: Cell,
    /// How long reads waited for units that were on their way.
    pub wait_ns: Cell,
}

/// What a worker did for one sub-stream since go.
#[derive(Default)]
pub(crate) struct SubCounters {
    pub submitted: Cell,
    /// By operation.
    pub completed: [Cell; 2],
}

/// A counter with one writer.
#[derive(Default)]
#[repr(transparent)]
pub(crate) struct Cell(AtomicU64);

/// One completed request.
#[derive(Clone, Copy)]
pub(crate) struct Completion {
    pub op: Op,
    pub bytes: u32,
    pub issue_ns: u64,
    pub done_ns: u64,
    /// Intended start of an open loop.
    pub intended_ns: Option<u64>,
}

/// Which histograms a worker needs.
#[derive(Clone, Copy)]
pub(crate) struct Kinds {
    pub action: Action,
    pub reads: bool,
    pub writes: bool,
    pub intended: bool,
    pub flushes: bool,
    /// How many sub-streams the load has; 0 for one without.
    pub subs: usize,
}

#[derive(Default)]
struct PhaseCounters {
    submitted: Cell,
    completed: Cell,
    failed: Cell,
    operations_ppm: Cell,
    bytes: [Cell; 2],
    in_flight_ns: Cell,
    pool_wait_ns: Cell,
    idle_ns: Cell,
    user_ns: Cell,
    system_ns: Cell,
    total: [Option<HistogramCounters>; 2],
    intended: [Option<HistogramCounters>; 2],
    flush: Option<HistogramCounters>,
    commit: Option<HistogramCounters>,
    intended_commit: Option<HistogramCounters>,
}

struct HistogramCounters {
    buckets: Box<[Cell]>,
    sum_ns: Cell,
    min_ns: Cell,
    max_ns: Cell,
}

/// A whole operation in millionths.
const WHOLE: u64 = 1_000_000;

impl Cell {
    #[inline]
    pub(crate) fn add(&self, value: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_add(value), Relaxed);
    }

    #[inline]
    pub(crate) fn set(&self, value: u64) {
        self.0.store(value, Relaxed);
    }

    #[inline]
    pub(crate) fn value(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl HistogramCounters {
    fn new() -> Self {
        let buckets = zeroed(BUCKETS);
        let min_ns = Cell::default();
        min_ns.set(u64::MAX);
        Self { buckets, sum_ns: Cell::default(), min_ns, max_ns: Cell::default() }
    }

    #[inline]
    fn record(&self, value_ns: u64) {
        self.buckets[bucket_of(value_ns).min(BUCKETS - 1)].add(1);
        self.sum_ns.add(value_ns);
        if value_ns < self.min_ns.value() {
            self.min_ns.set(value_ns);
        }
        if value_ns > self.max_ns.value() {
            self.max_ns.set(value_ns);
        }
    }

    fn histogram(&self) -> Histogram {
        let summary = Summary {
            sum_ns: self.sum_ns.value(),
            min_ns: self.min_ns.value(),
            max_ns: self.max_ns.value(),
        };
        Histogram::from_counts(self.buckets.iter().map(Cell::value), summary)
    }
}

/// Counters that are zero because fresh memory is: what is never counted costs no page.
fn zeroed(count: usize) -> Box<[Cell]> {
    let zeros = Box::into_raw(vec![0u64; count].into_boxed_slice());
    // SAFETY: a cell is an `AtomicU64` and nothing else, which has the size, the alignment (on
    // 64-bit machines) and the bit pattern of a `u64`; the memory is not used as `u64` any more.
    unsafe { Box::from_raw(zeros as *mut [Cell]) }
}

impl Counters {
    pub(crate) fn new(kinds: Kinds) -> Self {
        let cell = |wanted: bool| wanted.then(HistogramCounters::new);
        let phase = || PhaseCounters {
            total: [cell(kinds.reads), cell(kinds.writes)],
            intended: [cell(kinds.reads && kinds.intended), cell(kinds.writes && kinds.intended)],
            flush: cell(kinds.flushes),
            commit: cell(kinds.flushes),
            intended_commit: cell(kinds.flushes && kinds.intended),
            ..PhaseCounters::default()
        };
        let never = || {
            let cell = Cell::default();
            cell.set(u64::MAX);
            cell
        };
        Self {
            action: kinds.action,
            phases: std::array::from_fn(|_| phase()),
            subs: (0..kinds.subs).map(|_| SubCounters::default()).collect(),
            first_issue_ns: never(),
            first_done_ns: never(),
            last_done_ns: Cell::default(),
            ahead: None,
        }
    }

    #[inline]
    pub(crate) fn submitted(&self, phase: usize, requests: u64) {
        self.phases[phase].submitted.add(requests);
    }

    /// A request of a sub-stream went out.
    #[inline]
    pub(crate) fn sub_submitted(&self, sub: u8) {
        if let Some(counters) = self.subs.get(usize::from(sub)) {
            counters.submitted.add(1);
        }
    }

    /// A request of a sub-stream came home.
    #[inline]
    pub(crate) fn sub_completed(&self, sub: u8, op: Op) {
        if let Some(counters) = self.subs.get(usize::from(sub)) {
            counters.completed[op.index()].add(1);
        }
    }

    pub(crate) fn failed(&self, phase: usize) {
        self.phases[phase].failed.add(1);
    }

    #[inline]
    pub(crate) fn pool_wait(&self, phase: usize, span_ns: u64) {
        self.phases[phase].pool_wait_ns.add(span_ns);
    }

    pub(crate) fn idle(&self, phase: usize, span_ns: u64) {
        self.phases[phase].idle_ns.add(span_ns);
    }

    pub(crate) fn processor(&self, phase: usize, user_ns: u64, system_ns: u64) {
        self.phases[phase].user_ns.add(user_ns);
        self.phases[phase].system_ns.add(system_ns);
    }

    /// Counts one request that completed in `phase`.
    #[inline]
    pub(crate) fn completed(&self, starts: &Starts, phase: usize, request: Completion) {
        let bytes = if self.action.is_of_files() { 0 } else { request.bytes };
        let request = Completion { bytes, ..request };
        let Completion { op, issue_ns, done_ns, intended_ns, .. } = request;
        let counters = &self.phases[phase];
        let latency_ns = done_ns.saturating_sub(issue_ns);
        counters.completed.add(1);
        if let Some(histogram) = &counters.total[op.index()] {
            histogram.record(latency_ns);
        }
        if let (Some(histogram), Some(intended)) = (&counters.intended[op.index()], intended_ns) {
            histogram.record(done_ns.saturating_sub(intended));
        }
        if issue_ns >= starts.0[phase] {
            counters.operations_ppm.add(WHOLE);
            counters.bytes[op.index()].add(u64::from(bytes));
            counters.in_flight_ns.add(latency_ns);
        } else {
            self.straddled(starts, phase, request);
        }
    }

    /// Counts a flush that was done in `phase`, and the writes that it made durable.
    pub(crate) fn flushed(&self, phase: usize, flush: &Flush<'_, u64>) {
        let counters = &self.phases[phase];
        let note = |histogram: &Option<HistogramCounters>, since_ns: u64| {
            if let Some(histogram) = histogram {
                histogram.record(flush.done.saturating_sub(since_ns));
            }
        };
        note(&counters.flush, flush.began);
        for wrote in flush.writes {
            note(&counters.commit, wrote.issued);
            note(&counters.intended_commit, wrote.intended);
        }
    }

    /// Divides a request by time among the phases it was in flight; the last takes the rest, so
    /// that nothing is lost to rounding.
    #[cold]
    fn straddled(&self, starts: &Starts, last: usize, request: Completion) {
        let Completion { op, bytes, issue_ns, done_ns, .. } = request;
        let whole_ns = done_ns - issue_ns;
        let (mut ppm, mut bytes_left) = (WHOLE, u64::from(bytes));
        for phase in starts.phase_at(issue_ns)..last {
            let inside = starts.0[phase + 1].saturating_sub(starts.0[phase].max(issue_ns));
            let share = |of: u64| scale(of, inside, whole_ns);
            let (ppm_here, bytes_here) = (share(WHOLE).min(ppm), share(u64::from(bytes)));
            let bytes_here = bytes_here.min(bytes_left);
            self.part(phase, op, (ppm_here, bytes_here, inside));
            ppm -= ppm_here;
            bytes_left -= bytes_here;
        }
        self.part(last, op, (ppm, bytes_left, done_ns - starts.0[last].max(issue_ns)));
    }

    fn part(&self, phase: usize, op: Op, (ppm, bytes, in_flight_ns): (u64, u64, u64)) {
        let counters = &self.phases[phase];
        counters.operations_ppm.add(ppm);
        counters.bytes[op.index()].add(bytes);
        counters.in_flight_ns.add(in_flight_ns);
    }

    /// A batch of completions came at this instant.
    #[inline]
    pub(crate) fn done_at(&self, at_ns: u64) {
        if self.first_done_ns.value() == u64::MAX {
            self.first_done_ns.set(at_ns);
        }
        self.last_done_ns.set(at_ns);
    }

    /// Bytes and requests completed so far, for displays.
    pub(crate) fn so_far(&self) -> (u64, u64) {
        self.phases.iter().fold((0, 0), |(bytes, requests), counters| {
            let moved = counters.bytes[0].value() + counters.bytes[1].value();
            (bytes + moved, requests + counters.completed.value())
        })
    }

    /// Total latency of everything completed so far, by operation; none where the worker never does
    /// such.
    pub(crate) fn heat(&self) -> [Option<Histogram>; 2] {
        Op::BOTH.map(|op| {
            let of_op =
                self.phases.iter().filter_map(|counters| counters.total[op.index()].as_ref());
            of_op.map(HistogramCounters::histogram).reduce(|mut sum, one| {
                sum.merge(&one);
                sum
            })
        })
    }

    /// Bytes of requests completed so far, by operation.
    pub(crate) fn moved_bytes(&self) -> [u64; 2] {
        Op::BOTH
            .map(|op| self.phases.iter().map(|counters| counters.bytes[op.index()].value()).sum())
    }

    /// Requests that are out. The worker goes on while it is read, so it may be off by a batch.
    pub(crate) fn in_flight(&self) -> u64 {
        let sum = |of: fn(&PhaseCounters) -> &Cell| self.phases.iter().map(|c| of(c).value()).sum();
        let home: u64 = sum(|counters| &counters.completed) + sum(|counters| &counters.failed);
        let out: u64 = sum(|counters| &counters.submitted);
        out.saturating_sub(home)
    }

    /// The totals of a phase that lasted from `from_ns` to `to_ns`; none where nothing happened.
    pub(crate) fn totals(&self, phase: Phase, (from_ns, to_ns): (u64, u64)) -> Option<PhaseTotals> {
        let counters = &self.phases[phase.index()];
        let changed = counters.bytes[Op::Write.index()].value();
        let (write_bytes, trim_bytes) = match self.action {
            Action::Transfer => (changed, 0),
            Action::Trim => (0, changed),
            // A request is a file, which has no length of its own.
            Action::Create | Action::Stat | Action::Open | Action::Unlink => (0, 0),
        };
        let totals = PhaseTotals {
            phase,
            from_ns,
            to_ns,
            submitted: counters.submitted.value(),
            completed: counters.completed.value(),
            failed: counters.failed.value(),
            operations_ppm: counters.operations_ppm.value(),
            read_bytes: counters.bytes[Op::Read.index()].value(),
            write_bytes,
            trim_bytes,
            in_flight_ns: counters.in_flight_ns.value(),
            join_wait_ns: 0,
            pool_wait_ns: counters.pool_wait_ns.value(),
            idle_ns: counters.idle_ns.value(),
            user_ns: counters.user_ns.value(),
            system_ns: counters.system_ns.value(),
            latency: counters.latencies(),
        };
        let anything = totals.submitted + totals.operations_ppm + totals.failed + (to_ns - from_ns);
        (anything > 0).then_some(totals)
    }
}

impl PhaseCounters {
    fn latencies(&self) -> Vec<LatencyHistogram> {
        let requests = [&self.total, &self.intended];
        let flushes = [&self.flush, &self.commit, &self.intended_commit];
        LatencyHistogram::of_phase(requests, flushes, |counters| {
            Some(counters.as_ref()?.histogram())
        })
    }
}

/// `of · part / whole`, rounded down, without overflow.
fn scale(of: u64, part: u64, whole: u64) -> u64 {
    let scaled = (u128::from(of) * u128::from(part)).checked_div(u128::from(whole));
    scaled.and_then(|value| u64::try_from(value).ok()).unwrap_or(of)
}

//! The slow, obvious version: everything is computed from the log of a finished pass.

use iopath_record::{Histogram, Phase, PhaseTotals};
use iopath_units::Op;

/// One request, as its worker saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logged {
    pub stream: usize,
    pub op: Op,
    pub bytes: u32,
    pub issue_ns: u64,
    pub done_ns: u64,
}

/// A finished pass.
#[derive(Debug)]
pub(super) struct PassLog {
    pub requests: Vec<Logged>,
    /// When each stream completed the last of its work; none for those that were stopped.
    pub finished: Vec<Option<u64>>,
    pub warm_up_end_ns: u64,
    pub stop_ns: u64,
}

/// Fractions of a byte or an operation are kept to 2^-40.
const FRACTION: u32 = 40;

impl PassLog {
    fn streams(&self) -> usize {
        self.finished.len()
    }

    /// The instant of the last stream's first request.
    pub(super) fn all_active_ns(&self) -> Option<u64> {
        let of = |stream| self.requests.iter().filter(move |request| request.stream == stream);
        let firsts = (0..self.streams()).map(|stream| of(stream).map(|r| r.issue_ns).min());
        firsts.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// The instant from which not every stream is active.
    pub(super) fn first_end_ns(&self) -> u64 {
        let finished = self.finished.iter().flatten().copied();
        finished.chain([self.stop_ns]).min().expect("the stop is one of them")
    }

    pub(super) fn end_ns(&self) -> u64 {
        self.requests.iter().map(|request| request.done_ns).max().unwrap_or(0)
    }

    /// From when to when every stream was active, after warm-up.
    pub(super) fn window(&self) -> Option<(u64, u64)> {
        let from = self.all_active_ns()?.max(self.warm_up_end_ns);
        let to = self.first_end_ns();
        (from < to).then_some((from, to))
    }

    /// Bytes and operations in proportion to the time that requests spent in a span.
    pub(super) fn moved(&self, (from, to): (u64, u64)) -> (f64, f64) {
        let (mut bytes, mut operations) = (0_u128, 0_u128);
        for request in &self.requests {
            let Logged { issue_ns, done_ns, .. } = *request;
            let inside = done_ns.min(to).saturating_sub(issue_ns.max(from));
            let share = |of: u32| {
                (u128::from(of) << FRACTION) * u128::from(inside) / u128::from(done_ns - issue_ns)
            };
            bytes += share(request.bytes);
            operations += share(1);
        }
        let unit = (1_u64 << FRACTION) as f64;
        (bytes as f64 / unit, operations as f64 / unit)
    }

    /// Requests that began before an instant and ended after it.
    pub(super) fn straddling(&self, at_ns: u64) -> usize {
        let meets = |request: &&Logged| request.issue_ns < at_ns && request.done_ns > at_ns;
        self.requests.iter().filter(meets).count()
    }

    /// Bytes of requests that ended in a span, its end included.
    pub(super) fn ended_in(&self, from: u64, to: u64) -> u64 {
        let ended = self.requests.iter().filter(|r| (from..=to).contains(&r.done_ns));
        ended.map(|request| u64::from(request.bytes)).sum()
    }

    /// Latencies of what completed from `from` to `to`, in ascending order. The batch with which
    /// a stream finishes its work closes the window and is part of it.
    pub(super) fn latencies(&self, (from, to): (u64, u64)) -> Vec<u64> {
        let last_batch = |r: &Logged| r.done_ns == to && self.finished[r.stream] == Some(to);
        let inside = |r: &&Logged| (from..to).contains(&r.done_ns) || last_batch(r);
        let completed = self.requests.iter().filter(inside);
        let mut latencies: Vec<_> = completed.map(|r| r.done_ns - r.issue_ns).collect();
        latencies.sort_unstable();
        latencies
    }
}

/// The totals of all workers in one phase.
pub(super) fn phase(all: &[PhaseTotals], phase: Phase) -> Option<&PhaseTotals> {
    all.iter().find(|totals| totals.phase == phase)
}

/// All latencies of a phase.
pub(super) fn histogram(totals: &PhaseTotals) -> Histogram {
    let mut sum = Histogram::default();
    totals.latency.iter().for_each(|latency| sum.merge(&latency.histogram));
    sum
}

/// Nothing is lost or made up, whatever the edges were.
pub(super) fn assert_conserved(log: &PassLog, all: &[PhaseTotals]) {
    let sum = |of: fn(&PhaseTotals) -> u64| all.iter().map(of).sum::<u64>();
    let bytes = |op| {
        let requests = log.requests.iter().filter(move |request| request.op == op);
        requests.map(|request| u64::from(request.bytes)).sum::<u64>()
    };
    let count = log.requests.len() as u64;
    assert_eq!(sum(|totals| totals.read_bytes), bytes(Op::Read));
    assert_eq!(sum(|totals| totals.write_bytes), bytes(Op::Write));
    assert_eq!(sum(|totals| totals.operations_ppm), count * 1_000_000);
    assert_eq!((sum(|t| t.submitted), sum(|t| t.completed)), (count, count));
    let in_flight_ns: u64 = log.requests.iter().map(|r| r.done_ns - r.issue_ns).sum();
    assert_eq!(sum(|totals| totals.in_flight_ns), in_flight_ns);
}

/// Percentiles are within half a bucket of those of the sorted list.
pub(super) fn assert_percentiles(fast: &Histogram, sorted: &[u64]) {
    assert_eq!(fast.count(), sorted.len() as u64);
    for q in [0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
        let rank = ((q * sorted.len() as f64).ceil() as usize).max(1);
        let (exact, read) = (sorted.get(rank - 1).copied(), fast.quantile_ns(q));
        let (Some(exact), Some(read)) = (exact, read) else {
            assert_eq!(exact, read, "{q}");
            continue;
        };
        assert!(exact.abs_diff(read) <= exact / 128 + 1, "{q}: {read} for {exact}");
    }
    assert_eq!(fast.max_ns, sorted.last().copied().unwrap_or(0));
}

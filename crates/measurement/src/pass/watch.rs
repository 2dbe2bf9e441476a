//! The controller's part while workers work: the end by time or amount, Ctrl-C, progress.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use iopath_ranks::Moved;
use iopath_record::{Moved as MovedByStream, Progress};
use iopath_study::Case;
use iopath_study::case::Until;

use super::Pass;
use super::others::{Others, Own};
use super::stream_workers::StreamWorkers;
use crate::clock::{Clock, Monotonic};
use crate::edges::Edges;
use crate::sampler::Latest;

/// How often the controller looks.
const LOOK: Duration = Duration::from_millis(2);
/// How often it tells.
const TELL_NS: u64 = 200_000_000;
/// Edges are set a little ahead, so that no worker has worked past one before it could see it.
const AHEAD_NS: u64 = 1_000_000;

/// Watches one epoch of a pass.
pub(super) struct Watch<'w> {
    pub pass: &'w Pass<'w>,
    pub edges: &'w Edges,
    pub clock: &'w Monotonic,
    /// The streams that run.
    pub running: &'w [&'w StreamWorkers<'w>],
    /// All streams of the pass.
    pub streams: &'w [StreamWorkers<'w>],
    pub latest: &'w Latest,
}

/// When warm-up ends, where that is known beforehand: not when the amount may end the pass first.
pub(super) fn warm_up_end(case: &Case, lasts: Option<Duration>) -> Option<u64> {
    let by_amount = case.workload.until.amount.is_some() && case.workload.warm_up.0 > 0;
    match lasts {
        Some(_) => Some(0),
        None => (!by_amount).then_some(case.workload.warm_up.0),
    }
}

impl Watch<'_> {
    /// Returns when all workers are done; true if the user interrupted.
    pub(super) fn until(
        &self,
        done: impl Fn() -> bool,
        others: &mut Others<'_>,
        tell: &mut dyn FnMut(Progress),
    ) -> bool {
        let planned_stop_ns = self.stop_ns(others);
        planned_stop_ns.into_iter().for_each(|stop_ns| self.edges.stop_at(stop_ns));
        let mut told_ns = 0;
        let mut interrupted = false;
        while self.goes_on(done(), planned_stop_ns, others) {
            std::thread::sleep(LOOK);
            let now_ns = self.clock.now_ns();
            if !interrupted && self.pass.interrupted.load(Relaxed) {
                interrupted = true;
                others.hurry();
                self.edges.stop_at(now_ns + AHEAD_NS);
            }
            self.watch_amount(now_ns);
            if now_ns >= told_ns + TELL_NS {
                told_ns = now_ns;
                let own = so_far(self.streams);
                let Moved { bytes, operations } = others.moved().unwrap_or(own);
                let streams = self.streams.iter().map(moved).collect();
                let (elapsed_ns, devices) = (now_ns, self.latest.moved());
                tell(Progress::Running { elapsed_ns, bytes, operations, streams, devices });
            }
        }
        interrupted
    }

    /// Whether streams still run, here or elsewhere.
    fn goes_on(&self, done: bool, planned: Option<u64>, others: &mut Others<'_>) -> bool {
        if !others.are_there() {
            return !done;
        }
        let own = Own { done, planned_stop_ns: planned, moved: so_far(self.streams) };
        others.exchange(self.edges, own)
    }

    /// When the streams stop by time.
    fn stop_ns(&self, others: &Others<'_>) -> Option<u64> {
        let workload = &self.pass.case.workload;
        let after_ns = match self.pass.lasts {
            Some(span) => u64::try_from(span.as_nanos()).ok(),
            None => workload.until.time.map(|time| workload.warm_up.0.saturating_add(time.0)),
        };
        let after_ns = after_ns.map(|after_ns| others.span_ns(after_ns));
        after_ns.map(|after_ns| after_ns.saturating_add(self.edges.begin_ns()))
    }

    /// A pass bounded by amount warms up for the same share of the amount as of the time. Its end
    /// needs no watching: the streams find that nothing is left.
    fn watch_amount(&self, now_ns: u64) {
        let workload = &self.pass.case.workload;
        let Until { time, amount: Some(amount) } = workload.until else { return };
        let Moved { bytes, .. } = so_far(self.running.iter().copied());
        let warm_up_ns = workload.warm_up.0;
        let share =
            time.map(|time| warm_up_ns as f64 / (warm_up_ns.saturating_add(time.0)).max(1) as f64);
        let is_warm = share.is_some_and(|share| bytes as f64 >= share * amount.0 as f64);
        if now_ns >= self.edges.begin_ns().saturating_add(warm_up_ns) || is_warm {
            self.edges.end_warm_up(now_ns + AHEAD_NS);
        }
    }
}

/// Bytes and requests that streams completed so far.
fn so_far<'c, 'p: 'c>(streams: impl IntoIterator<Item = &'c StreamWorkers<'p>>) -> Moved {
    let counters = streams.into_iter().flat_map(StreamWorkers::counters);
    let each = counters.map(|counters| counters.so_far());
    let add = |sum: Moved, (bytes, operations): (u64, u64)| Moved {
        bytes: sum.bytes + bytes,
        operations: sum.operations + operations,
    };
    each.fold(Moved::default(), add)
}

fn moved(workers: &StreamWorkers<'_>) -> MovedByStream {
    MovedByStream { name: workers.stream.name.clone(), bytes: workers.moved_bytes() }
}

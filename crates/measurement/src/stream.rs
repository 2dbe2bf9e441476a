//! What the workers of one stream share: when it became active and when its work was done.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Acquire};

use crate::edges::Edges;

/// A stream is active from its first worker's first request and finished with its last worker's
/// end.
pub(crate) struct Presence {
    active: AtomicBool,
    workers_left: AtomicU32,
    last_finished: AtomicU64,
}

impl Presence {
    pub(crate) fn new(workers: u32) -> Self {
        let (active, workers_left) = (AtomicBool::new(false), AtomicU32::new(workers));
        Self { active, workers_left, last_finished: AtomicU64::new(0) }
    }

    /// A worker issued its first request.
    pub(crate) fn worker_active(&self, edges: &Edges, at_ns: u64) {
        if !self.active.swap(true, AcqRel) {
            edges.stream_active(at_ns);
        }
    }

    /// A worker ended: with its work done at an instant, or because the pass stopped.
    pub(crate) fn worker_ended(&self, edges: &Edges, finished_ns: Option<u64>) {
        // Who says so last need not have been the last to finish.
        // A stream of which a worker was stopped has not finished: its end lies beyond all time.
        self.last_finished.fetch_max(finished_ns.unwrap_or(u64::MAX), AcqRel);
        if self.workers_left.fetch_sub(1, AcqRel) == 1 {
            edges.stream_finished(self.last_finished.load(Acquire));
        }
    }
}

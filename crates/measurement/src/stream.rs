//! What the lanes of one stream share: when it became active and when its work was done.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Acquire};

use crate::edges::Edges;

/// A stream is active from its first lane's first request and finished with its last lane's end.
pub(crate) struct Presence {
    active: AtomicBool,
    lanes_left: AtomicU32,
    last_finished: AtomicU64,
}

impl Presence {
    pub(crate) fn new(lanes: u32) -> Self {
        let (active, lanes_left) = (AtomicBool::new(false), AtomicU32::new(lanes));
        Self { active, lanes_left, last_finished: AtomicU64::new(0) }
    }

    /// A lane issued its first request.
    pub(crate) fn lane_active(&self, edges: &Edges, at_ns: u64) {
        if !self.active.swap(true, AcqRel) {
            edges.stream_active(at_ns);
        }
    }

    /// A lane ended: with its work done at an instant, or because the pass stopped.
    pub(crate) fn lane_ended(&self, edges: &Edges, finished_ns: Option<u64>) {
        // Who says so last need not have been the last to finish.
        // A stream of which a lane was stopped has not finished: its end lies beyond all time.
        self.last_finished.fetch_max(finished_ns.unwrap_or(u64::MAX), AcqRel);
        if self.lanes_left.fetch_sub(1, AcqRel) == 1 {
            edges.stream_finished(self.last_finished.load(Acquire));
        }
    }
}

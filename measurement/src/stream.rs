//! What the lanes of one stream share: when it became active and when its work was done.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::AcqRel};

use crate::edges::Edges;

/// A stream is active from its first lane's first request and finished with its last lane's end.
pub(crate) struct Presence {
    active: AtomicBool,
    lanes_left: AtomicU32,
}

impl Presence {
    pub(crate) fn new(lanes: u32) -> Self {
        Self { active: AtomicBool::new(false), lanes_left: AtomicU32::new(lanes) }
    }

    /// A lane issued its first request.
    pub(crate) fn lane_active(&self, edges: &Edges, at_ns: u64) {
        if !self.active.swap(true, AcqRel) {
            edges.stream_active(at_ns);
        }
    }

    /// A lane ended: with its work done at an instant, or because the pass stopped.
    pub(crate) fn lane_ended(&self, edges: &Edges, finished_ns: Option<u64>) {
        let last = self.lanes_left.fetch_sub(1, AcqRel) == 1;
        if let Some(at_ns) = finished_ns.filter(|_| last) {
            edges.stream_finished(at_ns);
        }
    }
}

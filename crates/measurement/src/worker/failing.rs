//! Requests that fail, are refused for the moment, or come home in pieces.

use iopath_units::Action;

use super::{Refusal, Worker};
use crate::clock::Clock;
use crate::engine::{Done, Engine, Fault};
use crate::failure::Failure;
use crate::slots::SlotId;

/// A request that the kernel refuses for the moment (EAGAIN, EINTR) is issued again for this long,
/// and never after the stop. The kernel's own limit for a disk command (SD_TIMEOUT in
/// drivers/scsi/sd.h).
pub(super) const RETRY_NS: u64 = 30_000_000_000;

impl<E: Engine, C: Clock> Worker<'_, E, C> {
    /// What was in flight is lost with the engine: it counts as failed, and its units are free.
    #[cold]
    pub(super) fn lose_engine(&mut self, source: std::io::Error) -> Failure {
        for slot in self.slots.requests() {
            if let Some(checker) = &self.checker {
                checker.abandon(&slot);
            }
            self.shared.counters.failed(self.phase);
        }
        self.note_usage();
        self.shared.edges.stop_at(self.now_ns);
        self.shared.presence.worker_ended(self.shared.edges, None);
        let stream = self.shared.stream.to_owned();
        self.failure.take().unwrap_or(Failure::Engine { stream, source })
    }

    #[cold]
    pub(super) fn piece_or_failure(&mut self, done: Done) -> bool {
        let slot = self.slots.slot(done.slot);
        match done.result {
            moved @ 1.. => slot.done_bytes += moved.cast_unsigned(),
            error if transient(error) && self.now_ns >= self.shared.edges.stop_ns() => {
                self.give_back(done.slot);
                return false;
            }
            error if transient(error) && self.may_retry(done.slot) => {}
            error => {
                self.fail(done.slot, error);
                return false;
            }
        }
        self.queue(done.slot);
        false
    }

    /// Counts by request, since others of the worker may succeed meanwhile.
    fn may_retry(&mut self, id: SlotId) -> bool {
        let issue_ns = self.slots.slot(id).issue_ns;
        let refusal = &mut self.refusals[id as usize];
        if refusal.at_ns == 0 || refusal.issue_ns != issue_ns {
            *refusal = Refusal { issue_ns, at_ns: self.now_ns };
        }
        self.now_ns - refusal.at_ns < RETRY_NS
    }

    /// Frees the slot of a request that did not move its bytes, and counts it.
    fn give_back(&mut self, id: SlotId) {
        let slot = *self.slots.slot(id);
        if let Some(checker) = &self.checker {
            checker.abandon(&slot);
        }
        if let Some(flushes) = &mut self.flushes {
            flushes.came_home(slot.op, None);
        }
        self.slots.home(id);
        self.shared.counters.failed(self.phase);
    }

    /// Notes a failed request, ends the pass, and frees the slot.
    fn fail(&mut self, id: SlotId, result: i32) {
        let slot = *self.slots.slot(id);
        let (target, offset) = match self.engine.fault(id) {
            Some(Fault { member, offset }) => {
                (self.shared.files[usize::from(member)].clone(), offset)
            }
            None => (self.shared.target.to_owned(), slot.offset + u64::from(slot.done_bytes)),
        };
        let failure = if result == 0 {
            Failure::Ended { target, offset }
        } else {
            let source = std::io::Error::from_raw_os_error(-result);
            let what = match self.shared.counters.action {
                Action::Transfer => slot.op.to_string(),
                other => other.to_string(),
            };
            Failure::Request { target, what, offset, bytes: slot.bytes, source }
        };
        self.give_back(id);
        self.give_up(failure);
    }

    pub(super) fn give_up(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
        self.shared.edges.stop_at(self.now_ns);
    }
}

pub(super) fn transient(result: i32) -> bool {
    matches!(-result, libc::EINTR | libc::EAGAIN)
}

//! Flushes in the hot loop: issued when one is due, counted when it is done.

use iopath_units::Op;
use iopath_workload::flushes::Flushes;

use super::Worker;
use super::failing::{RETRY_NS, transient};
use crate::checker::Checker;
use crate::clock::Clock;
use crate::engine::{Engine, FLUSH};
use crate::failure::Failure;

impl<E: Engine, C: Clock> Worker<'_, E, C> {
    #[inline]
    pub(super) fn is_flush_in_the_way(&self, op: Op) -> bool {
        self.flushes
            .as_ref()
            .is_some_and(|flushes| E::BLOCKS && flushes.is_out() || !flushes.has_room(op))
    }

    pub(super) fn is_anything_out(&self) -> bool {
        self.slots.in_flight() > 0 || self.flushes.as_ref().is_some_and(Flushes::is_out)
    }

    #[inline]
    pub(super) fn flush_if_due(&mut self) {
        if let Some(flushes) = &mut self.flushes
            && flushes.is_due()
            && self.failure.is_none()
        {
            flushes.begin(self.now_ns);
            self.issue_flush();
        }
    }

    fn issue_flush(&mut self) {
        self.ticket = self.checker.as_ref().map(Checker::begin_flush).unwrap_or_default();
        self.engine.flush(FLUSH, 0);
    }

    /// Whether a flush has begun because the work is over.
    pub(super) fn flush_at_end(&mut self) -> bool {
        let Some(flushes) = &mut self.flushes else { return false };
        let is_wanted = self.failure.is_none() && flushes.begin_last(self.now_ns);
        if is_wanted {
            self.issue_flush();
        }
        is_wanted
    }

    /// Whether a flush is done; one that was refused for the moment is begun again.
    pub(super) fn flushed(&mut self, result: i32) -> bool {
        let Some(flushes) = &mut self.flushes else { return false };
        let since_ns = flushes.began().unwrap_or(self.now_ns);
        if transient(result) && self.now_ns - since_ns < RETRY_NS {
            self.engine.flush(FLUSH, 0);
            return false;
        }
        if result == 0 {
            self.checker.iter().for_each(|checker| checker.flush_acknowledged(self.ticket));
            flushes.done(self.now_ns, |flush| self.shared.counters.flushed(self.phase, flush));
            return true;
        }
        self.checker.iter().for_each(Checker::flush_failed);
        flushes.failed();
        let target = self.engine.fault(FLUSH).map_or(self.shared.target, |fault| {
            self.shared.files[usize::from(fault.member)].as_str()
        });
        let source = std::io::Error::from_raw_os_error(-result);
        self.give_up(Failure::WriteBack { target: target.to_owned(), source });
        false
    }
}

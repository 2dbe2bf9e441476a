//! The edges of a pass's phases, known while it runs.
//!
//! Streams that begin after others have edges of their own, counted from the same go.
//!
//! Five phases lie between six instants (see `iopath_record::stream`). Warm-up's end and the stop
//! are set by the controller, the two edges of the window by the streams themselves: the last of
//! them to issue its first request opens it, the first to finish its work closes it. A worker (one
//! thread of a stream)
//! classifies by these instants and never by the moment it notices them, so the window is exact
//! up to the one batch that a worker may have counted before another closed it.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use iopath_record::Phase;

/// Not known yet.
const LATER: u64 = u64::MAX;

/// The edges that all workers of a pass share.
#[repr(align(128))]
pub(crate) struct Edges {
    begin: AtomicU64,
    warm_up_end: AtomicU64,
    last_active: AtomicU64,
    all_active: AtomicU64,
    first_finished: AtomicU64,
    stop: AtomicU64,
    inactive: AtomicU32,
}

/// When each phase begins, in the order of [`Phase::ALL`]; ascending. A phase that has not begun
/// begins at `u64::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Starts(pub [u64; 5]);

impl Edges {
    /// Edges for so many streams; warm-up ends so long after their begin, or when the controller
    /// says so.
    pub(crate) fn new(streams: u32, warm_up_end_ns: Option<u64>) -> Self {
        Self {
            begin: AtomicU64::new(0),
            warm_up_end: AtomicU64::new(warm_up_end_ns.unwrap_or(LATER)),
            last_active: AtomicU64::new(0),
            all_active: AtomicU64::new(LATER),
            first_finished: AtomicU64::new(LATER),
            stop: AtomicU64::new(LATER),
            inactive: AtomicU32::new(streams),
        }
    }

    /// Says when the streams begin, before they are let go; 0 where nothing is said.
    pub(crate) fn begin_at(&self, at_ns: u64) {
        self.begin.store(at_ns, Release);
        let warm_up_end = self.warm_up_end.load(Acquire);
        self.warm_up_end.store(warm_up_end.saturating_add(at_ns), Release);
    }

    /// When the streams began.
    pub(crate) fn begin_ns(&self) -> u64 {
        self.begin.load(Acquire)
    }

    /// Says that warm-up ends at `at_ns`, unless it ends earlier.
    pub(crate) fn end_warm_up(&self, at_ns: u64) {
        self.warm_up_end.fetch_min(at_ns, AcqRel);
    }

    /// Says that nothing is issued from `at_ns` on; the earliest such instant holds.
    pub(crate) fn stop_at(&self, at_ns: u64) {
        self.stop.fetch_min(at_ns, AcqRel);
    }

    /// A stream issued its first request.
    pub(crate) fn stream_active(&self, at_ns: u64) {
        // Who says so last need not have been the last to issue.
        self.last_active.fetch_max(at_ns, AcqRel);
        if self.inactive.fetch_sub(1, AcqRel) == 1 {
            self.all_active.store(self.last_active.load(Acquire), Release);
        }
    }

    /// A stream completed the last request of its work.
    pub(crate) fn stream_finished(&self, at_ns: u64) {
        self.first_finished.fetch_min(at_ns, AcqRel);
    }

    /// From when on the streams are active and warm, where all but those of one more are: with the
    /// others of a run as one more stream, those of this rank.
    pub(crate) fn active_here_ns(&self) -> Option<u64> {
        let warm_up_end = self.warm_up_end.load(Acquire);
        let are_active = self.inactive.load(Acquire) <= 1 && warm_up_end != LATER;
        are_active.then(|| self.last_active.load(Acquire).max(warm_up_end))
    }

    /// When the first stream finished its work, where one has.
    pub(crate) fn finished_ns(&self) -> Option<u64> {
        Some(self.first_finished.load(Acquire)).filter(|at_ns| *at_ns != LATER)
    }

    /// The instant from which nothing is issued.
    #[inline]
    pub(crate) fn stop_ns(&self) -> u64 {
        self.stop.load(Acquire)
    }

    /// From when to when a phase lasted, for streams whose last request completed at `end_ns`.
    pub(crate) fn span(&self, phase: Phase, end_ns: u64) -> (u64, u64) {
        let (from, to) = self.starts().span(phase, end_ns);
        let begin = self.begin_ns();
        (from.max(begin), to.max(begin))
    }

    /// The edges as they are known now.
    #[inline]
    pub(crate) fn starts(&self) -> Starts {
        let stop = self.stop.load(Acquire);
        let tail = self.first_finished.load(Acquire).min(stop);
        let warm_up_end = self.warm_up_end.load(Acquire);
        let window = self.all_active.load(Acquire).max(warm_up_end).min(tail);
        Starts([0, warm_up_end.min(window), window, tail, stop])
    }
}

impl Starts {
    /// The phase that an instant lies in. What lies before the begin counts as warm-up.
    #[inline]
    pub(crate) fn phase_at(&self, at_ns: u64) -> usize {
        let mut phase = 4;
        while self.0[phase] > at_ns {
            phase -= 1;
        }
        phase
    }

    /// From when to when a phase lasted, for a pass whose last request completed at `end_ns`.
    pub(crate) fn span(&self, phase: Phase, end_ns: u64) -> (u64, u64) {
        let index = phase.index();
        let to = self.0.get(index + 1).copied().unwrap_or(u64::MAX).min(end_ns);
        (self.0[index].min(to), to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_goes_through_its_phases_in_order() {
        let edges = Edges::new(2, Some(100));
        assert_eq!(edges.starts().phase_at(50), 0);
        edges.stream_active(10);
        assert_eq!(edges.starts().phase_at(150), Phase::Ramp.index());
        edges.stream_active(200);
        assert_eq!(edges.starts().phase_at(250), Phase::Window.index());
        edges.stream_finished(300);
        edges.stop_at(400);
        assert_eq!(edges.starts(), Starts([0, 100, 200, 300, 400]));
        assert_eq!(edges.starts().phase_at(350), Phase::Tail.index());
        assert_eq!(edges.starts().phase_at(400), Phase::Drain.index());
    }

    #[test]
    fn the_last_first_request_opens_the_window_whoever_tells_last() {
        let edges = Edges::new(2, Some(0));
        edges.stream_active(9);
        edges.stream_active(5);
        assert_eq!(edges.starts().phase_at(8), Phase::Ramp.index());
        assert_eq!(edges.starts().phase_at(9), Phase::Window.index());
    }

    #[test]
    fn a_worker_that_finishes_before_all_are_active_leaves_no_window() {
        let edges = Edges::new(2, Some(0));
        edges.stream_active(1);
        edges.stream_finished(5);
        edges.stream_active(9);
        edges.stop_at(20);
        let (from, to) = edges.starts().span(Phase::Window, 21);
        assert_eq!(from, to);
        assert_eq!(edges.starts().span(Phase::Tail, 21), (5, 20));
    }

    #[test]
    fn streams_that_begin_later_have_their_warm_up_then() {
        let edges = Edges::new(1, Some(100));
        edges.begin_at(1_000);
        edges.stream_active(1_001);
        edges.stop_at(1_500);
        assert_eq!(edges.starts(), Starts([0, 1_100, 1_100, 1_500, 1_500]));
        assert_eq!(edges.span(Phase::WarmUp, 1_600), (1_000, 1_100));
        assert_eq!(edges.span(Phase::Drain, 1_600), (1_500, 1_600));
    }

    #[test]
    fn a_stop_during_warm_up_leaves_warm_up_and_drain() {
        let edges = Edges::new(1, Some(1_000));
        edges.stream_active(1);
        edges.stop_at(10);
        assert_eq!(edges.starts(), Starts([0, 10, 10, 10, 10]));
    }
}

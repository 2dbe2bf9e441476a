//! The other ranks of a run, in a pass: its streams begin with theirs, its window opens and closes
//! with theirs, and it ends when all have.
//!
//! To the edges of this rank the streams of all others are one stream more: active when all of them
//! are, finished when the first of them is. Alone, nothing here does anything.

use std::cell::RefCell;
use std::time::Duration;

use iopath_ranks::{Begin, Communicator, Here, Lost, Moved, There};

use crate::clock::monotonic_now_ns;
use crate::edges::Edges;

/// The others, if there are some.
pub(super) struct Others<'r> {
    ranks: Option<&'r RefCell<Communicator>>,
    there: There,
    lost: Option<Lost>,
}

/// When streams begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Now: nobody else is to be waited for.
    Now,
    /// When `CLOCK_MONOTONIC` shows this.
    At(u64),
    /// Not at all: a rank cannot go on.
    Never,
}

/// A first sample of counters may take so long. Chosen: of some hundred devices it takes a fiftieth
/// of a second, and ranks that share processors sample at the same time.
const SAMPLE_NS: u64 = 60_000_000;

impl Start {
    /// Waits until there is just time for a sample.
    pub(super) fn come_near(self) {
        if let Self::At(at_ns) = self {
            let ahead_ns = at_ns.saturating_sub(monotonic_now_ns() + SAMPLE_NS);
            std::thread::sleep(Duration::from_nanos(ahead_ns));
        }
    }
}

/// What of this rank is told to the others.
#[derive(Clone, Copy)]
pub(super) struct Own {
    /// Whether all its streams have come to their end.
    pub done: bool,
    /// When they stop by plan.
    pub planned_stop_ns: Option<u64>,
    pub moved: Moved,
}

impl<'r> Others<'r> {
    pub(super) fn of(ranks: Option<&'r RefCell<Communicator>>) -> Self {
        Self { ranks, there: There::default(), lost: None }
    }

    pub(super) fn are_there(&self) -> bool {
        self.ranks.is_some()
    }

    /// Waits until all streams are set up everywhere.
    pub(super) fn begin(&mut self, is_interrupted: &dyn Fn() -> bool) -> Start {
        let Some(ranks) = self.ranks else { return Start::Now };
        self.there = There::default();
        match ranks.borrow_mut().begin(is_interrupted) {
            Ok(Begin::At(at_ns)) => Start::At(at_ns),
            Ok(Begin::Cancelled) => Start::Never,
            Err(lost) => {
                self.lost = Some(lost);
                Start::Never
            }
        }
    }

    /// Says when the axis of the pass begins, by `CLOCK_MONOTONIC`.
    pub(super) fn begin_axis(&self, at_ns: u64) {
        if let Some(ranks) = self.ranks {
            ranks.borrow_mut().begin_axis(at_ns);
        }
    }

    /// Says how long after the agreed instant this rank let its streams go.
    pub(super) fn note_skew(&self, skew_ns: u64) {
        if let Some(ranks) = self.ranks {
            ranks.borrow_mut().note_skew(skew_ns);
        }
    }

    /// A span of the root's clock by this rank's.
    pub(super) fn span_ns(&self, span_ns: u64) -> u64 {
        self.ranks.map_or(span_ns, |ranks| ranks.borrow().span_ns(span_ns))
    }

    /// Tells what is known here, and sets the edges by what is known of all. Whether streams still
    /// run somewhere.
    pub(super) fn exchange(&mut self, edges: &Edges, own: Own) -> bool {
        let Some(ranks) = self.ranks.filter(|_| self.lost.is_none()) else { return !own.done };
        let stop_ns = Some(edges.stop_ns()).filter(|at_ns| *at_ns != u64::MAX);
        let here = Here {
            active_ns: edges.active_here_ns(),
            finished_ns: edges.finished_ns(),
            stop_ns: stop_ns.filter(|_| stop_ns != own.planned_stop_ns),
            done: own.done,
            moved: own.moved,
        };
        let there = match ranks.borrow_mut().exchange(here) {
            Ok(there) => there,
            Err(lost) => {
                self.lost = Some(lost);
                edges.stop_at(0);
                return !own.done;
            }
        };
        if let (Some(at_ns), None) = (there.opens_ns, self.there.opens_ns) {
            edges.stream_active(at_ns);
        }
        there.finished_ns.into_iter().for_each(|at_ns| edges.stream_finished(at_ns));
        there.stop_ns.into_iter().for_each(|at_ns| edges.stop_at(at_ns));
        self.there = there;
        !there.all_done
    }

    /// Says that the run is to end at once.
    pub(super) fn hurry(&self) {
        if let Some(ranks) = self.ranks {
            ranks.borrow_mut().hurry();
        }
    }

    /// Whether a rank has stopped all before their time.
    pub(super) fn have_stopped(&self) -> bool {
        self.there.stop_ns.is_some() || self.lost.is_some()
    }

    /// What all ranks have moved; none where this rank does not know.
    pub(super) fn moved(&self) -> Option<Moved> {
        let ranks = self.ranks?.borrow();
        ranks.is_root().then(|| ranks.moved())
    }

    /// Says that this rank has no more streams in this pass.
    pub(super) fn end(&mut self) {
        self.tell(Communicator::end_pass);
    }

    /// Says that this rank cannot go on.
    pub(super) fn give_up(&mut self) {
        self.tell(Communicator::give_up);
    }

    /// What ended the talk with them.
    pub(super) fn lost(self) -> Option<Lost> {
        self.lost
    }

    fn tell(&mut self, what: fn(&mut Communicator) -> Result<(), Lost>) {
        let told = self.ranks.map(|ranks| what(&mut ranks.borrow_mut()));
        self.lost = self.lost.take().or(told.and_then(Result::err));
    }
}

//! The flushes of a lane: when one is due, and which writes it covers.
//!
//! A flush is due when `every` writes have completed since the last one began; it covers all of
//! them, and one is out at a time. Writes in flight and those that wait for a flush are at most
//! `every` or the depth, whichever is more. So one request in flight gives the order of a database's
//! log (write, flush, write), and K in flight are K writers who share flushes: who completes while
//! a flush is out waits for the next (group commit: DeWitt et al., Implementation techniques for
//! main memory database systems, SIGMOD 1984).
//!
//! It leaves out writes of other lanes, which a flush of the same file covers too.

use iopath_study::case::SyncMode;
use iopath_units::Op;

/// A completed write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrote {
    pub issue_ns: u64,
    pub intended_ns: u64,
}

/// What a flush has come to.
pub(crate) struct Flush<'f> {
    pub began_ns: u64,
    pub done_ns: u64,
    /// What it covers.
    pub writes: &'f [Wrote],
}

/// Flushes after so many writes, or one at the end.
pub(crate) struct Flushes {
    /// None for one at the end.
    every: Option<usize>,
    /// Writes that may be in flight or wait.
    room: usize,
    in_flight: usize,
    /// Completed, and not covered.
    waiting: Vec<Wrote>,
    /// By the flush that is out.
    covered: Vec<Wrote>,
    began_ns: Option<u64>,
    /// Whether anything was written that only the last flush covers.
    is_last_wanted: bool,
}

impl Flushes {
    /// None where no flush is a request of its own.
    pub(crate) fn of(sync: SyncMode, depth: u32) -> Option<Self> {
        if !sync.flushes() {
            return None;
        }
        let every = sync.every().map(|every| every as usize);
        let room = every.map_or(usize::MAX, |every| every.max(depth as usize));
        let writes = || Vec::with_capacity(every.map_or(0, |_| room));
        Some(Self {
            every,
            room,
            in_flight: 0,
            waiting: writes(),
            covered: writes(),
            began_ns: None,
            is_last_wanted: false,
        })
    }

    /// Whether another request may be issued.
    #[inline]
    pub(crate) fn has_room(&self, op: Op) -> bool {
        op == Op::Read || self.in_flight + self.waiting.len() + self.covered.len() < self.room
    }

    #[inline]
    pub(crate) fn issued(&mut self, op: Op) {
        self.in_flight += usize::from(op == Op::Write);
    }

    /// A request came home; nothing of one that failed waits for a flush.
    #[inline]
    pub(crate) fn came_home(&mut self, op: Op, wrote: Option<Wrote>) {
        if op == Op::Read {
            return;
        }
        self.in_flight -= 1;
        match self.every {
            Some(_) => self.waiting.extend(wrote),
            None => self.is_last_wanted |= wrote.is_some(),
        }
    }

    /// Whether one is out.
    pub(crate) fn is_out(&self) -> bool {
        self.began_ns.is_some()
    }

    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        !self.is_out() && self.every.is_some_and(|every| self.waiting.len() >= every)
    }

    pub(crate) fn begin(&mut self, at_ns: u64) {
        self.began_ns = Some(at_ns);
        std::mem::swap(&mut self.waiting, &mut self.covered);
    }

    /// Begins the one at the end, where it is wanted.
    pub(crate) fn begin_last(&mut self, at_ns: u64) -> bool {
        let is_wanted = std::mem::take(&mut self.is_last_wanted);
        if is_wanted {
            self.begin(at_ns);
        }
        is_wanted
    }

    /// The one that is out is done: says so with what it covers, and frees their room.
    pub(crate) fn done(&mut self, done_ns: u64, tell: impl FnOnce(&Flush<'_>)) {
        let Some(began_ns) = self.began_ns.take() else { return };
        tell(&Flush { began_ns, done_ns, writes: &self.covered });
        self.covered.clear();
    }

    /// The one that is out failed: what it should have covered is lost.
    pub(crate) fn failed(&mut self) {
        self.began_ns = None;
        self.covered.clear();
    }
}

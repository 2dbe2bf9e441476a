//! Flushes after writes: when one is due, and which writes it covers.
//!
//! A flush is due when `every` writes have completed since the last one began; it covers all of
//! them, and one is out at a time. Writes in flight and those that wait for a flush are at most
//! `every` or the depth, whichever is more. So one request in flight gives the order of a
//! database's log (write, flush, write), and K in flight are K writers who share flushes: who
//! completes while a flush is out waits for the next (group commit: DeWitt et al., Implementation
//! techniques for main memory database systems, SIGMOD 1984).
//!
//! Instants are the caller's (`T`). It leaves out writes of others, which a flush of the
//! same file covers too.

use iopath_study::case::SyncMode;
use iopath_units::Op;

/// Memory for so many writes is there before the first (chosen: as many as a ring holds, twice).
const MOST_RESERVED: usize = 65_536;

/// A completed write.
#[derive(Clone, Copy, Debug)]
pub struct Wrote<T> {
    /// When it was issued.
    pub issued: T,
    /// When an open loop meant to.
    pub intended: T,
}

/// What a flush has come to.
#[derive(Debug)]
pub struct Flush<'f, T> {
    /// When it was issued.
    pub began: T,
    /// When it was done.
    pub done: T,
    /// What it covers.
    pub writes: &'f [Wrote<T>],
}

/// Flushes after so many writes, or one at the end.
#[derive(Debug)]
pub struct Flushes<T> {
    /// None for one at the end.
    every: Option<usize>,
    /// Writes that may be in flight or wait.
    room: usize,
    in_flight: usize,
    /// Completed, and not covered.
    waiting: Vec<Wrote<T>>,
    /// By the flush that is out.
    covered: Vec<Wrote<T>>,
    began: Option<T>,
    /// Whether anything was written that only the last flush covers.
    is_last_wanted: bool,
}

impl<T: Copy> Flushes<T> {
    /// None where no flush is a request of its own.
    #[must_use]
    pub fn of(sync: SyncMode, depth: u32) -> Option<Self> {
        if !sync.flushes() {
            return None;
        }
        let every = sync.every().map(|every| every as usize);
        let room = every.map_or(usize::MAX, |every| every.max(depth as usize));
        let writes = || Vec::with_capacity(every.map_or(0, |_| room.min(MOST_RESERVED)));
        Some(Self {
            every,
            room,
            in_flight: 0,
            waiting: writes(),
            covered: writes(),
            began: None,
            is_last_wanted: false,
        })
    }

    /// Whether another request may be issued.
    #[inline]
    #[must_use]
    pub fn has_room(&self, op: Op) -> bool {
        op == Op::Read || self.in_flight + self.waiting.len() + self.covered.len() < self.room
    }

    /// A request is issued.
    #[inline]
    pub fn issued(&mut self, op: Op) {
        self.in_flight += usize::from(op == Op::Write);
    }

    /// A request came home; nothing of one that failed waits for a flush.
    #[inline]
    pub fn came_home(&mut self, op: Op, wrote: Option<Wrote<T>>) {
        if op == Op::Read {
            return;
        }
        self.in_flight -= 1;
        match self.every {
            Some(_) => self.waiting.extend(wrote),
            None => self.is_last_wanted |= wrote.is_some(),
        }
    }

    /// When the one that is out was issued.
    #[must_use]
    pub fn began(&self) -> Option<T> {
        self.began
    }

    /// Whether one is out.
    #[must_use]
    pub fn is_out(&self) -> bool {
        self.began.is_some()
    }

    /// Whether one has to begin.
    #[inline]
    #[must_use]
    pub fn is_due(&self) -> bool {
        !self.is_out() && self.every.is_some_and(|every| self.waiting.len() >= every)
    }

    /// One begins; it covers what waits.
    pub fn begin(&mut self, at: T) {
        self.began = Some(at);
        std::mem::swap(&mut self.waiting, &mut self.covered);
    }

    /// Begins the one at the end, where it is wanted.
    pub fn begin_last(&mut self, at: T) -> bool {
        let is_wanted = std::mem::take(&mut self.is_last_wanted);
        if is_wanted {
            self.begin(at);
        }
        is_wanted
    }

    /// The one that is out is done: says so with what it covers, and frees their room.
    pub fn done(&mut self, done: T, tell: impl FnOnce(&Flush<'_, T>)) {
        let Some(began) = self.began.take() else { return };
        tell(&Flush { began, done, writes: &self.covered });
        self.covered.clear();
    }

    /// The one that is out failed: what it should have covered is lost.
    pub fn failed(&mut self) {
        self.began = None;
        self.covered.clear();
    }
}

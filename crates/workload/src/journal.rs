//! What a crash may take: which writes of each unit of a target were issued, completed, and
//! covered by an acknowledged flush. The words lie in memory that outlives the program ([`Unit`],
//! [`Epochs`]); what maps it keeps one journal for each verified target.
//!
//! Law: a flush covers the writes that completed before it began (fsync(2); Flush in the NVM
//! Express Base Specification, SYNCHRONIZE CACHE in SBC-4). A flush that begins takes the epoch
//! and starts the next one. A write is of the epoch that is read after its completion, so a flush
//! of epoch *t* covers writes of epochs up to *t*. Nothing more is covered once a flush has failed:
//! the kernel may have dropped what it could not write, and the next flush succeeds without it
//! (fsync(2), EIO).
//!
//! ```text
//! state, bit 0        20          40        60        61
//!            | issued | completed | durable | wrapped | wrapped since |
//!            numbers are generations + 1, 0 is none
//! epoch of the completed write
//! ```
//!
//! A unit is written by who has claimed it ([`generations`](crate::generations)), so stores need no
//! lock; the program may die between any two of them, and each order of stores is chosen so that
//! the journal then claims too little rather than too much.
//!
//! Left out: the order of writes of different units, which no storage promises between flushes; and
//! the write before the last completed one, where the flush that covers it is still out: it counts
//! as not covered.

mod verdict;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

pub use verdict::{Lacking, Past, Verdict, judge};

const BITS: u32 = 20;
const NUMBER: u64 = (1 << BITS) - 1;
/// Numbers began again after the durable write, so they no longer say which is newer.
const WRAPPED: u64 = 1 << (3 * BITS);
/// They did after the completed one.
const WRAPPED_SINCE: u64 = WRAPPED << 1;

/// When writes completed and flushes began: shared by all units of a target.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Epochs {
    /// Flushes that have begun.
    now: AtomicU64,
    /// Writes of epochs below this one are covered.
    covered: AtomicU64,
    /// Not 0 once a flush has failed.
    failed: AtomicU64,
}

/// A flush that has begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket(u64);

/// One unit of a target.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Unit {
    state: AtomicU64,
    epoch: AtomicU64,
}

/// When a write is on stable storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// With its completion: `O_DSYNC`, `O_SYNC`.
    AtOnce,
    /// With the next flush.
    WhenFlushed,
}

/// The journal of one target.
#[derive(Clone, Copy, Debug)]
pub struct Journal<'m> {
    /// Its flushes.
    pub epochs: &'m Epochs,
    /// Its units, in order.
    pub units: &'m [Unit],
}

impl Epochs {
    /// A flush begins. To be called before the kernel hears of it.
    pub fn begin_flush(&self) -> Ticket {
        Ticket(self.now.fetch_add(1, AcqRel))
    }

    /// It was acknowledged.
    pub fn acknowledge(&self, Ticket(began): Ticket) {
        if self.failed.load(Acquire) == 0 {
            self.covered.fetch_max(began.saturating_add(1), AcqRel);
        }
    }

    /// It failed.
    pub fn fail(&self) {
        self.failed.store(1, Release);
    }

    fn covers(&self, unit: &Unit) -> bool {
        unit.epoch.load(Acquire) < self.covered.load(Acquire)
    }
}

impl Journal<'_> {
    /// A write of `count` units from `first` on is about to be issued.
    pub fn issue(&self, first: usize, count: usize, generation: u32) {
        for unit in &self.units[first..first + count] {
            let mut state = self.settled(unit);
            let number = generation + 1;
            if number <= state.issued {
                (state.wrapped, state.wrapped_since) = (true, true);
            }
            state.issued = number;
            unit.state.store(state.word(), Release);
        }
    }

    /// The write that [`Journal::issue`] was called for has completed without an error.
    pub fn complete(&self, first: usize, count: usize, durable: Durable) {
        let epoch = self.epochs.now.load(Acquire);
        for unit in &self.units[first..first + count] {
            let mut state = self.settled(unit);
            // What the write before it has come to, before its epoch is overwritten.
            unit.state.store(state.word(), Release);
            unit.epoch.store(epoch, Release);
            (state.completed, state.wrapped_since) = (state.issued, false);
            if durable == Durable::AtOnce {
                (state.durable, state.wrapped) = (state.issued, false);
            }
            unit.state.store(state.word(), Release);
        }
    }

    /// What is known of a unit; nothing where no write of it has completed.
    #[must_use]
    pub fn past(&self, unit: usize) -> Option<Past> {
        let State { issued, completed, durable, wrapped, .. } = self.settled(&self.units[unit]);
        let generation = |number: u32| number.checked_sub(1);
        Some(Past {
            issued: generation(issued)?,
            completed: generation(completed)?,
            durable: generation(durable),
            wrapped,
        })
    }

    /// The state of a unit with what flushes have made of its last completed write.
    fn settled(&self, unit: &Unit) -> State {
        let mut state = State::of(unit.state.load(Acquire));
        if state.completed != 0 && self.epochs.covers(unit) {
            (state.durable, state.wrapped) = (state.completed, state.wrapped_since);
        }
        state
    }
}

#[derive(Clone, Copy)]
struct State {
    issued: u32,
    completed: u32,
    durable: u32,
    wrapped: bool,
    wrapped_since: bool,
}

impl State {
    fn of(word: u64) -> Self {
        let number = |at: u32| (word >> (at * BITS) & NUMBER) as u32;
        let (issued, completed, durable) = (number(0), number(1), number(2));
        let (wrapped, wrapped_since) = (word & WRAPPED != 0, word & WRAPPED_SINCE != 0);
        Self { issued, completed, durable, wrapped, wrapped_since }
    }

    fn word(self) -> u64 {
        let number = |number: u32, at: u32| u64::from(number) << (at * BITS);
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        number(self.issued, 0)
            | number(self.completed, 1)
            | number(self.durable, 2)
            | flag(self.wrapped, WRAPPED)
            | flag(self.wrapped_since, WRAPPED_SINCE)
    }
}

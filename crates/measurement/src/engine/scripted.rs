//! A storage that does what a script says, on a clock that moves only when the script lets it.
//!
//! For tests of the worker: delays, pieces, errors, batches and any order of completions. It keeps
//! the bytes of its target, so that data can be checked; those of several members lie one behind
//! the other.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use iopath_units::Op;

use super::{Done, Engine, Io, Wait};
use crate::clock::Clock;
use crate::slots::SlotId;

/// A clock that stands still, but for waiting and for what each reading is said to take.
#[derive(Default)]
pub(crate) struct FakeClock<'s> {
    now_ns: Cell<u64>,
    /// What a reading takes; loops that wait by reading the clock need some.
    pub reading_ns: u64,
    /// What somebody else does at an instant.
    events: RefCell<BTreeMap<u64, Box<dyn FnOnce() + 's>>>,
}

impl<'s> FakeClock<'s> {
    /// Does something when the clock reaches an instant.
    pub(crate) fn at(&self, at_ns: u64, event: impl FnOnce() + 's) {
        self.events.borrow_mut().insert(at_ns, Box::new(event));
    }

    /// The time, without taking any.
    pub(crate) fn stands_at(&self) -> u64 {
        self.now_ns.get()
    }

    fn advance_to(&self, at_ns: u64) {
        self.now_ns.set(at_ns.max(self.now_ns.get()));
        loop {
            let due = self.events.borrow().first_key_value().map(|(at_ns, _)| *at_ns);
            let Some(due) = due.filter(|due| *due <= self.now_ns.get()) else { break };
            let event = self.events.borrow_mut().remove(&due);
            event.expect("it was there")();
        }
    }
}

impl Clock for FakeClock<'_> {
    fn now_ns(&self) -> u64 {
        self.advance_to(self.now_ns.get() + self.reading_ns);
        self.now_ns.get()
    }

    fn sleep_ns(&self, span_ns: u64) {
        self.advance_to(self.now_ns.get() + span_ns);
    }

    /// Until the next thing happens, which may be what is waited for.
    fn await_ns(&self, span_ns: u64, _: impl FnOnce(Duration)) {
        let next = self.events.borrow().first_key_value().map(|(at_ns, _)| *at_ns);
        self.advance_to(next.unwrap_or(u64::MAX).min(self.now_ns.get() + span_ns));
    }
}

/// What becomes of one thing that the engine is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub after_ns: u64,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Whole,
    /// Some bytes less than asked for.
    Short(u32),
    /// The end of the target.
    End,
    /// An errno.
    Error(i32),
    /// All of it, but one byte is not what was written.
    Damaged,
}

impl What {
    /// Done after some time.
    pub(crate) fn after(self, after_ns: u64) -> Answer {
        Answer { after_ns, what: self }
    }
}

/// One thing the worker asked for, with the time at which it did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub at_ns: u64,
    pub io: Io,
}

/// What the storage keeps while workers come and go.
pub(crate) struct World<'s> {
    pub clock: FakeClock<'s>,
    pub bytes: RefCell<Vec<u8>>,
    /// Bytes from one member to the next.
    pub member_bytes: usize,
    /// Everything that was asked for, in order.
    pub asked: RefCell<Vec<Asked>>,
    /// What has not come home.
    pub in_flight: Cell<usize>,
    /// The exchange, counted from 0, that fails instead.
    pub broken_at: Cell<Option<usize>>,
}

impl World<'_> {
    pub(crate) fn of(bytes: usize) -> Self {
        Self {
            clock: FakeClock::default(),
            bytes: RefCell::new(vec![0; bytes]),
            member_bytes: bytes,
            asked: RefCell::default(),
            in_flight: Cell::default(),
            broken_at: Cell::default(),
        }
    }
}

/// The engine; the script gets what is asked for and how many things were before it.
pub(crate) struct Scripted<'w, 's, F> {
    world: &'w World<'s>,
    script: F,
    flying: Vec<Flying>,
    exchanges: usize,
    /// At most so many completions at once.
    pub batch: usize,
}

#[derive(Clone, Copy)]
struct Flying {
    due_ns: u64,
    io: Io,
    what: What,
}

impl<'w, 's, F: FnMut(&Io, usize) -> Answer> Scripted<'w, 's, F> {
    pub(crate) fn new(world: &'w World<'s>, script: F) -> Self {
        Self { world, script, flying: Vec::new(), exchanges: 0, batch: usize::MAX }
    }

    fn first_due_ns(&self) -> Option<u64> {
        self.flying.iter().map(|flying| flying.due_ns).min()
    }

    fn finish(&self, Flying { io, what, .. }: Flying) -> Done {
        self.world.in_flight.set(self.world.in_flight.get() - 1);
        let result = match what {
            What::Whole | What::Damaged => io.bytes.cast_signed(),
            What::Short(less) => (io.bytes - less).cast_signed(),
            What::End => 0,
            What::Error(code) => -code,
        };
        if result > 0 {
            self.copy(&io, result.cast_unsigned() as usize);
        }
        if matches!(what, What::Damaged) {
            // SAFETY: the worker leaves its buffer alone until this request is done.
            unsafe { *io.address ^= 0x10 };
        }
        Done { slot: io.slot, result }
    }

    fn copy(&self, io: &Io, bytes: usize) {
        let mut all = self.world.bytes.borrow_mut();
        let start = usize::from(io.member) * self.world.member_bytes;
        let from = start + usize::try_from(io.offset).unwrap();
        let here = &mut all[from..from + bytes];
        // SAFETY: the worker leaves its buffer alone until this request is done.
        let there = unsafe { std::slice::from_raw_parts_mut(io.address, bytes) };
        match io.op {
            Op::Read => there.copy_from_slice(here),
            Op::Write => here.copy_from_slice(there),
        }
    }
}

impl<F: FnMut(&Io, usize) -> Answer> Engine for Scripted<'_, '_, F> {
    fn queue(&mut self, io: Io) {
        let at_ns = self.world.clock.stands_at();
        let before = self.world.asked.borrow().len();
        let Answer { after_ns, what } = (self.script)(&io, before);
        self.world.asked.borrow_mut().push(Asked { at_ns, io });
        self.world.in_flight.set(self.world.in_flight.get() + 1);
        self.flying.push(Flying { due_ns: at_ns + after_ns, io, what });
    }

    /// The script sees a write of nothing.
    fn flush(&mut self, slot: SlotId, member: u16) {
        let address = std::ptr::null_mut();
        self.queue(Io { slot, op: Op::Write, member, offset: 0, bytes: 0, address });
    }

    fn exchange(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let broken = self.world.broken_at.get() == Some(self.exchanges);
        self.exchanges += 1;
        if broken {
            return Err(io::Error::from_raw_os_error(libc::EBADFD));
        }
        let clock = &self.world.clock;
        let until_ns = match (wait, self.first_due_ns()) {
            (Wait::Poll, _) => clock.stands_at(),
            (Wait::One, due_ns) => due_ns.expect("a wait for nothing has no end"),
            (Wait::OneWithin { nanos }, due_ns) => {
                due_ns.unwrap_or(u64::MAX).min(clock.stands_at() + nanos)
            }
        };
        clock.advance_to(until_ns);
        self.flying.sort_by_key(|flying| flying.due_ns);
        let ready = self.flying.iter().take_while(|flying| flying.due_ns <= clock.stands_at());
        let ready = ready.count().min(self.batch);
        let ready: Vec<_> = self.flying.drain(..ready).collect();
        done.extend(ready.into_iter().map(|flying| self.finish(flying)));
        Ok(())
    }
}

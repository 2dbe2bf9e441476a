//! Requests that come from outside, one by one, while time passes.
//!
//! A stream that is fed issues nothing by itself: its requests arrive, enter the path as those of
//! any stream, and are answered when they are done. One that finds no way waits while a part that
//! failed is to return; where none is, it is refused, as is a flush of what can be written nowhere.

use iopath_units::{Nanos, Op};
use iopath_workload::Request;
use iopath_workload::flushes::Flush;

use crate::core::Ps;
use crate::task::{Doing, Owner, Task};
use crate::world::World;

/// A request from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Which of the case's streams sends it, by its position among those that count.
    pub stream: u32,
    /// The number by which it is answered.
    pub ticket: u32,
    pub asks: Asks,
}

/// What it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// To read, or to write, so many bytes of the stream's target from an offset on.
    Transfer { op: Op, offset: u64, bytes: u32, is_durable: bool },
    /// That all that was answered is on stable storage.
    Flush,
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub ticket: u32,
    /// When it is due.
    pub due: Nanos,
    /// Whether it was refused: no way leads to its end, and none will.
    pub is_refused: bool,
}

/// What goes in and out of a world that is fed.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// Without a way.
    parked: Vec<Arrival>,
    answers: Vec<Answer>,
}

impl World<'_> {
    /// A request arrives now.
    pub(crate) fn arrive(&mut self, arrival: Arrival) {
        let (stream, ticket) = (arrival.stream, arrival.ticket);
        match arrival.asks {
            Asks::Transfer { op, offset, bytes, is_durable } => {
                let request = Request { op, offset, bytes, sub: 0 };
                let root = self.root(stream, request);
                let Some((plan, spent)) = root else { return self.park(arrival) };
                let id = self.enter(stream, request, plan);
                let task = &mut self.tasks[id];
                (task.ticket, task.is_durable) = (ticket, is_durable && op == Op::Write);
                self.send(id, (stream, spent));
            }
            Asks::Flush if self.is_removed(stream) => self.park(arrival),
            Asks::Flush => {
                let mut task = Task::new(Doing::Told, self.now);
                (task.owner, task.ticket) = (Owner::Asked(stream), ticket);
                let one = &self.streams.all[stream as usize];
                self.flush_for((one.place, one.to), task);
            }
        }
    }

    /// Whether what a stream goes to is known to have failed.
    fn is_removed(&self, stream: u32) -> bool {
        let to = self.streams.all[stream as usize].to;
        self.plans.hops().network().component(to).removed
    }

    /// A flush that was asked for is done.
    pub(crate) fn asked_flushed(&mut self, stream: u32, task: &Task) {
        if !task.is_lost {
            let flush = Flush { began: task.began, done: self.now, writes: &[] };
            let totals = &mut self.streams.all[stream as usize].totals;
            totals.flushed(&self.edges, &flush, false);
        }
        self.answer(task.ticket, task.is_lost);
    }

    /// A request is answered now.
    pub(crate) fn answer(&mut self, ticket: u32, is_refused: bool) {
        let due = self.now.as_nanos();
        self.arrivals.answers.push(Answer { ticket, due, is_refused });
    }

    /// The answers that are due and not taken yet.
    pub(crate) fn take_answers(&mut self, into: &mut Vec<Answer>) {
        into.append(&mut self.arrivals.answers);
    }

    /// Those without a way look for one, as the path has changed.
    pub(crate) fn admit_parked(&mut self) {
        for arrival in std::mem::take(&mut self.arrivals.parked) {
            self.arrive(arrival);
        }
    }

    fn park(&mut self, arrival: Arrival) {
        match self.failures.may_return() {
            true => self.arrivals.parked.push(arrival),
            false => self.answer(arrival.ticket, true),
        }
    }

    /// A request that was on its way finds none any more, and is refused.
    pub(crate) fn refuse(&mut self, stream: u32, task: &Task) {
        self.streams.all[stream as usize].in_flight -= 1;
        self.answer(task.ticket, true);
    }

    /// Lets time pass where nothing happens.
    pub(crate) fn pass_until(&mut self, now: Ps) {
        self.now = self.now.max(now);
    }
}

//! The hot loop: one thread's chain of requests.
//!
//! One turn issues what is due, exchanges with the engine and settles what came back, with one
//! reading of the clock. The instant of that reading completes the batch and issues the next, so
//! the time in which the worker works counts as latency of the requests it handles, as it does in
//! any program. Nothing is allocated, locked, logged or formatted here.

use iopath_study::case::SyncMode;
use iopath_workload::Request;
use iopath_workload::flushes::{Flushes, Wrote};
use iopath_workload::journal::Ticket;

use crate::buffers::Buffers;
use crate::checker::Checker;
use crate::clock::Clock;
use crate::counters::{Completion, Counters};
use crate::edges::Edges;
use crate::engine::{Done, Engine, FLUSH, Io, Wait};
use crate::failure::Failure;
use crate::relay::{Held, RelaySource};
use crate::request_source::{RequestSource, ScheduledRequest};
use crate::slots::{Slot, SlotId, Slots};
use crate::stream::Presence;
use crate::usage::Usage;

/// Timers wake a thread some 50 µs late; the last part of a wait is spent looking.
const WAKE_UP_NS: u64 = 60_000;
/// A stop is noticed at least this often while nothing is in flight.
const LOOK_NS: u64 = 20_000_000;
/// A held stream with requests in flight looks at its partner no more often than this.
const GLANCE_NS: u64 = 50_000;

/// Everything a worker shares with others.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'p, C> {
    pub clock: &'p C,
    pub edges: &'p Edges,
    pub presence: &'p Presence,
    pub counters: &'p Counters,
    /// The stream's name and its target's, for messages.
    pub stream: &'p str,
    pub target: &'p str,
    /// What the engine's members are called, where there are several.
    pub files: &'p [String],
}

/// One thread of a stream.
pub(crate) struct Worker<'p, E, C> {
    engine: E,
    shared: Shared<'p, C>,
    supply: RequestSource,
    checker: Option<Checker>,
    slots: Slots,
    buffers: &'p mut Buffers,
    /// Drawn but not issued: not due yet, or its units are claimed.
    pending: Option<ScheduledRequest>,
    batch: Vec<Done>,
    begin_ns: u64,
    now_ns: u64,
    phase: usize,
    usage: Usage,
    /// By slot.
    refusals: Vec<Refusal>,
    was_full: bool,
    /// Whether completions are more than counted: checked, or told to a partner.
    is_attended: bool,
    flushes: Option<Flushes<u64>>,
    /// Of the flush that is out.
    ticket: Ticket,
    failure: Option<Failure>,
}

/// The first time that the kernel refused a request for the moment.
#[derive(Clone, Copy, Default)]
struct Refusal {
    /// Of the request that was issued then; a slot has many, one after the other.
    issue_ns: u64,
    at_ns: u64,
}

/// Why issuing ended.
enum Halt {
    /// No free slot.
    Full,
    /// The next request is due at this instant.
    ScheduledRequest(u64),
    /// Another request holds the units of the next.
    Claimed,
    /// As many writes as may are in flight or wait for a flush, or an engine that blocks has one.
    Unflushed,
    /// The stream's partner has to move first.
    Held(Held),
    /// The stream's work is done.
    Exhausted,
    /// The pass is over.
    Stopped,
}

/// What a worker needs besides its engine and what it shares.
pub(crate) struct Means<'p> {
    pub supply: RequestSource,
    pub checker: Option<Checker>,
    pub depth: u32,
    pub sync: SyncMode,
    pub buffers: &'p mut Buffers,
}

impl<'p, E: Engine, C: Clock> Worker<'p, E, C> {
    pub(crate) fn new(engine: E, shared: Shared<'p, C>, means: Means<'p>) -> Self {
        let Means { supply, checker, depth, sync, buffers } = means;
        let is_attended = checker.is_some() || supply.relay_source().is_some();
        Self {
            engine,
            shared,
            supply,
            checker,
            slots: Slots::new(depth),
            buffers,
            pending: None,
            batch: Vec::with_capacity(2 * depth as usize),
            begin_ns: 0,
            now_ns: 0,
            phase: 0,
            usage: Usage::default(),
            refusals: vec![Refusal::default(); depth as usize],
            was_full: false,
            is_attended,
            flushes: Flushes::of(sync, depth),
            ticket: Ticket::default(),
            failure: None,
        }
    }

    /// Works until the pass stops, the work is done or something fails; everything issued has
    /// come home when it returns.
    pub(crate) fn run(mut self) -> Result<(), Failure> {
        self.usage = Usage::of_thread().unwrap_or_default();
        self.begin_ns = self.shared.edges.begin_ns();
        self.now_ns = self.shared.clock.now_ns();
        let finished = loop {
            let halt = self.issue();
            if self.is_anything_out() {
                self.exchange(&halt)?;
                continue;
            }
            match halt {
                Halt::Exhausted | Halt::Stopped if self.flush_at_end() => {}
                Halt::Exhausted => break true,
                Halt::Stopped => break false,
                Halt::ScheduledRequest(at_ns) => self.idle_until(at_ns),
                Halt::Claimed => self.look_again(),
                Halt::Held(_) => self.await_partner(),
                Halt::Full => unreachable!("all slots are free"),
                Halt::Unflushed => unreachable!("a flush is out, or a write"),
            }
        };
        // Others classify by this instant: they hear of it before anything else is done.
        self.shared.presence.worker_ended(self.shared.edges, finished.then_some(self.now_ns));
        self.note_usage();
        self.failure.map_or(Ok(()), Err)
    }

    #[inline]
    fn issue(&mut self) -> Halt {
        let stop_ns = self.shared.edges.stop_ns();
        let mut issued = 0;
        let halt = loop {
            if self.now_ns >= stop_ns {
                break Halt::Stopped;
            }
            if !self.slots.has_free() {
                break Halt::Full;
            }
            let Some(due) = self.pending.take().or_else(|| self.next()) else {
                break self.dry();
            };
            if let Some(at_ns) = due.intended_ns.filter(|at_ns| *at_ns > self.now_ns) {
                self.pending = Some(due);
                break Halt::ScheduledRequest(at_ns);
            }
            if self.is_flush_in_the_way(due.request.op) {
                self.pending = Some(due);
                break Halt::Unflushed;
            }
            if !self.start(&due) {
                self.pending = Some(due);
                break Halt::Claimed;
            }
            issued += 1;
        };
        if issued > 0 {
            self.issued(issued);
        }
        self.was_full = matches!(halt, Halt::Full | Halt::Unflushed);
        halt
    }

    #[inline]
    fn next(&mut self) -> Option<ScheduledRequest> {
        self.supply.next(self.now_ns).map(|due| due.since(self.begin_ns))
    }

    /// Why the supply gave nothing.
    #[cold]
    fn dry(&self) -> Halt {
        self.supply.relay_source().and_then(RelaySource::held).map_or(Halt::Exhausted, Halt::Held)
    }

    /// Issues one request; not while another holds its units.
    #[inline]
    fn start(&mut self, due: &ScheduledRequest) -> bool {
        let ScheduledRequest { request, intended_ns } = *due;
        let generation = match &self.checker {
            None => 0,
            Some(checker) => match checker.claim(&request) {
                Some(generation) => generation,
                None => return false,
            },
        };
        if let Some(intended_ns) = intended_ns.filter(|_| self.was_full) {
            self.shared.counters.pool_wait(self.phase, self.now_ns - intended_ns);
        }
        let slot = self.slot_of(request, intended_ns, generation);
        let Some(id) = self.slots.take(slot) else { return false };
        if let (Some(checker), iopath_units::Op::Write) = (&self.checker, request.op) {
            checker.stamp(self.buffers.data(id, request.bytes), request.offset, generation);
        }
        self.shared.counters.sub_submitted(request.sub);
        self.queue(id);
        if let Some(flushes) = &mut self.flushes {
            flushes.issued(request.op);
        }
        true
    }

    fn slot_of(&self, request: Request, intended_ns: Option<u64>, generation: u32) -> Slot {
        let Request { op, offset, bytes, sub } = request;
        let issue_ns = self.now_ns;
        let intended_ns = intended_ns.unwrap_or(issue_ns);
        Slot { op, offset, bytes, done_bytes: 0, issue_ns, intended_ns, generation, sub }
    }

    /// Hands a slot, or what is left of it, to the engine.
    #[inline]
    fn queue(&mut self, id: SlotId) {
        let Slot { op, offset, bytes, done_bytes, .. } = *self.slots.slot(id);
        // In bounds: `done_bytes < bytes`, and the buffer holds `bytes`.
        let address = self.buffers.address(id).wrapping_add(done_bytes as usize);
        let (offset, bytes) = (offset + u64::from(done_bytes), bytes - done_bytes);
        // A worker has one target; what it is made of is the engine's business.
        self.engine.queue(Io { slot: id, op, member: 0, offset, bytes, address });
    }

    #[inline]
    fn issued(&mut self, requests: u64) {
        let Shared { counters, edges, presence, .. } = self.shared;
        counters.submitted(self.phase, requests);
        if counters.first_issue_ns.value() == u64::MAX {
            counters.first_issue_ns.set(self.now_ns);
            presence.worker_active(edges, self.now_ns);
        }
    }

    #[inline]
    fn exchange(&mut self, halt: &Halt) -> Result<(), Failure> {
        let wait = match halt {
            Halt::ScheduledRequest(at_ns) => match at_ns.saturating_sub(self.now_ns) {
                ..=WAKE_UP_NS => Wait::Poll,
                nanos => Wait::OneWithin { nanos: nanos - WAKE_UP_NS },
            },
            Halt::Held(Held { look_after_ns: Some(nanos) }) => {
                Wait::OneWithin { nanos: (*nanos).clamp(GLANCE_NS, LOOK_NS) }
            }
            Halt::Held(_)
            | Halt::Full
            | Halt::Claimed
            | Halt::Unflushed
            | Halt::Exhausted
            | Halt::Stopped => Wait::One,
        };
        let before_ns = self.now_ns;
        let exchanged = self.engine.exchange(wait, &mut self.batch);
        exchanged.map_err(|source| self.lose_engine(source))?;
        self.now_ns = self.shared.clock.now_ns();
        self.settle();
        self.flush_if_due();
        if matches!(halt, Halt::Held(_)) {
            self.shared.counters.pool_wait(self.phase, self.now_ns - before_ns);
        }
        Ok(())
    }

    /// Counts what came back.
    #[inline]
    fn settle(&mut self) {
        let starts = self.shared.edges.starts();
        let phase = starts.phase_at(self.now_ns);
        if phase != self.phase {
            self.note_usage();
            self.phase = phase;
        }
        let mut batch = std::mem::take(&mut self.batch);
        let mut completed = false;
        for done in batch.drain(..) {
            if done.slot == FLUSH {
                completed |= self.flushed(done.result);
                continue;
            }
            if !self.is_whole(done) {
                continue;
            }
            let slot = self.slots.home(done.slot);
            if let Some(flushes) = &mut self.flushes {
                let Slot { op, issue_ns, intended_ns, .. } = slot;
                let wrote = Wrote { issued: issue_ns, intended: intended_ns };
                flushes.came_home(op, Some(wrote));
            }
            if self.is_attended && !self.attend(done.slot, &slot) {
                continue;
            }
            let completion = Completion {
                op: slot.op,
                bytes: slot.bytes,
                issue_ns: slot.issue_ns,
                done_ns: self.now_ns,
                intended_ns: Some(slot.intended_ns),
            };
            self.shared.counters.completed(&starts, phase, completion);
            self.shared.counters.sub_completed(slot.sub, slot.op);
            completed = true;
        }
        self.batch = batch;
        if completed {
            self.shared.counters.done_at(self.now_ns);
        }
    }

    /// Whether a completion ends its part: pieces are asked for again, failures noted.
    #[inline]
    fn is_whole(&mut self, done: Done) -> bool {
        let slot = self.slots.slot(done.slot);
        let left = slot.bytes - slot.done_bytes;
        u32::try_from(done.result) == Ok(left) || self.piece_or_failure(done)
    }

    /// Checks a request and tells its stream's partner; false where the data is wrong.
    fn attend(&mut self, id: SlotId, slot: &Slot) -> bool {
        let is_sound = self.is_sound(id, slot);
        if let Some(relay_source) = self.supply.relay_source() {
            relay_source.completed(slot.offset, self.now_ns);
        }
        is_sound
    }

    /// Whether a request moved the right data; if not, it failed, and the pass goes on.
    fn is_sound(&mut self, id: SlotId, slot: &Slot) -> bool {
        let Some(checker) = &self.checker else { return true };
        // The slot is free but not reused before this turn's issuing.
        let is_sound = checker.settle(slot, self.buffers.data(id, slot.bytes));
        if !is_sound {
            self.shared.counters.failed(self.phase);
        }
        is_sound
    }

    /// Sleeps until a request is due or the pass stops.
    fn idle_until(&mut self, at_ns: u64) {
        let span_ns = at_ns.saturating_sub(self.now_ns);
        if span_ns > WAKE_UP_NS {
            let nanos = (span_ns - WAKE_UP_NS).min(LOOK_NS);
            self.shared.clock.sleep_ns(nanos);
        } else {
            std::hint::spin_loop();
        }
        let before_ns = self.now_ns;
        self.look_again();
        self.shared.counters.idle(self.phase, self.now_ns - before_ns);
    }

    /// Sleeps until the partner has moved or the pass stops.
    fn await_partner(&mut self) {
        let left_ns = self.shared.edges.stop_ns().saturating_sub(self.now_ns);
        if let Some(relay_source) = self.supply.relay_source() {
            relay_source.wait(self.shared.clock, left_ns.min(LOOK_NS));
        }
        let before_ns = self.now_ns;
        self.read_clock();
        self.shared.counters.pool_wait(self.phase, self.now_ns - before_ns);
    }

    fn look_again(&mut self) {
        std::thread::yield_now();
        self.read_clock();
    }

    fn read_clock(&mut self) {
        self.now_ns = self.shared.clock.now_ns();
        let phase = self.shared.edges.starts().phase_at(self.now_ns);
        if phase != self.phase {
            self.note_usage();
            self.phase = phase;
        }
    }

    /// Charges the processor time since the last note to the phase that ends.
    fn note_usage(&mut self) {
        let Ok(usage) = Usage::of_thread() else { return };
        let Usage { user_ns, system_ns } = usage.since(self.usage);
        self.shared.counters.processor(self.phase, user_ns, system_ns);
        self.usage = usage;
    }
}

mod failing;
mod flushing;

#[cfg(test)]
mod tests;

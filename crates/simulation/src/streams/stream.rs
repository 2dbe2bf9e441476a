//! One stream: its requests, its times, and how many it has in flight.

use iopath_path::{ComponentId, Place, StreamLoad};
use iopath_study::Case;
use iopath_study::case::{Pattern, SyncMode};
use iopath_study::spc1::STREAMS;
use iopath_units::Op;
use iopath_workload::flushes::Flushes;
use iopath_workload::{ArrivalTimes, Request, Requests, Span};

use super::relays::RelaySide;
use crate::core::Ps;
use crate::plan::{Below, PlanId};
use crate::threads::Spent;
use crate::totals::{Edges, Totals};

/// The size of a target that nothing states.
pub(super) const UNKNOWN: u64 = 1 << 40;

/// One stream.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Its position in the case.
    pub case: usize,
    /// Those of one number run together.
    pub epoch: u32,
    /// Bytes that the page cache holds one behind the other of what it writes.
    pub run: u64,
    pub place: Place,
    pub to: ComponentId,
    /// Where its part of the target ends.
    pub end: u64,
    requests: Requests,
    /// None for a closed loop.
    arrivals: Option<ArrivalTimes>,
    pub(super) depth: u32,
    pub(crate) in_flight: u32,
    /// The request that comes next, where it was drawn before its time.
    pub(super) next: Option<Due>,
    /// Where it waits for its partner.
    pub(super) relay_side: Option<RelaySide>,
    /// Where it flushes after so many writes.
    pub(super) flushes: Option<Flushes<Ps>>,
    /// Whether each of them goes to its devices by itself, through a hardware queue.
    pub is_queued: bool,
    /// Whether each write is durable when it is done.
    pub(super) syncs_each: bool,
    pub(super) waits: Waits,
    /// The plans of its requests: found so far.
    pub(super) roots: Vec<(Below, Spent)>,
    pub(super) begins: Ps,
    pub(super) has_stopped: bool,
    pub totals: Totals,
    /// Requests of each sub-stream that went out, and that are done by operation; empty for a load
    /// without such.
    pub subs: Vec<Sub>,
}

/// What was done for one sub-stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sub {
    pub submitted: u64,
    pub completed: [u64; 2],
}

/// A request, and when an open loop wants it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub request: Request,
    /// The beginning of time for a closed loop.
    pub at: Ps,
}

/// Since when a stream waits, and for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    /// Its earliest timer; the end of time without one.
    pub timer: Ps,
    /// Nothing is in flight since, as nothing is due.
    pub idle: Option<Ps>,
    /// It waits for its partner.
    pub held: Option<Ps>,
}

impl Waits {
    const NOTHING: Self = Self { timer: Ps::MAX, idle: None, held: None };
}

impl Stream {
    /// A stream of a case on its target of so many bytes. One that is too small for a block is
    /// taken for one that has room.
    pub(super) fn new(
        case: &Case,
        load: &StreamLoad,
        (place, bytes): (Place, u64),
        seed: u64,
    ) -> Option<Self> {
        let stream = &case.streams[load.stream];
        let span = Span::of(stream, bytes).or_else(|_| Span::of(stream, UNKNOWN)).ok()?;
        let subs = if stream.pattern == Pattern::Spc1Like { STREAMS.len() } else { 0 };
        Some(Self {
            case: load.stream,
            epoch: load.epoch,
            run: load.run,
            place,
            to: case.targets[stream.target].part.into(),
            end: span.offset + span.bytes,
            requests: Requests::new(stream, span, seed).ok()?,
            arrivals: ArrivalTimes::of(stream, seed),
            depth: stream.depth,
            in_flight: 0,
            next: None,
            relay_side: None,
            flushes: Flushes::of(stream.sync, stream.depth).filter(|_| stream.sync.is_durable()),
            is_queued: load.flushing.is_some_and(|flushing| flushing.queues.is_some()),
            syncs_each: matches!(stream.sync, SyncMode::Dsync | SyncMode::Sync),
            waits: Waits::NOTHING,
            roots: Vec::new(),
            begins: Ps::ZERO,
            has_stopped: true,
            totals: Totals::default(),
            subs: vec![Sub::default(); subs],
        })
    }

    /// Its requests come from outside: nothing of its own decides when they do.
    pub(super) fn feed(&mut self) {
        (self.epoch, self.has_stopped) = (0, false);
        (self.relay_side, self.flushes, self.arrivals) = (None, None, None);
        self.run = 0;
    }

    /// The plans of its requests.
    pub(crate) fn plans(&self) -> impl Iterator<Item = PlanId> {
        self.roots.iter().map(|(root, _)| root.plan)
    }

    /// Whether it has issued a request, or the first is not due yet.
    pub(crate) fn has_begun(&self) -> bool {
        self.totals.first_issue.is_some() || self.waits.idle.is_some()
    }

    /// Whether as much of a closed loop is done as it has in flight. One that waits for something
    /// else than storage need not have.
    pub(crate) fn has_come_round(&self) -> bool {
        let waits = self.waits.idle.is_some() || self.waits.held.is_some();
        self.is_open() || waits || self.totals.completed() >= u64::from(self.depth)
    }

    /// Whether requests have times of their own.
    pub(super) fn is_open(&self) -> bool {
        self.arrivals.is_some()
    }

    /// The next request of a stream that began at an instant.
    #[inline]
    pub(super) fn draw(&mut self, begin: Ps) -> Due {
        let request = self.requests.next_request();
        let at = self.arrivals.as_mut().map_or(Ps::ZERO, |arrivals| {
            let nanos = arrivals.next_ns();
            begin + Ps::from(iopath_units::Nanos(nanos))
        });
        Due { request, at }
    }

    /// What it waited for has come, or the end.
    #[inline]
    pub(super) fn waited(&mut self, edges: &Edges, now: Ps) {
        if let Some(since) = self.waits.idle.take() {
            self.totals.idled(edges, (since, now));
        }
        if let Some(since) = self.waits.held.take() {
            self.totals.partner_waited(edges, (since, now));
        }
    }

    /// A request of a sub-stream goes out.
    #[inline]
    pub(super) fn sub_submitted(&mut self, sub: u8) {
        if let Some(sub) = self.subs.get_mut(usize::from(sub)) {
            sub.submitted += 1;
        }
    }

    /// A request of a sub-stream is done.
    #[inline]
    pub(super) fn sub_completed(&mut self, sub: u8, op: Op) {
        if let Some(sub) = self.subs.get_mut(usize::from(sub)) {
            sub.completed[op.index()] += 1;
        }
    }
}

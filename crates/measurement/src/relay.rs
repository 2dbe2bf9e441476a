//! Reading behind writing between threads: the state machine of `workload::behind` under a lock
//! that only such streams meet, and what they wait at.
//!
//! A worker that is held and has nothing in flight sleeps until its partner moves. Positions are
//! published when a completion is settled, by the instant of its batch, so in lockstep no request
//! is issued at an instant before the other was done. Left out: what has failed is never published;
//! it stops the pass.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use iopath_study::Case;
use iopath_workload::behind::{Pairing, Relay, Side, Turn, pairings};
use iopath_workload::{Span, Unfit};

use crate::clock::Clock;
use crate::gate::lock;
use crate::request_source::{ScheduledRequest, Source};
use crate::target::OpenTarget;

/// A writer and its followers.
pub(crate) struct Shared {
    relay: Mutex<Relay>,
    moved: Condvar,
    /// How many sleep until somebody moves.
    waiting: AtomicU32,
}

/// The place of one stream in a relay; the stream has ended when it is dropped.
pub(crate) struct RelaySide {
    shared: Arc<Shared>,
    side: Side,
}

/// How far a stream is behind, for whoever samples it.
pub(crate) struct LagGauge {
    /// Position of the stream in the case.
    pub stream: usize,
    shared: Arc<Shared>,
    place: usize,
}

/// The sides of a case by stream, and what there is to sample.
#[derive(Default)]
pub(crate) struct RelaySides {
    pub by_stream: Vec<Option<RelaySide>>,
    pub gauges: Vec<LagGauge>,
}

/// A worker's access to the source of a stream in a relay.
pub(crate) struct RelaySource {
    source: Arc<Mutex<Source>>,
    relay_side: Arc<RelaySide>,
    held: Option<Held>,
}

/// The stream may not issue before its partner has moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// When to look again, if nothing of its own comes home before that; `None` where only that
    /// can let it go.
    pub look_after_ns: Option<u64>,
}

/// The streams of a case that cannot follow whom they shall follow: the place of each in the case,
/// and why.
#[must_use]
pub fn unpaired(case: &Case) -> Vec<(usize, String)> {
    pairings(case).1.into_iter().map(|(stream, why)| (stream, why.to_string())).collect()
}

impl RelaySides {
    /// The sides of a case on its targets, none of which is taken yet.
    pub(crate) fn of(case: &Case, targets: &[OpenTarget]) -> Result<Self, Unfit> {
        let (pairings, errors) = pairings(case);
        if let Some((_, error)) = errors.into_iter().next() {
            return Err(error);
        }
        let mut relay_sides = Self::default();
        relay_sides.by_stream.resize_with(case.streams.len(), || None);
        for pairing in &pairings {
            let target = targets.get(case.streams[pairing.writer].target);
            let bytes = target.map_or(0, |target| target.bytes);
            pairing.fits(&case.streams, bytes)?;
            // A part without room for a block has no requests either, which is told elsewhere.
            let span = Span::of(&case.streams[pairing.writer], bytes);
            relay_sides.add(case, pairing, span.map_or(0, |span| span.bytes));
        }
        Ok(relay_sides)
    }

    fn add(&mut self, case: &Case, pairing: &Pairing, region: u64) {
        let ends = |stream: usize| (case.streams[stream].block.0, case.streams[stream].depth);
        let followers: Vec<_> =
            pairing.followers.iter().map(|one| (ends(one.stream), one.lag)).collect();
        let shared = Arc::new(Shared::new(Relay::new(region, ends(pairing.writer), &followers)));
        let relay_side = |side| Some(RelaySide::new(Arc::clone(&shared), side));
        self.by_stream[pairing.writer] = relay_side(Side::Writer);
        for (place, follower) in pairing.followers.iter().enumerate() {
            let stream = follower.stream;
            self.by_stream[stream] = relay_side(Side::Follower(place));
            self.gauges.push(LagGauge { stream, shared: Arc::clone(&shared), place });
        }
    }
}

impl LagGauge {
    pub(crate) fn bytes(&self) -> u64 {
        lock(&self.shared.relay).lag_bytes(self.place)
    }
}

impl Shared {
    pub(crate) fn new(relay: Relay) -> Self {
        let (moved, waiting) = (Condvar::new(), AtomicU32::new(0));
        Self { relay: Mutex::new(relay), moved, waiting }
    }

    /// Changes the relay, and wakes who sleeps.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Relay)) {
        change(&mut lock(&self.relay));
        // Who began to wait before the change has been counted before it, by the lock.
        if self.waiting.load(Relaxed) > 0 {
            self.moved.notify_all();
        }
    }

    /// Sleeps while a side is held, up to a time.
    fn sleep(&self, side: Side, most: Duration) {
        self.waiting.fetch_add(1, Relaxed);
        let relay = lock(&self.relay);
        // As seen by a clock that is read afterwards.
        let is_held = |relay: &mut Relay| relay.turn(side, u64::MAX) == Turn::Later;
        drop(self.moved.wait_timeout_while(relay, most, is_held));
        self.waiting.fetch_sub(1, Relaxed);
    }
}

impl RelaySide {
    pub(crate) fn new(shared: Arc<Shared>, side: Side) -> Self {
        Self { shared, side }
    }
}

impl Drop for RelaySide {
    fn drop(&mut self) {
        self.shared.change(|relay| relay.ended(self.side));
    }
}

impl RelaySource {
    /// Access for each of so many workers.
    pub(crate) fn workers(source: Source, relay_side: RelaySide, workers: u32) -> Vec<Self> {
        let (source, relay_side) = (Arc::new(Mutex::new(source)), Arc::new(relay_side));
        let one = |_| Self {
            source: Arc::clone(&source),
            relay_side: Arc::clone(&relay_side),
            held: None,
        };
        (0..workers).map(one).collect()
    }

    /// The next request at an instant; with none, [`Self::held`] says whether one may come.
    pub(crate) fn next(&mut self, at_ns: u64) -> Option<ScheduledRequest> {
        let mut source = lock(&self.source);
        let mut relay = lock(&self.relay_side.shared.relay);
        let side = self.relay_side.side;
        let look_after_ns = relay.look_after_ns(side);
        let turn = if source.is_exhausted() { Turn::Never } else { relay.turn(side, at_ns) };
        self.held = (turn == Turn::Later).then_some(Held { look_after_ns });
        if turn != Turn::Now {
            return None;
        }
        let due = source.next()?;
        relay.issued(side, due.request.offset);
        Some(due)
    }

    /// Whether the stream is held, as the last call of [`Self::next`] found.
    pub(crate) fn held(&self) -> Option<Held> {
        self.held
    }

    /// A request at an offset is done.
    pub(crate) fn completed(&self, offset: u64, at_ns: u64) {
        let side = self.relay_side.side;
        self.relay_side.shared.change(|relay| relay.completed(side, offset, at_ns));
    }

    /// Waits until the stream is not held any more, or for some time.
    pub(crate) fn wait(&self, clock: &impl Clock, most_ns: u64) {
        clock.await_ns(most_ns, |most| self.relay_side.shared.sleep(self.relay_side.side, most));
    }
}

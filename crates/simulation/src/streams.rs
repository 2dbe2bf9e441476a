//! Streams: who asks for what, and when.
//!
//! A closed stream keeps its depth in flight. Closed streams do not begin at the same instant but
//! one after the other, as threads that a program starts do ([`Settings::stagger`]), in an order
//! that the seed draws.
//!
//! An open one issues its requests at times of their own ([`iopath_workload::ArrivalTimes`],
//! counted from the beginning of its epoch), whatever the storage does; with its whole depth in
//! flight a request that is due waits for a slot. Its latency is counted from the issue, and from
//! when it was due.
//!
//! A region that is covered is begun again: how long to simulate is said by precision, not by
//! amounts. A request that nothing takes time for would be repeated at one instant for ever, so its
//! successor comes a nanosecond later.
//!
//! [`Settings::stagger`]: crate::Settings::stagger

mod relays;
mod stream;

use iopath_path::{Departure, Room, Running, StreamLoad, running};
use iopath_study::Case;
use iopath_units::Op;
use iopath_workload::Request;
use iopath_workload::behind::Turn;
use iopath_workload::flushes::Wrote;

use self::relays::CoupledStreams;
use self::stream::{Due, UNKNOWN};
pub(crate) use self::stream::{Stream, Sub};
use crate::core::Ps;
use crate::counters::OfStream;
use crate::plan::{Below, PlanId, Plans};
use crate::settings::Settings;
use crate::task::{Doing, Owner, Task, Timer};
use crate::threads::Spent;
use crate::world::{Made, World};

/// All closed streams start within this, however many they are: assumed.
const ALL_STARTED: Ps = Ps(1_000_000_000_000);

/// The next request after one that took no time.
const LEAST: Ps = Ps(1_000);

/// Every stream that counts.
#[derive(Debug)]
pub(crate) struct Streams {
    pub all: Vec<Stream>,
    relays: Vec<CoupledStreams>,
    stagger: Ps,
    /// Whether their requests come from outside.
    pub is_fed: bool,
}

impl Streams {
    pub(crate) fn new(case: &Case, plans: &Plans<'_>, settings: &Settings) -> Self {
        let places = running(case).unwrap_or_default();
        let room = Room::new(&case.system);
        let bytes = |stream: usize| {
            let target = &case.targets[case.streams[stream].target];
            let size = target.size.map(|size| size.0).or_else(|| room.usable(target.part));
            size.unwrap_or(UNKNOWN)
        };
        let loads = plans.network().streams.iter();
        let stream = |load: &StreamLoad| {
            let Running { place, .. } = *places.iter().find(|one| one.stream == load.stream)?;
            Stream::new(case, load, (place, bytes(load.stream)), settings.seed)
        };
        let mut all: Vec<Stream> = loads.filter_map(stream).collect();
        let relays = relays::couple(case, &mut all, bytes);
        Self { all, relays, stagger: settings.stagger.into(), is_fed: false }
    }

    /// From now on their requests come from outside: all streams are there at once, and nothing
    /// couples them.
    pub(crate) fn feed(&mut self) {
        self.is_fed = true;
        self.relays.clear();
        self.all.iter_mut().for_each(Stream::feed);
    }

    /// What every stream has done, and what it has in flight.
    pub(crate) fn counted(&self) -> Vec<OfStream> {
        let of = |stream: &Stream| OfStream {
            case: stream.case,
            done: stream.totals.done,
            in_flight: stream.in_flight.into(),
        };
        self.all.iter().map(of).collect()
    }

    /// What was done for each sub-stream of the streams that have some, by their positions in the
    /// case.
    pub(crate) fn subs(&self) -> Vec<(usize, Vec<Sub>)> {
        let with = self.all.iter().filter(|stream| !stream.subs.is_empty());
        with.map(|stream| (stream.case, stream.subs.clone())).collect()
    }

    /// How many bytes each stream that follows another is behind what that has published, by its
    /// position in the case.
    pub(crate) fn lags(&self) -> Vec<(usize, u64)> {
        let of = |coupled: &CoupledStreams| {
            let followers = coupled.streams.iter().skip(1).enumerate();
            let lag = |(place, stream): (usize, &u32)| {
                (self.all[*stream as usize].case, coupled.relay.lag_bytes(place))
            };
            followers.map(lag).collect::<Vec<_>>()
        };
        self.relays.iter().flat_map(of).collect()
    }

    /// Requests find something else from now on.
    pub(crate) fn forget_plans(&mut self) {
        self.all.iter_mut().for_each(|stream| stream.roots.clear());
    }

    /// Those that run together.
    pub(crate) fn of_epoch(&self, epoch: u32) -> impl Iterator<Item = &Stream> {
        self.all.iter().filter(move |one| one.epoch == epoch)
    }
}

impl World<'_> {
    /// Starts the streams of an epoch.
    pub(crate) fn begin_streams(&mut self, epoch: u32) {
        self.caches.is_awake = true;
        let mut order = Vec::new();
        for (at, one) in (0..).zip(&mut self.streams.all) {
            if one.epoch == epoch {
                one.has_stopped = false;
                order.push(at);
            }
        }
        self.hits.shuffle(&mut order);
        let distance = self.streams.stagger.min(Ps(ALL_STARTED.0 / order.len().max(1) as u64));
        for (place, stream) in (0..).zip(order) {
            let is_open = self.streams.all[stream as usize].is_open();
            let after = if is_open { Ps::ZERO } else { Ps(distance.0 * place) };
            let begins = self.now + after;
            self.streams.all[stream as usize].begins = begins;
            self.wake_stream(stream, begins);
        }
    }

    /// Streams of an epoch that have not begun begin now.
    pub(crate) fn begin_rest(&mut self, epoch: u32) {
        for stream in 0..self.streams.all.len() {
            let one = &mut self.streams.all[stream];
            if one.epoch == epoch && one.begins > self.now {
                one.begins = self.now;
                self.wake_stream(stream as u32, self.now);
            }
        }
    }

    /// Streams of an epoch issue nothing any more.
    pub(crate) fn stop_streams(&mut self, epoch: u32) {
        self.caches.is_awake = false;
        let now = self.now;
        for stream in self.streams.all.iter_mut().filter(|stream| stream.epoch == epoch) {
            stream.has_stopped = true;
            stream.waited(&self.edges, now);
        }
    }

    /// Lets a stream look at an instant whether it can issue, unless it looks before.
    fn wake_stream(&mut self, stream: u32, at: Ps) {
        let timer = &mut self.streams.all[stream as usize].waits.timer;
        if at < *timer {
            *timer = at;
            self.set_timer(at, Timer::Stream(stream));
        }
    }

    /// Streams look now whether they can issue what they could not.
    pub(crate) fn wake_streams(&mut self) {
        if self.streams.is_fed {
            return self.admit_parked();
        }
        for stream in 0..self.streams.all.len() {
            let one = &self.streams.all[stream];
            if one.begins <= self.now && !one.has_stopped {
                self.wake_stream(stream as u32, self.now);
            }
        }
    }

    /// A timer of a stream has come; whether it issues anything yet.
    pub(crate) fn stream_timer(&mut self, stream: u32) -> bool {
        let one = &mut self.streams.all[stream as usize];
        if one.waits.timer <= self.now {
            one.waits.timer = Ps::MAX;
        }
        self.go_on(stream);
        !self.streams.all[stream as usize].has_stopped
    }

    /// A stream issues all that it may.
    fn go_on(&mut self, stream: u32) {
        loop {
            let one = &self.streams.all[stream as usize];
            let in_flight = one.in_flight;
            if one.has_stopped || self.now < one.begins || in_flight >= one.depth {
                return;
            }
            let Some(due) = self.next_of(stream) else { return };
            let one = &mut self.streams.all[stream as usize];
            if one.flushes.as_ref().is_some_and(|flushes| !flushes.has_room(due.request.op)) {
                // Woken when a flush is done.
                one.next = Some(due);
                return;
            }
            if due.at > self.now {
                let one = &mut self.streams.all[stream as usize];
                one.next = Some(due);
                if one.in_flight == 0 {
                    one.waits.idle.get_or_insert(self.now);
                }
                // At a rate of 0 nothing is ever due.
                if due.at < Ps::MAX {
                    self.wake_stream(stream, due.at);
                }
                return;
            }
            self.issue(stream, due);
            if self.streams.all[stream as usize].in_flight == in_flight {
                // It led nowhere, or it is done already.
                return;
            }
        }
    }

    /// The next request of a stream, if it is not its partner's turn.
    #[inline]
    fn next_of(&mut self, stream: u32) -> Option<Due> {
        let one = &mut self.streams.all[stream as usize];
        if let Some(due) = one.next.take() {
            return Some(due);
        }
        let Some(relay_side) = one.relay_side else { return Some(one.draw(self.edges.begin)) };
        let relay = &mut self.streams.relays[relay_side.relay as usize].relay;
        if relay.turn(relay_side.side, self.now.as_nanos().0) != Turn::Now {
            one.waits.held.get_or_insert(self.now);
            return None;
        }
        let due = one.draw(self.edges.begin);
        relay.issued(relay_side.side, due.request.offset);
        Some(due)
    }

    /// A stream issues a request, or keeps it where no way leads to its end.
    fn issue(&mut self, stream: u32, due: Due) {
        let request = due.request;
        let Some((plan, spent)) = self.root(stream, request) else {
            self.streams.all[stream as usize].next = Some(due);
            return;
        };
        let one = &mut self.streams.all[stream as usize];
        one.waited(&self.edges, self.now);
        if one.is_open() && one.relay_side.is_none() && due.at < self.now {
            one.totals.slot_waited(&self.edges, (due.at, self.now));
        }
        let syncs_each = one.syncs_each;
        if let Some(flushes) = &mut one.flushes {
            flushes.issued(request.op);
        }
        let id = self.enter(stream, request, plan);
        let task = &mut self.tasks[id];
        task.due = due.at;
        task.is_durable = syncs_each && request.op == Op::Write;
        self.send(id, (stream, spent));
    }

    /// A request of a stream is one of the world's from now on.
    #[inline]
    pub(crate) fn enter(&mut self, stream: u32, request: Request, plan: PlanId) -> u32 {
        let one = &mut self.streams.all[stream as usize];
        one.in_flight += 1;
        one.sub_submitted(request.sub);
        one.totals.issued(&self.edges, self.now);
        let hit = self.hits.toss(stream, request.op);
        let owner = Owner::Stream(stream);
        let id = self.prepare(Made { plan, offset: request.offset, hit, owner });
        self.tasks[id].sub = request.sub;
        id
    }

    /// The plan of a request of a stream, and what its thread spends on it.
    pub(crate) fn root(&mut self, stream: u32, request: Request) -> Option<(PlanId, Spent)> {
        let one = &self.streams.all[stream as usize];
        let (op, bytes) = (request.op, u64::from(request.bytes));
        let mut roots = one.roots.iter();
        if let Some((known, spent)) = roots.find(|(root, _)| root.op == op && root.bytes == bytes) {
            return Some((known.plan, *spent));
        }
        let (from, to, run) = (one.place, one.to, one.run);
        let (behind, leaves_memory) = (None, false);
        let departure = Departure { from, to, op, bytes, behind, leaves_memory, run };
        let plan = self.plans.of(&departure)?;
        let is_whole = self.plans.plan(plan).is_whole();
        let spent = Spent::on((from, to), (op, bytes), (&self.plans, is_whole));
        let root = Below { op, bytes, plan, times: 0 };
        self.streams.all[stream as usize].roots.push((root, spent));
        Some((plan, spent))
    }

    /// A request of a stream is served: a write that is to be durable waits for its flush.
    pub(crate) fn stream_served(&mut self, stream: u32, task: &Task) {
        let one = &self.streams.all[stream as usize];
        if !task.is_durable {
            return self.stream_done(stream, task);
        }
        let target = (one.place, one.to);
        let mut rest = Task::new(Doing::Told, self.now);
        (rest.plan, rest.op, rest.offset) = (task.plan, task.op, task.offset);
        (rest.due, rest.sub, rest.began, rest.joined) =
            (task.due, task.sub, task.began, task.joined);
        rest.ticket = task.ticket;
        rest.owner = Owner::Synced(stream);
        self.flush_for(target, rest);
    }

    /// A stream flushes where it is time to.
    fn flush_if_due(&mut self, stream: u32) {
        let now = self.now;
        let one = &mut self.streams.all[stream as usize];
        let (from, to) = (one.place, one.to);
        if let Some(flushes) = one.flushes.as_mut().filter(|flushes| flushes.is_due()) {
            flushes.begin(now);
            self.flush(from, to, Owner::Flush(stream));
        }
    }

    /// A flush of a stream is done.
    pub(crate) fn stream_flushed(&mut self, stream: u32) {
        let one = &mut self.streams.all[stream as usize];
        let is_open = one.is_open();
        let Some(flushes) = &mut one.flushes else { return };
        let mut took_time = false;
        flushes.done(self.now, |flush| {
            took_time = flush.done > flush.began;
            one.totals.flushed(&self.edges, flush, is_open);
        });
        self.flush_if_due(stream);
        self.may_go_on(stream, took_time);
    }

    /// A request of a stream is done.
    pub(crate) fn stream_done(&mut self, stream: u32, task: &Task) {
        let bytes = self.plans.plan(task.plan).bytes;
        let one = &mut self.streams.all[stream as usize];
        one.in_flight -= 1;
        one.sub_completed(task.sub, task.op);
        one.totals.done(&self.edges, bytes, (task, self.now));
        self.samples.heat.record((self.now - task.began).as_nanos().0);
        if one.is_open() {
            one.totals.done_since_due(&self.edges, task.op, (task.due, self.now));
        }
        if self.streams.is_fed {
            return self.answer(task.ticket, false);
        }
        let took_time = self.now > task.began;
        if let Some(flushes) = &mut one.flushes {
            flushes.came_home(task.op, Some(Wrote { issued: task.began, intended: task.due }));
        }
        let relay_side = one.relay_side;
        self.flush_if_due(stream);
        match relay_side {
            None => self.may_go_on(stream, took_time),
            Some(relay_side) => {
                let coupled = &mut self.streams.relays[relay_side.relay as usize];
                coupled.relay.completed(relay_side.side, task.offset, self.now.as_nanos().0);
                for at in 0..coupled.streams.len() {
                    let member = self.streams.relays[relay_side.relay as usize].streams[at];
                    self.may_go_on(member, took_time);
                }
            }
        }
    }

    #[inline]
    fn may_go_on(&mut self, stream: u32, at_once: bool) {
        if at_once {
            self.go_on(stream);
        } else {
            self.wake_stream(stream, self.now + LEAST);
        }
    }
}

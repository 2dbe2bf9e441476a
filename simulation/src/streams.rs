//! Streams: who asks for what, and when.
//!
//! A closed stream keeps its depth in flight. Streams of one declaration do not begin at the same
//! instant but one after the other, as threads that a program starts do ([`STAGGER`]), in an order
//! that the seed draws.

use iopath_path::{ComponentId, Departure, Place, Room, Running, running};
use iopath_study::Case;
use iopath_study::case::Stream as StreamCase;
use iopath_workload::{Request, Requests, Span};

use crate::core::Ps;
use crate::plan::{Below, PlanId, Plans};
use crate::task::{Owner, Task, Timer};
use crate::totals::Totals;
use crate::world::{Made, World};

/// Distance of the starts of two streams: assumed, about what it takes to start a thread.
const STAGGER: Ps = Ps(500_000_000);

/// All of them start within this, however many they are: assumed.
const ALL_STARTED: Ps = Ps(1_000_000_000_000);

/// The size of a target that nothing states.
const UNKNOWN: u64 = 1 << 40;

/// Every stream that counts.
#[derive(Debug)]
pub(crate) struct Streams {
    pub all: Vec<Stream>,
}

/// One stream.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Its position in the case.
    pub case: usize,
    /// Those of one number run together.
    pub epoch: u32,
    place: Place,
    to: ComponentId,
    requests: Requests,
    depth: u32,
    in_flight: u32,
    /// The plans of its requests: found so far.
    roots: Vec<Below>,
    pub has_stopped: bool,
    pub totals: Totals,
}

impl Streams {
    pub(crate) fn new(case: &Case, plans: &Plans<'_>, seed: u64) -> Self {
        let places = running(case).unwrap_or_default();
        let room = Room::new(&case.system);
        let loads = plans.network().streams.iter();
        let all = loads.filter_map(|load| {
            let Running { place, .. } = *places.iter().find(|one| one.stream == load.stream)?;
            let stream = &case.streams[load.stream];
            let target = &case.targets[stream.target];
            let size = target.size.map(|size| size.0).or_else(|| room.usable(target.part));
            let requests = requests(stream, size.unwrap_or(UNKNOWN), seed)?;
            Some(Stream {
                case: load.stream,
                epoch: load.epoch,
                place,
                to: target.part.into(),
                requests,
                depth: stream.depth,
                in_flight: 0,
                roots: Vec::new(),
                has_stopped: true,
                totals: Totals::default(),
            })
        });
        Self { all: all.collect() }
    }
}

/// The requests of a stream; a target too small for one block is taken for one that has room.
fn requests(stream: &StreamCase, bytes: u64, seed: u64) -> Option<Requests> {
    let span = Span::of(stream, bytes).or_else(|_| Span::of(stream, UNKNOWN)).ok()?;
    Requests::new(stream, span, seed).ok()
}

impl World<'_> {
    /// Starts the streams of an epoch.
    pub(crate) fn begin_streams(&mut self, epoch: u32) {
        let of_epoch = |stream: &Stream| stream.epoch == epoch;
        let mut order: Vec<u32> = (0..).take(self.streams.all.len()).collect();
        order.retain(|at| of_epoch(&self.streams.all[*at as usize]));
        self.hits.shuffle(&mut order);
        let distance = STAGGER.min(Ps(ALL_STARTED.0 / order.len().max(1) as u64));
        for (place, stream) in (0..).zip(order) {
            self.streams.all[stream as usize].has_stopped = false;
            let at = self.now + Ps(distance.0 * place);
            self.set_timer(at, Timer::Stream(stream));
        }
    }

    /// Streams of an epoch issue nothing any more.
    pub(crate) fn stop_streams(&mut self, epoch: u32) {
        for stream in self.streams.all.iter_mut().filter(|stream| stream.epoch == epoch) {
            stream.has_stopped = true;
        }
    }

    /// A stream begins.
    pub(crate) fn begin_stream(&mut self, stream: u32) {
        let one = &mut self.streams.all[stream as usize];
        for _ in one.in_flight..one.depth {
            self.issue(stream);
        }
    }

    /// A stream issues its next request.
    fn issue(&mut self, stream: u32) {
        let one = &mut self.streams.all[stream as usize];
        let request = one.requests.next_request();
        let Some(plan) = self.root(stream, request) else { return };
        let one = &mut self.streams.all[stream as usize];
        one.in_flight += 1;
        one.totals.issued(&self.edges, self.now);
        let hit = self.hits.toss(stream, request.op);
        let owner = Owner::Stream(stream);
        self.make(Made { plan, offset: request.offset, hit, owner });
    }

    fn root(&mut self, stream: u32, request: Request) -> Option<PlanId> {
        let one = &self.streams.all[stream as usize];
        let (op, bytes) = (request.op, u64::from(request.bytes));
        if let Some(known) = one.roots.iter().find(|root| root.op == op && root.bytes == bytes) {
            return Some(known.plan);
        }
        let (from, to) = (one.place, one.to);
        let departure = Departure { from, to, op, bytes, behind: None, leaves_memory: false };
        let plan = self.plans.of(&departure)?;
        self.streams.all[stream as usize].roots.push(Below { op, bytes, plan });
        Some(plan)
    }

    /// A request of a stream is done.
    pub(crate) fn stream_done(&mut self, stream: u32, task: &Task) {
        let bytes = self.plans.plan(task.plan).bytes;
        let one = &mut self.streams.all[stream as usize];
        one.in_flight -= 1;
        one.totals.done(&self.edges, (task.op, bytes), (task.began, self.now));
        if one.has_stopped {
            return;
        }
        self.issue(stream);
    }
}

//! Disk arms: a request first reaches its place, then its bytes pass.
//!
//! A request that begins where the one before it ended reaches its place for nothing, and one
//! that begins a little behind that lets what lies between pass, where this is shorter than a mean
//! move. Any other takes `position` where it is alone, and less the more wait, down to
//! `position-queued`: of n requests the nearest is taken, so the way shrinks with n (`queued +
//! (alone - queued) / n`, assumed). It varies from request to request: rotation is uniform over a
//! turn, seeks differ ([`POSITION_CV`], assumed; `variability` replaces it).
//!
//! A request for the very place that was served before it, as the write of a read-modify-write,
//! waits until the place comes round again (`rotation`), where this is shorter: it does not seek.
//!
//! A drive and the scheduler above it see what waits, and serve next what follows what they serve
//! (native command queueing; an elevator goes forward, from each request to the next behind it).
//! So a request that follows one that still waits finds its place as one that follows the last: of
//! many sequential streams, each with several requests waiting, the arm serves runs. Where it goes
//! next is settled when it begins the last one of a run (assumed). A run that is fed before that
//! would last for ever and starve the others: it ends after [`BATCH`] requests. A disk that carries
//! the same with one request waiting for each stream as with many would refute it. A scheduler
//! without a queue, or one that serves in order, is not described.
//!
//! Requests are served in the order in which they come; the gain of another order is in the mean,
//! and in what a run saves: its requests are done later than it would have them, the arm is not.
//! Left out: zones of different rates, defects, retries.

use std::collections::{BTreeMap, VecDeque};

use iopath_path::Network;
use iopath_workload::{Purpose, Source};

use crate::core::{Ps, Service};
use crate::plan::ArmTimes;
use crate::task::Doing;
use crate::world::World;

/// Coefficient of variation of the time to reach a place, where none is stated.
const POSITION_CV: f64 = 0.3;

/// Runs of requests that an arm is aware of: the depth of native command queueing (SATA).
const RUNS: usize = 32;

/// Requests of a run that an arm serves before it turns to others: `fifo_batch` of Linux's deadline
/// scheduler (assumed for all).
const BATCH: u32 = 16;

/// Arms, by row.
#[derive(Debug)]
pub(crate) struct Media {
    seed: u64,
    arms: BTreeMap<u32, Arm>,
}

#[derive(Debug)]
struct Arm {
    /// Where the last request began.
    began: Option<u64>,
    /// Where the last request ended.
    head: u64,
    /// When all that has come is served.
    busy_to: Ps,
    /// Runs that wait; what will be served first is the first.
    runs: VecDeque<Waiting>,
    position: Service,
    source: Source,
}

/// A run of requests of which the last one waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    end: u64,
    /// When the arm begins its last request.
    last: Ps,
    requests: u32,
}

impl Media {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, arms: BTreeMap::new() }
    }

    /// When an arm has served all that has come.
    pub(crate) fn free_at(&self, row: u32) -> Ps {
        self.arms.get(&row).map_or(Ps::ZERO, |arm| arm.busy_to)
    }

    fn arm(&mut self, row: u32, network: &Network) -> &mut Arm {
        let seed = self.seed;
        self.arms.entry(row).or_insert_with(|| {
            let component = network.component(network.rows[row as usize].component);
            let cv = component.variability.unwrap_or(POSITION_CV);
            let source = Source::of(seed, &component.name, Purpose::Service);
            let runs = VecDeque::with_capacity(RUNS);
            Arm {
                began: None,
                head: 0,
                busy_to: Ps::ZERO,
                runs,
                position: Service::uniform(cv),
                source,
            }
        })
    }
}

/// A request that comes to an arm.
struct Request<'a> {
    now: Ps,
    offset: u64,
    bytes: u64,
    times: &'a ArmTimes,
}

impl Request<'_> {
    /// How long what lies between a place and the request behind it passes.
    fn over(&self, place: u64) -> Option<Ps> {
        let gap = self.offset.checked_sub(place)?;
        Some(self.times.passing.scaled(gap as f64 / self.bytes.max(1) as f64))
    }
}

impl Arm {
    /// Takes the run that a request goes on with, one that waits and may grow; tells how far ahead
    /// of its end the request is, in time.
    fn take_run(&mut self, request: &Request<'_>) -> Option<(Waiting, Ps)> {
        while self.runs.front().is_some_and(|run| run.last <= request.now) {
            self.runs.pop_front();
        }
        let may_grow = |run: &Waiting| run.requests < BATCH || run.end == self.head;
        let follows = |run: &Waiting| run.end <= request.offset && may_grow(run);
        let runs = self.runs.iter().enumerate().filter(|(_, run)| follows(run));
        let (at, nearest) = runs.max_by_key(|(_, run)| run.end)?;
        let over = request.over(nearest.end)?;
        let is_near = over < request.times.queued || over == Ps::ZERO;
        if is_near { Some((self.runs.remove(at)?, over)) } else { None }
    }

    /// How long it takes a request to reach its place from that of the last, or from anywhere.
    fn position(&mut self, request: &Request<'_>) -> Ps {
        let over = request.over(self.head);
        if over == Some(Ps::ZERO) {
            return Ps::ZERO;
        }
        let mean = request.times.position(self.busy_to - request.now);
        let is_again = self.began == Some(request.offset);
        if is_again && request.times.again < mean {
            return request.times.again;
        }
        match over {
            Some(over) if over < mean => over,
            _ => self.position.draw(mean, &mut self.source),
        }
    }

    /// A run waits, and all that has come is served then.
    fn waits(&mut self, run: Waiting, busy_to: Ps) {
        if self.runs.len() == RUNS {
            self.runs.pop_front();
        }
        (self.head, self.busy_to) = (run.end, busy_to);
        self.runs.push_back(run);
    }
}

impl World<'_> {
    /// A request comes to the arm of its disk.
    pub(crate) fn reach(&mut self, id: u32, times: &ArmTimes) {
        let task = &mut self.tasks[id];
        let bytes = self.plans.plan(task.plan).bytes;
        let arm = self.media.arm(times.row, self.plans.network());
        let request = Request { now: self.now, offset: task.offset, bytes, times };
        let (run, position) = match arm.take_run(&request) {
            Some((run, over)) => (Some(run), over),
            None => (None, arm.position(&request)),
        };
        let served = self.stations[times.row as usize].serve(self.now, position + times.passing);
        let requests = run.map_or(0, |run| run.requests) + 1;
        let last = served.end - times.passing;
        arm.began = Some(task.offset);
        arm.waits(Waiting { end: task.offset + bytes, last, requests }, served.end);
        task.first_here = last + Ps(times.passing.0 / self.plans.pieces(bytes));
        task.doing = Doing::Ended;
        self.events.push(served.end, id);
    }
}

impl ArmTimes {
    /// The mean time to reach a place with so much work waiting.
    fn position(&self, work: Ps) -> Ps {
        let each = self.queued + self.passing;
        let others = work.0.checked_div(each.0).unwrap_or(0);
        self.queued + Ps((self.alone - self.queued).0 / (1 + others))
    }
}

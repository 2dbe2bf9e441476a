//! The world of one case: what is where at an instant, and what happens at the next.
//!
//! Every request is a task that goes from event to event: it takes its tokens, crosses the stages
//! of its way, does what its end is for, and tells its owner. Control is here; what a component
//! does to a request is in the module of that component.

use std::collections::BTreeSet;

use iopath_path::bases;
use iopath_units::Op;

use crate::arrivals::Arrivals;
use crate::caches::Caches;
use crate::contention::Contention;
use crate::core::{EventQueue, Pool, Ps, Slab, Station};
use crate::failures::Failures;
use crate::fates::Fates;
use crate::files::Files;
use crate::hits::Hits;
use crate::hw_queues::HwQueues;
use crate::locks::Locks;
use crate::media::Media;
use crate::networks::Networks;
use crate::plan::{PlanId, PlannedEnd, Plans};
use crate::rebuilds::Rebuilds;
use crate::samples::Samples;
use crate::settings::Settings;
use crate::stations::{self, Varying};
use crate::streams::Streams;
use crate::tally::Tally;
use crate::task::{Doing, Owner, Split, Task, Timer};
use crate::threads::{NOBODY, Thread};
use crate::totals::Edges;

/// Everything that a simulation knows.
pub(crate) struct World<'a> {
    pub now: Ps,
    pub networks: Networks<'a>,
    pub plans: Plans<'a>,
    pub events: EventQueue,
    pub tasks: Slab<Task>,
    pub stations: Vec<Station>,
    pub pools: Vec<Pool>,
    /// Where each volume and file begins on what it lies on.
    pub bases: Vec<u64>,
    pub media: Media,
    pub contention: Contention,
    pub caches: Caches<'a>,
    pub hw_queues: HwQueues,
    pub streams: Streams,
    pub arrivals: Arrivals,
    pub hits: Hits,
    pub files: Files,
    pub locks: Locks,
    pub failures: Failures,
    pub fates: Fates,
    pub rebuilds: Rebuilds,
    /// Those of the streams.
    pub threads: Vec<Thread>,
    /// Whether each request has a thread of its own, rather than each stream.
    pub has_thread_per_request: bool,
    pub varying: Varying,
    pub tally: Tally,
    pub samples: Samples,
    /// The phases of the streams that run.
    pub edges: Edges,
    woken: Vec<u32>,
    /// Memory for requests that are split.
    #[expect(clippy::vec_box, reason = "boxes go from task to task as they are")]
    pub spare: Vec<Box<Split>>,
    /// The same for lists of requests.
    pub leaving: Vec<Vec<u32>>,
}

/// A request to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub plan: PlanId,
    pub offset: u64,
    /// Whether the next cache serves it.
    pub hit: bool,
    pub owner: Owner,
}

impl<'a> World<'a> {
    pub(crate) fn new(networks: Networks<'a>, settings: &Settings) -> Self {
        let case = networks.case;
        let intact = networks.without(&BTreeSet::new());
        let plans = Plans::new(intact, case);
        let seed = settings.seed;
        let streams = Streams::new(case, &plans, settings);
        let network = plans.network();
        Self {
            now: Ps::ZERO,
            networks,
            events: EventQueue::default(),
            tasks: Slab::default(),
            stations: network.rows.iter().map(stations::station).collect(),
            pools: network
                .pools
                .iter()
                .map(|pool| stations::pool(case, network, pool, seed))
                .collect(),
            bases: bases(&case.system),
            media: Media::new(seed),
            contention: Contention::default(),
            caches: Caches::new(case),
            hw_queues: HwQueues::default(),
            hits: Hits::new(case, &streams, seed),
            files: Files::new(case, &streams, &plans),
            locks: Locks::new(case, &streams, &plans),
            failures: Failures::new(&networks),
            fates: Fates::default(),
            rebuilds: Rebuilds::default(),
            threads: vec![Thread::default(); streams.all.len()],
            has_thread_per_request: case.workload.has_thread_per_request(),
            varying: Varying::new(network, seed),
            streams,
            arrivals: Arrivals::default(),
            tally: Tally::default(),
            samples: Samples::new(case.workload.sample_interval, settings.samples),
            edges: Edges::since(Ps::ZERO),
            woken: Vec::new(),
            spare: Vec::new(),
            leaving: Vec::new(),
            plans,
        }
    }

    /// Handles the next event and tells of a timer; `None` where nothing is due any more.
    #[inline]
    pub(crate) fn step(&mut self) -> Option<Option<Timer>> {
        let (at, id) = self.events.pop()?;
        self.now = at;
        match self.tasks[id].doing {
            Doing::Crossing(stage) => self.cross(id, stage),
            Doing::Crossed => self.come(id),
            Doing::Copied => self.copied(id),
            Doing::Ended => self.ended(id),
            Doing::Beginning => self.hold(id, 0),
            Doing::Holding(pools) => self.resume(id, pools),
            Doing::Contending => self.set_out(id),
            Doing::Stored => self.stored(id),
            Doing::Told => self.tell(id),
            Doing::Aging(cache) => {
                self.tasks.remove(id);
                self.age(cache);
            }
            Doing::Turn { of, stage, left } => self.turn_over(id, (of, stage, left)),
            Doing::Flushing(front) => {
                self.tasks.remove(id);
                self.end_flush(front);
            }
            Doing::FlushingDevice(flush) => {
                self.tasks.remove(id);
                self.flush_part_done(flush);
            }
            Doing::FlushingQueue(queue) => {
                self.tasks.remove(id);
                self.end_queue_flush(queue);
            }
            Doing::Committing(at) => {
                self.tasks.remove(id);
                self.close_group(at);
            }
            Doing::Rebuilding(at) => {
                self.tasks.remove(id);
                self.rebuild_part(at);
            }
            Doing::Waiting => {}
            Doing::Timer(timer) => {
                self.tasks.remove(id);
                return Some(Some(timer));
            }
        }
        Some(None)
    }

    /// Sets a timer.
    pub(crate) fn set_timer(&mut self, at: Ps, timer: Timer) {
        self.set_doing(at, Doing::Timer(timer));
    }

    /// Has something done then that is no request.
    pub(crate) fn set_doing(&mut self, at: Ps, doing: Doing) {
        let id = self.tasks.insert(Task::new(doing, self.now));
        self.events.push(at, id);
    }

    /// Samples all counters now.
    pub(crate) fn sample(&mut self) {
        let counted = self.counted();
        self.samples.push(self.now, counted);
    }

    /// The same where a phase begins or ends.
    pub(crate) fn sample_edge(&mut self) {
        let counted = self.counted();
        self.samples.push_edge(self.now, counted);
    }

    /// Parts fail or return now; whether anything waited for it.
    pub(crate) fn fail_or_return(&mut self) -> bool {
        self.sample_edge();
        self.follow_failures()
    }

    /// Makes a request now.
    #[inline]
    pub(crate) fn make(&mut self, made: Made) {
        let id = self.prepare(made);
        self.hold(id, 0);
    }

    pub(crate) fn prepare(&mut self, made: Made) -> u32 {
        let mut task = Task::new(Doing::Beginning, self.now);
        (task.plan, task.offset) = (made.plan, made.offset);
        (task.hit, task.owner) = (made.hit, made.owner);
        task.thread = match made.owner {
            Owner::Stream(stream) => stream,
            Owner::Task(upper) => self.tasks[upper].thread,
            // Past the page cache the thread itself reads what it will change.
            Owner::Reader(upper) if !self.is_buffered(upper) => self.tasks[upper].thread,
            _ => NOBODY,
        };
        task.op = self.plans.plan(made.plan).op;
        task.way = self.plans.take_way(made.plan);
        self.tasks.insert(task)
    }

    /// A request has the token that it waited for.
    fn resume(&mut self, id: u32, held: u16) {
        let task = &self.tasks[id];
        let pools = self.plans.plan(task.plan).pools(task.way).take(held as usize);
        self.tally.waited(pools, self.now - task.all_here);
        self.hold(id, held);
    }

    /// Takes the tokens of a request from its pools in order, those of its end last.
    pub(crate) fn hold(&mut self, id: u32, mut held: u16) {
        if held == 0 && self.is_lost_at_once(id) {
            return;
        }
        let task = &self.tasks[id];
        let pools = self.plans.plan(task.plan).pools(task.way).skip(held as usize);
        for &pool in pools {
            held += 1;
            if !self.pools[pool as usize].take(id) {
                let task = &mut self.tasks[id];
                (task.doing, task.all_here) = (Doing::Holding(held), self.now);
                return;
            }
        }
        self.tasks[id].entered = self.now;
        if !self.contends(id) {
            self.set_out(id);
        }
    }

    /// A request goes to its end: the data of a read is there, that of a write comes with it.
    #[inline]
    fn set_out(&mut self, id: u32) {
        match self.tasks[id].op {
            Op::Read => self.act(id),
            Op::Write => self.travel(id),
        }
    }

    /// All of a request's data has crossed its way.
    pub(crate) fn crossed(&mut self, id: u32) {
        match self.tasks[id].op {
            Op::Read => self.finish(id),
            Op::Write => self.act(id),
        }
    }

    /// Does what the end of a request is for.
    fn act(&mut self, id: u32) {
        match &self.plans.plan(self.tasks[id].plan).end {
            PlannedEnd::Medium(None) => self.ended(id),
            &PlannedEnd::Medium(Some(arm)) => self.reach(id, &arm),
            PlannedEnd::Volume { .. } => self.split(id),
            &PlannedEnd::File(end) => self.meet_file(id, end),
            &PlannedEnd::Cache(end) => self.meet_cache(id, end),
        }
    }

    /// What the end of a request is for is done.
    pub(crate) fn ended(&mut self, id: u32) {
        match self.tasks[id].op {
            Op::Read => self.travel(id),
            Op::Write => self.finish(id),
        }
    }

    /// A request is done: gives back its tokens and tells its owner.
    fn finish(&mut self, id: u32) {
        let Some(task) = self.tasks.remove(id) else { return };
        let was_lost = self.was_lost(&task);
        self.plans.give_way_back(task.plan, task.way);
        let plan = &mut self.plans.plans[task.plan.0 as usize];
        for pool in plan.pools(task.way) {
            self.pools[*pool as usize].give(&mut self.woken);
        }
        plan.ways[task.way as usize].done.add(self.now - task.entered);
        for waiter in self.woken.drain(..) {
            self.events.push(self.now, waiter);
        }
        match was_lost {
            true => self.lose(task),
            false => self.tell_owner(task),
        }
    }

    /// Something is done that was no request; its owner gets it.
    fn tell(&mut self, id: u32) {
        if let Some(task) = self.tasks.remove(id) {
            self.tell_owner(task);
        }
    }

    pub(crate) fn tell_owner(&mut self, task: Task) {
        match task.owner {
            Owner::Task(upper) => {
                let whole = &mut self.tasks[upper];
                whole.joined += task.joined;
                whole.first_here = whole.first_here.min(task.first_here);
                self.part_done(upper);
            }
            Owner::Stream(stream) => self.stream_served(stream, &task),
            Owner::Synced(stream) if task.is_lost => self.refuse(stream, &task),
            Owner::Synced(stream) => self.stream_done(stream, &task),
            Owner::Flush(stream) => self.stream_flushed(stream),
            Owner::Asked(stream) => self.asked_flushed(stream, &task),
            Owner::Reader(reader) => self.read_done(reader),
            Owner::Unit(unit) => self.unit_done(unit),
            Owner::Behind(piece) => self.extent_done(piece, self.plans.plan(task.plan).bytes),
            Owner::Commit(at) => self.flushed(at),
            Owner::Fetch(fetch) => self.fetched(fetch),
            Owner::Destage(front) => {
                let bytes = self.plans.plan(task.plan).bytes;
                self.destaged(front, task.offset..task.offset + bytes);
            }
            Owner::Rebuild(at) => self.rebuild_done(at),
            Owner::Nobody => {}
        }
        self.spare.extend(task.split);
    }
}

//! Caches in front of volumes: what they hold, what they read ahead, what they owe the media.
//!
//! One cache a controller stands in front of all volumes of its place; two of them, one behind the
//! other, are two ends on the way of a request. What a stream says of hits comes first: such a read
//! is served, such a write overwrites what is to be written anyway. All else is decided by content:
//!
//! * `reads`: pages in the order of their last use, fetches that many readers share;
//! * `runs`: sequential streams and how far is read ahead of them;
//! * `writes`: room, the partner's copy; `dirty` and `destage`: when what goes to the media;
//! * `flush`: what a request to flush waits for.
//!
//! Left out: what a cache's processor costs (rows of the place are charged by the hop), failures,
//! batteries (a cache without one that answers writes risks data, not time).

mod destage;
mod dirty;
mod flush;
mod front;
mod lost;
mod reads;
mod runs;
mod stated;
mod writes;

use std::collections::VecDeque;

use iopath_path::{CacheEnd, Room};
use iopath_study::Case;
use iopath_units::Op;

use crate::core::{Lru, Ps, Slab};
use crate::plan::PlanId;
use crate::task::{Doing, Owner};
use crate::world::{Made, World};
use front::Front;
use reads::Fetch;
use stated::Stated;

/// All caches of a case.
pub(crate) struct Caches<'a> {
    case: &'a Case,
    room: Room,
    all: Vec<Cache>,
    fronts: Vec<Front>,
    /// The cache that a component is, and the front of the volume that it is.
    cache_of: Vec<Option<u32>>,
    front_of: Vec<Option<u32>>,
    fetches: Slab<Fetch>,
    /// What a request misses: memory that is used again.
    missed: Vec<(u64, u64)>,
    /// Whether streams run: else only what a request waits for goes to the media.
    pub is_awake: bool,
}

/// One cache.
#[derive(Debug, Default)]
struct Cache {
    stated: Stated,
    /// Its volumes.
    fronts: Vec<u32>,
    content: Lru,
    /// Names of its pages so far.
    tags: u32,
    /// Runs that it reads ahead of, and the most that it had to keep for them.
    runs: u64,
    most_ahead: u64,
    /// Bytes of data that is not on the media: dirty, or on the way there.
    owed: u64,
    /// Of it what is on its way.
    leaving: u64,
    /// Room that is taken by what was written before the beginning.
    older: u64,
    /// When it was first written to.
    began: Option<Ps>,
    /// Writes that wait for room.
    waiting: VecDeque<u32>,
    /// Whether it destages because it is full.
    is_full: bool,
    /// Whether the timer of aged data is set.
    ages: bool,
}

impl<'a> Caches<'a> {
    pub(crate) fn new(case: &'a Case) -> Self {
        let none = vec![None; case.system.parts.len()];
        Self {
            case,
            room: Room::new(&case.system),
            all: Vec::new(),
            fronts: Vec::new(),
            cache_of: none.clone(),
            front_of: none,
            fetches: Slab::default(),
            missed: Vec::new(),
            is_awake: true,
        }
    }
}

impl World<'_> {
    /// A request comes to the cache in front of its volume.
    pub(crate) fn meet_cache(&mut self, id: u32, end: CacheEnd) {
        let front = self.front(id, end);
        let task = &self.tasks[id];
        match (task.op, end.writes_back) {
            (Op::Read, _) if task.hit => self.ended(id),
            (Op::Read, _) => self.read_cached(id, front),
            (Op::Write, true) => self.write_cached(id, front),
            (Op::Write, false) => {
                self.note_written(id, front);
                self.go_below(id);
            }
        }
    }

    /// A request goes on to its volume, and is done when it is done there.
    fn go_below(&mut self, id: u32) {
        let task = &self.tasks[id];
        let (plan, op) = (task.plan, task.op);
        let bytes = self.plans.plan(plan).bytes;
        match self.plans.behind(plan, (op, bytes)) {
            Some(below) => self.wait_for(id, below),
            None => self.ended(id),
        }
    }

    /// A request waits for another one of its own, at the same place of its volume.
    fn wait_for(&mut self, id: u32, plan: PlanId) {
        let task = &mut self.tasks[id];
        (task.doing, task.pending) = (Doing::Waiting, 1);
        let offset = task.offset;
        self.make(Made { plan, offset, hit: false, owner: Owner::Task(id) });
    }
}

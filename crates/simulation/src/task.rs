//! One request on its way, or one timer.

use iopath_path::Part;
use iopath_units::Op;

use crate::core::Ps;
use crate::plan::PlanId;
use crate::threads::NOBODY;

/// What waits for an event, or for a token.
#[derive(Debug)]
pub(crate) struct Task {
    pub doing: Doing,
    pub plan: PlanId,
    pub op: Op,
    /// Which way of the plan.
    pub way: u16,
    /// Whether the next cache serves it, as its stream says.
    pub hit: bool,
    /// Where on its end, in bytes.
    pub offset: u64,
    /// Who learns when it is done.
    pub owner: Owner,
    /// The stream whose thread hands over what it is split into.
    pub thread: u32,
    /// Of a stream's request: when it was due, and its sub-stream.
    pub due: Ps,
    pub sub: u8,
    /// The number of a request from outside.
    pub ticket: u32,
    /// Whether it is a write that is done when it is on stable storage.
    pub is_durable: bool,
    /// When it was made.
    pub began: Ps,
    /// When it had all its tokens; the end of time while it has not.
    pub entered: Ps,
    /// When the last piece of its data is where the first is now; of one that waits for a token,
    /// since when.
    pub all_here: Ps,
    /// When the first piece of its data was where it is now; never where that is not known.
    pub first_here: Ps,
    /// Whether it takes turns at a stage and has not had all of them.
    pub is_in_turns: bool,
    /// Parts that are not done.
    pub pending: u32,
    /// Whether it has lost a part for good, and has to be split again.
    pub is_lost: bool,
    /// What it is split into, where it is.
    pub split: Option<Box<Split>>,
    /// Time that finished parts waited for their siblings, here and below.
    pub joined: Ps,
}

/// Tasks are moved into their places and out of them by the million: up to this size compilers do
/// so by a few instructions, above it by a call (LLVM, `MaxStoresPerMemcpy` of x86).
const _: () = assert!(size_of::<Option<Task>>() <= 128);

/// What a request is split into.
#[derive(Debug, Default)]
pub(crate) struct Split {
    /// By phase.
    pub parts: Vec<Part>,
    /// How many of them are.
    pub issued: u32,
    /// Bytes that are split so far.
    pub bytes: u64,
    /// How many parts of this phase are done, and the sum of the instants at which they were.
    pub finished: u32,
    pub done_sum: u64,
}

/// What an event means to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It begins now.
    Beginning,
    /// It has the tokens of so many of its pools.
    Holding(u16),
    /// It has waited for others in flight at its drive.
    Contending,
    /// The first piece of its data comes to this stage.
    Crossing(u32),
    /// All of its data has crossed its way.
    Crossed,
    /// What it writes is in the page cache.
    Copied,
    /// What its end was to do is done.
    Ended,
    /// Its cache has room for it now, and it is there.
    Stored,
    /// It is done; its owner learns it.
    Told,
    /// The clock of aged data of this cache strikes.
    Aging(u32),
    /// A flush of this volume's cache has taken its time.
    Flushing(u32),
    /// A device has taken the time of this flush.
    FlushingDevice(u32),
    /// A device has taken the time of the flush of this hardware queue.
    FlushingQueue(u32),
    /// The clock of the group of this file system strikes.
    Committing(u32),
    /// The next part of this rebuild is due.
    Rebuilding(u32),
    /// It waits for its parts.
    Waiting,
    /// It is a turn of another at a stage, of which so many are left.
    Turn {
        of: u32,
        stage: u32,
        left: u32,
    },
    Timer(Timer),
}

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Time to look at counters and precision.
    Tick,
    /// Time to look at the number of events.
    Count,
    /// A stream begins, or its next request is due.
    Stream(u32),
    /// Something fails, or returns.
    Failure,
}

/// Who learns when a task is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The request whose part it is.
    Task(u32),
    Stream(u32),
    /// A stream whose write is on stable storage now.
    Synced(u32),
    /// A stream that flushes.
    Flush(u32),
    /// A stream whose flush was asked for from outside.
    Asked(u32),
    /// A request whose data is in the page cache then.
    Reader(u32),
    /// A reader that is read ahead of.
    Unit(Unit),
    /// A file system that writes behind.
    Behind(Written),
    /// One that commits a group.
    Commit(u32),
    /// A cache that fetches.
    Fetch(u32),
    /// The cache in front of this volume, which destages.
    Destage(u32),
    /// A rebuild.
    Rebuild(u32),
    Nobody,
}

/// A piece that a file system writes behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Which of those that write behind its file system is.
    pub at: u32,
    /// How many were written before.
    pub number: u32,
}

/// What was requested ahead of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The stream that reads.
    pub stream: u32,
    /// How many were requested for it before.
    pub number: u32,
}

impl Task {
    /// Whether it is no request.
    pub(crate) fn is_timer(&self) -> bool {
        matches!(self.doing, Doing::Timer(_))
    }

    /// It begins again by another plan, as nothing of it was done; it has lasted since it began.
    pub(crate) fn begin_again(&mut self, plan: PlanId) {
        *self = Self {
            plan,
            op: self.op,
            hit: self.hit,
            offset: self.offset,
            owner: self.owner,
            thread: self.thread,
            due: self.due,
            sub: self.sub,
            ticket: self.ticket,
            is_durable: self.is_durable,
            joined: self.joined,
            ..Self::new(Doing::Beginning, self.began)
        };
    }

    pub(crate) fn new(doing: Doing, now: Ps) -> Self {
        Self {
            doing,
            plan: PlanId(0),
            op: Op::Read,
            way: 0,
            hit: false,
            offset: 0,
            owner: Owner::Nobody,
            thread: NOBODY,
            due: now,
            sub: 0,
            ticket: 0,
            is_durable: false,
            began: now,
            entered: Ps::MAX,
            first_here: Ps::MAX,
            all_here: now,
            is_in_turns: false,
            pending: 0,
            is_lost: false,
            split: None,
            joined: Ps::ZERO,
        }
    }
}

//! The network of a case: three primitives and the legs that use them.
//!
//! * A **row** is a rate: bytes or operations per second, or busy time of n servers. Rows of one
//!   component are served side by side, so the one that is used most decides; several costs on one
//!   busy row add up.
//! * A **pool** is a number of tokens that are held for a span: queue depth, threads, a lock.
//! * A **latency** is a delay without a queue.
//!
//! A **leg** is one kind of request from a place to a volume or medium: the same operation, size
//! and alignment. A leg crosses a route, uses up what its end costs, and leads to the legs that its
//! volume splits it into. Equal legs of all streams are one. So legs form a graph without cycles,
//! and what a stream demands of a row is a sum over the legs that it reaches.

mod flushing;

use std::collections::BTreeSet;

use iopath_study::PartId;
use iopath_study::source::Origin;
use iopath_units::Op;

pub use flushing::{Covers, FlushFigures, FlushQueues, Flushing, WriteBack};

/// A component: the same number as its part of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(pub u32);

/// Position in [`Network::rows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u32);

/// Position in [`Network::pools`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolId(pub u32);

/// Position in [`Network::routes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId(pub u32);

/// Position in [`Network::legs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LegId(pub u32);

/// What every model of a case reads.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// One for each part of the system, in its order; volumes and software included.
    pub components: Vec<Component>,
    /// All rates.
    pub rows: Vec<Row>,
    /// All tokens.
    pub pools: Vec<Pool>,
    /// All ways between places that any leg takes.
    pub routes: Vec<Route>,
    /// All kinds of requests; each stands before those that it leads to.
    pub legs: Vec<Leg>,
    /// The streams that count, in the order of the case.
    pub streams: Vec<StreamLoad>,
    /// What the case has that no bound accounts for, in words for people: "readahead of vxfs".
    pub mechanisms: Vec<Mechanism>,
    /// Parts that it is built without.
    pub removed: BTreeSet<PartId>,
    /// What their loss has changed.
    pub losses: Vec<Loss>,
}

/// What became of something when parts were removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Another controller of the same container took over what the removed one owned.
    Moved {
        /// The volume or medium.
        volume: ComponentId,
        /// Its new owner.
        to: ComponentId,
    },
    /// No route through its owner is left; routes in reserve carry its requests.
    Reserve {
        /// The volume or medium.
        volume: ComponentId,
        /// For people: from where.
        text: String,
    },
    /// A volume goes on without some of its members.
    Degraded {
        volume: ComponentId,
        /// For people: what it lacks.
        text: String,
    },
    /// A volume has all of its members and fewer spares.
    Spare {
        volume: ComponentId,
        /// For people: which spare it lacks, and how many are left.
        text: String,
    },
    /// A volume, a file system or a file has no data any more.
    Gone {
        volume: ComponentId,
        /// For people: why.
        text: String,
    },
    /// A stream that does nothing any more, so that it is not among the streams that count.
    Stopped {
        /// Its position in the case.
        stream: usize,
        /// For people: why.
        text: String,
    },
}

/// Something that decides throughput and that rows, pools and delays do not express.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mechanism {
    /// A stable word: `readahead`, `write-cache`, `concat`, `interleaved-streams`,
    /// `read-behind-write`, `commit`, `moves-no-data`.
    pub kind: &'static str,
    /// For people: what, and where.
    pub text: String,
    /// Whether a bound that leaves it out says too little to be held against a figure.
    pub decides: bool,
}

/// A part of the path, a volume, a file system, a file.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its full name.
    pub name: String,
    /// The word that its declaration begins with.
    pub kind: &'static str,
    /// What contains it; it stands before what it contains.
    pub parent: Option<ComponentId>,
    /// Where a volume is split, whoever asks: what `at` says, or what a `lun` or `raid` stands in.
    /// `None` where it is split where the request is: at the host of the stream. Where a controller
    /// is removed, the one that took over: also of media.
    pub place: Option<ComponentId>,
    /// Positions of the members that a volume goes on without: removed, or out of reach.
    pub missing: BTreeSet<u32>,
    /// Its rates.
    pub rows: Vec<RowId>,
    /// Delay of every request that crosses it, in seconds.
    pub latency_s: f64,
    /// Tokens that every request holds while it is in or below it.
    pub outstanding: Option<PoolId>,
    /// Coefficient of variation of its service times, where it is stated.
    pub variability: Option<f64>,
    /// Share of the service time of each request in flight there that any other waits for; 0 where
    /// none is stated.
    pub contention: f64,
    /// Whether a flush waits until it has written below what it has answered: a cache with
    /// `flush="on-sync"`.
    pub empties_on_sync: bool,
    /// Taken out by `--without`, or a volume that is gone with what was: nothing reaches it.
    pub removed: bool,
}

/// What a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Bytes; the capacity is bytes per second.
    Bytes,
    /// Requests; the capacity is operations per second.
    Operations,
    /// Seconds of service; the capacity is the number of servers: processors, an arm.
    Busy,
}

/// Which operations a row carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Reads only.
    Read,
    /// Writes only.
    Write,
    /// Both, from one capacity.
    Both,
}

impl Direction {
    /// Whether an operation uses up a row of this direction.
    #[must_use]
    pub fn carries(self, op: Op) -> bool {
        match self {
            Self::Both => true,
            Self::Read => op == Op::Read,
            Self::Write => op == Op::Write,
        }
    }
}

/// A rate limit of one component.
#[derive(Clone, Debug)]
pub struct Row {
    pub component: ComponentId,
    /// The property of the study that states it: `read`, `both`, `write-ops`, `cpus`, `arm`.
    pub property: &'static str,
    /// What it counts.
    pub measure: Measure,
    /// Of which operations.
    pub direction: Direction,
    /// Whether every request that crosses the component uses it up. Else only what legs charge
    /// counts: memory, processors, arms, and all rows of what a route ends at (media, volumes,
    /// caches, file systems).
    pub crossed: bool,
    /// Bytes per second, operations per second, or servers.
    pub capacity: f64,
    /// Where the value comes from.
    pub origin: Origin,
    /// A token bucket that lets more through for a while.
    pub burst: Option<Burst>,
}

impl Row {
    /// What one request uses up of it; `None` where it carries none of the kind, and for seconds
    /// of service, which are charged where they arise ([`Leg::charges`]).
    #[must_use]
    pub fn used_by(&self, op: Op, bytes: u64) -> Option<f64> {
        let amount = match self.measure {
            Measure::Bytes => bytes as f64,
            Measure::Operations => 1.0,
            Measure::Busy => return None,
        };
        self.direction.carries(op).then_some(amount)
    }
}

/// A token bucket beside a sustained rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// Bytes or operations in the full bucket.
    pub tokens: f64,
    /// The rate while it lasts.
    pub rate: f64,
}

/// Tokens that requests hold.
#[derive(Clone, Debug)]
pub struct Pool {
    pub component: ComponentId,
    /// The property of the study that states it: `outstanding`, `threads`, `lock`.
    pub property: &'static str,
    /// How many.
    pub tokens: u64,
    /// Where the value comes from.
    pub origin: Origin,
}

/// One way from a place to a place: up to a common ancestor or a wire, through switches, down.
/// Every component on it, the turning point included, is crossed once.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// What is crossed, from the stream towards the media. `true` where data moves the other way
    /// than the component's `read` and `write` mean: a read then uses up its `write`.
    pub crossed: Vec<(ComponentId, bool)>,
    /// Sum of all delays on it, in seconds, wires included.
    pub latency_s: f64,
    /// Whether it crosses no controller but the owner's.
    pub optimised: bool,
}

/// A way that a leg may take, and its share of the requests under the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    pub route: RouteId,
    /// Its share; those of one leg sum to 1.
    pub share: f64,
}

/// What one request of a leg uses up of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charge {
    pub row: RowId,
    /// Bytes, operations or seconds.
    pub amount: f64,
}

/// What one request of a leg holds from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    pub pool: PoolId,
    /// How many tokens.
    pub tokens: f64,
}

/// What the thread of a stream spends on one processor for each of its requests: first all of its
/// preparation, then a span before each part goes out, one part after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Issue {
    /// The processors; [`Leg::charges`] have all of these seconds too.
    pub row: RowId,
    /// Seconds until the first part may go out.
    pub prepare_s: f64,
    /// Seconds of each part.
    pub part_s: f64,
    /// Parts that leave the machine for one request, on average; 1 where nothing is split there.
    pub parts: f64,
}

impl Issue {
    /// Seconds until the first part goes out.
    #[must_use]
    pub fn first_s(&self) -> f64 {
        self.prepare_s + self.parts.min(1.0) * self.part_s
    }

    /// Seconds of one request.
    #[must_use]
    pub fn total_s(&self) -> f64 {
        self.prepare_s + self.parts * self.part_s
    }
}

/// One kind of request from a place to a volume or medium.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// The volume or medium that it goes to, or the cache in front of it.
    pub to: ComponentId,
    /// The volume or medium that it is for; `to` but for a cache.
    pub volume: ComponentId,
    /// What it does.
    pub op: Op,
    /// Its size.
    pub bytes: u64,
    /// The routes that it may take; none where it stays where it is.
    pub ways: Vec<Way>,
    /// What its end costs: the limits of the volume behind its cache, of the medium, processors.
    pub charges: Vec<Charge>,
    /// Seconds that a request takes at its end beside its charges: what an arm takes longer alone
    /// than with many requests to choose from.
    pub delay_s: f64,
    /// What its stream's thread does before its parts are on their way, where that is stated.
    pub issue: Option<Issue>,
    /// What it holds until it is done.
    pub holds: Vec<Hold>,
    /// The legs that it leads to.
    pub next: Vec<Next>,
    /// Whether its parts go out one after the other.
    pub serial: bool,
    /// Whether nobody waits for it: destaging, the copy of a cache.
    pub background: bool,
}

/// A leg that another one leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    pub leg: LegId,
    /// How many of it for one of the other, on average over the layout; below 1 behind a cache.
    pub times: f64,
    /// How many of it, at most, one request makes at once: those that hit this very member. Below
    /// 1 where requests in flight are counted as shares of it (readahead).
    pub at_once: f64,
    /// Those of a phase start when all of the phase before are done.
    pub phase: u8,
    /// Those of one number, of one size, are alternatives in forced shares: members of a stripe,
    /// sides that a read may choose, the members that parity rotates over. `None` where every
    /// request leads to it: copies, parity of a full stripe.
    pub choice: Option<u16>,
    /// Share of the requests that lead to any of that number, at most: of a write that changes part
    /// of a row at some offsets only, those at which it does.
    pub often: f64,
}

/// What one stream asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamLoad {
    /// Its position in the case.
    pub stream: usize,
    /// Its first legs with their share of the requests: reads and writes of a mix, sizes.
    pub roots: Vec<(LegId, f64)>,
    /// Mean bytes of a request.
    pub bytes: f64,
    /// Requests that it keeps in flight at most, readahead included, in units of `bytes`.
    pub in_flight: f64,
    /// Requests per second that it wants, where it has a rate of its own.
    pub wants_per_sec: Option<f64>,
    /// Seconds for which its one thread is busy with a request; 0 where each has its own.
    pub thread_s: f64,
    /// When it runs: streams of one number run together, and those of the next one when they have
    /// ended. From 0 without gaps.
    pub epoch: u32,
    /// Whether what it writes is there already.
    pub rewrites: bool,
    /// Bytes that the page cache holds one behind the other of what it writes before they are
    /// flushed; none where it does not merge them.
    pub run: u64,
    /// What its writes wait for until they are on stable storage; none where they need not.
    pub flushing: Option<Flushing>,
}

impl From<PartId> for ComponentId {
    fn from(part: PartId) -> Self {
        Self(u32::try_from(part.0).unwrap_or(u32::MAX))
    }
}

impl From<ComponentId> for PartId {
    fn from(component: ComponentId) -> Self {
        Self(component.0 as usize)
    }
}

impl Network {
    /// The component of this number.
    #[must_use]
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.0 as usize]
    }

    /// The row of this number.
    #[must_use]
    pub fn row(&self, id: RowId) -> &Row {
        &self.rows[id.0 as usize]
    }

    /// The leg of this number.
    #[must_use]
    pub fn leg(&self, id: LegId) -> &Leg {
        &self.legs[id.0 as usize]
    }

    /// The route of this number.
    #[must_use]
    pub fn route(&self, id: RouteId) -> &Route {
        &self.routes[id.0 as usize]
    }

    /// What one request of an operation and size uses up of the rows on a route.
    pub fn crossing(&self, route: RouteId, op: Op, bytes: u64) -> impl Iterator<Item = Charge> {
        self.crossing_of(self.route(route), op, bytes)
    }

    /// The same on a route that it does not have yet.
    pub(crate) fn crossing_of<'a>(
        &'a self,
        route: &'a Route,
        op: Op,
        bytes: u64,
    ) -> impl Iterator<Item = Charge> + 'a {
        route.crossed.iter().flat_map(move |(component, flipped)| {
            let op = if *flipped { op.reverse() } else { op };
            let rows = self.component(*component).rows.iter();
            rows.filter_map(move |&row| {
                let limit = self.row(row);
                let amount = limit.used_by(op, bytes).filter(|_| limit.crossed)?;
                Some(Charge { row, amount })
            })
        })
    }
}

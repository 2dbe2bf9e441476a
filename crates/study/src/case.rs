//! One point of an experiment: everything a technique needs to know, with no name left to look
//! up. A `Case` is made by expansion only; each technique reads it and nothing else.

mod kernel;
mod sync;
mod target;

use std::sync::Arc;

use iopath_units::{Action, ByteRate, Bytes, Nanos, OperationRate, Ratio};
use strum::{Display, EnumDiscriminants, EnumString, IntoStaticStr, VariantNames};

use crate::selector::Selector;
use crate::source::Place;
use crate::spc1;
use crate::system::{PartId, System};

pub use kernel::{KernelSettings, Scheduler};
pub use sync::SyncMode;
pub use target::{Bind, Target, TargetKind, Tree};

/// One combination of levels of one experiment, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Title of the study.
    pub study: String,
    /// Title of the experiment; the study's own where it stands without a block.
    pub experiment: String,
    /// The level of every factor, in the order of `vary`.
    pub levels: Vec<ChosenLevel>,
    /// Path and layout: what lies between streams and media.
    pub system: System,
    /// What the streams read and write.
    pub targets: Vec<Target>,
    /// How long, how often, by which means.
    pub workload: Workload,
    /// Every worker's chain of requests.
    pub streams: Vec<Stream>,
    /// What fails meanwhile, of models only.
    pub failures: Vec<Failure>,
    /// The resolved study of this case alone, as text: parsing it gives this case again.
    pub text: String,
}

/// The level that a case has of one factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenLevel {
    /// Name of the factor.
    pub factor: String,
    /// Title or value of the level.
    pub level: String,
}

/// What holds for all streams of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// When a pass ends. At least one of time and amount is given, or each stream covers its
    /// region once.
    pub until: Until,
    /// Time at the start of a pass that is not counted.
    pub warm_up: Nanos,
    /// How often the case is run.
    pub passes: u32,
    /// Pause between two passes.
    pub pass_delay: Nanos,
    /// Repeat until the 95 % confidence half-width of throughput is this share of the mean.
    pub until_ci: Option<Ratio>,
    /// How requests are handed to the kernel.
    pub engine: EngineKind,
    /// Where buffers are allocated.
    pub buffers: BufferKind,
    /// Whether the page cache takes part.
    pub cache: CacheMode,
    /// How the kernel is set on the devices below the targets.
    pub kernel: KernelSettings,
    /// Whether every block is stamped when written and checked when read.
    pub verify: Verify,
    /// Root of all randomness.
    pub seed: u64,
    /// Interval between samples of the counters.
    pub sample_interval: Nanos,
}

impl Workload {
    /// Whether each request in flight has a thread of its own, rather than each stream.
    #[must_use]
    pub fn has_thread_per_request(&self) -> bool {
        self.engine == EngineKind::Threads
    }
}

/// Parts that fail during a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What fails, with all that it contains.
    pub parts: Vec<PartId>,
    /// Since the pass began, its warm-up included.
    pub at: Nanos,
    /// For how long; for good where nothing is said.
    pub lasts: Option<Nanos>,
    /// Until requests take other routes, and those that were lost are sent again.
    pub failover: Nanos,
    /// From the return until its routes are used again.
    pub failback: Nanos,
}

/// What `failover` and `failback` are where nothing is said.
pub(crate) const FAILOVER: &str = "5 s";
pub(crate) const FAILBACK: &str = "5 s";

impl Case {
    /// A failure of a part besides what the study lets fail; with the default times of `fail`.
    ///
    /// # Errors
    ///
    /// Why nothing is meant by the selector.
    pub fn failure(
        &self,
        part: &Selector,
        at: Nanos,
        lasts: Option<Nanos>,
    ) -> Result<Failure, Vec<String>> {
        let parts: Vec<PartId> = self.system.select(part).into_iter().collect();
        if parts.is_empty() {
            return Err(self.system.absent(part));
        }
        let [failover, failback] = [FAILOVER, FAILBACK].map(|text| text.parse().unwrap_or(at));
        Ok(Failure { parts, at, lasts, failover, failback })
    }
}

/// When a pass ends: at the first of these that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    /// Length of a pass, without its warm-up.
    pub time: Option<Nanos>,
    /// Bytes moved by all streams together, warm-up included.
    pub amount: Option<Bytes>,
}

/// How requests are handed to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum EngineKind {
    /// Rings, but calls where files lie in memory: there the kernel could serve a ring by handing
    /// each request to a thread of its own only.
    Auto,
    /// One `io_uring` for each stream.
    Uring,
    /// Blocking calls of the stream's own thread, one request after the other.
    Calls,
    /// Blocking calls, one thread for each request in flight.
    Threads,
    /// Loads and stores on a mapping of the file.
    Mmap,
    /// Completes every request at once: the tool's own ceiling.
    Null,
}

/// Where the data of requests lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum BufferKind {
    /// Page-aligned private memory.
    Heap,
    /// Memory that other processes could map.
    Shared,
    /// Huge pages where the kernel has some; how much was huge is recorded.
    Huge,
    /// Huge pages or an error.
    HugeRequired,
}

/// Whether the page cache takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum CacheMode {
    /// `O_DIRECT`: requests pass it by.
    Direct,
    /// Through the page cache as it is.
    Buffered,
    /// Through the page cache, emptied of the targets before each pass.
    Drop,
}

/// Whether data is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// Nothing is stamped or checked.
    Off,
    /// Every block is stamped when written and checked when read.
    Stamps,
}

/// One worker's chain of requests on one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Name of the instance: `reader[3]`.
    pub name: String,
    /// Name of the declaration: `reader`.
    pub group: String,
    /// Its place among the streams of its declaration, from 0.
    pub ordinal: u32,
    /// Where it is declared.
    pub place: Place,
    /// Index into [`Case::targets`].
    pub target: usize,
    /// What its requests do.
    pub action: Action,
    /// Share of requests that are reads; all or none for plain reads and writes. None of what moves
    /// no data: it counts as writing, since it changes the target.
    pub reads: Ratio,
    /// The order of offsets.
    pub pattern: Pattern,
    /// Which part of the target.
    pub region: Region,
    /// Bytes of one request; of the smallest where a load has sizes of its own.
    pub block: Bytes,
    /// Queue depth: requests in flight.
    pub depth: u32,
    /// When requests are issued.
    pub pacing: Pacing,
    /// What the kernel is told of their order.
    pub advice: Advice,
    /// How its writes reach stable storage.
    pub sync: SyncMode,
    /// What it begins after; with the first where nothing is said.
    pub after: Option<After>,
    /// What only a model uses.
    pub modelled: Modelled,
}

impl Stream {
    /// Bytes of its largest request; `None` where they are more than 64 bits hold.
    #[must_use]
    pub fn largest_request(&self) -> Option<u64> {
        match self.pattern {
            Pattern::Spc1Like => self.block.0.checked_mul(u64::from(spc1::LARGEST)),
            _ => Some(self.block.0),
        }
    }

    /// Bytes of memory that one of its requests needs; `None` as above.
    #[must_use]
    pub fn buffer(&self) -> Option<u64> {
        if self.action.is_transfer() { self.largest_request() } else { Some(0) }
    }

    /// Requests and flushes that are in flight at most. With a flush out as many writes as it
    /// covers are not in flight (`iopath_workload::flushes`), so only beside reads it needs a
    /// place.
    #[must_use]
    pub fn most_in_flight(&self) -> u32 {
        let has_both = self.reads.0 > 0 && self.sync.every().is_some();
        self.depth.saturating_add(u32::from(has_both))
    }

    /// Bytes of a request on average.
    #[must_use]
    pub fn mean_request(&self) -> f64 {
        let blocks = if self.pattern == Pattern::Spc1Like { spc1::mean_blocks() } else { 1.0 };
        self.block.0 as f64 * blocks
    }
}

/// What a study says of a stream for models only: a measurement finds it out, or cannot choose it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modelled {
    /// Where the stream runs; the only host where nothing is said.
    pub on: Option<PartId>,
    /// The stream counts only if its optimised routes cross one of these; all count where it is
    /// empty.
    pub via: Arc<[PartId]>,
    /// Share of the requests that the first cache below serves.
    pub hit: Ratio,
    /// The group of streams that this one follows.
    pub behind: Option<Behind>,
}

/// What a stream begins after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The group of streams that end before it begins.
    pub group: String,
    /// Pause between their end and its begin.
    pub start_delay: Nanos,
    /// What is done to its target before it begins.
    pub prepare: Prepare,
}

/// What is done to a target before streams begin that come after others; the last does most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Prepare {
    /// Nothing.
    None,
    /// What was written is flushed to stable storage.
    Sync,
    /// That, and the page cache is emptied of it.
    Drop,
}

/// Whom a stream follows, and how closely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// Name of the group.
    pub group: String,
    /// By one record in lockstep; else up to the position that the other publishes.
    pub lockstep: bool,
}

/// What the kernel is told of the order of a stream's offsets (`posix_fadvise`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Advice {
    /// Nothing: it finds out by itself.
    Normal,
    /// Ascending.
    Sequential,
    /// No order.
    Random,
}

/// Which part of its target a stream uses. Streams of one declaration on one target share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Alone on a part of the target, or all on all of it.
    pub sharing: Sharing,
    /// Place of this stream among those that share the target, from 0.
    pub index: u32,
    /// How many streams share the target.
    pub count: u32,
}

/// Alone on a part of the target, or all streams on all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Sharing {
    /// The target is cut into equal parts, one a stream.
    Own,
    /// Every stream uses all of it.
    Shared,
}

/// The order of a stream's offsets. Each is a whole number of blocks from the region's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumDiscriminants)]
#[strum_discriminants(
    name(PatternKind),
    doc = "Its name, without what it needs.",
    derive(Display, EnumString, VariantNames),
    strum(serialize_all = "kebab-case")
)]
pub enum Pattern {
    /// Ascending, from the start of the region, again from there at its end.
    Sequential,
    /// Ascending over the whole region, stream i of n starting at i/n of it.
    Staggered,
    /// Ascending over the whole region from a random block, another one in each pass.
    RandomStart,
    /// Ascending, stream i of n taking blocks i, i + n, i + 2n.
    Interleaved,
    /// Descending from the end.
    Backwards,
    /// Ascending with a fixed distance from start to start.
    Strided {
        /// Distance of two requests.
        stride: Bytes,
    },
    /// Every block equally likely.
    Random,
    /// Block ranks by a power law, scattered over the region.
    Zipf {
        /// Exponent times a million: 1.2 is 1,200,000.
        theta: Ratio,
    },
    /// A share of the requests goes to a band at the start of the region.
    Hot {
        /// Share of the requests.
        share: Ratio,
        /// Size of the band as share of the region.
        band: Ratio,
    },
    /// Each offset is at most a step away from the one before.
    Walk {
        /// Largest distance.
        step: Bytes,
    },
    /// A share of the requests re-references a resident set at the start of the region; the
    /// others go through the rest once a round in no order, so that none of them comes again soon
    /// and none can be foreseen.
    Resident {
        /// Share of the reads that hit.
        hits: Ratio,
        /// Share of the writes that hit.
        write_hits: Ratio,
        /// Size of the resident set.
        set: Bytes,
    },
    /// Eight sub-streams in three address spaces, like those of SPC-1: the table
    /// [`crate::spc1`]. Operations, sizes and times are its own; the block is its unit.
    Spc1Like,
}

/// When requests are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// The next when one is done: `depth` are always in flight.
    Closed,
    /// At times of their own, whatever the storage does; at most `depth` in flight.
    Open {
        /// How much all streams of the declaration issue together: the study's `rate` times its
        /// `load`.
        rate: Rate,
        /// How many streams share that rate.
        streams: u32,
        /// How the times are spread.
        arrivals: Arrivals,
    },
}

/// A rate of requests, given in either measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Requests per second.
    Operations(OperationRate),
    /// Bytes per second.
    Bytes(ByteRate),
}

/// How the times of an open loop are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Arrivals {
    /// Equal distances.
    Constant,
    /// Exponential distances.
    Poisson,
}

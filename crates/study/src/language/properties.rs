//! The tables of properties.

use strum::VariantNames;

use super::ValueType::{
    ByteRate, Choice, Count, Flag, Number, OperationRate, Paths, Pause, PropertyPath, Rate, Seed,
    Selector, Share, Size, Text, Time, Word,
};
use super::{Property, ValueType};
use crate::case::{
    Advice, Arrivals, BufferKind, CacheMode, EngineKind, FAILBACK, FAILOVER, PatternKind, Prepare,
    Scheduler, Sharing, SyncMode,
};
use crate::system::Policy;
use crate::words::{Lag, Op, Standby, Waiting, WriteCache};

mod software;

pub(super) use software::{
    CACHE, COMMIT, COST, FILE_SYSTEM, ISSUE, MODELLED_FILE, PREFETCH, READAHEAD,
};

const fn property(name: &'static str, takes: ValueType) -> Property {
    Property { name, doc: "", takes, default: None }
}

impl Property {
    const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    const fn with_default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }
}

const COUNT: Property =
    property("count", Count).with_default("1").doc("How many, within each parent.");

pub(super) const STUDY: &[Property] =
    &[property("source", Text).doc("Where its figures come from.")];

const USE: Property = property("use", Text)
    .doc("A part of the catalogue or of `parts`; values stated here override its own.");

/// How many, and of what.
pub(super) const MANY: &[Property] = &[COUNT, USE];

pub(super) const SIZE: &[Property] =
    &[property("size", Size).doc("The bytes used, from its beginning; default: all.")];

/// Rated capacities of anything that requests cross or end at.
pub(super) const LIMITS: &[Property] = &[
    property("read", ByteRate).doc("Maximum bytes read per second."),
    property("write", ByteRate).doc("Maximum bytes written per second."),
    property("both", ByteRate).doc("Maximum bytes per second, both directions together."),
    property("read-ops", OperationRate).doc("Maximum reads per second."),
    property("write-ops", OperationRate).doc("Maximum writes per second."),
    property("ops", OperationRate).doc("Maximum operations per second, both together."),
    property("latency", Pause).doc("Delay of every request, without a queue."),
    property("outstanding", Count).doc("Maximum requests in it at one time."),
    property("waiting", Word(Waiting::VARIANTS)).doc(
        "Order of requests that wait for `outstanding`: first come first served, or any, as of \
         simple SCSI tasks.",
    ),
    property("burst", Size).doc("Bytes of a full token bucket, above the rate."),
    property("burst-rate", ByteRate).doc("The rate while the bucket of bytes lasts."),
    property("burst-ops", Count).doc("Operations of a full token bucket, above the rate."),
    property("burst-ops-rate", OperationRate).doc("The rate while the bucket of operations lasts."),
    property("variability", Number)
        .doc("Coefficient of variation of its service times: standard deviation over mean."),
    property("link-rate", ByteRate).doc(
        "Maximum bytes per second in each direction, headers included; `payload` / (`payload` + \
         `overhead`) of it is `read` and `write` where not stated.",
    ),
    property("payload", Size).doc("Data in one packet or frame."),
    property("overhead", Size).doc("Header, framing and gap around the data of one packet."),
    property("write-payload", Size).doc("Data in one packet of a write; default: `payload`."),
    property("write-overhead", Size)
        .doc("Header, framing and gap of one packet of a write; default: `overhead`."),
    property("window", Size).doc(
        "Bytes that may be unacknowledged, as of a TCP connection: `window` / `round-trip` in each \
         direction.",
    ),
    property("round-trip", Time).doc("Time until the first byte of a `window` is acknowledged."),
    property("price", Number).doc("Price of one, in the currency of the study."),
    property("rack-units", Number).doc("Rack space of one."),
    property("watts", Number).doc("Power of one, in watts."),
    property("slots", Count)
        .doc("Components that fit directly into it; more are a mistake. Default: any number."),
];

/// What a machine computes with.
pub(super) const PROCESSOR: &[Property] = &[
    property("cpus", Count).doc("Logical processors that serve requests."),
    property("memory", Size).doc("Main memory."),
    property("memory-rate", ByteRate)
        .doc("Bytes per second of memory; DMA crosses once, a copy twice more."),
];

pub(super) const FLUSH: &[Property] = &[
    property("flush-time", Pause).doc(
        "Time of a flush, without a cache in front; 0 where nothing is volatile, as with \
         power-loss protection.",
    ),
    property("hw-queues", Count).doc(
        "Hardware queues of the device on each host (entries of `mq` in sysfs). Each has one flush \
         in progress at a time, and flushes that arrive meanwhile share the next. Default: flushes \
         do not delay one another.",
    ),
];

/// What a disk with an arm spends its time on.
pub(super) const ARM: &[Property] = &[
    property("stream", ByteRate).doc("Rate of one sequential stream under the arm."),
    property("position", Pause).doc(
        "Mean positioning time of a request that does not follow the last: seek and \
         rotation.",
    ),
    property("position-queued", Pause).doc(
        "The same with many requests queued, of which the nearest is taken; default: `position`.",
    ),
    property("rotation", Pause).doc(
        "One turn, after which the second access of a read-modify-write is in place; default: it \
         positions again.",
    ),
];

/// What a device without an arm spends its time on.
pub(super) const SERVICE: &[Property] = &[
    property("read-time", Pause)
        .doc("Time that a read keeps it busy besides its bytes at `read`; one request at a time."),
    property("write-time", Pause).doc("The same of a write, besides its bytes at `write`."),
    property("contention", Share).doc(
        "How much longer a request takes for each other in flight at the drive, as a share of the \
         time that the drive is busy with that one; 1 where flash dies are its limit. Default: 0.",
    ),
];

const LEVELS: &[u64] = &[0, 1, 3, 4, 5, 6, 10, 50, 60];

/// How a volume lies over its members.
pub(super) const MEMBERS: &[Property] =
    &[property("over", Selector).doc("Its members, in order, unless they stand in it.")];

/// Over how many devices a product makes one volume.
pub(super) const MOST_MEMBERS: &[Property] = &[property("most-members", Count).doc(
    "Maximum number of devices below it, spares not counted: of physical volumes in a volume \
     group, of disks in an array; more are a mistake. Default: any number.",
)];

/// How many logical units a product makes or uses.
pub(super) const MOST_LUNS: &[Property] = &[property("most-luns", Count).doc(
    "Maximum number of LUNs: of a host those of other boxes that its streams and volumes use, of \
     an array or a controller those that it makes; more are a mistake. Default: any number.",
)];

/// Where a volume is split, and how small its requests must be.
pub(super) const PLACED: &[Property] = &[
    property("at", Selector)
        .doc("Where it is split: one volume at each; default: the host of the stream."),
    property("largest-request", Size)
        .doc("The largest request that it issues; larger ones are split."),
];

pub(super) const STRIPE: &[Property] =
    &[property("unit", Size).doc("Bytes on one member before the next member's turn.")];

pub(super) const RAID: &[Property] = &[
    property("level", Choice(LEVELS)).doc("RAID level; default 0."),
    property("segment", Size).doc("Bytes on one disk before the next disk's turn."),
    property("spares", Seed).doc("Spare disks."),
    property("parity", Choice(&[2, 3]))
        .doc("Parity disks of a row at levels 6 and 60; default 2, 3 for triple parity."),
    property("width", Count).doc(
        "Disks of a group at levels 50 and 60; default: two groups, or the fewest equal ones.",
    ),
    property("rebuild", ByteRate).doc(
        "Rate at which a lost member is rebuilt onto a spare, as an array's priority or \
         `sync_speed_max` of md sets it; default: no load in a simulation.",
    ),
    property("parity-threads", Count)
        .doc("Threads that compute its parity, each on one processor; default: any number."),
];

/// What a volume sets for itself in the cache in front of it.
pub(super) const CACHED: &[Property] = &[
    property("write-cache", Word(WriteCache::VARIANTS))
        .doc("`write` of the cache in front of it, for this volume; default: the cache's."),
    property("cache-mirror", Flag)
        .doc("`mirror` of the cache in front of it, for this volume; default: the cache's."),
    property("read-ahead", Flag).doc(
        "Whether the cache in front of it reads ahead of sequential streams; default: the cache's.",
    ),
];

pub(super) const MIRROR: &[Property] = &[property("turn", Size)
    .doc("Bytes read of one side before the next one's turn; default: a request.")];

pub(super) const SIDE: &[Property] =
    &[property("of", Selector).doc("The members of this side, paired with the other's.")];

pub(super) const ENDS: &[Property] = &[
    property("from", Selector).doc("One end of each pair."),
    property("to", Selector).doc("The other; as many as `from`, or one for all."),
];

pub(super) const WIRE: &[Property] = &[
    property("latency", Pause).doc("Delay, without a queue."),
    property("spare", Flag).doc("Whether ends of `to` beyond those of `from` stay free."),
];

pub(super) const MULTIPATH: &[Property] = &[
    property("policy", Word(Policy::VARIANTS)).with_default("round-robin").doc(
        "How requests choose among the routes; `owner`: those through the owner only, `fixed`: the \
         first.",
    ),
    property("most", Count).doc("Maximum number of routes used; default: all."),
    property("standby", Word(Standby::VARIANTS))
        .with_default("idle")
        .doc("Whether non-optimised routes are used while others exist."),
];

pub(super) const PATH: &[Property] =
    &[property("file", Text).doc("Another study file whose `parts` and `path` are used.")];

pub(super) const FILE: &[Property] = &[property("directory", Text).doc(
    "Where a scratch file is created, regardless of `on`, which is for models; default: the \
     working directory.",
)];

pub(super) const TREE: &[Property] = &[
    property("files", Count).doc("How many files; required."),
    property("directories", Count)
        .with_default("1")
        .doc("How many directories, each with consecutive files."),
    property("file-size", Size)
        .doc("Bytes of each file: written by `create`, read by `open`; default: empty."),
    property("directory", Text).doc(
        "Where a new directory is created for it, and removed at the end; default: the working \
         directory.",
    ),
];

pub(super) const BIND: &[Property] = &[
    property("from", Selector).doc("The targets."),
    property("to", Paths).doc("As many paths: `[0-3]`, `[a-d]` and `[a,c]` are expanded in order."),
];

pub(super) const WORKLOAD: &[Property] = &[
    property("time", Time).doc("Length of a pass, without its warm-up."),
    property("amount", Size).doc(
        "Bytes that all streams move in a pass, warm-up included; without `time` and `amount` each \
         covers its region once.",
    ),
    property("warm-up", Pause)
        .with_default("0 s")
        .doc("Time at the start of a pass that is not counted."),
    property("passes", Count).with_default("1").doc(
        "How often the case is run; the minimum with `until-ci`, default 3. Each pass draws \
         its own requests.",
    ),
    property("pass-delay", Pause).with_default("0 s").doc("Pause between two passes."),
    property("until-ci", Share).doc(
        "Repeat until the 95 % confidence half-width of throughput is this share of the mean.",
    ),
    property("engine", Word(EngineKind::VARIANTS)).with_default("auto").doc(
        "How requests reach the kernel: `auto` takes rings, calls where files are in memory; \
         `null` does no I/O.",
    ),
    property("buffers", Word(BufferKind::VARIANTS))
        .with_default("heap")
        .doc("Where buffers are allocated."),
    property("cache", Word(CacheMode::VARIANTS))
        .with_default("direct")
        .doc("Bypass the page cache, use it, or use it after dropping the targets."),
    property("kernel-readahead", Size).doc(
        "The kernel's maximum readahead (`read_ahead_kb`) of the devices below the targets, during \
         each trial; root only.",
    ),
    property("kernel-scheduler", Word(Scheduler::VARIANTS)).doc(
        "The kernel's I/O scheduler (`scheduler`) of the drives below the targets, during each \
         trial; root only.",
    ),
    property("kernel-max-request", Size).doc(
        "The largest request that the kernel makes (`max_sectors_kb`) to the drives below the \
         targets, during each trial; root only.",
    ),
    property("kernel-requests", Count).doc(
        "Requests that the kernel's queue of each drive below the targets has room for \
         (`nr_requests`), during each trial; root only.",
    ),
    property("verify", Flag)
        .with_default("#false")
        .doc("Whether every block is stamped when written and checked when read."),
    property("seed", Seed).with_default("1").doc("Root of all randomness."),
    property("sample-interval", Time)
        .with_default("1 s")
        .doc("Interval between samples of the counters."),
];

pub(super) const OVER: &[Property] =
    &[property("over", Selector).doc("The targets, each with `count` streams.")];

/// What only a model uses (a measurement finds these out, or cannot choose them), and whom streams
/// wait for.
pub(super) const MODELLED: &[Property] = &[
    property("on", Selector).doc(
        "Where they run, `count` on each target from each; default: the only host. Measurements \
         ignore it.",
    ),
    property("via", Selector)
        .doc("Only targets whose optimised routes cross this; measurements refuse it."),
    property("hit", Share)
        .doc("Share of requests that the first cache below serves; measurements ignore it."),
    property("behind", Text).doc("The streams that these follow on the same targets."),
    property("lag", Word(Lag::VARIANTS))
        .doc("How `behind` follows: by one record in lockstep, or up to the published position."),
    property("after", Text).doc("The streams that end before these begin."),
    property("start-delay", Pause).doc("`after`: pause between their end and this begin."),
    property("prepare", Word(Prepare::VARIANTS)).doc(
        "`after`: targets are first flushed to stable storage (`sync`), or also dropped from the \
         page cache (`drop`). Default: `drop` with `cache=\"drop\"`, else `none`.",
    ),
];

pub(super) const FAIL: &[Property] = &[
    property("of", Selector).doc("What fails, with all that it contains."),
    property("at", Pause).doc("When, since the start of the pass, warm-up included."),
    property("for", Time).doc("How long until it returns; default: it does not."),
    property("failover", Pause).with_default(FAILOVER).doc(
        "Until requests take other routes and lost ones are sent again; the default of multipath's \
         `fast_io_fail_tmo`.",
    ),
    property("failback", Pause).with_default(FAILBACK).doc(
        "From its return until its routes are used again; the default of multipath's \
         `polling_interval`.",
    ),
];

pub(super) const STREAM_COUNT: &[Property] =
    &[property("count", Count).with_default("1").doc("Streams on each target.")];

pub(super) const STREAM: &[Property] = &[
    property("op", Word(Op::VARIANTS)).with_default("read").doc(
        "`mix` needs `reads`, `spc1-like` has its own. `trim`: `BLKDISCARD` of a device, a hole in \
         a file (`fallocate`). `create`, `stat`, `open`, `unlink`: of a file of a `tree`.",
    ),
    property("reads", Share).doc("Share of a mix's requests that are reads."),
    property("pattern", Word(PatternKind::VARIANTS)).with_default("sequential").doc(
        "The order of offsets. `random-start`: sequential from a random block, another one in \
         each pass, so that a cache does not serve what was read before.",
    ),
    property("stride", Size).doc("`strided`: distance of two requests, in whole blocks."),
    property("theta", Number).doc("`zipf`: exponent of the power law."),
    property("hot-share", Share).doc("`hot`: share of the requests that go to the band."),
    property("hot-band", Share).doc("`hot`: size of the band as share of the region."),
    property("step", Size).doc("`walk`: largest distance, in whole blocks."),
    property("hits", Share).doc("`resident`: share of the requests that hit the set."),
    property("write-hits", Share)
        .doc("`resident`: share of the writes that hit the set, if different from `hits`."),
    property("set", Size).doc("`resident`: size of the set at the start of the region."),
    property("region", Word(Sharing::VARIANTS))
        .with_default("own")
        .doc("Whether streams of one declaration on one target cut it into equal parts."),
    property("block", Size)
        .doc("Bytes of one request; required. `spc1-like` has sizes of 1 to 16 blocks."),
    property("depth", Count).with_default("1").doc("Queue depth: requests in flight."),
    property("advice", Word(Advice::VARIANTS)).with_default("normal").doc(
        "Advice to the kernel (`posix_fadvise`): for the page cache `sequential` doubles \
         readahead, `random` disables it.",
    ),
    property("sync", Word(SyncMode::VARIANTS)).with_default("none").doc(
        "How writes reach stable storage: each by itself (`dsync`, `sync`: `RWF_DSYNC`, \
         `RWF_SYNC`, as `O_DSYNC`, `O_SYNC`), by a flush after every `sync-every` writes (`fsync`, \
         `fdatasync`), by one `fsync` of each stream when it ends (`end`); `none`: a volatile \
         write cache may hold them.",
    ),
    property("sync-every", Count).doc(
        "Writes of a stream between two flushes, 65536 at most; default 1. Those that complete \
         during a flush share the next one (group commit).",
    ),
    property("rate", Rate)
        .doc("Issue at this rate, whatever the storage does: the total of the declaration."),
    property("load", Share).doc("Share of `rate` that is issued: a step of a load sweep."),
    property("arrivals", Word(Arrivals::VARIANTS))
        .doc("Arrival process of a `rate`; default constant (`spc1-like`: always poisson)."),
];

pub(super) const FACTOR: &[Property] =
    &[property("of", PropertyPath).doc("The property that takes the values.")];

pub(super) const STEP: &[Property] = &[
    property("why", Text).doc("The question that it answers."),
    property("needs", Text).doc(
        "What must be there and `iopath runbook` cannot provide: the step is listed with this \
         reason, and not run.",
    ),
    property("like", Text).doc(
        "An experiment before it, by its title: its throughput, of several cases their sum, is \
         expected; at most what the path can carry. Default: what the path can carry.",
    ),
    property("ratio", Number).with_default("1").doc("Expected share of `like`."),
    property("tolerance", Share)
        .with_default("10 %")
        .doc("How far throughput may be from what is expected."),
    property("fair", Share).doc("Least Jain index of the streams."),
];

pub(super) const EXPECTED: &[Property] = &[
    property("tolerance", Share).doc("Allowed error of a figure."),
    property("needs", Text).doc(
        "What decides this figure and is in no bound, so that only a simulation can claim it.",
    ),
    property("bottleneck", Selector).doc("The bottleneck."),
    property("along", Text).doc("The factor along which `best` or `rises` is meant."),
    property("metric", Text).doc("The metric that `ratio` is taken of."),
    property("best", Text).doc("The metric that is best at the chosen level of `along`."),
    property("rises", Text)
        .doc("The metric that never falls along `along`, and ends above its first value."),
];

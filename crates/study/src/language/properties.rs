//! The tables of properties.

use strum::VariantNames;

use super::{Property, ValueType};
use crate::case::{
    Advice, Arrivals, BufferKind, CacheMode, EngineKind, PatternKind, Prepare, Sharing, SyncMode,
};
use crate::system::Policy;
use crate::words::{Lag, Op, Standby, Waiting};

mod software;

pub(super) use software::{
    CACHE, COMMIT, COST, FILE_SYSTEM, ISSUE, MODELLED_FILE, PREFETCH, READAHEAD,
};

const fn property(name: &'static str, takes: ValueType, doc: &'static str) -> Property {
    Property { name, doc, takes, default: None }
}

const fn with_default(property: Property, default: &'static str) -> Property {
    Property { default: Some(default), ..property }
}

const COUNT: Property =
    with_default(property("count", ValueType::Count, "How many of it, within each parent."), "1");

pub(super) const STUDY: &[Property] =
    &[property("source", ValueType::Text, "Where its figures come from.")];

const USE: Property = property(
    "use",
    ValueType::Text,
    "A part of the catalogue or of `parts`; what is stated here goes before what it states.",
);

/// How many, and of what.
pub(super) const MANY: &[Property] = &[COUNT, USE];

pub(super) const SIZE: &[Property] = &[property(
    "size",
    ValueType::Size,
    "The bytes of it that are used, from its beginning; all of it where nothing is said.",
)];

/// Rated capacities of anything that requests cross or end at.
pub(super) const LIMITS: &[Property] = &[
    property("read", ValueType::ByteRate, "Most bytes read per second."),
    property("write", ValueType::ByteRate, "Most bytes written per second."),
    property("both", ValueType::ByteRate, "Most bytes per second, both directions together."),
    property("read-ops", ValueType::OperationRate, "Most reads per second."),
    property("write-ops", ValueType::OperationRate, "Most writes per second."),
    property("ops", ValueType::OperationRate, "Most operations per second, both together."),
    property("latency", ValueType::Pause, "Delay of every request, without a queue."),
    property("outstanding", ValueType::Count, "Most requests in it at one time."),
    property(
        "waiting",
        ValueType::Word(Waiting::VARIANTS),
        "In which order requests that wait for `outstanding` get in: as they came, or any of them, \
         as a device may choose among simple tasks of SCSI.",
    ),
    property(
        "burst",
        ValueType::Size,
        "Bytes that a full token bucket lets through above the rate.",
    ),
    property("burst-rate", ValueType::ByteRate, "The rate while the bucket of bytes lasts."),
    property(
        "burst-ops",
        ValueType::Count,
        "Operations that a full token bucket lets through above the rate.",
    ),
    property(
        "burst-ops-rate",
        ValueType::OperationRate,
        "The rate while the bucket of operations lasts.",
    ),
    property(
        "variability",
        ValueType::Number,
        "Coefficient of variation of its service times: standard deviation over mean.",
    ),
    property("price", ValueType::Number, "Price of one, in the currency of the study."),
    property("rack-units", ValueType::Number, "Space that one takes in a rack."),
];

/// What a machine computes with.
pub(super) const PROCESSOR: &[Property] = &[
    property("cpus", ValueType::Count, "Logical processors that serve requests."),
    property("memory", ValueType::Size, "Main memory."),
    property(
        "memory-rate",
        ValueType::ByteRate,
        "Bytes per second between memory and all that uses it; DMA crosses once, a copy twice \
         more.",
    ),
];

pub(super) const FLUSH: &[Property] = &[property(
    "flush-time",
    ValueType::Pause,
    "How long a flush takes in it, where no cache is in front; 0 where nothing is volatile, as \
     with power-loss protection.",
)];

/// What a disk with an arm spends its time on.
pub(super) const ARM: &[Property] = &[
    property("stream", ValueType::ByteRate, "Rate of one sequential stream under the arm."),
    property(
        "position",
        ValueType::Pause,
        "Mean time to reach a place that does not follow the one before: seek and rotation.",
    ),
    property(
        "position-queued",
        ValueType::Pause,
        "The same with many requests waiting, of which the nearest is taken; `position` where \
         nothing is said.",
    ),
];

const LEVELS: &[u64] = &[0, 1, 3, 4, 5, 6, 10, 50, 60];

/// How a volume lies over its members.
pub(super) const MEMBERS: &[Property] =
    &[property("over", ValueType::Selector, "Its members, in order; or they stand inside it.")];

/// Where a volume is split, and how small its requests must be.
pub(super) const PLACED: &[Property] = &[
    property(
        "at",
        ValueType::Selector,
        "Where it is split: one volume at each; the host of the stream where nothing is said.",
    ),
    property(
        "largest-request",
        ValueType::Size,
        "The largest request that it hands down; larger ones are cut.",
    ),
];

pub(super) const STRIPE: &[Property] =
    &[property("unit", ValueType::Size, "Bytes on one member before the next member's turn.")];

pub(super) const RAID: &[Property] = &[
    property("level", ValueType::Choice(LEVELS), "RAID level; 0 where nothing is said."),
    property("segment", ValueType::Size, "Bytes on one disk before the next disk's turn."),
    property("spares", ValueType::Seed, "Disks that wait for a failure."),
];

pub(super) const MIRROR: &[Property] = &[property(
    "turn",
    ValueType::Size,
    "Bytes that are read of one side before the next one's turn; a request where nothing is said.",
)];

pub(super) const SIDE: &[Property] =
    &[property("of", ValueType::Selector, "The members of this side, paired with the other's.")];

pub(super) const ENDS: &[Property] = &[
    property("from", ValueType::Selector, "One end of each pair."),
    property("to", ValueType::Selector, "The other; as many as `from`, or one for all."),
];

pub(super) const WIRE: &[Property] =
    &[property("latency", ValueType::Pause, "Delay of the way, without a queue.")];

pub(super) const MULTIPATH: &[Property] = &[
    with_default(
        property(
            "policy",
            ValueType::Word(Policy::VARIANTS),
            "How requests choose among the routes; `owner` takes those through the owner only, \
             `fixed` the first of them.",
        ),
        "round-robin",
    ),
    property("most", ValueType::Count, "The most routes that are used; all where nothing is said."),
    with_default(
        property(
            "standby",
            ValueType::Word(Standby::VARIANTS),
            "Whether routes that are not optimised carry requests while others are there.",
        ),
        "idle",
    ),
];

pub(super) const PATH: &[Property] =
    &[property("file", ValueType::Text, "Another study file whose `parts` and `path` are taken.")];

pub(super) const FILE: &[Property] = &[property(
    "directory",
    ValueType::Text,
    "Where a scratch file is made, whatever models are told that it lies on; the working \
     directory where nothing is said.",
)];

pub(super) const TREE: &[Property] = &[
    property("files", ValueType::Count, "How many files; must be said."),
    with_default(
        property(
            "directories",
            ValueType::Count,
            "How many directories they are spread over, each with files that follow one another.",
        ),
        "1",
    ),
    property(
        "file-size",
        ValueType::Size,
        "Bytes of each file: written by `create`, read by `open`; empty where nothing is said.",
    ),
    property(
        "directory",
        ValueType::Text,
        "Where a fresh directory is made for all of it, and removed at the end; the working \
         directory where nothing is said.",
    ),
];

pub(super) const BIND: &[Property] = &[
    property("from", ValueType::Selector, "The targets."),
    property(
        "to",
        ValueType::Paths,
        "As many paths: `[0-3]`, `[a-d]` and `[a,c]` are expanded in order, a comma means then.",
    ),
];

pub(super) const WORKLOAD: &[Property] = &[
    property("time", ValueType::Time, "Length of a pass, without its warm-up."),
    property(
        "amount",
        ValueType::Size,
        "Bytes that all streams together move in a pass, warm-up included; without `time` and \
         `amount` each stream covers its region once.",
    ),
    with_default(
        property("warm-up", ValueType::Pause, "Time at the start of a pass that is not counted."),
        "0 s",
    ),
    with_default(
        property(
            "passes",
            ValueType::Count,
            "How often the same requests are repeated; at least so often with `until-ci`, \
             where the default is 3.",
        ),
        "1",
    ),
    with_default(property("pass-delay", ValueType::Pause, "Pause between two passes."), "0 s"),
    property(
        "until-ci",
        ValueType::Share,
        "Repeat until the 95 % confidence half-width of throughput is this share of the mean.",
    ),
    with_default(
        property(
            "engine",
            ValueType::Word(EngineKind::VARIANTS),
            "How requests are handed to the kernel: `auto` takes rings, but calls where files lie \
             in memory; `null` completes all at once.",
        ),
        "auto",
    ),
    with_default(
        property(
            "buffers",
            ValueType::Word(BufferKind::VARIANTS),
            "Where the data lies in memory.",
        ),
        "heap",
    ),
    with_default(
        property(
            "cache",
            ValueType::Word(CacheMode::VARIANTS),
            "Past the page cache, through it, or through it after it was emptied of the targets.",
        ),
        "direct",
    ),
    property(
        "kernel-readahead",
        ValueType::Size,
        "What the kernel reads ahead at most on the devices below the targets (`read_ahead_kb`): \
         set before a trial and restored after it, by root only.",
    ),
    with_default(
        property(
            "verify",
            ValueType::Flag,
            "Whether every block is stamped when written and checked when read.",
        ),
        "#false",
    ),
    with_default(property("seed", ValueType::Seed, "Root of all randomness."), "1"),
    with_default(
        property("sample-interval", ValueType::Time, "Distance of two samples of the counters."),
        "1 s",
    ),
];

pub(super) const OVER: &[Property] =
    &[property("over", ValueType::Selector, "The targets, each with `count` streams.")];

/// What only a model uses (a measurement finds these out, or cannot choose them), and whom streams
/// wait for.
pub(super) const MODELLED: &[Property] = &[
    property(
        "on",
        ValueType::Selector,
        "Where the streams run, with `count` on each target from each; the only host where \
         nothing is said.",
    ),
    property("via", ValueType::Selector, "Keeps the targets whose optimised routes cross this."),
    property(
        "hit",
        ValueType::Share,
        "Share of the requests that the first cache below serves: a model assumes it, a \
         measurement finds it out.",
    ),
    property("behind", ValueType::Text, "The streams that these follow on the same targets."),
    property(
        "lag",
        ValueType::Word(Lag::VARIANTS),
        "How `behind` follows: by one record in lockstep, or up to the published position.",
    ),
    property("after", ValueType::Text, "The streams that end before these begin."),
    property("start-delay", ValueType::Pause, "`after`: pause between their end and this begin."),
    property(
        "prepare",
        ValueType::Word(Prepare::VARIANTS),
        "`after`: what is done to the targets of these before they begin. `sync`: what was written \
         is flushed to stable storage. `drop`: and the page cache is emptied of it. Where nothing \
         is said, `drop` with `cache=\"drop\"`, else `none`.",
    ),
];

pub(super) const STREAM_COUNT: &[Property] =
    &[with_default(property("count", ValueType::Count, "Streams on each target."), "1")];

pub(super) const STREAM: &[Property] = &[
    with_default(
        property(
            "op",
            ValueType::Word(Op::VARIANTS),
            "What a request does; `mix` needs `reads`. `spc1-like` has a mix of its own. `trim` \
             discards its range: `BLKDISCARD` of a device, a hole in a file (`fallocate`). \
             `create`, `stat`, `open` and `unlink` do that to a file of a `tree`.",
        ),
        "read",
    ),
    property("reads", ValueType::Share, "Share of a mix's requests that are reads."),
    with_default(
        property("pattern", ValueType::Word(PatternKind::VARIANTS), "The order of offsets."),
        "sequential",
    ),
    property("stride", ValueType::Size, "`strided`: distance of two requests, in whole blocks."),
    property("theta", ValueType::Number, "`zipf`: exponent of the power law."),
    property("hot-share", ValueType::Share, "`hot`: share of the requests that go to the band."),
    property("hot-band", ValueType::Share, "`hot`: size of the band as share of the region."),
    property("step", ValueType::Size, "`walk`: largest distance, in whole blocks."),
    property("hits", ValueType::Share, "`resident`: share of the requests that hit the set."),
    property(
        "write-hits",
        ValueType::Share,
        "`resident`: share of the writes that hit the set, where it is not that of the reads.",
    ),
    property("set", ValueType::Size, "`resident`: size of the set at the start of the region."),
    with_default(
        property(
            "region",
            ValueType::Word(Sharing::VARIANTS),
            "Whether streams of one declaration on one target cut it into equal parts.",
        ),
        "own",
    ),
    property(
        "block",
        ValueType::Size,
        "Bytes of one request; must be said. `spc1-like` has sizes of 1 to 16 blocks.",
    ),
    with_default(property("depth", ValueType::Count, "Requests wanted in flight."), "1"),
    with_default(
        property(
            "advice",
            ValueType::Word(Advice::VARIANTS),
            "What the kernel is told of the order (`posix_fadvise`): through the page cache it \
             doubles its readahead with `sequential` and reads nothing ahead with `random`.",
        ),
        "normal",
    ),
    with_default(
        property(
            "sync",
            ValueType::Word(SyncMode::VARIANTS),
            "How writes reach stable storage. `dsync`, `sync`: each write by itself (`RWF_DSYNC`, \
             `RWF_SYNC`, as `O_DSYNC` and `O_SYNC`). `fsync`, `fdatasync`: a flush after every \
             `sync-every` writes. `end`: one `fsync` of each stream when it ends. `none`: a \
             volatile write cache may hold them.",
        ),
        "none",
    ),
    property(
        "sync-every",
        ValueType::Count,
        "`fsync`, `fdatasync`: writes of a stream between two flushes, 65536 at most; default 1. \
         Writes that complete while a flush is under way share the next one (group commit).",
    ),
    property(
        "rate",
        ValueType::Rate,
        "Issue at this rate, whatever the storage does: the total of the declaration.",
    ),
    property("load", ValueType::Share, "Share of `rate` that is issued: a rung of a ladder."),
    property(
        "arrivals",
        ValueType::Word(Arrivals::VARIANTS),
        "How the times of a `rate` are spread; constant where nothing is said, but for \
         `spc1-like`, which is always poisson.",
    ),
];

pub(super) const FACTOR: &[Property] =
    &[property("of", ValueType::PropertyPath, "The property that takes the values.")];

pub(super) const EXPECTED: &[Property] = &[
    property("tolerance", ValueType::Share, "How far a figure may be off."),
    property(
        "needs",
        ValueType::Text,
        "What decides this figure that a bound leaves out: only a simulation can claim it.",
    ),
    property("bottleneck", ValueType::Selector, "The component that limits."),
    property("along", ValueType::Text, "The factor along which `best` or `rises` is meant."),
    property("metric", ValueType::Text, "The metric that `ratio` is taken of."),
    property("best", ValueType::Text, "The metric that is best at the chosen level of `along`."),
    property(
        "rises",
        ValueType::Text,
        "The metric that rises along the factor `along`: it never falls, and the last is above the \
         first.",
    ),
];

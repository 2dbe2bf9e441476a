//! The tables of properties.

use super::{Property, ValueType};

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

pub(super) const CONTAINER: &[Property] = &[COUNT];

pub(super) const COMPONENT: &[Property] = &[
    COUNT,
    property(
        "size",
        ValueType::Size,
        "The bytes of it that are used, from its beginning; all of it where nothing is said.",
    ),
];

pub(super) const FILE: &[Property] = &[property(
    "directory",
    ValueType::Text,
    "Where a scratch file is made; the working directory where nothing is said.",
)];

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
            ValueType::Word(&["auto", "uring", "calls", "threads", "mmap", "null"]),
            "How requests are handed to the kernel: `auto` takes rings, but calls where files lie \
             in memory; `null` completes all at once.",
        ),
        "auto",
    ),
    with_default(
        property(
            "buffers",
            ValueType::Word(&["heap", "shared", "huge", "huge-required"]),
            "Where the data lies in memory.",
        ),
        "heap",
    ),
    with_default(
        property(
            "cache",
            ValueType::Word(&["direct", "buffered", "drop"]),
            "Past the page cache, through it, or through it after it was emptied of the targets.",
        ),
        "direct",
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

pub(super) const STREAM_COUNT: &[Property] =
    &[with_default(property("count", ValueType::Count, "Streams on each target."), "1")];

pub(super) const STREAM: &[Property] = &[
    with_default(
        property(
            "op",
            ValueType::Word(&["read", "write", "mix"]),
            "What a request does; `mix` needs `reads`.",
        ),
        "read",
    ),
    property("reads", ValueType::Share, "Share of a mix's requests that are reads."),
    with_default(
        property(
            "pattern",
            ValueType::Word(&[
                "sequential",
                "staggered",
                "interleaved",
                "backwards",
                "strided",
                "random",
                "zipf",
                "hot",
                "walk",
                "resident",
            ]),
            "The order of offsets.",
        ),
        "sequential",
    ),
    property("stride", ValueType::Size, "`strided`: distance of two requests, in whole blocks."),
    property("theta", ValueType::Number, "`zipf`: exponent of the power law."),
    property("hot-share", ValueType::Share, "`hot`: share of the requests that go to the band."),
    property("hot-band", ValueType::Share, "`hot`: size of the band as share of the region."),
    property("step", ValueType::Size, "`walk`: largest distance, in whole blocks."),
    property("hits", ValueType::Share, "`resident`: share of the requests that hit the set."),
    property("set", ValueType::Size, "`resident`: size of the set at the start of the region."),
    with_default(
        property(
            "region",
            ValueType::Word(&["own", "shared"]),
            "Whether streams of one declaration on one target cut it into equal parts.",
        ),
        "own",
    ),
    property("block", ValueType::Size, "Bytes of one request; must be said."),
    with_default(property("depth", ValueType::Count, "Requests wanted in flight."), "1"),
    property(
        "rate",
        ValueType::Rate,
        "Issue at this rate, whatever the storage does: the total of the declaration.",
    ),
    property(
        "arrivals",
        ValueType::Word(&["constant", "poisson"]),
        "How the times of a `rate` are spread; constant where nothing is said.",
    ),
];

pub(super) const FACTOR: &[Property] =
    &[property("of", ValueType::PropertyPath, "The property that takes the values.")];

pub(super) const EXPECTED: &[Property] = &[
    property("tolerance", ValueType::Share, "How far a figure may be off."),
    property("bottleneck", ValueType::Selector, "The component that limits."),
    property("along", ValueType::Text, "The factor along which `best` or `rises` is meant."),
    property("metric", ValueType::Text, "The metric that `ratio` is taken of."),
    property("best", ValueType::Text, "The metric that is best at the chosen level of `along`."),
    property("rises", ValueType::Text, "The metric that never falls along the factor `along`."),
];

//! The properties of software: file systems and what belongs to them, caches, costs.

use strum::VariantNames;

use super::{property, with_default};
use crate::language::{Property, ValueType};
use crate::words::{Extents, FileLock, FlushedBy, Issue, PageCache, WindowGrowth, WriteCache};

pub(in crate::language) const FILE_SYSTEM: &[Property] = &[
    property("on", ValueType::Selector, "The volumes or devices that it lies on."),
    property("block", ValueType::Size, "Its block; requests on several members are cut there."),
    property("record", ValueType::Size, "What it reads and writes as a whole, as ZFS does."),
    with_default(
        property(
            "cache",
            ValueType::Word(PageCache::VARIANTS),
            "Whether requests pass the page cache by or go through it.",
        ),
        "direct",
    ),
    property(
        "lock",
        ValueType::Word(FileLock::VARIANTS),
        "Whether one writer at a time has a file, or none is kept out.",
    ),
    property(
        "allocation",
        ValueType::Word(Extents::VARIANTS),
        "How blocks follow one another on the members.",
    ),
];

pub(in crate::language) const MODELLED_FILE: &[Property] = &[
    property("on", ValueType::Selector, "The file system that it lies in."),
    property("extents", ValueType::Word(Extents::VARIANTS), "How its blocks follow one another."),
];

pub(in crate::language) const CACHE: &[Property] = &[
    with_default(
        property(
            "write",
            ValueType::Word(WriteCache::VARIANTS),
            "`back` answers a write when it is in the cache; `through` when it is below.",
        ),
        "back",
    ),
    with_default(
        property("mirror", ValueType::Flag, "Whether each write crosses to the partner too."),
        "#false",
    ),
    property("flush", ValueType::Word(FlushedBy::VARIANTS), "Whether a sync request empties it."),
    property("flush-time", ValueType::Pause, "What a sync request takes at least."),
    property("flush-start", ValueType::Share, "Share of it that is dirty when destaging begins."),
    property("flush-stop", ValueType::Share, "Share of it that is dirty when destaging ends."),
    property("flush-age", ValueType::Time, "Age at which data goes to the media in any case."),
    property("block", ValueType::Size, "Its allocation unit."),
    property("read-ahead", ValueType::Flag, "Whether it reads ahead of sequential streams."),
    property(
        "read-ahead-size",
        ValueType::Size,
        "Bytes that it reads ahead of each sequential stream; with `read-ahead` only.",
    ),
    property("battery", ValueType::Flag, "Whether its content survives a loss of power."),
    property("both", ValueType::ByteRate, "Most bytes per second through it, both directions."),
    property("latency", ValueType::Pause, "Delay of every request that it serves."),
];

pub(in crate::language) const READAHEAD: &[Property] = &[
    property("unit", ValueType::Size, "Bytes of one request to the volume."),
    property(
        "streams",
        ValueType::Seed,
        "Requests that it keeps in flight at most; 0 turns it off.",
    ),
    with_default(property("trigger", ValueType::Count, "Sequential reads that start it."), "2"),
    with_default(
        property(
            "growth",
            ValueType::Word(WindowGrowth::VARIANTS),
            "Whether the window of a reader begins at `start` and doubles each time that the \
             reader has passed it, or is whole from the beginning.",
        ),
        "doubling",
    ),
    with_default(
        property("start", ValueType::Count, "`doubling`: units of the first window."),
        "2",
    ),
    property(
        "patience",
        ValueType::Time,
        "`doubling`: a window grows only if its reader waited no longer for a unit since it last \
         could; where nothing is said it always grows.",
    ),
];

pub(in crate::language) const PREFETCH: &[Property] = &[
    property("threads", ValueType::Count, "Threads that all streams share."),
    property("rate-cap", ValueType::ByteRate, "Rate above which no further thread is used."),
];

pub(in crate::language) const ISSUE: &[Property] = &[
    with_default(
        property(
            "mode",
            ValueType::Word(Issue::VARIANTS),
            "Whether the parts of one request go out at once or one after the other.",
        ),
        "parallel",
    ),
    with_default(
        property("pinned", ValueType::Flag, "Whether buffers are pinned before, not per request."),
        "#true",
    ),
];

pub(in crate::language) const COST: &[Property] = &[
    property("request", ValueType::Time, "Processor time of one request."),
    property("copy", ValueType::ByteRate, "Bytes per second that one processor copies."),
    property("pin", ValueType::ByteRate, "Bytes per second of which one processor pins the pages."),
    property(
        "prepare",
        ValueType::ByteRate,
        "Bytes per second that the thread of a stream prepares for transfer, on one processor, \
         before the parts of a request go out.",
    ),
    property(
        "part",
        ValueType::Time,
        "Processor time of each part that a request to a volume of the machine becomes; parts go \
         out one after the other as it is spent.",
    ),
];

/// Groups of what was written, as file systems with transactions commit them.
pub(in crate::language) const COMMIT: &[Property] = &[
    property(
        "interval",
        ValueType::Time,
        "How often what was written is committed to the volume as a group.",
    ),
    property("dirty", ValueType::Size, "Bytes that writers may have uncommitted before they wait."),
    with_default(
        property(
            "flushes",
            ValueType::Seed,
            "Flushes of the caches below, each waited for, at each commit.",
        ),
        "0",
    ),
    with_default(
        property(
            "growth-flushes",
            ValueType::Seed,
            "The same, additionally, for a group in which files grow.",
        ),
        "0",
    ),
];

//! The properties of software: file systems and what belongs to them, caches, costs.

use strum::VariantNames;

use super::{USE, property};
use crate::language::Property;
use crate::language::ValueType::{
    ByteRate, Count, Flag, Pause, Seed, Selector, Share, Size, Time, Word,
};
use crate::words::{Extents, FileLock, FlushedBy, Issue, PageCache, WindowGrowth, WriteCache};

pub(in crate::language) const FILE_SYSTEM: &[Property] = &[
    property("on", Selector).doc("Its volumes or devices."),
    property("block", Size).doc("Its block; requests on several members are split there."),
    property("record", Size).doc("What it reads and writes as a whole, as ZFS does."),
    property("cache", Word(PageCache::VARIANTS))
        .with_default("direct")
        .doc("Whether requests bypass the page cache or use it."),
    property("lock", Word(FileLock::VARIANTS)).doc(
        "What is locked of a file: all (`inode`: one writer at a time), ranges (`range`), or \
         nothing.",
    ),
    property("lock-unit", Size)
        .doc("`range`: granularity of the ranges that are locked; default: `block`."),
    property("allocation", Word(Extents::VARIANTS)).doc("Order of blocks on the members."),
];

pub(in crate::language) const MODELLED_FILE: &[Property] = &[
    property("on", Selector).doc("Its file system."),
    property("extents", Word(Extents::VARIANTS)).doc("Order of its blocks."),
];

pub(in crate::language) const CACHE: &[Property] = &[
    property("write", Word(WriteCache::VARIANTS))
        .with_default("back")
        .doc("`back` completes a write when it is in the cache, `through` when it is below."),
    property("mirror", Flag)
        .with_default("#false")
        .doc("Whether each write also goes to the partner."),
    property("flush", Word(FlushedBy::VARIANTS))
        .doc("Whether a sync request destages it; not stated: it does not, as with a battery."),
    property("flush-time", Pause).doc("Minimum time of a sync request."),
    property("flush-start", Share).doc("Share of it that is dirty when destaging begins."),
    property("flush-stop", Share).doc("Share of it that is dirty when destaging ends."),
    property("flush-age", Time).doc("Age at which data is always destaged."),
    property("block", Size).doc("Its allocation unit."),
    property("read-ahead", Flag).doc("Whether it reads ahead of sequential streams."),
    property("read-ahead-size", Size)
        .doc("Bytes that it reads ahead of each sequential stream; with `read-ahead` only."),
    property("battery", Flag).doc("Whether its content survives a loss of power."),
    property("both", ByteRate).doc("Maximum bytes per second through it, both directions."),
    property("latency", Pause).doc("Delay of every request that it serves."),
];

pub(in crate::language) const READAHEAD: &[Property] = &[
    property("unit", Size).doc("Bytes of one request to the volume."),
    property("streams", Seed).doc("Maximum requests in flight; 0 turns it off."),
    property("trigger", Count).with_default("2").doc("Sequential reads that start it."),
    property("growth", Word(WindowGrowth::VARIANTS)).with_default("doubling").doc(
        "Whether a reader's window begins at `start` and doubles each time the reader has passed \
         it, or is full at once.",
    ),
    property("start", Count).with_default("2").doc("`doubling`: units of the first window."),
    property("patience", Time).doc(
        "`doubling`: a window grows only if its reader waited no longer than this for a unit since \
         it last grew; default: always.",
    ),
];

pub(in crate::language) const PREFETCH: &[Property] = &[
    property("threads", Count).doc("Threads that all streams share."),
    property("rate-cap", ByteRate).doc("Rate above which no further thread is used."),
];

pub(in crate::language) const ISSUE: &[Property] = &[
    property("mode", Word(Issue::VARIANTS))
        .with_default("parallel")
        .doc("Whether the parts of one request go out at once or in turn."),
    property("pinned", Flag)
        .with_default("#true")
        .doc("Whether buffers are pinned before, not per request."),
];

pub(in crate::language) const COST: &[Property] = &[
    USE,
    property("request", Pause).doc("Processor time of one request."),
    property("copy", ByteRate).doc("Bytes per second that one processor copies."),
    property("transform", ByteRate).doc(
        "Bytes per second that one processor checksums, encrypts, compresses or, in a controller, \
         moves.",
    ),
    property("parity", ByteRate)
        .doc("Bytes per second that one processor writes to volumes with parity, computing it."),
    property("crossings", Count).doc(
        "Additional crossings of memory of each byte, as for `transform`: 1 where it is only read, \
         2 where the result is written.",
    ),
    property("pin", ByteRate).doc("Bytes per second of which one processor pins the pages."),
    property("revoke", Pause).doc(
        "Processor time to take a lock (token) from the stream that held it last and grant it to \
         another; per `lock-unit` or file, as `lock` says.",
    ),
    property("prepare", ByteRate).doc(
        "Bytes per second that a stream's thread prepares, on one processor, before the parts of a \
         request go out.",
    ),
    property("part", Pause).doc(
        "Processor time of each part of a request to a volume of the machine; parts leave as it is \
         spent.",
    ),
];

/// Groups of what was written, as file systems with transactions commit them.
pub(in crate::language) const COMMIT: &[Property] = &[
    property("interval", Time).doc("Interval of group commits to the volume."),
    property("dirty", Size).doc("Uncommitted bytes at which writers wait."),
    property("flushes", Seed)
        .with_default("0")
        .doc("Flushes of the caches below at each commit, each waited for."),
    property("growth-flushes", Seed)
        .with_default("0")
        .doc("The same, additionally, for a group in which files grow."),
];

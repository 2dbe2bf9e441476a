//! The properties of software: file systems and what belongs to them, caches, costs.

use strum::VariantNames;

use super::property;
use crate::language::Property;
use crate::language::ValueType::{
    ByteRate, Count, Flag, Pause, Seed, Selector, Share, Size, Time, Word,
};
use crate::words::{Extents, FileLock, FlushedBy, Issue, PageCache, WindowGrowth, WriteCache};

pub(in crate::language) const FILE_SYSTEM: &[Property] = &[
    property("on", Selector).doc("The volumes or devices that it lies on."),
    property("block", Size).doc("Its block; requests on several members are cut there."),
    property("record", Size).doc("What it reads and writes as a whole, as ZFS does."),
    property("cache", Word(PageCache::VARIANTS))
        .with_default("direct")
        .doc("Whether requests pass the page cache by or go through it."),
    property("lock", Word(FileLock::VARIANTS))
        .doc("Whether one writer at a time has a file, or none is kept out."),
    property("allocation", Word(Extents::VARIANTS))
        .doc("How blocks follow one another on the members."),
];

pub(in crate::language) const MODELLED_FILE: &[Property] = &[
    property("on", Selector).doc("The file system that it lies in."),
    property("extents", Word(Extents::VARIANTS)).doc("How its blocks follow one another."),
];

pub(in crate::language) const CACHE: &[Property] = &[
    property("write", Word(WriteCache::VARIANTS))
        .with_default("back")
        .doc("`back` answers a write when it is in the cache; `through` when it is below."),
    property("mirror", Flag)
        .with_default("#false")
        .doc("Whether each write crosses to the partner too."),
    property("flush", Word(FlushedBy::VARIANTS)).doc("Whether a sync request empties it."),
    property("flush-time", Pause).doc("What a sync request takes at least."),
    property("flush-start", Share).doc("Share of it that is dirty when destaging begins."),
    property("flush-stop", Share).doc("Share of it that is dirty when destaging ends."),
    property("flush-age", Time).doc("Age at which data goes to the media in any case."),
    property("block", Size).doc("Its allocation unit."),
    property("read-ahead", Flag).doc("Whether it reads ahead of sequential streams."),
    property("read-ahead-size", Size)
        .doc("Bytes that it reads ahead of each sequential stream; with `read-ahead` only."),
    property("battery", Flag).doc("Whether its content survives a loss of power."),
    property("both", ByteRate).doc("Most bytes per second through it, both directions."),
    property("latency", Pause).doc("Delay of every request that it serves."),
];

pub(in crate::language) const READAHEAD: &[Property] = &[
    property("unit", Size).doc("Bytes of one request to the volume."),
    property("streams", Seed).doc("Requests that it keeps in flight at most; 0 turns it off."),
    property("trigger", Count).with_default("2").doc("Sequential reads that start it."),
    property("growth", Word(WindowGrowth::VARIANTS)).with_default("doubling").doc(
        "Whether the window of a reader begins at `start` and doubles each time that the reader \
         has passed it, or is whole from the beginning.",
    ),
    property("start", Count).with_default("2").doc("`doubling`: units of the first window."),
    property("patience", Time).doc(
        "`doubling`: a window grows only if its reader waited no longer for a unit since it last \
         could; where nothing is said it always grows.",
    ),
];

pub(in crate::language) const PREFETCH: &[Property] = &[
    property("threads", Count).doc("Threads that all streams share."),
    property("rate-cap", ByteRate).doc("Rate above which no further thread is used."),
];

pub(in crate::language) const ISSUE: &[Property] = &[
    property("mode", Word(Issue::VARIANTS))
        .with_default("parallel")
        .doc("Whether the parts of one request go out at once or one after the other."),
    property("pinned", Flag)
        .with_default("#true")
        .doc("Whether buffers are pinned before, not per request."),
];

pub(in crate::language) const COST: &[Property] = &[
    property("request", Time).doc("Processor time of one request."),
    property("copy", ByteRate).doc("Bytes per second that one processor copies."),
    property("pin", ByteRate).doc("Bytes per second of which one processor pins the pages."),
    property("prepare", ByteRate).doc(
        "Bytes per second that the thread of a stream prepares for transfer, on one processor, \
         before the parts of a request go out.",
    ),
    property("part", Time).doc(
        "Processor time of each part that a request to a volume of the machine becomes; parts go \
         out one after the other as it is spent.",
    ),
];

/// Groups of what was written, as file systems with transactions commit them.
pub(in crate::language) const COMMIT: &[Property] = &[
    property("interval", Time)
        .doc("How often what was written is committed to the volume as a group."),
    property("dirty", Size).doc("Bytes that writers may have uncommitted before they wait."),
    property("flushes", Seed)
        .with_default("0")
        .doc("Flushes of the caches below, each waited for, at each commit."),
    property("growth-flushes", Seed)
        .with_default("0")
        .doc("The same, additionally, for a group in which files grow."),
];

//! Which streams are read ahead of, and how: those that read, past the kernel's page cache, a file
//! of a described file system that has a page cache and a `readahead`.
//!
//! Through the kernel's own page cache the kernel reads ahead itself; two of them would hide one
//! another. What a study leaves out is taken as in predictions: units of 128 KiB, one at a time.

use iopath_study::Case;
use iopath_study::case::{CacheMode, EngineKind, Stream, Verify};
use iopath_study::words::PageCache;
use iopath_units::Ratio;
use iopath_workload::Span;
use iopath_workload::readahead::Settings;

use crate::engine::choice::Way;
use crate::engine::readahead::Ahead;

/// How it is read ahead of a stream, if at all.
pub(crate) fn of(case: &Case, engine: Way, stream: &Stream, span: Span) -> Option<Ahead> {
    let settings = used(case, engine, stream)?;
    Some(Ahead { settings, end: span.offset + span.bytes })
}

/// The same without the place in the target: where several workers share a stream, none of them
/// reads in sequence.
pub(crate) fn used(case: &Case, engine: Way, stream: &Stream) -> Option<Settings> {
    settings(case, stream).filter(|_| engine.workers(stream.depth) == 1)
}

/// What a case asks for, whatever engine there will be.
pub(crate) fn settings(case: &Case, stream: &Stream) -> Option<Settings> {
    if case.workload.cache != CacheMode::Direct || stream.reads.0 == 0 {
        return None;
    }
    let system = &case.system;
    let part = case.targets.get(stream.target)?.part;
    let below = *system.parts.get(part.0)?.members.first()?;
    let is_buffered = system.choice(below, "cache") == Some(PageCache::Buffered);
    let is_file_system = system.kind(below) == "filesystem";
    let settings = Settings::of(system, below)?;
    (is_file_system && is_buffered && settings.streams > 0).then_some(settings)
}

/// What keeps streams of a case from being read ahead of.
pub(crate) fn obstacles(case: &Case) -> impl Iterator<Item = String> + '_ {
    let ahead = |stream: &&Stream| settings(case, stream).is_some();
    case.streams.iter().filter(ahead).filter_map(|stream| obstacle(case, stream))
}

fn obstacle(case: &Case, stream: &Stream) -> Option<String> {
    let group = &stream.group;
    if stream.modelled.behind.is_some() {
        return Some(format!(
            "stream {group}: readahead would return data that its writer has not written yet; \
             remove behind, or set streams=0 in readahead"
        ));
    }
    if case.workload.engine == EngineKind::Threads && stream.depth > 1 {
        return Some(format!(
            "stream {group}: with threads no single reader is sequential; with readahead use \
             engine=\"uring\", or depth=1"
        ));
    }
    let writes = |other: &&Stream| other.target == stream.target && other.reads != Ratio::ONE;
    let others = case.streams.iter().filter(|other| other.name != stream.name);
    let writer = others.filter(|_| case.workload.verify == Verify::Stamps).find(writes)?;
    Some(format!(
        "stream {group}: its readahead does not see writes of {}, so it cannot be verified; \
         remove verify, or set streams=0 in readahead",
        writer.group
    ))
}

//! A pool of threads that read ahead and write behind for all streams of a file system.
//!
//! * Sequential buffered reads are fetched ahead block by block, as many blocks of a reader as
//!   there are threads, and no more than the `pool` has room for. Each block that is read or
//!   written behind holds a thread as long as it is under way.
//! * `rate-cap` is the rate above which no further thread is used: blocks go out at that rate.
//! * Copies are spread over the processors; without such threads the reader's own copies alone.
//!
//! Assumed: a reader's window is whole at once, and starts with its second read. Left out: how the
//! threads are shared where readers do not get along with their windows.

use iopath_study::{PartId, System};
use iopath_units::Bytes;
use iopath_workload::readahead::{Growth, Settings};

/// Sequential reads that start it.
const TRIGGER: u32 = 2;

/// How the threads of a file system read ahead of a stream, where it has such.
pub(super) fn settings(system: &System, file_system: PartId) -> Option<Settings> {
    let inside = |kind: &str| system.children(file_system).find(|part| system.kind(*part) == kind);
    let threads = system.count(inside("prefetch")?, "threads")?;
    let unit = system.block(file_system);
    let room = inside("pool").and_then(|pool| system.size(pool, "size"));
    let blocks = room.map_or(u64::MAX, |Bytes(room)| (room / unit.0.max(1)).max(1));
    let streams = u32::try_from(threads.min(blocks)).unwrap_or(u32::MAX);
    Some(Settings { unit, streams, trigger: TRIGGER, growth: Growth::AtOnce })
}

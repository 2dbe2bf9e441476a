//! Why a trial ended before its time, in words that say where and what to do.

use std::io;
use std::path::PathBuf;

use iopath_record::BadBlocks;
use thiserror::Error;

/// What ended a trial. What was measured before is kept.
#[derive(Debug, Error)]
pub enum Failure {
    /// The kernel failed a request.
    #[error("{what} of {bytes} bytes at {offset} of {target} failed: {source}{}", hint(source))]
    Request { target: String, what: String, offset: u64, bytes: u32, source: io::Error },
    /// The kernel failed a request for a file of a tree.
    #[error("{what} of {} failed: {source}{}", path.display(), hint(source))]
    File { what: String, path: PathBuf, source: io::Error },
    /// A read met the end of the target.
    #[error("{target} ended at {offset}: it shrank while it was read")]
    Ended { target: String, offset: u64 },
    /// The page cache took what was written, and the device did not.
    #[error("{target}: writes did not reach the device: {source}{}", hint(source))]
    WriteBack { target: String, source: io::Error },
    /// A target could not be made ready for streams that begin after others.
    #[error("{target} could not be prepared for streams with after=: {source}{}", hint(source))]
    Prepare { target: String, source: io::Error },
    /// What was read is not what was written. All passes were made nevertheless, and all that was
    /// written was read back.
    #[error("{}: {found}; {}{}", verified(found), first(found), written_first(found))]
    Damaged {
        /// What was found in the whole trial.
        found: Box<BadBlocks>,
        /// What of it was found by reading back; the records of the passes have the rest.
        read_back: Box<BadBlocks>,
    },
    /// A stream could not be set up.
    #[error("stream {stream} could not be set up: {source}{}", hint(source))]
    SetUp { stream: String, source: io::Error },
    /// The ranks of a run cannot reach each other any more.
    #[error(transparent)]
    Ranks(#[from] iopath_ranks::Lost),
    /// The engine itself failed.
    #[error("stream {stream}: the engine failed: {source}")]
    Engine { stream: String, source: io::Error },
}

/// What verification came to: what has no stamp may be wrong, but nothing says so.
fn verified(found: &BadBlocks) -> &'static str {
    match found.are_unwritten() {
        true => "verification cannot judge everything",
        false => "verification found wrong data",
    }
}

/// What to do about blocks without a usable stamp: whether they ever had one is not known.
fn written_first(found: &BadBlocks) -> &'static str {
    match found.are_unwritten() {
        true => {
            "; write them first, with --verify and the same block; if that was done, they have \
             been overwritten, discarded or lost since"
        }
        false => "",
    }
}

/// The first bad block, with its place.
fn first(found: &BadBlocks) -> String {
    let first = found.listed.first();
    first.map_or_else(String::new, |block| format!("the first: {}: {}", block.target, block.what))
}

/// What to do about the errors that people meet most.
fn hint(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::ENOSPC) => "; the file system is full: use a smaller size, or free space",
        Some(libc::EIO) => "; the device reported an error: see the kernel log (dmesg)",
        Some(libc::ENODEV | libc::ENXIO | libc::ENOTCONN | libc::ECONNABORTED) => {
            "; the device has gone away"
        }
        Some(libc::EINVAL) => {
            "; direct I/O may need a larger block or alignment: see `iopath plan`"
        }
        Some(libc::EOPNOTSUPP) => "; not supported by the file system or the device",
        Some(libc::ENOMEM) => {
            "; not enough memory for buffers or rings: use fewer streams, less depth, or raise \
             `ulimit -l`"
        }
        Some(libc::EMFILE | libc::ENFILE) => "; too many open files: raise `ulimit -n`",
        _ => "",
    }
}

//! The engine door: how a worker's requests reach the kernel and come back.
//!
//! A worker queues any number of requests and then exchanges: everything queued is handed over, and
//! what has completed is handed back, one system call for both where the engine can. An engine may
//! stand on another: a volume splits requests over the files of the one below.

pub(crate) mod calls;
pub(crate) mod choice;
pub(crate) mod files;
pub(crate) mod locked;
pub(crate) mod mapping;
pub(crate) mod null;
pub(crate) mod readahead;
pub(crate) mod ring;
#[cfg(test)]
pub(crate) mod scripted;
pub(crate) mod trims;
pub(crate) mod volume;

use std::io;

use iopath_units::Op;
use iopath_workload::journal::Durable;

use crate::slots::SlotId;

/// One request as an engine sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Io {
    pub slot: SlotId,
    pub op: Op,
    /// Which of the worker's files.
    pub member: u16,
    pub offset: u64,
    pub bytes: u32,
    /// The data: inside the worker's buffers, and not touched by the worker until it is done.
    pub address: *mut u8,
}

/// The slot of a flush: a worker has at most one out.
pub(crate) const FLUSH: SlotId = SlotId::MAX;

/// How what is written reaches stable storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Durability {
    /// Flags of each write: `RWF_DSYNC`, `RWF_SYNC` or none.
    pub write_flags: i32,
    /// A flush leaves out metadata that no read needs (`fdatasync`).
    pub data_only: bool,
}

impl Durability {
    /// When a write that is done is on stable storage.
    pub(crate) fn of_writes(self) -> Durable {
        if self.write_flags == 0 { Durable::WhenFlushed } else { Durable::AtOnce }
    }
}

/// One completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub slot: SlotId,
    /// Bytes transferred, 0 for a flush, or a negated errno.
    pub result: i32,
}

/// Where a request failed that has several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Which of the worker's files.
    pub member: u16,
    /// Where in it.
    pub offset: u64,
}

/// How long an exchange waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Not at all.
    Poll,
    /// Until one completion is there.
    One,
    /// Until one completion is there or this much time has passed.
    OneWithin {
        /// In nanoseconds.
        nanos: u64,
    },
}

/// A way to the kernel.
pub(crate) trait Engine {
    /// Whether one call follows the other: what is queued behind a flush would wait for it.
    const BLOCKS: bool = false;

    /// Takes a request over. It may stay here until the next exchange.
    fn queue(&mut self, io: Io);

    /// Takes a flush of one of the worker's files over: what was written to it before is put on
    /// stable storage. A volume flushes all of its files.
    fn flush(&mut self, slot: SlotId, member: u16);

    /// Hands over what is queued, waits, and appends completions to `done`.
    fn exchange(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()>;

    /// Where the request that failed in this slot failed, if that is not where it was asked for.
    /// Told once, before the slot is used again.
    fn fault(&mut self, _: SlotId) -> Option<Fault> {
        None
    }
}

/// What a call of this thread failed with, as a result.
fn last_error() -> i32 {
    -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

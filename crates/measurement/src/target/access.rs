//! Reading and writing a target outside of passes: one request after the other, through the
//! volume where there is one.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;

use iopath_study::case::BufferKind;
use iopath_units::{Action, Op};

use super::OpenTarget;
use crate::buffers::Buffers;
use crate::clock::Monotonic;
use crate::engine::Durability;
use crate::engine::calls::Calls;
use crate::engine::volume::{Composed, Ground, most_inside};
use crate::engine::{Engine, Io, Wait};

/// Moves data of a target.
pub(crate) struct Access<'t> {
    target: &'t OpenTarget,
    longest: u32,
    clock: Monotonic,
    /// For what is no data of a request.
    scratch: Buffers,
}

impl<'t> Access<'t> {
    /// For requests of at most `longest` bytes.
    pub(crate) fn new(target: &'t OpenTarget, longest: u32) -> io::Result<Self> {
        let scratch = Buffers::new(BufferKind::Heap, 1, longest as usize)?;
        Ok(Self { target, longest, clock: Monotonic::default(), scratch })
    }

    pub(crate) fn write_all(&self, data: &mut [u8], offset: u64) -> io::Result<()> {
        match &self.target.volume {
            None => self.target.files[0].file.write_all_at(data, offset),
            Some(_) => self.move_all(Op::Write, data, offset),
        }
    }

    pub(crate) fn read_exact(&self, data: &mut [u8], offset: u64) -> io::Result<()> {
        match &self.target.volume {
            None => self.target.files[0].file.read_exact_at(data, offset),
            Some(_) => self.move_all(Op::Read, data, offset),
        }
    }

    fn move_all(&self, op: Op, data: &mut [u8], offset: u64) -> io::Result<()> {
        let Some(volume) = &self.target.volume else { return Ok(()) };
        let files: Vec<RawFd> =
            self.target.files.iter().map(|file| file.file.as_raw_fd()).collect();
        let longest = u64::from(self.longest);
        let calls =
            Calls::new(&files, most_inside(&volume.layout, 1, longest), Durability::default());
        // What is moved here is no load: it is counted apart from the passes.
        let shard = super::Tally::default().shard(files.len());
        let scratch = self.scratch.address(0);
        let ground = Ground {
            layout: &volume.layout,
            clock: &self.clock,
            action: Action::Transfer,
            shard,
            scratch,
        };
        let mut engine = Composed::new(calls, ground, (1, longest));
        let bytes = u32::try_from(data.len()).map_err(io::Error::other)?;
        engine.queue(Io { slot: 0, op, member: 0, offset, bytes, address: data.as_mut_ptr() });
        let mut done = Vec::new();
        engine.exchange(Wait::One, &mut done)?;
        let result = done.first().map_or(0, |done| done.result);
        if u32::try_from(result) == Ok(bytes) {
            return Ok(());
        }
        let fault = engine.fault(0);
        let place = fault.map(|fault| &volume.labels[usize::from(fault.member)]);
        let place = place.map_or("", String::as_str);
        Err(match result {
            0 => io::Error::new(io::ErrorKind::UnexpectedEof, format!("{place} ended")),
            error if place.is_empty() => io::Error::from_raw_os_error(-error),
            error => {
                let source = io::Error::from_raw_os_error(-error);
                io::Error::new(source.kind(), format!("{place}: {source}"))
            }
        })
    }
}

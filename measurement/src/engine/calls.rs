//! Blocking calls on the lane's own thread (`pread`, `pwrite`), one after the other.
//!
//! The engine `threads` runs one such lane for each request in flight.

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;

use iopath_units::Op;

use super::{Done, Engine, Io, Wait};

/// An exchange ends after this many bytes, so that what was read is checked while a cache close to
/// the processor still has it (chosen: half of the smallest L2 of today's servers, 256 KiB on
/// Broadwell). Small requests still share one reading of the clock.
const BYTES_AT_ONCE: u64 = 128 << 10;

/// Calls that are made at the next exchanges.
pub(crate) struct Calls {
    files: Vec<RawFd>,
    queued: VecDeque<Io>,
}

impl Calls {
    pub(crate) fn new(files: &[RawFd], depth: u32) -> Self {
        Self { files: files.to_vec(), queued: VecDeque::with_capacity(depth as usize) }
    }
}

impl Engine for Calls {
    #[inline]
    fn queue(&mut self, io: Io) {
        self.queued.push_back(io);
    }

    #[inline]
    fn exchange(&mut self, _: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let mut bytes = 0;
        while bytes < BYTES_AT_ONCE {
            let Some(io) = self.queued.pop_front() else { break };
            let result = transfer(self.files[usize::from(io.member)], &io);
            done.push(Done { slot: io.slot, result });
            bytes += u64::from(io.bytes);
        }
        Ok(())
    }
}

#[inline]
fn transfer(file: RawFd, io: &Io) -> i32 {
    let (address, bytes, offset) = (io.address.cast(), io.bytes as usize, io.offset.cast_signed());
    // SAFETY: `address` points to `bytes` bytes of the lane's buffers, and the lane leaves them
    // alone until this request is done.
    let moved = unsafe {
        match io.op {
            Op::Read => libc::pread64(file, address, bytes, offset),
            Op::Write => libc::pwrite64(file, address, bytes, offset),
        }
    };
    if moved < 0 {
        return -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
    }
    i32::try_from(moved).unwrap_or(i32::MAX)
}

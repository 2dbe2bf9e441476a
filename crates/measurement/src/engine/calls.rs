//! Blocking calls on the worker's own thread (`pread`, `pwrite`, `fsync`), one after the other.
//!
//! The engine `threads` runs one such worker for each request in flight.

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;

use iopath_units::Op;

use super::{Done, Durability, Engine, Io, Wait, last_error};
use crate::slots::SlotId;

/// An exchange ends after this many bytes, so that what was read is checked while a cache close to
/// the processor still has it (chosen: half of the smallest L2 of today's servers, 256 KiB on
/// Broadwell). Small requests still share one reading of the clock.
const BYTES_AT_ONCE: u64 = 128 << 10;

/// Calls that are made at the next exchanges.
pub(crate) struct Calls {
    files: Vec<RawFd>,
    durability: Durability,
    queued: VecDeque<Call>,
}

enum Call {
    Transfer(Io),
    Flush { slot: SlotId, member: u16 },
}

impl Calls {
    pub(crate) fn new(files: &[RawFd], depth: u32, durability: Durability) -> Self {
        let queued = VecDeque::with_capacity(depth as usize + 1);
        Self { files: files.to_vec(), durability, queued }
    }
}

impl Engine for Calls {
    const BLOCKS: bool = true;

    #[inline]
    fn queue(&mut self, io: Io) {
        self.queued.push_back(Call::Transfer(io));
    }

    /// Before what is queued: of that nothing has been done, so the flush is not to cover it.
    fn flush(&mut self, slot: SlotId, member: u16) {
        self.queued.push_front(Call::Flush { slot, member });
    }

    #[inline]
    fn exchange(&mut self, _: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let mut bytes = 0;
        while bytes < BYTES_AT_ONCE {
            let Some(call) = self.queued.pop_front() else { break };
            match call {
                Call::Transfer(io) => {
                    let file = self.files[usize::from(io.member)];
                    let result = transfer(file, &io, self.durability.write_flags);
                    done.push(Done { slot: io.slot, result });
                    bytes += u64::from(io.bytes);
                }
                Call::Flush { slot, member } => {
                    let result = flush(self.files[usize::from(member)], self.durability);
                    done.push(Done { slot, result });
                    // What comes after it is not to be seen as late as this.
                    break;
                }
            }
        }
        Ok(())
    }
}

#[inline]
fn transfer(file: RawFd, io: &Io, write_flags: i32) -> i32 {
    let (address, bytes, offset) = (io.address.cast(), io.bytes as usize, io.offset.cast_signed());
    // SAFETY: `address` points to `bytes` bytes of the worker's buffers, and the worker leaves them
    // alone until this request is done.
    let moved = unsafe {
        match io.op {
            Op::Read => libc::pread64(file, address, bytes, offset),
            Op::Write if write_flags == 0 => libc::pwrite64(file, address, bytes, offset),
            Op::Write => {
                let piece = libc::iovec { iov_base: address, iov_len: bytes };
                libc::pwritev2(file, &raw const piece, 1, offset, write_flags)
            }
        }
    };
    if moved < 0 {
        return last_error();
    }
    i32::try_from(moved).unwrap_or(i32::MAX)
}

fn flush(file: RawFd, durability: Durability) -> i32 {
    // SAFETY: a plain call on a number; the kernel checks it.
    let failed =
        unsafe { if durability.data_only { libc::fdatasync(file) } else { libc::fsync(file) } };
    if failed < 0 { last_error() } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_flush_comes_before_what_is_queued_and_ends_the_exchange() {
        let file = tempfile::tempfile().unwrap();
        let mut calls = Calls::new(&[file.as_raw_fd()], 4, Durability::default());
        let mut data = [1_u8; 512];
        let address = data.as_mut_ptr();
        calls.queue(Io { slot: 0, op: Op::Write, member: 0, offset: 0, bytes: 512, address });
        calls.flush(7, 0);
        let mut done = Vec::new();
        calls.exchange(Wait::One, &mut done).unwrap();
        assert_eq!(done, [Done { slot: 7, result: 0 }]);
        done.clear();
        calls.exchange(Wait::One, &mut done).unwrap();
        assert_eq!(done, [Done { slot: 0, result: 512 }]);
    }

    #[test]
    fn a_write_may_be_synchronous() {
        for write_flags in [libc::RWF_DSYNC, libc::RWF_SYNC] {
            let file = tempfile::tempfile().unwrap();
            let durability = Durability { write_flags, data_only: false };
            let mut calls = Calls::new(&[file.as_raw_fd()], 1, durability);
            let mut data = [1_u8; 512];
            let address = data.as_mut_ptr();
            calls.queue(Io { slot: 0, op: Op::Write, member: 0, offset: 0, bytes: 512, address });
            let mut done = Vec::new();
            calls.exchange(Wait::One, &mut done).unwrap();
            assert_eq!(done, [Done { slot: 0, result: 512 }]);
        }
    }
}

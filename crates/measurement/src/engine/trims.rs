//! Trims: what a range holds is given up, by blocking calls of the worker's own thread.
//!
//! A block device is asked to discard the range (`BLKDISCARD`, block/ioctl.c: whole logical blocks,
//! back when the device has answered); a file gets a hole and keeps its length (`fallocate` with
//! `FALLOC_FL_PUNCH_HOLE`). Both are what fio's `trim` does. No ring: worker threads would do its
//! `fallocate` (io_uring/fs.c), and it has discards since Linux 6.12 only.
//!
//! It leaves out what becomes of the range: of a device it may read as zeros or as before.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};

use rustix::fs::{FallocateFlags, FileType, fallocate, fstat};
use rustix::io::Errno;

use super::{Done, Engine, Io, Wait, last_error};
use crate::slots::SlotId;

/// `_IO(0x12, 119)` of include/uapi/linux/fs.h.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Trims that are made at the next exchanges.
pub(crate) struct Trims {
    files: Vec<Trimmed>,
    queued: VecDeque<Io>,
}

#[derive(Clone, Copy)]
struct Trimmed {
    file: RawFd,
    is_device: bool,
}

impl Trims {
    /// Of these files, which stay open for as long as this lives.
    pub(crate) fn new(files: &[RawFd], depth: u32) -> io::Result<Self> {
        let files = files.iter().map(|file| Trimmed::of(*file)).collect::<io::Result<_>>()?;
        Ok(Self { files, queued: VecDeque::with_capacity(depth as usize) })
    }
}

impl Engine for Trims {
    const BLOCKS: bool = true;

    fn queue(&mut self, io: Io) {
        self.queued.push_back(io);
    }

    /// Never asked for: a stream that trims has nothing to sync.
    fn flush(&mut self, _: SlotId, _: u16) {
        unreachable!("trims are not flushed");
    }

    /// One call: the next is not to be seen as late as this one.
    fn exchange(&mut self, _: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        if let Some(io) = self.queued.pop_front() {
            let result = self.files[usize::from(io.member)].trim(io.offset, io.bytes);
            done.push(Done { slot: io.slot, result });
        }
        Ok(())
    }
}

impl Trimmed {
    fn of(file: RawFd) -> io::Result<Self> {
        let mode = fstat(borrowed(file))?.st_mode;
        Ok(Self { file, is_device: FileType::from_raw_mode(mode) == FileType::BlockDevice })
    }

    fn trim(self, offset: u64, bytes: u32) -> i32 {
        if self.is_device {
            let range = [offset, u64::from(bytes)];
            // SAFETY: the kernel reads two numbers of 64 bits from the address, and nothing else.
            let failed = unsafe { libc::ioctl(self.file, BLKDISCARD, range.as_ptr()) } < 0;
            return if failed { last_error() } else { done(bytes) };
        }
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match fallocate(borrowed(self.file), hole, offset, u64::from(bytes)) {
            Ok(()) => done(bytes),
            Err(error) => -Errno::raw_os_error(error),
        }
    }
}

/// A trim is done as a whole.
fn done(bytes: u32) -> i32 {
    i32::try_from(bytes).unwrap_or(i32::MAX)
}

fn borrowed<'f>(file: RawFd) -> BorrowedFd<'f> {
    // SAFETY: the file is open for as long as the engine lives, as its maker says.
    unsafe { BorrowedFd::borrow_raw(file) }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{FileExt, MetadataExt};

    use iopath_units::Op;

    use super::*;

    #[test]
    fn a_trimmed_range_of_a_file_is_a_hole_and_the_rest_stays() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&[7; 64 << 10], 0).unwrap();
        file.sync_all().unwrap();
        let before = file.metadata().unwrap().blocks();
        let mut trims = Trims::new(&[file.as_raw_fd()], 2).unwrap();
        let (op, address) = (Op::Write, std::ptr::null_mut());
        for (slot, offset) in [(0, 16 << 10), (1, 48 << 10)] {
            trims.queue(Io { slot, op, member: 0, offset, bytes: 16 << 10, address });
        }
        let mut results = Vec::new();
        trims.exchange(Wait::One, &mut results).unwrap();
        assert_eq!(results, [Done { slot: 0, result: 16 << 10 }], "one after the other");
        trims.exchange(Wait::One, &mut results).unwrap();
        assert_eq!(results[1], Done { slot: 1, result: 16 << 10 });
        let mut data = [1; 64 << 10];
        file.read_exact_at(&mut data, 0).unwrap();
        for (at, piece) in data.chunks(16 << 10).enumerate() {
            let expected = if at % 2 == 0 { 7 } else { 0 };
            assert!(piece.iter().all(|byte| *byte == expected), "piece {at}");
        }
        let facts = file.metadata().unwrap();
        assert_eq!((facts.len(), facts.blocks()), (64 << 10, before / 2));
    }
}

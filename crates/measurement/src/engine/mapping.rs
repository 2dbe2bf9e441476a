//! Loads and stores on a shared mapping of the file: what a program that uses `mmap` sees.
//!
//! A page that the device cannot give, or that was cut off the file, raises `SIGBUS`. The handler
//! puts an empty page in its place and raises a flag of its thread; the request is then reported
//! as `EIO` and the program lives. Requests beyond the mapping are refused before they are touched.
//! A `SIGBUS` from anywhere else goes the way it would have gone without us.

use std::cell::Cell;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering, compiler_fence};

use iopath_units::Op;
use rustix::mm::{MapFlags, ProtFlags, mmap};

use super::{Done, Engine, Io, Wait, last_error};
use crate::slots::SlotId;

/// A file mapped from its beginning.
pub(crate) struct Mapping {
    base: *mut u8,
    length: usize,
    queued: Vec<Io>,
    flush: Option<SlotId>,
}

// SAFETY: the mapping may be read and written from any thread.
unsafe impl Send for Mapping {}

thread_local! {
    /// The part of a mapping that this thread is copying: first address and the one behind it.
    static COPYING: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// Set by the signal handler: a page of the mapping could not be had.
    static FAULTED: Cell<bool> = const { Cell::new(false) };
}

impl Mapping {
    /// Maps `length` bytes of a file; writable only where the worker writes.
    pub(crate) fn new(file: RawFd, length: u64, protection: ProtFlags) -> io::Result<Self> {
        static HANDLER: Once = Once::new();
        HANDLER.call_once(install_handler);
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        // SAFETY: a new mapping of a file that its target keeps open; the kernel checks it.
        let base = unsafe {
            let file = BorrowedFd::borrow_raw(file);
            mmap(ptr::null_mut(), length, protection, MapFlags::SHARED, file, 0)?
        };
        let queued = Vec::with_capacity(1);
        Ok(Self { base: base.cast(), length, queued, flush: None })
    }

    fn transfer(&self, io: &Io) -> i32 {
        let (Ok(offset), bytes) = (usize::try_from(io.offset), io.bytes as usize) else {
            return 0;
        };
        let offset = offset.min(self.length);
        let bytes = bytes.min(self.length - offset);
        // SAFETY: `offset` lies inside the mapping or at its end.
        let mapped = unsafe { self.base.add(offset) };
        FAULTED.set(false);
        COPYING.set((mapped as usize, mapped as usize + bytes));
        compiler_fence(Ordering::SeqCst);
        // SAFETY: `offset + bytes` lies inside the mapping, `address` inside the worker's buffers,
        // and the two never overlap.
        unsafe {
            match io.op {
                Op::Read => ptr::copy_nonoverlapping(mapped, io.address, bytes),
                Op::Write => ptr::copy_nonoverlapping(io.address, mapped, bytes),
            }
        }
        compiler_fence(Ordering::SeqCst);
        COPYING.set((0, 0));
        if FAULTED.get() { -libc::EIO } else { i32::try_from(bytes).unwrap_or(i32::MAX) }
    }

    /// Writes what was stored to the file and its device (`MS_SYNC`: as `fdatasync` does).
    fn sync(&self) -> i32 {
        // SAFETY: mapped in `new` with this length.
        let failed = unsafe { libc::msync(self.base.cast(), self.length, libc::MS_SYNC) };
        if failed < 0 { last_error() } else { 0 }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this length.
        unsafe { libc::munmap(self.base.cast(), self.length) };
    }
}

impl Engine for Mapping {
    const BLOCKS: bool = true;

    fn queue(&mut self, io: Io) {
        self.queued.push(io);
    }

    fn flush(&mut self, slot: SlotId, _: u16) {
        self.flush = Some(slot);
    }

    fn exchange(&mut self, _: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        if let Some(slot) = self.flush.take() {
            done.push(Done { slot, result: self.sync() });
        }
        let mut queued = std::mem::take(&mut self.queued);
        for io in queued.drain(..) {
            done.push(Done { slot: io.slot, result: self.transfer(&io) });
        }
        // Its memory serves the next turn too: the hot loop allocates nothing.
        self.queued = queued;
        Ok(())
    }
}

/// Size of a page, which the handler may not ask for.
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(0);

fn install_handler() {
    PAGE_BYTES.store(rustix::param::page_size(), Ordering::Relaxed);
    // SAFETY: the handler makes one system call and uses two constant-initialised thread-locals
    // without destructors, both of which are safe in a signal handler.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
    }
}

/// Replaces the page that could not be had by an empty one, so that the copy can go on.
extern "C" fn on_bus_error(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let page_bytes = PAGE_BYTES.load(Ordering::Relaxed);
    // SAFETY: the kernel passes a valid siginfo, whose address is that of the fault.
    let address = unsafe { (*info).si_addr() } as usize;
    let (from, to) = COPYING.get();
    if !(from..to).contains(&address) {
        // Not ours. The instruction runs again and meets the default action.
        // SAFETY: `signal` may be called in a handler.
        unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
        return;
    }
    // SAFETY: the page belongs to the mapping that this thread is copying.
    unsafe {
        let page = (address & !(page_bytes - 1)) as *mut libc::c_void;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        if libc::mmap(page, page_bytes, protection, flags, -1, 0) == libc::MAP_FAILED {
            libc::abort();
        }
    }
    FAULTED.set(true);
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd;

    use iopath_study::case::BufferKind;

    use super::*;
    use crate::buffers::{Buffers, PAGE};

    const BLOCK: u32 = 4 * PAGE as u32;
    const BLOCKS: u64 = 64;

    fn file() -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(BLOCKS * u64::from(BLOCK)).unwrap();
        file
    }

    fn mapping(file: &File) -> Mapping {
        let length = file.metadata().unwrap().len();
        Mapping::new(file.as_raw_fd(), length, ProtFlags::READ | ProtFlags::WRITE).unwrap()
    }

    fn transfer(mapping: &mut Mapping, buffers: &Buffers, (op, offset): (Op, u64)) -> i32 {
        let (address, member) = (buffers.address(0), 0);
        mapping.queue(Io { slot: 0, op, member, offset, bytes: BLOCK, address });
        let mut done = Vec::new();
        mapping.exchange(Wait::One, &mut done).unwrap();
        done[0].result
    }

    #[test]
    fn a_file_cut_while_it_is_mapped_fails_the_request_and_not_the_process() {
        for op in Op::BOTH {
            let file = file();
            let mut mapping = mapping(&file);
            let buffers = Buffers::new(BufferKind::Heap, 1, BLOCK as usize).unwrap();
            let end = BLOCKS * u64::from(BLOCK);
            assert_eq!(transfer(&mut mapping, &buffers, (op, 0)), BLOCK.cast_signed());
            // In the middle of the third block.
            file.set_len(2 * u64::from(BLOCK) + PAGE as u64).unwrap();
            assert_eq!(transfer(&mut mapping, &buffers, (op, 0)), BLOCK.cast_signed());
            let cut = transfer(&mut mapping, &buffers, (op, 2 * u64::from(BLOCK)));
            assert_eq!(cut, -libc::EIO, "{op:?} over the new end");
            let beyond = transfer(&mut mapping, &buffers, (op, end - u64::from(BLOCK)));
            assert_eq!(beyond, -libc::EIO, "{op:?} behind the new end");
            assert_eq!(transfer(&mut mapping, &buffers, (op, 0)), BLOCK.cast_signed());
        }
    }

    #[test]
    fn a_file_cut_by_another_thread_during_the_copies_is_survived() {
        let file = file();
        let mut mapping = mapping(&file);
        let buffers = Buffers::new(BufferKind::Heap, 1, BLOCK as usize).unwrap();
        let mut failed = 0;
        std::thread::scope(|scope| {
            let cutting = scope.spawn(|| {
                for blocks in (0..BLOCKS).rev() {
                    file.set_len(blocks * u64::from(BLOCK)).unwrap();
                    std::thread::yield_now();
                }
            });
            // The last turn comes after the last cut.
            let mut over = false;
            while !over {
                over = cutting.is_finished();
                for offset in (0..BLOCKS).map(|block| block * u64::from(BLOCK)) {
                    let result = transfer(&mut mapping, &buffers, (Op::Read, offset));
                    assert!(result == -libc::EIO || result == BLOCK.cast_signed(), "{result}");
                    failed += u32::from(result < 0);
                }
            }
        });
        assert!(failed > 0, "some page was cut off before it was read");
    }

    #[test]
    fn a_request_behind_the_mapping_meets_its_end() {
        let file = file();
        let mut mapping = mapping(&file);
        let buffers = Buffers::new(BufferKind::Heap, 1, BLOCK as usize).unwrap();
        let end = BLOCKS * u64::from(BLOCK);
        let half = transfer(&mut mapping, &buffers, (Op::Read, end - u64::from(BLOCK / 2)));
        assert_eq!(half, (BLOCK / 2).cast_signed());
        for offset in [end, end + 1, u64::MAX / 2] {
            assert_eq!(transfer(&mut mapping, &buffers, (Op::Read, offset)), 0);
        }
    }
}

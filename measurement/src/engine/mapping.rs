//! Loads and stores on a shared mapping of the file: what a program that uses `mmap` sees.
//!
//! A page that the device cannot give raises `SIGBUS`. The handler puts an empty page in its
//! place and raises a flag of its thread; the request is then reported as `EIO` and the program
//! lives. Requests beyond the end of the file are refused before they are touched.

use std::cell::Cell;
use std::io;
use std::os::fd::RawFd;
use std::ptr;
use std::sync::Once;

use iopath_units::Op;

use super::{Done, Engine, Io, Wait};

/// A file mapped from its beginning.
pub(crate) struct Mapping {
    base: *mut u8,
    length: usize,
    queued: Vec<Io>,
}

// SAFETY: the mapping may be read and written from any thread.
unsafe impl Send for Mapping {}

thread_local! {
    /// Set by the signal handler: a page of the mapping could not be had.
    static FAULTED: Cell<bool> = const { Cell::new(false) };
}

impl Mapping {
    /// Maps `length` bytes of a file; writable only where the lane writes.
    pub(crate) fn new(file: RawFd, length: u64, writes: Writes) -> io::Result<Self> {
        static HANDLER: Once = Once::new();
        HANDLER.call_once(install_handler);
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let protection = match writes {
            Writes::Never => libc::PROT_READ,
            Writes::Sometimes => libc::PROT_READ | libc::PROT_WRITE,
        };
        // SAFETY: a new mapping; the kernel checks file and length.
        let base =
            unsafe { libc::mmap(ptr::null_mut(), length, protection, libc::MAP_SHARED, file, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { base: base.cast(), length, queued: Vec::with_capacity(1) })
    }

    fn transfer(&self, io: &Io) -> i32 {
        let (Ok(offset), bytes) = (usize::try_from(io.offset), io.bytes as usize) else {
            return 0;
        };
        let bytes = bytes.min(self.length.saturating_sub(offset));
        FAULTED.set(false);
        // SAFETY: `offset + bytes` lies inside the mapping, `address` inside the lane's buffers,
        // and the two never overlap.
        unsafe {
            let mapped = self.base.add(offset);
            match io.op {
                Op::Read => ptr::copy_nonoverlapping(mapped, io.address, bytes),
                Op::Write => ptr::copy_nonoverlapping(io.address, mapped, bytes),
            }
        }
        std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
        if FAULTED.get() { -libc::EIO } else { i32::try_from(bytes).unwrap_or(i32::MAX) }
    }
}

/// Whether the mapping is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    Never,
    Sometimes,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this length.
        unsafe { libc::munmap(self.base.cast(), self.length) };
    }
}

impl Engine for Mapping {
    fn queue(&mut self, io: Io) {
        self.queued.push(io);
    }

    fn exchange(&mut self, _: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        for io in std::mem::take(&mut self.queued) {
            done.push(Done { slot: io.slot, result: self.transfer(&io) });
        }
        Ok(())
    }
}

fn install_handler() {
    // SAFETY: the handler makes one system call and sets one constant-initialised thread-local,
    // both of which are safe in a signal handler.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
    }
}

/// Replaces the page that could not be had by an empty one, so that the copy can go on.
extern "C" fn on_bus_error(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    const PAGE: usize = crate::buffers::PAGE;
    // SAFETY: the kernel passes a valid siginfo; the page belongs to the mapping being copied,
    // as nothing else in the program touches file mappings.
    unsafe {
        let page = ((*info).si_addr() as usize & !(PAGE - 1)) as *mut libc::c_void;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        if libc::mmap(page, PAGE, protection, flags, -1, 0) == libc::MAP_FAILED {
            libc::abort();
        }
    }
    FAULTED.set(true);
}

//! How much of a file or device the page cache holds, asked of the kernel and never guessed.
//!
//! `cachestat(2)` (Linux 6.5) also tells dirty pages; before it, `mincore(2)` over a mapping tells
//! the resident ones.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

use rustix::mm::{MapFlags, ProtFlags, mmap};

/// What the page cache holds of the first bytes of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Bytes in the page cache.
    pub cached_bytes: u64,
    /// Of them, bytes not written back yet; `None` where the kernel cannot tell.
    pub dirty_bytes: Option<u64>,
}

/// Argument of `cachestat(2)`: include/uapi/linux/mman.h.
#[repr(C)]
struct Range {
    offset: u64,
    length: u64,
}

/// Answer of `cachestat(2)`, in pages.
#[repr(C)]
#[derive(Default)]
struct Statistics {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// `cachestat` has this number on every architecture.
const SYS_CACHESTAT: libc::c_long = 451;

/// What the page cache holds of the first `bytes` of `file`.
pub fn residency(file: &File, bytes: u64) -> io::Result<Residency> {
    match by_cachestat(file, bytes) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => by_mincore(file, bytes),
        other => other,
    }
}

fn by_cachestat(file: &File, bytes: u64) -> io::Result<Residency> {
    let mut range = Range { offset: 0, length: bytes };
    let mut pages = Statistics::default();
    // SAFETY: both structures have the kernel's layout and live through the call.
    let failed = unsafe {
        libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw mut range, &raw mut pages, 0)
    };
    if failed != 0 {
        return Err(io::Error::last_os_error());
    }
    let page = rustix::param::page_size() as u64;
    let dirty = (pages.dirty + pages.writeback) * page;
    Ok(Residency { cached_bytes: pages.cached * page, dirty_bytes: Some(dirty) })
}

/// Pages asked about in one call: a vector of 64 KiB.
const STEP: usize = 1 << 16;

fn by_mincore(file: &File, bytes: u64) -> io::Result<Residency> {
    let page = rustix::param::page_size();
    let length = usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?.max(1);
    // SAFETY: a new read-only mapping, unmapped below and never dereferenced.
    let base =
        unsafe { mmap(ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, 0)? };
    let mut pages = vec![0u8; STEP];
    let mut cached = 0;
    for start in (0..length).step_by(STEP * page) {
        let piece = (STEP * page).min(length - start);
        // SAFETY: the piece lies inside the mapping, and the vector has a byte for each page.
        let failed = unsafe { libc::mincore(base.add(start), piece, pages.as_mut_ptr()) };
        if failed == 0 {
            cached += pages[..piece.div_ceil(page)].iter().filter(|byte| **byte & 1 == 1).count();
        }
    }
    // SAFETY: mapped above with this length.
    unsafe { libc::munmap(base, length) };
    Ok(Residency { cached_bytes: (cached * page) as u64, dirty_bytes: None })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn both_ways_see_a_file_that_was_just_written() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 1 << 20]).unwrap();
        let counted = by_mincore(&file, 1 << 20).unwrap();
        assert_eq!(counted.cached_bytes, 1 << 20);
        if let Ok(told) = by_cachestat(&file, 1 << 20) {
            assert_eq!(told.cached_bytes, counted.cached_bytes);
        }
    }
}

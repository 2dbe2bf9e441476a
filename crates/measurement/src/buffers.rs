//! Memory for requests: one mapping a worker, one page-aligned piece a slot.
//!
//! Kinds: private memory, memory that could be shared, huge pages where the kernel has some
//! (`MADV_HUGEPAGE`), huge pages or an error (`MAP_HUGETLB`). All is touched before the pass, so
//! that no request pays for a page fault.

use std::io;
use std::ptr::{self, NonNull};

use iopath_study::case::BufferKind;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

/// Alignment that direct I/O accepts everywhere.
pub(crate) const PAGE: usize = 4096;
/// Size of a huge page of the first level on x86-64 and of the usual arm64 kernels.
const HUGE: usize = 2 << 20;

/// The memory of one worker's slots.
pub(crate) struct Buffers {
    base: NonNull<u8>,
    mapped: usize,
    stride: usize,
    slots: usize,
}

// SAFETY: the mapping belongs to this value alone; which thread owns the value does not matter.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Memory for `slots` requests of `bytes` each.
    pub(crate) fn new(kind: BufferKind, slots: usize, bytes: usize) -> io::Result<Self> {
        let stride = bytes.max(1).next_multiple_of(PAGE);
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let wanted = stride.checked_mul(slots).ok_or_else(too_large)?;
        let huge = matches!(kind, BufferKind::Huge | BufferKind::HugeRequired);
        let mapped = if huge { wanted.next_multiple_of(HUGE) } else { wanted };
        let base = map(kind, mapped)?;
        let mut buffers = Self { base, mapped, stride, slots };
        buffers.fill();
        Ok(buffers)
    }

    /// Where a slot's data lies.
    #[inline]
    pub(crate) fn address(&self, slot: u32) -> *mut u8 {
        assert!((slot as usize) < self.slots);
        // SAFETY: the slot is one of those the mapping was made for.
        unsafe { self.base.as_ptr().add(slot as usize * self.stride) }
    }

    /// A slot's data. The caller sees to it that the kernel does not use the slot meanwhile.
    #[inline]
    pub(crate) fn data(&mut self, slot: u32, bytes: u32) -> &mut [u8] {
        assert!(bytes as usize <= self.stride);
        // SAFETY: inside the mapping, and borrowed from `self` for as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(self.address(slot), bytes as usize) }
    }

    /// Address and length of the whole mapping.
    pub(crate) fn extent(&self) -> (*mut u8, usize) {
        (self.base.as_ptr(), self.mapped)
    }

    /// Fills with noise, which no device can compress. Without verification each slot writes the
    /// same noise again, which a deduplicating array can see.
    fn fill(&mut self) {
        // SAFETY: the whole mapping, exclusively borrowed.
        let all = unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.mapped) };
        noise(all, self.base.as_ptr() as u64);
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this length and not unmapped since.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.mapped) };
    }
}

/// Fills a slice with noise: xorshift64 (Marsaglia 2003), eight bytes a step.
pub(crate) fn noise(data: &mut [u8], seed: u64) {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_ne_bytes()
    };
    let (words, rest) = data.as_chunks_mut::<8>();
    words.iter_mut().for_each(|word| *word = next());
    let last = next();
    rest.copy_from_slice(&last[..rest.len()]);
}

fn map(kind: BufferKind, bytes: usize) -> io::Result<NonNull<u8>> {
    let share = match kind {
        BufferKind::Shared => MapFlags::SHARED,
        BufferKind::Heap | BufferKind::Huge => MapFlags::PRIVATE,
        BufferKind::HugeRequired => MapFlags::PRIVATE | MapFlags::HUGETLB,
    };
    // A transparent huge page needs an aligned start, so a whole one is mapped too much.
    let slack = if kind == BufferKind::Huge { HUGE } else { 0 };
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new anonymous mapping; no existing memory is affected.
    let base = unsafe { mmap_anonymous(ptr::null_mut(), bytes + slack, protection, share)? };
    let base = if slack > 0 { aligned(base.cast(), bytes, slack) } else { base.cast() };
    if kind == BufferKind::Huge {
        // SAFETY: advice on our own mapping; a kernel without huge pages refuses harmlessly.
        unsafe { libc::madvise(base.cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    NonNull::new(base).ok_or_else(io::Error::last_os_error)
}

/// Gives back what lies before the first huge-page border and behind `bytes` from there.
fn aligned(base: *mut u8, bytes: usize, slack: usize) -> *mut u8 {
    let before = base.align_offset(HUGE);
    // SAFETY: `before < slack`, so both cut pieces lie inside the mapping of `bytes + slack`.
    unsafe {
        let start = base.add(before);
        if before > 0 {
            libc::munmap(base.cast(), before);
        }
        libc::munmap(start.add(bytes).cast(), slack - before);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_apart_and_writable() {
        for kind in [BufferKind::Heap, BufferKind::Shared, BufferKind::Huge] {
            let mut buffers = Buffers::new(kind, 3, 5000).unwrap();
            assert_eq!(buffers.address(1) as usize % PAGE, 0);
            buffers.data(1, 5000).fill(7);
            buffers.data(2, 5000).fill(9);
            assert!(buffers.data(1, 5000).iter().all(|byte| *byte == 7), "{kind:?}");
            assert!(buffers.data(0, 5000).windows(8).any(|w| w != [0; 8]));
        }
    }

    #[test]
    fn required_huge_pages_are_huge_or_an_error() {
        match Buffers::new(BufferKind::HugeRequired, 1, 4096) {
            Ok(buffers) => assert_eq!(buffers.extent().1, HUGE),
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::ENOMEM)),
        }
    }
}

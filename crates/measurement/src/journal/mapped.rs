//! A journal in memory: its epochs and units, shared with the file.

use std::fs::File;
use std::io;
use std::mem::{align_of, size_of};
use std::ptr::{self, NonNull};

use iopath_workload::journal::{Epochs, Journal, Unit};
use rustix::mm::{MapFlags, ProtFlags, mmap};

use super::header;

pub(super) const TO_READ: ProtFlags = ProtFlags::READ;
pub(super) const TO_WRITE: ProtFlags = TO_READ.union(ProtFlags::WRITE);

/// A file of a header and units, mapped whole.
#[derive(Debug)]
pub(crate) struct Mapped {
    base: NonNull<u8>,
    bytes: usize,
    /// Bytes of the header.
    pub front: usize,
    units: usize,
}

// SAFETY: everything of it that is reached is atomic.
unsafe impl Send for Mapped {}
// SAFETY: likewise.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Maps a file that has room for `front` bytes and `units`. Where it is only to be read,
    /// nothing that stores may be called.
    pub(crate) fn new(
        file: &File,
        protection: ProtFlags,
        (front, units): (usize, u64),
    ) -> io::Result<Self> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let bytes = header::file_bytes(front, units)?;
        if file.metadata()?.len() < bytes || !front.is_multiple_of(header::BLOCK) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let bytes = usize::try_from(bytes).map_err(|_| too_large())?;
        let units = usize::try_from(units).map_err(|_| too_large())?;
        // SAFETY: a new mapping; the kernel checks file and length.
        let base = unsafe { mmap(ptr::null_mut(), bytes, protection, MapFlags::SHARED, file, 0)? };
        let base = NonNull::new(base.cast()).ok_or_else(too_large)?;
        Ok(Self { base, bytes, front, units })
    }

    pub(crate) fn journal(&self) -> Journal<'_> {
        const { assert!(header::EPOCHS + size_of::<Epochs>() <= header::BLOCK) };
        const { assert!(header::EPOCHS.is_multiple_of(align_of::<Epochs>())) };
        const { assert!(size_of::<Unit>() as u64 == header::UNIT_BYTES) };
        // SAFETY: `EPOCHS` lies in the first block and `front` at the border of one, so both are
        // aligned; the mapping is `front` bytes and `units` long and lives as long as `self`. All
        // fields are atomic words, for which every content is valid.
        unsafe {
            let epochs = self.base.as_ptr().add(header::EPOCHS).cast::<Epochs>();
            let units = self.base.as_ptr().add(self.front).cast::<Unit>();
            let units = std::slice::from_raw_parts(units, self.units);
            Journal { epochs: &*epochs, units }
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this length.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

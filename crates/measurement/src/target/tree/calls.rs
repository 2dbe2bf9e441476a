//! What a metadata load does to one file: the calls of mdtest and elbencho, each with everything
//! that a program needs to have done it.

use std::os::fd::{IntoRawFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, fsync, openat, statat, unlinkat};
use rustix::io::{Errno, read, retry_on_intr, write};

use super::Tree;

impl Tree {
    /// Makes a file that must not be there, writes its bytes from `data`, again and again, and
    /// closes it; before that flushes it where `syncs`.
    pub(crate) fn create(&self, file: u64, data: &[u8], syncs: bool) -> Result<(), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let name = self.name_of(file);
        let opened = retry_on_intr(|| openat(&self.directory, name.text(), flags, mode))?;
        let mut left = self.wanted.file_size.0;
        while left > 0 {
            let piece = data.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match retry_on_intr(|| write(&opened, &data[..piece]))? {
                0 => return Err(Errno::IO),
                written => left -= written as u64,
            }
        }
        if syncs {
            retry_on_intr(|| fsync(&opened))?;
        }
        close(opened)
    }

    /// Asks for a file's attributes.
    pub(crate) fn stat(&self, file: u64) -> Result<(), Errno> {
        let name = self.name_of(file);
        statat(&self.directory, name.text(), AtFlags::empty()).map(drop)
    }

    /// Opens a file, reads its bytes and closes it; false where it has fewer.
    pub(crate) fn open(&self, file: u64, data: &mut [u8]) -> Result<bool, Errno> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let name = self.name_of(file);
        let opened = retry_on_intr(|| openat(&self.directory, name.text(), flags, Mode::empty()))?;
        let mut left = self.wanted.file_size.0;
        while left > 0 {
            let piece = data.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match retry_on_intr(|| read(&opened, &mut data[..piece]))? {
                0 => return Ok(false),
                moved => left -= moved as u64,
            }
        }
        close(opened).map(|()| true)
    }

    /// Removes a file.
    pub(crate) fn unlink(&self, file: u64) -> Result<(), Errno> {
        let name = self.name_of(file);
        unlinkat(&self.directory, name.text(), AtFlags::empty())
    }
}

/// Closes a file and hears of it: network file systems write back then, and say here that they
/// could not.
fn close(file: OwnedFd) -> Result<(), Errno> {
    // SAFETY: the number was a file of ours, and nobody uses it any more.
    let failed = unsafe { libc::close(file.into_raw_fd()) } < 0;
    let error = std::io::Error::last_os_error().raw_os_error().filter(|_| failed);
    match error {
        // Linux closes it all the same.
        None | Some(libc::EINTR) => Ok(()),
        Some(error) => Err(Errno::from_raw_os_error(error)),
    }
}

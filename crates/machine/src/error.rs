//! What can go wrong while reading a kernel text file: always with path, line and item.

use std::io;
use std::path::PathBuf;

/// A kernel file that could not be read or understood.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The kernel does not offer this file (old kernel, option off, device gone).
    #[error("{} does not exist: not offered by this kernel, or gone", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is there but reading it failed.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// A line is not what the kernel's documentation promises.
    #[error("cannot read {item} in line {line_number} of {}: {line:?}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Counted from 1; 0 when the item is absent from the whole file.
        line_number: usize,
        /// The offending line, or empty.
        line: String,
        /// The item that was wanted.
        item: &'static str,
    },
}

impl ReadError {
    /// True when the file simply is not there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    pub(crate) fn from_io(path: PathBuf, source: io::Error) -> Self {
        // A task or device that goes away between open and read says ESRCH or ENODEV.
        let gone = [rustix::io::Errno::SRCH, rustix::io::Errno::NODEV, rustix::io::Errno::NXIO];
        let is_gone = gone.iter().any(|errno| source.raw_os_error() == Some(errno.raw_os_error()));
        if source.kind() == io::ErrorKind::NotFound || is_gone {
            Self::Missing { path }
        } else {
            Self::Unreadable { path, source }
        }
    }
}

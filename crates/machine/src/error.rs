//! What can go wrong while reading a kernel text file: always with path, line and item.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// A kernel file that could not be read or understood.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The kernel does not offer this file (old kernel, option off, device gone).
    #[error("{path} does not exist: not supported by this kernel, or removed")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is there but reading it failed.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// A line is not what the kernel's documentation promises.
    #[error("cannot read {item} in line {line_number} of {path}: {line:?}")]
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
        match Errno::from_io_error(&source) {
            Some(Errno::NOENT | Errno::SRCH | Errno::NODEV | Errno::NXIO) => Self::Missing { path },
            _ => Self::Unreadable { path, source },
        }
    }
}

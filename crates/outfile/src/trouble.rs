//! Why a file cannot be written, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

/// Why there is no output file.
#[derive(Debug, Error)]
pub enum Trouble {
    /// A file stands there that iopath may not replace.
    #[error(
        "{} exists ({bytes} bytes) and {why}; name another file. To destroy it: \
         --allow-destroy {}", path.display(), canonical.display()
    )]
    Exists {
        path: PathBuf,
        /// The name that permits replacing it.
        canonical: PathBuf,
        bytes: u64,
        why: &'static str,
    },
    /// It is a target or another file of the run.
    #[error("{} is used by this run and cannot be its output; name another file", path.display())]
    InUse { path: PathBuf },
    /// Data on a block device would be overwritten.
    #[error("{} is a block device not an output file; name another file", path.display())]
    Device { path: PathBuf },
    /// Nothing that a file can go to.
    #[error("cannot write {}: it is {what}; name another file", path.display())]
    Unsuitable { path: PathBuf, what: &'static str },
    /// A link whose target does not exist.
    #[error(
        "{} is a dangling symbolic link, which is not followed; remove it, or name another file",
        path.display()
    )]
    Dangling { path: PathBuf },
    /// Another user can change the path.
    #[error(
        "{} {why}: another user could redirect the output of a privileged process; name a file \
         below a directory that only root can change, or run as an ordinary user",
        path.display()
    )]
    Untrusted {
        path: PathBuf,
        /// Whose it is, or its mode.
        why: String,
    },
    /// Something else has come to the place meanwhile.
    #[error("{} changed while it was being replaced, and was not modified", path.display())]
    Changed { path: PathBuf },
    /// What the kernel says.
    #[error("cannot {doing} {}: {source}; check the path, its permissions and free space, or name \
             another file", path.display())]
    Kernel { doing: &'static str, path: PathBuf, source: io::Error },
}

impl Trouble {
    /// Whether data would have been destroyed, which is a refusal and more than an obstacle.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        match self {
            Self::Exists { .. }
            | Self::InUse { .. }
            | Self::Device { .. }
            | Self::Changed { .. } => true,
            Self::Unsuitable { .. }
            | Self::Dangling { .. }
            | Self::Untrusted { .. }
            | Self::Kernel { .. } => false,
        }
    }

    pub(crate) fn kernel(doing: &'static str, path: &Path, error: Errno) -> Self {
        Self::Kernel { doing, path: path.to_owned(), source: error.into() }
    }
}

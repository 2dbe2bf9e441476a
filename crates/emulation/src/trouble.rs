//! What can go wrong when devices are brought up or taken away, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use iopath_machine::ReadError;

use crate::manifest::Role;

/// Why there are no devices, or why something of them is left.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The rig itself cannot be built.
    #[error("cannot emulate {name}: {why}")]
    Rig {
        /// The group or device.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// More devices than were ever tried.
    #[error("{devices} devices are too many: at most {most} can be emulated{hint}")]
    TooMany {
        /// Asked for.
        devices: usize,
        /// The limit.
        most: usize,
        /// Whose limit it is, where it is not ours.
        hint: &'static str,
    },
    /// A program that is not there.
    #[error("{program} is missing: install the Debian package {package}")]
    Missing {
        program: &'static str,
        /// The package that has it.
        package: &'static str,
    },
    /// FUSE cannot be used.
    #[error(
        "cannot use FUSE by {}: {source}; load the module `fuse`, or make the device accessible \
         to this user or container", path.display()
    )]
    NoFuse {
        /// The kernel's door to it.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// Loop devices are for root.
    #[error("loop devices need root: run as root, or omit them")]
    NotRoot,
    /// The place for run directories cannot be used.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// Such as `write`.
        doing: &'static str,
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// Another user could put something else in the place of what is made.
    #[error(
        "{} {why}, so others may change its contents: name a directory writable only for you and \
         root", path.display()
    )]
    Untrusted {
        /// The directory, or one on the way to it.
        path: PathBuf,
        /// Whose it is, or its mode.
        why: String,
    },
    /// No room.
    #[error(
        "not enough space in {} for an emulation ({available} bytes free): free some, or name \
         another directory", path.display()
    )]
    Full {
        /// The directory.
        path: PathBuf,
        /// Free bytes.
        available: u64,
    },
    /// A socket's name has a limit.
    #[error(
        "{} is too long for a socket's name ({bytes} bytes, at most {most}): name a directory \
         with a shorter path", path.display()
    )]
    LongPath {
        /// The socket.
        path: PathBuf,
        /// Its length.
        bytes: usize,
        /// What the kernel takes.
        most: usize,
    },
    /// There is one of this name already.
    #[error("{} already exists: remove it first (--down)", path.display())]
    Standing {
        /// Its run directory.
        path: PathBuf,
    },
    /// Files that daemons may have open.
    #[error(
        "{devices} devices need {needed} open files in a daemon, and {most} are allowed: raise \
         the limit (ulimit -n)"
    )]
    OpenFiles {
        /// How many.
        devices: usize,
        /// Files.
        needed: u64,
        /// The limit.
        most: u64,
    },
    /// A daemon ended by itself.
    #[error("the daemon of the {daemon} {how}{}", said(says))]
    Ended {
        daemon: Role,
        /// `ended with code 1`, `was killed by signal 9`.
        how: String,
        /// The last line of its log; empty when there is none.
        says: String,
    },
    /// A daemon does not take a command.
    #[error("the daemon of the {daemon} refuses {what}: {says}")]
    Refused {
        daemon: Role,
        /// The group, medium or device.
        what: String,
        /// Its reason.
        says: String,
    },
    /// A daemon does not answer.
    #[error("the daemon of the {daemon} does not answer about {what}: {why}")]
    Silent {
        daemon: Role,
        /// What it was asked for.
        what: String,
        /// Time over, connection closed, words that are no answer.
        why: String,
    },
    /// A device that is not as it should be.
    #[error("{name} is not ready at {}: {why}", path.display())]
    NotReady {
        /// The device.
        name: String,
        path: PathBuf,
        /// What was seen.
        why: String,
    },
    /// A program that failed.
    #[error("{program} failed for {}: {says}", path.display())]
    Program {
        program: &'static str,
        /// For what.
        path: PathBuf,
        /// Its words.
        says: String,
    },
    /// The kernel's tables cannot be read.
    #[error(transparent)]
    Kernel(#[from] ReadError),
    /// What a live system says.
    #[error(transparent)]
    Live(#[from] iopath_live::Trouble),
    /// The user does not want to wait any longer.
    #[error("interrupted")]
    Interrupted,
    /// A manifest that cannot be understood.
    #[error("{} is not a manifest of an emulation: {why}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// What could not be removed.
    #[error("left behind in {}: {}", directory.display(), what.join("; "))]
    Left {
        /// The run directory; its manifest stays for another attempt.
        directory: PathBuf,
        /// Each thing with its reason.
        what: Vec<String>,
    },
}

impl Trouble {
    /// For a failed call on a file; a full file system is told as such.
    pub(crate) fn file(doing: &'static str, path: &Path, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::StorageFull {
            let folder = path.parent().unwrap_or(path);
            return Self::Full { path: folder.to_owned(), available: available(folder) };
        }
        Self::File { doing, path: path.to_owned(), source }
    }
}

/// Bytes that may still be written under `folder`; none when that cannot be found out.
pub(crate) fn available(folder: &Path) -> u64 {
    rustix::fs::statvfs(folder).map_or(0, |facts| facts.f_bavail.saturating_mul(facts.f_frsize))
}

fn said(says: &str) -> String {
    if says.is_empty() { String::new() } else { format!(": {says}") }
}

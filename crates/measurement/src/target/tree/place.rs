//! Where a tree is made: a directory of a fresh name, locked for as long as its run lives, so that
//! what a killed run left is not taken for what a run under way works on.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FlockOperation, Mode, flock, mkdirat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::{failed, open_below, open_directory};

/// How the names of all trees begin.
const PREFIX: &str = ".iopath-tree-";

/// A directory that was made for a tree.
pub(super) struct Place {
    /// What it was made in.
    pub above: OwnedFd,
    /// Its name there.
    pub name: String,
    pub path: PathBuf,
    pub directory: OwnedFd,
}

impl Place {
    /// Makes a directory of a name that is free, and says that it is in use.
    pub(super) fn make(above: &Path) -> io::Result<Self> {
        let opened = open_directory(above).map_err(|error| failed("opening", above, error))?;
        let mut number = 0;
        let name = loop {
            let name = format!("{PREFIX}{}-{number}", std::process::id());
            match mkdirat(&opened, &*name, Mode::RWXU) {
                Ok(()) => break name,
                Err(Errno::EXIST) => number += 1,
                Err(error) => return Err(failed("making", &above.join(name), error.into())),
            }
        };
        let path = above.join(&name);
        match claim(&opened, &name) {
            Ok(directory) => Ok(Self { above: opened, name, path, directory }),
            Err(error) => {
                let _ = unlinkat(&opened, &*name, AtFlags::REMOVEDIR);
                Err(failed("opening", &path, error))
            }
        }
    }
}

/// Opens a tree's directory and locks it, where the file system can: NFS locks no directories.
/// Without a lock the next run may take this tree for one that was left behind, and only says so.
fn claim(above: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let directory = open_below(above, name)?;
    // It waits only for runs that look whether this one is still under way.
    let _ = retry_on_intr(|| flock(&directory, FlockOperation::LockExclusive));
    Ok(directory)
}

/// Directories that killed runs left in another.
pub(super) fn left_behind(above: &Path) -> Vec<PathBuf> {
    let Ok(entries) = above.read_dir() else { return Vec::new() };
    let is_ours = |name: &std::ffi::OsStr| name.to_str().is_some_and(|it| it.starts_with(PREFIX));
    let found = entries.flatten().filter(|entry| is_ours(&entry.file_name()));
    let mut left: Vec<PathBuf> =
        found.map(|entry| entry.path()).filter(|path| is_free(path)).collect();
    left.sort();
    left
}

/// Whether no run has it locked; others may ask at the same time.
fn is_free(path: &Path) -> bool {
    let lock = FlockOperation::NonBlockingLockShared;
    open_directory(path).is_ok_and(|directory| flock(&directory, lock).is_ok())
}

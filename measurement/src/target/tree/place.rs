//! Where a tree is made: a directory of a fresh name, locked for as long as its run lives, so that
//! what a killed run left can be told from what a living one works on.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, mkdirat, openat};
use rustix::io::Errno;

use super::open_directory;

/// How the names of all trees begin.
const PREFIX: &str = ".iopath-tree-";

/// Makes a directory of a name that nobody has; gives what it was made in, opened, and the name.
pub(super) fn make(above: &Path) -> io::Result<(OwnedFd, String)> {
    let opened = open_directory(above)?;
    let mut number = 0;
    loop {
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        match mkdirat(&opened, &*name, Mode::RWXU) {
            Ok(()) => return Ok((opened, name)),
            Err(Errno::EXIST) => number += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Opens a tree's directory and says that it is in use, where the file system has locks.
pub(super) fn claim(above: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = openat(above, name, flags, Mode::empty())?;
    // Without one the next run may take this tree for one that was left behind, and only says so.
    let _ = flock(&directory, FlockOperation::NonBlockingLockExclusive);
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

fn is_free(path: &Path) -> bool {
    let lock = FlockOperation::NonBlockingLockExclusive;
    open_directory(path).is_ok_and(|directory| flock(&directory, lock).is_ok())
}

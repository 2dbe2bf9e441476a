//! The way to a file, one open directory at a time, so that no one can exchange a part of it that
//! was looked at already.
//!
//! The kernel's own rules of path_resolution(7), with symbolic links followed by hand: at most 40.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat};
use rustix::io::Errno;

use crate::trouble::Trouble;
use crate::trust::Owners;

/// The kernel's own bound (`MAXSYMLINKS`).
const MOST_LINKS: usize = 40;

/// Where a path ends.
pub(crate) struct Way {
    /// Opened with `O_PATH`.
    pub(crate) directory: OwnedFd,
    /// Its path, without links.
    pub(crate) folder: PathBuf,
    pub(crate) name: OsString,
    /// What stands there; not a link.
    pub(crate) standing: Option<Stat>,
}

impl Way {
    /// The path without links.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }
}

/// Follows a path to its last part. With `owners` every directory and link must be trusted.
pub(crate) fn follow(path: &Path, owners: Option<&Owners>) -> Result<Way, Trouble> {
    let is_directory = || Trouble::Unsuitable { path: path.to_owned(), what: "a directory" };
    walk(path, owners)?.ok_or_else(is_directory)
}

/// The same of a directory, too: none where it ends with `/` or `..`.
pub(crate) fn walk(path: &Path, owners: Option<&Owners>) -> Result<Option<Way>, Trouble> {
    let failed = |error| Trouble::kernel("open", path, error);
    let whole = std::path::absolute(path).map_err(|error| {
        let (doing, path) = ("find", path.to_owned());
        Trouble::Kernel { doing, path, source: error }
    })?;
    let root = open(CWD, OsStr::new("/")).map_err(failed)?;
    let mut walk = Walk {
        asked: path,
        owners,
        directory: root,
        folder: PathBuf::from("/"),
        pending: VecDeque::new(),
        links: 0,
        last: None,
    };
    walk.put_first(&whole);
    walk.go()
}

struct Walk<'a> {
    asked: &'a Path,
    owners: Option<&'a Owners>,
    directory: OwnedFd,
    folder: PathBuf,
    /// Parts to come: names, `/` and `..`.
    pending: VecDeque<OsString>,
    links: usize,
    /// The link that the last part of the path was.
    last: Option<PathBuf>,
}

impl Walk<'_> {
    fn go(mut self) -> Result<Option<Way>, Trouble> {
        while let Some(part) = self.pending.pop_front() {
            if part == "/" || part == ".." {
                self.climb(&part)?;
                continue;
            }
            let at = self.folder.join(&part);
            let fd = match open(&self.directory, &part) {
                Err(Errno::NOENT) if self.pending.is_empty() => {
                    return self.end(part, None).map(Some);
                }
                found => found.map_err(|error| self.failed(error))?,
            };
            let facts = fstat(&fd).map_err(|error| self.failed(error))?;
            match FileType::from_raw_mode(facts.st_mode) {
                FileType::Symlink => self.turn(&at, &fd, &facts)?,
                _ if self.pending.is_empty() => return self.end(part, Some(facts)).map(Some),
                FileType::Directory => self.enter(fd, at, &facts)?,
                _ => return Err(self.failed(Errno::NOTDIR)),
            }
        }
        Ok(None)
    }

    fn put_first(&mut self, path: &Path) {
        for component in path.components().rev() {
            match component {
                Component::CurDir | Component::Prefix(_) => {}
                other => self.pending.push_front(other.as_os_str().to_owned()),
            }
        }
    }

    fn climb(&mut self, part: &OsStr) -> Result<(), Trouble> {
        let fd = open(&self.directory, part).map_err(|error| self.failed(error))?;
        let facts = fstat(&fd).map_err(|error| self.failed(error))?;
        let mut folder = std::mem::take(&mut self.folder);
        folder.pop();
        self.enter(fd, if part == "/" { PathBuf::from("/") } else { folder }, &facts)
    }

    fn enter(&mut self, fd: OwnedFd, at: PathBuf, facts: &Stat) -> Result<(), Trouble> {
        self.owners.map_or(Ok(()), |owners| owners.check(&at, facts))?;
        (self.directory, self.folder) = (fd, at);
        Ok(())
    }

    /// Goes where a link leads.
    fn turn(&mut self, at: &Path, fd: &OwnedFd, facts: &Stat) -> Result<(), Trouble> {
        self.owners.map_or(Ok(()), |owners| owners.check(at, facts))?;
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(self.failed(Errno::LOOP));
        }
        let target = readlinkat(fd, "", Vec::new()).map_err(|error| self.failed(error))?;
        if self.pending.is_empty() {
            self.last = Some(at.to_owned());
        }
        self.put_first(Path::new(&OsString::from_vec(target.into_bytes())));
        Ok(())
    }

    fn end(self, name: OsString, standing: Option<Stat>) -> Result<Way, Trouble> {
        match (self.last, &standing) {
            (Some(path), None) => Err(Trouble::Dangling { path }),
            _ if standing.is_none() && self.asked.as_os_str().as_bytes().ends_with(b"/") => {
                let path = self.asked.to_owned();
                Err(Trouble::Unsuitable { path, what: "a directory that does not exist" })
            }
            _ => Ok(Way { directory: self.directory, folder: self.folder, name, standing }),
        }
    }

    fn failed(&self, error: Errno) -> Trouble {
        Trouble::kernel("open", self.asked, error)
    }
}

fn open(directory: impl std::os::fd::AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(directory, name, flags, Mode::empty())
}

//! A tree: a directory that the run made, and the small files in it that metadata loads make, look
//! at and remove.
//!
//! Everything lies below a directory of a fresh name, made by `mkdir`, which fails where the name
//! is taken: so nothing of the user's is ever touched. Files have numbers, and names that follow
//! from them, `d3/f41`; those of one directory follow one another, so that streams with an own part
//! work in directories of their own where these are enough. Names are looked up relative to the
//! open directory of the tree (`openat`), so the path above it costs nothing and a lookup has two
//! components.
//!
//! It leaves out what is no name of its own: a directory that somebody else put something in stays.

mod calls;
mod cleared;
mod course;
mod name;
mod opened;
mod place;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use iopath_record::TargetFact;
use iopath_study::case::Tree as Wanted;
use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;

pub(crate) use course::piece_bytes;
pub(crate) use opened::ready;

use cleared::Cleared;
use course::{STEP, Task};
use name::Name;
use place::{Place, left_behind};

/// The directory of a tree and what is in it.
pub(crate) struct Tree {
    wanted: Wanted,
    /// What it was made in.
    above: OwnedFd,
    /// Its name there.
    name: String,
    path: PathBuf,
    directory: OwnedFd,
    /// How many of its directories were made.
    directories: AtomicU64,
    /// How many of its files are there.
    present: AtomicU64,
    is_removed: bool,
}

impl Tree {
    /// Makes a fresh directory in another. What is in it is made by `ready`.
    pub(crate) fn make(above: &Path, wanted: Wanted) -> io::Result<Self> {
        let Place { above, name, path, directory } = Place::make(above)?;
        let (directories, present) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Self { wanted, above, name, path, directory, directories, present, is_removed: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What a record says of it.
    pub(crate) fn facts(&self) -> [(TargetFact, String); 3] {
        let Wanted { files, directories, file_size } = self.wanted;
        [
            (TargetFact::Files, files.to_string()),
            (TargetFact::Directories, directories.to_string()),
            (TargetFact::FileBytes, file_size.0.to_string()),
        ]
    }

    /// The path of a file, for messages.
    pub(crate) fn path_of(&self, file: u64) -> PathBuf {
        self.path.join(self.name_of(file).text())
    }

    /// Notes that files were made, or removed.
    pub(crate) fn note(&self, made: u64, removed: u64) {
        self.present.fetch_add(made.wrapping_sub(removed), Relaxed);
    }

    fn name_of(&self, file: u64) -> Name {
        Name::file(self.directory_of(file), file)
    }

    fn directory_of(&self, file: u64) -> u64 {
        let Wanted { files, directories, .. } = self.wanted;
        // A share of `directories`, so it fits into 64 bits again.
        ((u128::from(file) + 1) * u128::from(directories)).div_ceil(u128::from(files)) as u64 - 1
    }

    /// The first file of a directory, or of those behind it: the borders of streams' own parts.
    fn first_of(&self, directory: u64) -> u64 {
        let Wanted { files, directories, .. } = self.wanted;
        (u128::from(directory) * u128::from(files) / u128::from(directories)) as u64
    }

    /// Removes all that it may hold, and itself. What cannot be removed stays, and the rest goes;
    /// the error is the first.
    pub(crate) fn remove(&mut self, tell: &mut dyn FnMut(u64, u64)) -> io::Result<()> {
        // What could not be removed once is not tried again.
        self.is_removed = true;
        let mut cleared = Cleared::of(self);
        let (mut failed, mut steps) = (None, 0);
        let mut done = |files: u64| {
            if files / STEP > steps {
                steps = files / STEP;
                tell(files, self.wanted.files);
            }
        };
        for directory in 0..self.directories.load(Relaxed) {
            if let Err(error) = self.remove_directory(directory, &mut cleared, &mut done) {
                failed.get_or_insert(error);
            }
            done(self.first_of(directory + 1));
        }
        self.present.store(0, Relaxed);
        let removed = unlinkat(&self.above, &*self.name, AtFlags::REMOVEDIR);
        failed.map_or(removed.map_err(|error| self.failed("removing", "", error)), Err)
    }

    fn remove_directory(
        &self,
        directory: u64,
        cleared: &mut Cleared<'_>,
        done: &mut dyn FnMut(u64),
    ) -> io::Result<()> {
        let name = Name::directory(directory);
        let remove = || unlinkat(&self.directory, name.text(), AtFlags::REMOVEDIR);
        let (mut failed, mut removed) = (None, Err(Errno::NOTEMPTY));
        if self.present.load(Relaxed) == 0 {
            removed = remove();
        }
        if removed == Err(Errno::NOTEMPTY) {
            for file in self.first_of(directory)..self.first_of(directory + 1) {
                if let Err(error) = cleared.remove(file) {
                    failed.get_or_insert(error);
                }
                done(file + 1);
            }
            removed = remove();
        }
        match removed {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => {
                Err(failed.unwrap_or_else(|| self.failed("removing", name.text(), error)))
            }
        }
    }

    fn failed(&self, doing: &str, name: &str, error: Errno) -> io::Error {
        failed(doing, &self.path.join(name), error.into())
    }
}

fn failed(doing: &str, path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{doing} {}: {error}", path.display()))
}

impl Drop for Tree {
    /// A trial that could not begin leaves nothing behind either.
    fn drop(&mut self) {
        if !self.is_removed {
            let _ = self.remove(&mut |_, _| ());
        }
    }
}

/// Opens a directory to make and find names in it.
fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(rustix::fs::CWD, path, flags, Mode::empty())?)
}

/// Opens a directory by its name in another, and never a link in its place.
fn open_below(above: &OwnedFd, name: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(above, name, flags, Mode::empty())
}

#[cfg(test)]
mod tests;

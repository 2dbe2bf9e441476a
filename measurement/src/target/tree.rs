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

use iopath_study::case::Tree as Wanted;
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::io::Errno;

pub(crate) use opened::ready;

use cleared::Cleared;
use course::Task;
use place::left_behind;

use name::Name;

/// The directory of a tree and what is in it.
pub(crate) struct Tree {
    wanted: Wanted,
    /// What it was made in.
    above: OwnedFd,
    /// Its name there.
    name: String,
    path: PathBuf,
    directory: OwnedFd,
    /// How many of its files are there.
    present: AtomicU64,
    is_removed: bool,
}

impl Tree {
    /// Makes a fresh directory in another, and the directories in it.
    pub(crate) fn make(above: &Path, wanted: Wanted) -> io::Result<Self> {
        let (opened, name) = place::make(above)?;
        let path = above.join(&name);
        let directory = place::claim(&opened, &name)?;
        let present = AtomicU64::new(0);
        let is_removed = false;
        let tree = Self { wanted, above: opened, name, path, directory, present, is_removed };
        tree.make_directories()?;
        Ok(tree)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What a record says of it.
    pub(crate) fn facts(&self) -> [(&'static str, String); 3] {
        let Wanted { files, directories, file_size } = self.wanted;
        [
            ("files", files.to_string()),
            ("directories", directories.to_string()),
            ("file_bytes", file_size.0.to_string()),
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
        (u128::from(file) * u128::from(directories) / u128::from(files.max(1))) as u64
    }

    /// The first file of a directory, or of those behind it.
    fn first_of(&self, directory: u64) -> u64 {
        let Wanted { files, directories, .. } = self.wanted;
        (u128::from(directory) * u128::from(files)).div_ceil(u128::from(directories)) as u64
    }

    fn make_directories(&self) -> io::Result<()> {
        for directory in 0..self.wanted.directories {
            let name = Name::directory(directory);
            mkdirat(&self.directory, name.text(), Mode::RWXU)
                .map_err(|error| self.failed("making", name.text(), error))?;
        }
        Ok(())
    }

    /// Removes all that it may hold, and itself.
    pub(crate) fn remove(&mut self, tell: &mut dyn FnMut(u64, u64)) -> io::Result<()> {
        // What could not be removed once is not tried again.
        self.is_removed = true;
        let present = self.present.load(Relaxed);
        let (mut done, mut cleared) = (0, Cleared::of(self));
        for directory in 0..self.wanted.directories {
            let name = Name::directory(directory);
            let mut removed = match present {
                0 => unlinkat(&self.directory, name.text(), AtFlags::REMOVEDIR),
                _ => Err(Errno::NOTEMPTY),
            };
            if removed == Err(Errno::NOTEMPTY) {
                for file in self.first_of(directory)..self.first_of(directory + 1) {
                    cleared.remove(file)?;
                    done += 1;
                    if done % course::STEP == 0 {
                        tell(done, self.wanted.files);
                    }
                }
                removed = unlinkat(&self.directory, name.text(), AtFlags::REMOVEDIR);
            }
            match removed {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(self.failed("removing", name.text(), error)),
            }
        }
        self.present.store(0, Relaxed);
        unlinkat(&self.above, &*self.name, AtFlags::REMOVEDIR)
            .map_err(|error| self.failed("removing", "", error))
    }

    fn failed(&self, doing: &str, name: &str, error: Errno) -> io::Error {
        let error = io::Error::from(error);
        let path = self.path.join(name);
        io::Error::new(error.kind(), format!("{doing} {}: {error}", path.display()))
    }
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

#[cfg(test)]
mod tests;

//! What is done with a tree outside of what is measured: its files are there, or are not, before
//! streams begin that need them so.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use iopath_units::Action;
use rustix::fs::{Advice, Mode, OFlags, fadvise, mkdirat, openat, syncfs};
use rustix::io::Errno;

use super::cleared::Cleared;
use super::name::Name;
use super::{Tree, Wanted};
use crate::buffers::noise;

/// So many files are handled before the user is asked and told again (chosen).
pub(super) const STEP: u64 = 256;

/// What streams need of the files of a tree before they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// All are there.
    Make,
    /// None is there.
    Remove,
}

impl Task {
    /// Before streams do this.
    pub(super) fn before(action: Action) -> Self {
        if action == Action::Create { Self::Remove } else { Self::Make }
    }
}

/// Data of files is written and read in pieces of this size at most.
const PIECE: u64 = 1 << 20;

/// Memory that each operation with data of a file needs.
pub(crate) fn piece_bytes(wanted: Wanted) -> u64 {
    wanted.file_size.0.min(PIECE)
}

impl Tree {
    /// Memory for the data of one file, with noise in it.
    pub(crate) fn data(&self) -> Vec<u8> {
        let mut data = vec![0; piece_bytes(self.wanted) as usize];
        noise(&mut data, 0);
        data
    }

    /// Makes all files that are not there, or removes all that are. Fails with `Interrupted` as
    /// soon as `go_on`, asked with how many are done, says so.
    pub(super) fn ready(
        &self,
        task: Task,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) -> io::Result<()> {
        self.make_directories(go_on)?;
        let total = self.wanted.files;
        let done = if task == Task::Make { total } else { 0 };
        if self.present.load(Relaxed) == done {
            return Ok(());
        }
        let (data, mut cleared) = (self.data(), Cleared::of(self));
        for file in 0..total {
            if file.is_multiple_of(STEP) {
                ask(file, total, go_on)?;
            }
            match task {
                Task::Make => self.make_file(file, &data)?,
                Task::Remove => cleared.remove(file)?,
            }
        }
        self.present.store(done, Relaxed);
        go_on(total, total);
        // What was written is not left for the measured part to write back.
        if task == Task::Make { self.sync() } else { Ok(()) }
    }

    /// Makes the directories that are not there. None of the files that `go_on` is asked
    /// with is done by then.
    fn make_directories(&self, go_on: &mut dyn FnMut(u64, u64) -> bool) -> io::Result<()> {
        for directory in self.directories.load(Relaxed)..self.wanted.directories {
            if directory.is_multiple_of(STEP) {
                ask(0, self.wanted.files, go_on)?;
            }
            let name = Name::directory(directory);
            mkdirat(&self.directory, name.text(), Mode::RWXU)
                .map_err(|error| self.failed("making", name.text(), error))?;
            self.directories.store(directory + 1, Relaxed);
        }
        Ok(())
    }

    fn make_file(&self, file: u64, data: &[u8]) -> io::Result<()> {
        match self.create(file, data, false) {
            // A load that ended early had made it.
            Err(Errno::EXIST) => Ok(()),
            Ok(()) => {
                // Where the rest fails, what is there is removed all the same.
                self.note(1, 0);
                Ok(())
            }
            Err(error) => Err(self.failed("making", self.name_of(file).text(), error)),
        }
    }

    /// Flushes the file system that it lies in to stable storage.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(syncfs(&self.directory)?)
    }

    /// Empties the page cache of its files. What the kernel knows of names and inodes stays: only
    /// root can drop that, and only of the whole machine.
    pub(crate) fn drop_pages(&self) -> io::Result<()> {
        self.sync()?;
        if self.wanted.file_size.0 == 0 {
            return Ok(());
        }
        for file in 0..self.wanted.files {
            let (flags, name) = (OFlags::RDONLY | OFlags::CLOEXEC, self.name_of(file));
            match openat(&self.directory, name.text(), flags, Mode::empty()) {
                Ok(opened) => fadvise(&opened, 0, None, Advice::DontNeed)?,
                Err(Errno::NOENT) => {}
                Err(error) => return Err(self.failed("opening", name.text(), error)),
            }
        }
        Ok(())
    }
}

/// Fails with `Interrupted` where the user does not want to go on.
fn ask(done: u64, total: u64, go_on: &mut dyn FnMut(u64, u64) -> bool) -> io::Result<()> {
    if go_on(done, total) { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
}

//! Removing files outside of what is measured: each below its own directory, opened as one. So
//! nothing is removed where a link to somewhere else has taken the directory's place.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;

use super::name::Name;
use super::{Tree, open_below};

/// A tree whose files are removed, with the directory that is open at the time.
pub(super) struct Cleared<'t> {
    tree: &'t Tree,
    open: Option<(u64, OwnedFd)>,
}

impl<'t> Cleared<'t> {
    pub(super) fn of(tree: &'t Tree) -> Self {
        Self { tree, open: None }
    }

    /// Removes a file, where it is there.
    pub(super) fn remove(&mut self, file: u64) -> io::Result<()> {
        let directory = self.tree.directory_of(file);
        let open = match self.open.take() {
            Some((number, open)) if number == directory => open,
            _ => self.directory(directory)?,
        };
        let (_, open) = self.open.insert((directory, open));
        match unlinkat(open, Name::file_alone(file).text(), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.tree.failed("removing", self.tree.name_of(file).text(), error)),
        }
    }

    fn directory(&self, number: u64) -> io::Result<OwnedFd> {
        let name = Name::directory(number);
        let opened = open_below(&self.tree.directory, name.text());
        opened.map_err(|error| self.tree.failed("opening", name.text(), error))
    }
}

//! The answer "yes": what may be written, and how to check that it is still the same thing.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::mark;
use super::refusal::Reason;
use crate::root::Root;

/// What kind of target was found harmless to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Permitted {
    /// A block device.
    #[default]
    Device,
    /// A file that does not exist yet.
    NewFile,
    /// A file without a byte in it.
    EmptyFile,
    /// A file iopath left there and nobody changed since ([`super::mark_own_file`]).
    OwnFile,
    /// A file with data, which the user named.
    NamedFile,
}

/// Leave to write to one target.
#[derive(Debug)]
pub struct Permission {
    /// The target as the caller gave it.
    pub target: PathBuf,
    /// What was found there.
    pub permitted: Permitted,
    /// What the user's override set aside; to be recorded with the run.
    pub overridden: Vec<Reason>,
    identity: Option<[u64; 3]>,
    /// What a file was known by when it was examined.
    as_found: Option<String>,
    pub(super) is_callers_own: bool,
}

impl Permission {
    pub(super) fn new(
        root: &Root,
        target: &Path,
        permitted: Permitted,
        overridden: Vec<Reason>,
    ) -> Self {
        let identity = fs::metadata(root.path(target)).ok().map(|metadata| identity(&metadata));
        let (target, as_found, is_callers_own) = (target.to_owned(), None, false);
        Self { target, permitted, overridden, identity, as_found, is_callers_own }
    }

    pub(super) fn found_as(self, as_found: Option<String>) -> Self {
        Self { as_found, ..self }
    }

    /// Leave to write to a file that the caller made itself and that holds nobody's data. Nothing
    /// of it is looked at but what identifies it.
    #[must_use]
    pub fn for_own_file(root: &Root, target: &Path) -> Self {
        let permission = Self::new(root, target, Permitted::NamedFile, Vec::new());
        Self { is_callers_own: true, ..permission }
    }

    /// True when the opened file is the thing that was examined, and no one wrote to it since; for
    /// a file that did not exist, when it is empty.
    pub fn is_for(&self, file: &File) -> io::Result<bool> {
        let is_new = self.identity.is_none();
        Ok(self.is_of(file)?
            && (!is_new || file.metadata()?.len() == 0)
            && self
                .as_found
                .as_ref()
                .is_none_or(|found| Some(found) == mark::known_by(file).ok().as_ref()))
    }

    /// True when the opened file is the thing that was examined, whatever it holds by now; for one
    /// that did not exist, any file.
    pub fn is_of(&self, file: &File) -> io::Result<bool> {
        let metadata = file.metadata()?;
        Ok(match self.identity {
            Some(examined) => examined == identity(&metadata),
            None => metadata.is_file(),
        })
    }

    /// What the file is known by as it is now: it changes when anybody writes to it. Of a file of
    /// the caller's own nothing is read.
    pub fn known_by(&self, file: &File) -> Option<String> {
        if self.is_callers_own { None } else { mark::known_by(file).ok() }
    }
}

fn identity(metadata: &Metadata) -> [u64; 3] {
    [metadata.st_dev(), metadata.st_ino(), metadata.st_rdev()]
}

//! What stands where a file shall go, and whether it may be replaced.

use std::fs::{DirBuilder, File};
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, Stat, accessat, openat};
use rustix::io::Errno;

use crate::Rules;
use crate::trouble::Trouble;
use crate::trust::{Owners, check};
use crate::way::{Way, follow};

/// How much of a file is read to find the mark.
const HEAD: u64 = 1024;
/// A directory for the user alone.
const PRIVATE: u32 = 0o700;

/// A place that a file may go to.
pub(crate) struct Place {
    /// As it was named.
    pub(crate) path: PathBuf,
    pub(crate) way: Way,
}

/// File system and inode.
pub(crate) type Identity = [u64; 2];

pub(crate) fn identity(facts: &Stat) -> Identity {
    [facts.st_dev, facts.st_ino]
}

/// Applies all rules.
pub(crate) fn examine(path: &Path, rules: &Rules<'_>) -> Result<Place, Trouble> {
    let way = follow(path, Owners::of_privileged().as_ref())?;
    let place = Place { path: path.to_owned(), way };
    place.assure_fit()?;
    place.assure_apart(rules.apart)?;
    place.assure_replaceable(rules)?;
    Ok(place)
}

impl Place {
    pub(crate) fn assure_fit(&self) -> Result<(), Trouble> {
        let path = self.path.clone();
        let unfit = |what| Err(Trouble::Unsuitable { path: path.clone(), what });
        let kind = self.way.standing.as_ref().map(|facts| FileType::from_raw_mode(facts.st_mode));
        match kind {
            // A mistyped device would fill the memory; /dev/shm is meant for files.
            None if is_devices(&self.way.folder) => unfit("a new file below /dev"),
            None | Some(FileType::RegularFile) => Ok(()),
            Some(FileType::BlockDevice) => Err(Trouble::Device { path }),
            Some(FileType::CharacterDevice) => unfit("a character device"),
            Some(FileType::Directory) => unfit("a directory"),
            Some(FileType::Fifo) => unfit("a FIFO"),
            Some(FileType::Socket) => unfit("a socket"),
            Some(FileType::Symlink | FileType::Unknown) => unfit("no regular file"),
        }
    }

    pub(crate) fn assure_apart(&self, apart: &[PathBuf]) -> Result<(), Trouble> {
        let own = self.way.standing.as_ref().map(identity);
        let is_same = |other: &PathBuf| {
            // What cannot be reached is not what was reached here.
            follow(other, None).is_ok_and(|other| {
                let found = other.standing.as_ref().map(identity);
                other.path() == self.way.path() || own.is_some() && own == found
            })
        };
        match apart.iter().any(is_same) {
            true => Err(Trouble::InUse { path: self.path.clone() }),
            false => Ok(()),
        }
    }

    fn assure_replaceable(&self, rules: &Rules<'_>) -> Result<(), Trouble> {
        let Some(facts) = &self.way.standing else { return Ok(()) };
        let canonical = self.way.path();
        let is_named = rules.named.iter().any(|name| canonical.as_os_str() == name.as_str());
        let is_marked =
            || rules.mark.map_or(Ok(false), |mark| self.begins_with(mark, identity(facts)));
        if is_named || is_marked()? {
            return Ok(());
        }
        let bytes = facts.st_size.cast_unsigned();
        let why = match rules.mark {
            Some(_) => "does not carry iopath's mark",
            None => "is not overwritten without --allow-destroy",
        };
        Err(Trouble::Exists { path: self.path.clone(), canonical, bytes, why })
    }

    fn begins_with(&self, mark: &[u8], examined: Identity) -> Result<bool, Trouble> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = openat(&self.way.directory, &self.way.name, flags, Mode::empty());
        let file = match opened {
            // What cannot be read is not known to be ours.
            Err(Errno::ACCESS | Errno::PERM) => return Ok(false),
            other => other.map_err(|error| self.failed("read", error))?,
        };
        let facts = rustix::fs::fstat(&file).map_err(|error| self.failed("read", error))?;
        let mut head = Vec::new();
        let read = File::from(file).take(HEAD).read_to_end(&mut head);
        read.map_err(|source| Trouble::Kernel { doing: "read", path: self.path.clone(), source })?;
        Ok(identity(&facts) == examined && head.starts_with(mark))
    }

    /// Whether the directory takes new files.
    pub(crate) fn assure_writable(&self) -> Result<(), Trouble> {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        accessat(&self.way.directory, ".", access, AtFlags::EACCESS)
            .map_err(|error| self.failed("write", error))
    }

    pub(crate) fn failed(&self, doing: &'static str, error: Errno) -> Trouble {
        Trouble::kernel(doing, &self.path, error)
    }
}

fn is_devices(folder: &Path) -> bool {
    folder.starts_with("/dev") && !folder.starts_with("/dev/shm")
}

/// Makes directories, private ones, below one that is trusted.
pub(crate) fn make_directory(path: &Path) -> Result<(), Trouble> {
    let failed = |source| Trouble::Kernel { doing: "make", path: path.to_owned(), source };
    let whole = std::path::absolute(path).map_err(failed)?;
    if let Some(owners) = Owners::of_privileged() {
        let there = whole.ancestors().find(|above| above.symlink_metadata().is_ok());
        let there = there.filter(|there| there.parent().is_some());
        there.map_or(Ok(()), |there| check(there, &owners))?;
    }
    DirBuilder::new().recursive(true).mode(PRIVATE).create(&whole).map_err(failed)
}

//! A file that is kept and written in place, such as a store.

use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, lstat, openat};
use rustix::io::Errno;

use crate::place::{Identity, Place, identity};
use crate::trouble::Trouble;
use crate::trust::Owners;
use crate::way::follow;

/// To read and write, for the group and for all others.
const OTHERS: u32 = 0o077;

/// A file that is kept and written in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    path: PathBuf,
    identity: Identity,
    /// What is added to its name for the files that belong to it.
    endings: &'static [&'static str],
}

/// Finds a file that is written in place, and makes it, empty and for the user alone, where it is
/// missing. `endings` are added to its name for the files that belong to it, such as SQLite's
/// `-wal`.
///
/// # Errors
/// As [`check`](crate::check), but a file may stand there. For a privileged process it must not
/// belong to another user.
pub fn standing(path: &Path, endings: &'static [&'static str]) -> Result<Standing, Trouble> {
    match find(path, endings, make) {
        // Another process has made it meanwhile.
        Err(Trouble::Changed { .. }) => find(path, endings, make),
        other => other,
    }
}

/// The same for a file that must exist.
///
/// # Errors
/// As [`standing`].
pub fn existing(path: &Path, endings: &'static [&'static str]) -> Result<Standing, Trouble> {
    find(path, endings, |place| Err(place.failed("open", Errno::NOENT)))
}

fn find(
    path: &Path,
    endings: &'static [&'static str],
    missing: impl FnOnce(&Place) -> Result<Stat, Trouble>,
) -> Result<Standing, Trouble> {
    let owners = Owners::of_privileged();
    let way = follow(path, owners.as_ref())?;
    let place = Place { path: path.to_owned(), way };
    place.assure_fit()?;
    let facts = match place.way.standing {
        Some(facts) => facts,
        None => missing(&place)?,
    };
    let standing = Standing { path: place.way.path(), identity: identity(&facts), endings };
    if let Some(owners) = owners {
        // Its mode is tightened later.
        let check = |(path, facts): (PathBuf, Stat)| owners.check_owner(&path, &facts);
        standing.files().try_for_each(check)?;
    }
    Ok(standing)
}

fn make(place: &Place) -> Result<Stat, Trouble> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDWR;
    let mode = Mode::RUSR | Mode::WUSR;
    match openat(&place.way.directory, &place.way.name, flags, mode).and_then(fstat) {
        Err(Errno::EXIST) => Err(Trouble::Changed { path: place.path.clone() }),
        made => made.map_err(|error| place.failed("make", error)),
    }
}

impl Standing {
    /// Its path, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path still leads to it.
    #[must_use]
    pub fn is_there(&self) -> bool {
        lstat(&self.path).is_ok_and(|facts| identity(&facts) == self.identity)
    }

    /// Opens it to read and write.
    ///
    /// # Errors
    /// [`Trouble::Changed`] where its path leads to something else by now; what the kernel says.
    pub fn open(&self) -> Result<File, Trouble> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let failed = |error| Trouble::kernel("open", &self.path, error);
        let file = rustix::fs::open(&self.path, flags, Mode::empty()).map_err(failed)?;
        match identity(&fstat(&file).map_err(failed)?) == self.identity {
            true => Ok(file.into()),
            false => Err(Trouble::Changed { path: self.path.clone() }),
        }
    }

    /// Takes the rights of group and others away from it and the files that belong to it, as far
    /// as they are this user's.
    ///
    /// No file is opened: closing one would drop the locks that SQLite holds on it (fcntl(2)).
    ///
    /// # Errors
    /// What the kernel says.
    pub fn tighten(&self) -> Result<(), Trouble> {
        let user = rustix::process::geteuid().as_raw();
        for (path, facts) in self.files() {
            if facts.st_uid == user && facts.st_mode & OTHERS != 0 {
                let mode = Mode::from_raw_mode(facts.st_mode & 0o777 & !OTHERS);
                let changed = rustix::fs::chmod(&path, mode);
                changed.map_err(|error| Trouble::kernel("protect", &path, error))?;
            }
        }
        Ok(())
    }

    /// It and the files that belong to it, where they are regular ones.
    fn files(&self) -> impl Iterator<Item = (PathBuf, Stat)> {
        let names = [""].into_iter().chain(self.endings.iter().copied()).map(|ending| {
            let mut path = self.path.clone().into_os_string();
            path.push(ending);
            PathBuf::from(path)
        });
        names.filter_map(|path| {
            let facts = lstat(&path).ok()?;
            let is_file = FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile;
            is_file.then_some((path, facts))
        })
    }
}

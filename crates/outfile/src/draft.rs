//! A file that has its name when it is complete.
//!
//! A new file has no name at all while it is written (`O_TMPFILE`), so nothing remains of it when
//! the process is killed. Where the file system lacks that it has a random name in the directory
//! of the output. A file that stands there already is exchanged for the new one, looked at again
//! and then unlinked, so that one that came in between is put back.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, fchmod, linkat, openat, renameat, renameat_with,
    statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::Readers;
use crate::place::{Identity, Place, identity};
use crate::trouble::Trouble;

/// A file on its way to its name. Dropped before [`Draft::commit`] it leaves nothing.
pub struct Draft {
    place: Place,
    file: File,
    /// The name that it has meanwhile.
    scratch: Option<OsString>,
}

impl Draft {
    pub(crate) fn begin(place: Place, readers: Readers) -> Result<Self, Trouble> {
        let mode = Mode::from_raw_mode(match readers {
            Readers::Umask => 0o666,
            Readers::Owner => 0o600,
        });
        let (file, scratch) = match nameless(&place, mode) {
            Some(file) => (file, None),
            None => {
                let (file, name) = named(&place, mode)?;
                (file, Some(name))
            }
        };
        let draft = Self { place, file, scratch };
        draft.keep_mode()?;
        Ok(draft)
    }

    /// Who could read a file of this user can read what replaces it, and no one else.
    fn keep_mode(&self) -> Result<(), Trouble> {
        let standing = self.place.way.standing.as_ref();
        let own = standing.filter(|facts| facts.st_uid == geteuid().as_raw());
        let Some(facts) = own else { return Ok(()) };
        let mode = Mode::from_raw_mode(facts.st_mode & 0o777);
        fchmod(&self.file, mode).map_err(|error| self.place.failed("write", error))
    }

    pub(crate) fn fill(&mut self, content: &[u8]) -> Result<(), Trouble> {
        self.file.write_all(content).map_err(|error| self.unwritten(error))
    }

    /// Flushes the file to the disk and gives it its name.
    ///
    /// # Errors
    /// [`Trouble::Exists`] or [`Trouble::Changed`] where something has come to the place since it
    /// was examined; what the kernel says. The place is as it was then.
    pub fn commit(mut self) -> Result<(), Trouble> {
        self.file.sync_all().map_err(|error| self.unwritten(error))?;
        match self.place.way.standing.as_ref().map(identity) {
            None => self.appear()?,
            Some(standing) => self.exchange(standing)?,
        }
        // The file is there; whether its name survives a power cut is the file system's word.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(&self.place.way.directory, ".", flags, Mode::empty());
        let _ = folder.map(rustix::fs::fsync);
        Ok(())
    }

    /// Takes a name that nothing has.
    fn appear(&mut self) -> Result<(), Trouble> {
        let name = self.place.way.name.clone();
        let done = match &self.scratch {
            None => self.link(&name),
            Some(scratch) => {
                let directory = &self.place.way.directory;
                let flags = RenameFlags::NOREPLACE;
                match renameat_with(directory, scratch, directory, &name, flags) {
                    // The name that it had is unlinked when this is dropped.
                    Err(error) if is_lacking(error) => {
                        linkat(directory, scratch, directory, &name, AtFlags::empty())
                    }
                    Ok(()) => {
                        self.scratch = None;
                        Ok(())
                    }
                    other => other,
                }
            }
        };
        done.map_err(|error| match error {
            Errno::EXIST => self.changed(),
            error => self.place.failed("write", error),
        })
    }

    /// Takes the place of what was examined; what else is there stays.
    fn exchange(&mut self, examined: Identity) -> Result<(), Trouble> {
        let scratch = self.scratch()?;
        match self.swap(&scratch) {
            Ok(()) if self.found(&scratch) == Some(examined) => Ok(()),
            Ok(()) => {
                self.swap(&scratch).map_err(|error| {
                    // What has that name now is not ours to remove.
                    self.scratch = None;
                    self.place.failed("put back", error)
                })?;
                Err(self.changed())
            }
            Err(Errno::NOENT) => Err(self.changed()),
            Err(error) if is_lacking(error) => self.rename(&scratch, examined),
            Err(error) => Err(self.place.failed("replace", error)),
        }
    }

    fn swap(&self, scratch: &OsStr) -> Result<(), Errno> {
        let (directory, name) = (&self.place.way.directory, &self.place.way.name);
        renameat_with(directory, scratch, directory, name, RenameFlags::EXCHANGE)
    }

    /// For file systems without exchange: the last look comes just before.
    fn rename(&mut self, scratch: &OsStr, examined: Identity) -> Result<(), Trouble> {
        let (directory, name) = (&self.place.way.directory, &self.place.way.name);
        if self.found(name) != Some(examined) {
            return Err(self.changed());
        }
        let renamed = renameat(directory, scratch, directory, name);
        renamed.map_err(|error| self.place.failed("replace", error))?;
        self.scratch = None;
        Ok(())
    }

    fn changed(&self) -> Trouble {
        Trouble::Changed { path: self.place.path.clone() }
    }

    /// The name that it has meanwhile; it gets one where it has none.
    fn scratch(&mut self) -> Result<OsString, Trouble> {
        if let Some(name) = &self.scratch {
            return Ok(name.clone());
        }
        let name = random_name().map_err(|error| self.place.failed("write", error))?;
        self.link(&name).map_err(|error| self.place.failed("write", error))?;
        self.scratch = Some(name.clone());
        Ok(name)
    }

    /// Gives a file without a name one that nothing has, as open(2) shows for `O_TMPFILE`.
    fn link(&self, name: &OsStr) -> Result<(), Errno> {
        linkat(CWD, door(&self.file), &self.place.way.directory, name, AtFlags::SYMLINK_FOLLOW)
    }

    fn found(&self, name: &OsStr) -> Option<Identity> {
        let facts = statat(&self.place.way.directory, name, AtFlags::SYMLINK_NOFOLLOW);
        facts.ok().as_ref().map(identity)
    }

    fn unwritten(&self, source: io::Error) -> Trouble {
        Trouble::Kernel { doing: "write", path: self.place.path.clone(), source }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    /// Removes what has a name of no use: the draft, or after an exchange what it replaced.
    fn drop(&mut self) {
        if let Some(name) = &self.scratch {
            let _ = unlinkat(&self.place.way.directory, name, AtFlags::empty());
        }
    }
}

/// A file without a name; none where the file system or the lack of /proc leaves no way to give
/// it one later.
fn nameless(place: &Place, mode: Mode) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(openat(&place.way.directory, ".", flags, mode).ok()?);
    statat(CWD, door(&file), AtFlags::SYMLINK_NOFOLLOW).is_ok().then_some(file)
}

fn named(place: &Place, mode: Mode) -> Result<(File, OsString), Trouble> {
    let failed = |error| place.failed("write", error);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let name = random_name().map_err(failed)?;
    let file = openat(&place.way.directory, &name, flags | OFlags::WRONLY, mode).map_err(failed)?;
    Ok((file.into(), name))
}

/// The kernel's path to an open file.
fn door(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// No one else's, and hidden from plain listings.
fn random_name() -> Result<OsString, Errno> {
    let mut bytes = [0; 16];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(format!(".iopath-{:032x}", u128::from_ne_bytes(bytes)).into())
}

/// The file system does not know this kind of renaming.
fn is_lacking(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP].contains(&error)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::Rules;
    use crate::place::examine;

    const RULES: Rules<'_> =
        Rules { mark: Some(b"mark"), named: &[], apart: &[], readers: Readers::Umask };

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// As on a file system without `O_TMPFILE`.
    fn with_a_name(path: &Path) -> Draft {
        let place = examine(path, &RULES).unwrap();
        let (file, name) = named(&place, Mode::from_raw_mode(0o600)).unwrap();
        Draft { place, file, scratch: Some(name) }
    }

    #[test]
    fn without_tmpfile_a_draft_gets_its_name_and_leaves_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        for content in [b"mark 1", b"mark 2"] {
            let mut draft = with_a_name(&path);
            draft.fill(content).unwrap();
            draft.commit().unwrap();
            assert_eq!(fs::read(&path).unwrap(), content);
        }
        drop(with_a_name(&path));
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn a_file_that_came_while_a_draft_was_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let nameless =
            |path: &Path| Draft::begin(examine(path, &RULES).unwrap(), Readers::Umask).unwrap();
        for begin in [with_a_name, nameless] {
            let draft = begin(&path);
            fs::write(&path, "precious").unwrap();
            assert!(matches!(draft.commit(), Err(Trouble::Changed { .. })));
            assert_eq!(fs::read(&path).unwrap(), b"precious");
            assert_eq!(names(folder.path()), ["out"]);
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn a_file_that_took_the_place_of_our_page_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let nameless =
            |path: &Path| Draft::begin(examine(path, &RULES).unwrap(), Readers::Umask).unwrap();
        for begin in [with_a_name, nameless] {
            fs::write(&path, "mark: ours").unwrap();
            let draft = begin(&path);
            let other = folder.path().join("other");
            fs::write(&other, "precious").unwrap();
            fs::rename(&other, &path).unwrap();
            assert!(matches!(draft.commit(), Err(Trouble::Changed { .. })));
            assert_eq!(fs::read(&path).unwrap(), b"precious");
            assert_eq!(names(folder.path()), ["out"]);
        }
    }

    #[test]
    fn without_exchange_only_the_examined_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "mark: ours").unwrap();
        let mut draft = with_a_name(&path);
        let examined = identity(draft.place.way.standing.as_ref().unwrap());
        let scratch = draft.scratch().unwrap();
        assert!(matches!(draft.rename(&scratch, [0, 0]), Err(Trouble::Changed { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"mark: ours");
        draft.rename(&scratch, examined).unwrap();
        drop(draft);
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["out".into()], vec![]));
    }
}

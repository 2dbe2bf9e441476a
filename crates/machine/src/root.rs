//! The place under which /proc, /sys and /dev are looked for.
//!
//! Idea: readers that take their root path can be shown any machine (as in Meta's `below`).
//! Leaves out: caching; every call reads the file anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::error::ReadError;

/// The root of a machine's file tree: `/`, or a directory that imitates one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    base: PathBuf,
}

impl Root {
    /// This machine.
    pub fn live() -> Self {
        Self { base: PathBuf::from("/") }
    }

    /// A tree of files that imitates a machine; `Root::at("/")` is [`Root::live`].
    pub fn at(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into() }
    }

    /// True for this machine: only then do device numbers, locks and ioctls mean anything.
    pub fn is_live(&self) -> bool {
        self.base == Path::new("/")
    }

    /// Whether it holds what a kernel shows of a machine.
    pub fn is_of_a_machine(&self) -> bool {
        ["/proc", "/sys"].iter().any(|shown| self.path(shown).is_dir())
    }

    /// Where `path` is to be found; on this machine a relative path stays relative.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        if self.is_live() {
            return path.to_owned();
        }
        self.base.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The machine's own name for `found`, a path under this root.
    pub fn name_of(&self, found: &Path) -> PathBuf {
        found
            .strip_prefix(&self.base)
            .map_or_else(|_| found.into(), |rest| Path::new("/").join(rest))
    }

    /// The whole text of a kernel file; bytes that are not UTF-8 are replaced.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<String, ReadError> {
        let path = self.path(path);
        match fs::read(&path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(source) => Err(ReadError::from_io(path, source)),
        }
    }

    /// The same, with `None` when the file does not exist.
    pub fn read_if_present(&self, path: impl AsRef<Path>) -> Result<Option<String>, ReadError> {
        match self.read(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A one-line attribute without surrounding blanks; `None` when absent, unreadable or empty.
    ///
    /// For descriptive facts only; whatever a decision hangs on uses [`Root::read`].
    pub fn attribute(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = self.read(path).ok()?;
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The names in a directory, sorted; empty when the directory does not exist.
    pub fn list(&self, path: impl AsRef<Path>) -> Result<Vec<String>, ReadError> {
        let path = self.path(path);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(ReadError::from_io(path, source)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| ReadError::from_io(path.clone(), source))?;
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    /// Where a path really is, links followed, by the machine's own name; `None` when it is absent
    /// or leads out of an imitated tree.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        let found = fs::canonicalize(self.path(path)).ok()?;
        let base = fs::canonicalize(&self.base).ok()?;
        Some(Path::new("/").join(found.strip_prefix(base).ok()?))
    }

    /// True when the path exists, whatever it is.
    pub fn has(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }
}

/// Opens a file or device to look at it, and waits for nothing; `more` is what else is wanted.
pub(crate) fn open_to_read(place: &Path, more: OFlags) -> io::Result<File> {
    let flags = (OFlags::CLOEXEC | OFlags::NONBLOCK | more).bits();
    OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_mapped_under_the_root_and_back() {
        let root = Root::at("/tmp/tree");
        assert_eq!(root.path("/proc/stat"), Path::new("/tmp/tree/proc/stat"));
        assert_eq!(root.name_of(Path::new("/tmp/tree/dev/sda")), Path::new("/dev/sda"));
        assert_eq!(Root::live().path("/proc/stat"), Path::new("/proc/stat"));
        assert_eq!(Root::live().name_of(Path::new("/dev/sda")), Path::new("/dev/sda"));
        assert!(Root::at("/").is_live() && !root.is_live());
    }

    #[test]
    fn a_missing_file_is_told_apart_from_an_unreadable_one() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::at(directory.path());
        fs::create_dir(root.path("/proc")).unwrap();
        assert!(root.read("/proc/stat").unwrap_err().is_missing());
        assert_eq!(root.read_if_present("/proc/stat").unwrap(), None);
        let error = root.read("/proc").unwrap_err();
        assert!(!error.is_missing());
        assert!(error.to_string().contains("proc"), "{error}");
    }
}

//! The directory that run directories are made in: one that no other user can change.
//!
//! Its name may be known before (`iopath-UID` in the temporary directory), so that somebody else
//! may have made it, or a link of that name. Whoever owns a directory, or may write in it, can put
//! another in the place of a run directory, and root would read its manifest. So each directory of
//! the path must be root's or ours, and nobody else's to write in, unless it is sticky, as `/tmp`.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use iopath_outfile::trust::{self, Owners};

use crate::trouble::Trouble;

/// For us alone.
pub(crate) const PRIVATE: u32 = 0o700;

/// The directory, without symbolic links.
#[derive(Debug)]
pub(crate) struct RuntimeDir {
    pub(crate) path: PathBuf,
    /// It was made for this.
    pub(crate) is_ours: bool,
}

impl RuntimeDir {
    /// Makes it where it is not there.
    pub(crate) fn open(path: &Path) -> Result<Self, Trouble> {
        let is_ours = !path.exists();
        let made = DirBuilder::new().recursive(true).mode(PRIVATE).create(path);
        made.map_err(|error| Trouble::file("make", path, error))?;
        let path = path.canonicalize().map_err(|error| Trouble::file("open", path, error))?;
        if let Err(trouble) = check(&path) {
            give_back(&path, is_ours);
            return Err(trouble);
        }
        Ok(Self { path, is_ours })
    }
}

/// The same for one that is perhaps not there: then nothing is in it.
pub(crate) fn find(path: &Path) -> Result<Option<PathBuf>, Trouble> {
    match path.canonicalize() {
        Ok(path) => check(&path).map(|()| Some(path)),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            Ok(None)
        }
        Err(error) => Err(Trouble::file("open", path, error)),
    }
}

/// Removes the directory above when it was made for this and nobody else uses it.
pub(crate) fn give_back(above: &Path, above_is_ours: bool) {
    if above_is_ours {
        // It is not empty when another emulation has come meanwhile, and then belongs to that one.
        let _ = fs::remove_dir(above);
    }
}

fn check(path: &Path) -> Result<(), Trouble> {
    trust::check(path, &Owners::own()).map_err(|trouble| match trouble {
        iopath_outfile::Trouble::Untrusted { path, why } => Trouble::Untrusted { path, why },
        other => Trouble::file("open", path, std::io::Error::other(other)),
    })
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn it_is_made_for_us_alone_and_given_back() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b");
        let above = RuntimeDir::open(&path).unwrap();
        assert!(above.is_ours);
        for made in [&path, &place.path().join("a")] {
            assert_eq!(fs::metadata(made).unwrap().mode() & 0o7777, PRIVATE);
        }
        assert!(!RuntimeDir::open(&path).unwrap().is_ours);
        give_back(&above.path, above.is_ours);
        assert!(find(&path).unwrap().is_none());
    }

    #[test]
    fn one_that_others_may_write_in_is_refused_by_any_way_to_it() {
        let place = tempfile::tempdir().unwrap();
        let open = place.path().canonicalize().unwrap().join("open");
        fs::create_dir(&open).unwrap();
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&open, &link).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        for way in [open.clone(), link.clone(), open.join("deep")] {
            let trouble = RuntimeDir::open(&way).unwrap_err().to_string();
            let expected = format!(
                "{} may be written by others (mode 777), so others may change its contents: name \
                 a directory writable only for you and root",
                open.display()
            );
            assert_eq!(trouble, expected, "{}", way.display());
        }
        assert!(!open.join("deep").exists(), "it was not given back");
        assert!(matches!(find(&link), Err(Trouble::Untrusted { .. })));
        fs::set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(find(&link).unwrap(), Some(open));
    }
}

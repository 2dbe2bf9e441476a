//! Output files: where one may go, and how it gets there whole or not at all.
//!
//! Law: an output file never destroys anything not written by iopath, unless the user names
//! its canonical path. It never goes onto a device, into a target of the run, or through a dangling
//! link, and a privileged process writes only where no other user can change the path. It has its
//! name when it is complete and on disk, not before, and no other name in the directory is
//! touched.
//!
//! [`check`] answers before a run begins whether [`create`] will succeed; both apply the same
//! [`Rules`]. A [`Draft`] is written and then committed. [`trust`] is the rule about directories,
//! which emulations and stores apply too.
//!
//! Sources: open(2) for `O_TMPFILE`, rename(2) for `RENAME_NOREPLACE` and `RENAME_EXCHANGE`; who
//! owns a trusted directory follows `safe.directory` of git-config(1). Leaves out: access control
//! lists beyond the mask that the mode shows, and writing in place (targets of measurement).

mod draft;
mod place;
mod standing;
mod trouble;
pub mod trust;
mod way;

use std::path::{Path, PathBuf};

pub use draft::Draft;
pub use standing::{Standing, existing, standing};
pub use trouble::Trouble;

/// What an output may replace, and what it must stay away from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules<'a> {
    /// How a file begins that iopath wrote and may replace; none where every file stays.
    pub mark: Option<&'a [u8]>,
    /// Files that the user gives up, by canonical path, byte for byte.
    pub named: &'a [String],
    /// Targets, store and other files of the run: none is ever an output, whatever is named.
    pub apart: &'a [PathBuf],
    /// Who may read a new file.
    pub readers: Readers,
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the umask lets.
    #[default]
    Umask,
    /// The user alone.
    Owner,
}

/// Checks whether a file could be written there now. Changes nothing.
///
/// # Errors
/// Why not, and what to do.
pub fn check(path: &Path, rules: &Rules<'_>) -> Result<(), Trouble> {
    place::examine(path, rules).and_then(|place| place.assure_writable())
}

/// Begins a file that gets its name by [`Draft::commit`].
///
/// # Errors
/// As [`check`], and what the kernel says of the new file.
pub fn create(path: &Path, rules: &Rules<'_>) -> Result<Draft, Trouble> {
    Draft::begin(place::examine(path, rules)?, rules.readers)
}

/// Writes a file whole.
///
/// # Errors
/// As [`create`] and [`Draft::commit`].
pub fn write(path: &Path, content: &[u8], rules: &Rules<'_>) -> Result<(), Trouble> {
    let mut draft = create(path, rules)?;
    draft.fill(content)?;
    draft.commit()
}

/// Checks that a path leads to none of these files and devices, whether they exist yet or not. One
/// that cannot be followed leads to none.
///
/// # Errors
/// [`Trouble::InUse`].
pub fn assure_apart(path: &Path, apart: &[PathBuf]) -> Result<(), Trouble> {
    match way::follow(path, None) {
        Ok(way) => place::Place { path: path.to_owned(), way }.assure_apart(apart),
        Err(_) => Ok(()),
    }
}

/// Makes a directory and those above it where they are missing, for the user alone.
///
/// # Errors
/// [`Trouble::Untrusted`] where another user could change the path of a privileged process; what
/// the kernel says.
pub fn make_directory(path: &Path) -> Result<(), Trouble> {
    place::make_directory(path)
}

//! Which directories only trusted users can change.
//!
//! Whoever owns a directory, or may write in it, can put something else in the place of what is
//! made there. So each directory of a path must belong to a trusted user, and no one else may
//! write in it, unless it is sticky, as `/tmp`. In a sticky directory anybody can make a link, so
//! links that are followed must belong to a trusted user too.

use std::path::Path;

use rustix::fs::{FileType, Stat, stat};
use rustix::process::geteuid;

use crate::trouble::Trouble;
use crate::way;

/// To write, for the group and for all others.
const OTHERS_WRITE: u32 = 0o022;
/// Entries are moved and removed by their owners only.
const STICKY: u32 = 0o1000;
/// How the kernel shows a user that a user namespace does not map (`overflowuid`).
const UNMAPPED: u32 = 65_534;

/// The users who may own the directories of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owners(Vec<u32>);

impl Owners {
    /// Root and the user as whom this process runs.
    #[must_use]
    pub fn own() -> Self {
        Self(vec![0, geteuid().as_raw()])
    }

    /// Those of a privileged process: root, and who has called it by sudo. None for an ordinary
    /// user, who can lose nothing but what is his own; nor for the root of a user namespace that
    /// does not own `/`, who has no more rights outside of it.
    #[must_use]
    pub fn of_privileged() -> Option<Self> {
        let is_real = || stat("/").is_ok_and(|root| root.st_uid != UNMAPPED);
        (geteuid().is_root() && is_real()).then(|| {
            let caller = std::env::var("SUDO_UID").ok().and_then(|text| text.parse().ok());
            Self(caller.into_iter().chain([0]).collect())
        })
    }

    /// Why something of this owner and mode may be changed by others.
    #[must_use]
    pub fn distrust(&self, owner: u32, mode: u32) -> Option<String> {
        if !self.0.contains(&owner) {
            return Some(format!("belongs to user {owner}"));
        }
        // The mode of a link means nothing.
        let is_link = FileType::from_raw_mode(mode) == FileType::Symlink;
        let is_open = !is_link && mode & OTHERS_WRITE != 0 && mode & STICKY == 0;
        is_open.then(|| format!("may be written by others (mode {:o})", mode & 0o7777))
    }

    /// A file's mode says who can change what is in it, not what stands there.
    pub(crate) fn check_owner(&self, path: &Path, facts: &Stat) -> Result<(), Trouble> {
        match self.distrust(facts.st_uid, 0) {
            Some(why) => Err(Trouble::Untrusted { path: path.to_owned(), why }),
            None => Ok(()),
        }
    }

    pub(crate) fn check(&self, path: &Path, facts: &Stat) -> Result<(), Trouble> {
        match self.distrust(facts.st_uid, facts.st_mode) {
            Some(why) => Err(Trouble::Untrusted { path: path.to_owned(), why }),
            None => Ok(()),
        }
    }
}

/// Checks a directory, and all that lead to it.
///
/// # Errors
/// [`Trouble::Untrusted`] with the first that others can change; [`Trouble::Kernel`].
pub fn check(directory: &Path, owners: &Owners) -> Result<(), Trouble> {
    // Where it ends with `..` every directory was entered, so checked.
    let Some(way) = way::walk(directory, Some(owners))? else { return Ok(()) };
    way.standing.as_ref().map_or(Ok(()), |facts| owners.check(&way.path(), facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_and_the_owner_can_change_what_is_trusted() {
        for (owner, mode, own, is_trusted) in [
            (1000, 0o700, 1000, true),
            (1000, 0o755, 1000, true),
            (0, 0o755, 1000, true),
            (0, 0o1777, 1000, true),
            (0, 0o1777, 0, true),
            (1000, 0o700, 0, false),
            (1000, 0o1777, 0, false),
            (1001, 0o755, 1000, false),
            (1000, 0o775, 1000, false),
            (0, 0o777, 0, false),
            (0, 0o757, 0, false),
            (0, 0o120_777, 0, true),
            (1000, 0o120_777, 0, false),
        ] {
            let found = Owners(vec![0, own]).distrust(owner, mode);
            assert_eq!(found.is_none(), is_trusted, "{owner} {mode:o} {own}");
        }
    }
}

//! Free space, asked for by all targets of a run together: files of one file system share it, and
//! a run keeps its files to the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use iopath_units::{Bytes, Human, System};

/// What the targets of a run will take, by file system.
#[derive(Default)]
pub(super) struct Room {
    wanted: BTreeMap<u64, (BTreeMap<String, u64>, Taken)>,
    told: BTreeSet<u64>,
}

/// What a run will take of a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// A place on it.
    pub place: PathBuf,
    /// All that its targets will take.
    pub wanted: Bytes,
    pub free: Bytes,
}

/// That there is less than is wanted.
#[must_use]
pub fn lacking(place: &Path, free: Bytes, wanted: Bytes) -> String {
    let [free, wanted] = [free, wanted].map(|bytes| bytes.human(System::Decimal));
    format!(
        "{} has {free} free, but the study would write {wanted} there; use a smaller size or \
         another place",
        place.display()
    )
}

/// What one target takes.
pub(super) struct Claim {
    /// Number of the file system (`st_dev`).
    pub file_system: u64,
    pub place: PathBuf,
    /// The target, the same over all cases of a run.
    pub target: String,
    /// Bytes that it will take.
    pub bytes: u64,
}

impl Room {
    /// Notes a claim. Gives what all claims to the file system come to, if that is more than is
    /// free; once for each file system.
    pub(super) fn lacks(&mut self, claim: Claim, free: Bytes) -> Option<Bytes> {
        let Claim { file_system, place, target, bytes } = claim;
        let none = || (BTreeMap::new(), Taken { place, wanted: Bytes(0), free });
        let (claims, taken) = self.wanted.entry(file_system).or_insert_with(none);
        let most = claims.entry(target).or_default();
        taken.wanted.0 = taken.wanted.0.saturating_add(bytes.saturating_sub(*most));
        *most = (*most).max(bytes);
        let total = taken.wanted;
        (total > free && self.told.insert(file_system)).then_some(total)
    }

    /// What is taken of each file system.
    pub(super) fn into_taken(self) -> Vec<Taken> {
        self.wanted.into_values().map(|(_, taken)| taken).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(file_system: u64, target: &str, bytes: u64) -> Claim {
        Claim { file_system, place: PathBuf::from("/"), target: target.to_owned(), bytes }
    }

    #[test]
    fn files_of_one_file_system_share_what_is_free() {
        let mut room = Room::default();
        assert_eq!(room.lacks(claim(1, "a", 60), Bytes(100)), None);
        assert_eq!(room.lacks(claim(1, "a", 60), Bytes(100)), None, "the same file again");
        assert_eq!(room.lacks(claim(2, "b", 60), Bytes(100)), None, "another file system");
        assert_eq!(room.lacks(claim(1, "c", 60), Bytes(100)), Some(Bytes(120)));
        assert_eq!(room.lacks(claim(1, "d", 60), Bytes(100)), None, "told already");
    }
}

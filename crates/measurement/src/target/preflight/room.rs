//! Free space, asked for by all targets of a run together: files of one file system share it, and
//! a run keeps its files to the end.

use std::collections::{BTreeMap, BTreeSet};

use iopath_units::Bytes;

/// What the targets of a run will take, by file system: each of them, and their sum.
#[derive(Default)]
pub(super) struct Room {
    wanted: BTreeMap<u64, (BTreeMap<String, u64>, u64)>,
    told: BTreeSet<u64>,
}

/// What one target takes.
pub(super) struct Claim {
    /// Number of the file system (`st_dev`).
    pub file_system: u64,
    /// The target, the same over all cases of a run.
    pub target: String,
    /// Bytes that it will take.
    pub bytes: u64,
}

impl Room {
    /// Notes a claim. Gives what all claims to the file system come to, if that is more than is
    /// free; once for each file system.
    pub(super) fn lacks(&mut self, claim: Claim, free: Bytes) -> Option<Bytes> {
        let (claims, sum) = self.wanted.entry(claim.file_system).or_default();
        let most = claims.entry(claim.target).or_default();
        *sum = sum.saturating_add(claim.bytes.saturating_sub(*most));
        *most = (*most).max(claim.bytes);
        let total = Bytes(*sum);
        (total > free && self.told.insert(claim.file_system)).then_some(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(file_system: u64, target: &str, bytes: u64) -> Claim {
        Claim { file_system, target: target.to_owned(), bytes }
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

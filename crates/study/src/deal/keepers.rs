//! Which rank keeps a file or device that several ranks use.

use std::collections::{BTreeMap, BTreeSet};

/// The keeper of each path of each rank, for a whole run: the lowest rank that has the same file or
/// device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keepers {
    of: BTreeMap<(String, usize), usize>,
}

impl Keepers {
    /// From what each rank found at each of its paths: one name for one file or device, whichever
    /// rank looked.
    #[must_use]
    pub fn of_identities(ranks: &[BTreeMap<String, String>]) -> Self {
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        let mut of = BTreeMap::new();
        for (rank, found) in ranks.iter().enumerate() {
            for (path, identity) in found {
                let keeper = *first.entry(identity).or_insert(rank);
                of.insert((path.clone(), rank), keeper);
            }
        }
        Self { of }
    }

    /// Who keeps what a rank has at a path; the rank itself where nothing else is known.
    #[must_use]
    pub fn of(&self, path: &str, rank: usize) -> usize {
        self.of.get(&(path.to_owned(), rank)).copied().unwrap_or(rank)
    }

    /// The paths that a rank borrows.
    #[must_use]
    pub fn borrowed(&self, rank: usize) -> BTreeSet<String> {
        let of_rank = self.of.iter().filter(|((_, of), keeper)| *of == rank && **keeper != rank);
        of_rank.map(|((path, _), _)| path.clone()).collect()
    }

    /// Paths of ranks that others borrow.
    #[must_use]
    pub fn lent(&self, rank: usize) -> BTreeSet<String> {
        let lent = self.of.iter().filter(|((_, of), keeper)| *of != rank && **keeper == rank);
        lent.map(|((path, _), _)| path.clone()).collect()
    }
}

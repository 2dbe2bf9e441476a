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

    /// A file or device that a rank has at a path at which its keeper has it not: the two ranks,
    /// each with its path. Only the keeper opens and fills it, by its own path. `ranks` is what the
    /// keepers are from.
    #[must_use]
    pub fn unlike(&self, ranks: &[BTreeMap<String, String>]) -> Option<[(usize, String); 2]> {
        let all = ranks.iter().enumerate();
        let mut all = all.flat_map(|(rank, found)| found.iter().map(move |one| (rank, one)));
        all.find_map(|(rank, (path, identity))| {
            let keeper = self.of(path, rank);
            let mut kept = ranks[keeper].iter().filter(|(_, one)| *one == identity);
            let is_unlike = ranks[keeper].get(path) != Some(identity);
            let its_path = kept.next().filter(|_| is_unlike)?.0;
            Some([(keeper, its_path.clone()), (rank, path.clone())])
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
        rows.iter().map(|(path, identity)| ((*path).into(), (*identity).into())).collect()
    }

    #[test]
    fn one_device_at_two_paths_is_nobody_elses_to_open() {
        let unlike = |ranks: &[_]| Keepers::of_identities(ranks).unlike(ranks);
        let same = [found(&[("/a", "x"), ("/b", "x")]), found(&[("/b", "x"), ("/c", "y")])];
        assert_eq!(unlike(&same), None);
        let other = [found(&[("/a", "x")]), found(&[("/a", "z"), ("/b", "x")])];
        let both = [(0, "/a".to_owned()), (1, "/b".to_owned())];
        assert_eq!(unlike(&other), Some(both));
    }
}

//! How the cases of a run are dealt: what every rank works out from the same facts.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use iopath_measurement::{Lender, Targets};
use iopath_study::Case;
use iopath_study::case::Target;
use iopath_study::deal::{CannotDeal, Dealt, Keepers, Nodes, Share};

use super::messages::{Found, HostFacts};

/// What all ranks know of each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Deal {
    ranks: Vec<HostFacts>,
    /// The host of each, by its number.
    hosts: Vec<usize>,
    /// Which of them this one is.
    own: u32,
    keepers: Keepers,
    nodes: Nodes,
}

impl Deal {
    /// Ranks of one name and kernel are on one host.
    pub(super) fn over(ranks: Vec<HostFacts>, own: u32) -> Self {
        let mut known: Vec<&HostFacts> = Vec::new();
        let mut hosts = Vec::new();
        for facts in &ranks {
            let place = known.iter().position(|one| one.is_host_of(facts));
            hosts.push(place.unwrap_or(known.len()));
            if place.is_none() {
                known.push(facts);
            }
        }
        Self { hosts, ranks, own, ..Self::default() }
    }

    /// With the cases of the run.
    pub(super) fn with_cases(&mut self, cases: &[Case]) {
        self.nodes = Nodes::of(cases);
    }

    /// With what each of them found at its paths.
    pub(super) fn with_found(&mut self, found: &[Found]) {
        self.keepers = Keepers::of_identities(found);
    }

    /// One file or device that ranks have at different paths.
    pub(super) fn unlike(&self, found: &[Found]) -> Option<[(u32, String); 2]> {
        let unlike = self.keepers.unlike(found)?;
        Some(unlike.map(|(rank, path)| (rank as u32, path)))
    }

    pub(super) fn ranks(&self) -> &[HostFacts] {
        &self.ranks
    }

    /// How many hosts there are.
    pub(super) fn hosts(&self) -> usize {
        self.hosts.iter().max().map_or(1, |last| last + 1)
    }

    pub(super) fn is_one_host(&self) -> bool {
        self.hosts() == 1
    }

    /// Threads of a rank: the processors that it may use, shared with the other ranks there.
    pub(super) fn threads(&self, rank: u32) -> NonZeroUsize {
        let (facts, host) = (&self.ranks[rank as usize], self.hosts[rank as usize]);
        let sharing = self.hosts.iter().filter(|one| **one == host).count();
        let threads = facts.allowed.min(facts.processors / sharing.max(1));
        NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN)
    }

    /// Whether two ranks run on one host.
    pub(super) fn shares_a_host(&self) -> bool {
        self.hosts.iter().collect::<BTreeSet<_>>().len() < self.hosts.len()
    }

    /// What the entities of a rank's host are called by.
    pub(super) fn node(&self, rank: u32) -> String {
        format!("node[{}]", self.hosts[rank as usize])
    }

    /// The host of a rank, as the network knows it.
    pub(super) fn host(&self, rank: u32) -> &str {
        &self.ranks[rank as usize].name
    }

    /// The lowest rank of each host but rank 0's.
    pub(super) fn firsts(&self) -> Vec<u32> {
        let first = |rank: &u32| {
            let host = self.hosts[*rank as usize];
            self.hosts.iter().position(|one| *one == host) == Some(*rank as usize)
        };
        (1..self.hosts.len() as u32).filter(first).collect()
    }

    /// How messages call a rank.
    pub(super) fn name(&self, rank: u32) -> String {
        format!("rank {rank} on {}", self.ranks[rank as usize].name)
    }

    pub(super) fn dealt<'c>(&self, case: &'c Case) -> Result<Dealt<'c>, CannotDeal> {
        Dealt::of(case, &self.nodes, &self.hosts)
    }

    /// The paths that this rank uses of a case.
    pub(super) fn paths(&self, case: &Case) -> BTreeSet<String> {
        self.dealt(case).map(|dealt| dealt.paths(self.own as usize)).unwrap_or_default()
    }

    /// The targets of a case that ranks of this host open.
    pub(super) fn host_targets<'c>(&self, case: &'c Case) -> Vec<&'c Target> {
        let Ok(dealt) = self.dealt(case) else { return Vec::new() };
        let here = self.here().into_iter();
        let all: BTreeSet<usize> =
            here.flat_map(|rank| dealt.targets(rank, &self.keepers)).collect();
        all.into_iter().map(|target| &case.targets[target]).collect()
    }

    /// The ranks of this host.
    fn here(&self) -> BTreeSet<usize> {
        let own = self.hosts[self.own as usize];
        (0..self.hosts.len()).filter(|rank| self.hosts[*rank] == own).collect()
    }

    /// A case with the streams that all ranks of this host run; for the lowest of them only.
    pub(super) fn of_host(&self, case: &Case) -> Option<Case> {
        let here = self.here();
        let is_lowest = here.first() == Some(&(self.own as usize));
        is_lowest.then(|| Some(self.dealt(case).ok()?.of_ranks(&here)))?
    }

    /// Ranks that run streams of a case.
    pub(super) fn working(&self, case: &Case) -> Result<BTreeSet<u32>, CannotDeal> {
        Ok(self.dealt(case)?.ranks().iter().map(|rank| *rank as u32).collect())
    }

    /// This rank's part of a case.
    pub(super) fn share(&self, case: &Case) -> Result<Share, CannotDeal> {
        Ok(self.dealt(case)?.share(self.own as usize, &self.keepers))
    }

    /// A target of a case that several ranks use in this run.
    pub(super) fn shared(&self, case: &Case) -> Option<String> {
        let dealt = self.dealt(case).ok()?;
        let of_rank = |rank: usize| {
            let [borrowed, lent] = [self.keepers.borrowed(rank), self.keepers.lent(rank)];
            dealt
                .paths(rank)
                .into_iter()
                .find(|path| borrowed.contains(path) || lent.contains(path))
        };
        (0..self.ranks.len()).find_map(of_rank)
    }

    /// Has this rank's targets know what others keep of them.
    pub(super) fn lend(&self, targets: &mut Targets) {
        let rank = self.own;
        let own = &self.ranks[rank as usize].kernel;
        let lender = |path: String| {
            let keeper = self.keepers.of(&path, rank as usize);
            let is_here = self.ranks[keeper].kernel == *own && !own.is_empty();
            (PathBuf::from(path), if is_here { Lender::Here } else { Lender::Elsewhere })
        };
        targets.borrow(self.keepers.borrowed(rank as usize).into_iter().map(lender));
    }
}

//! How the cases of a run are dealt: what every rank works out from the same facts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use iopath_measurement::{Lender, Targets};
use iopath_study::deal::{CannotDeal, Dealt, Keepers, Share};
use iopath_study::{Case, Source, parse};
use iopath_units::{Bytes, Ratio};

use super::messages::{CaseSent, Found, HostFacts};

/// What all ranks know of each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Deal {
    ranks: Vec<HostFacts>,
    /// The host of each, by its number.
    hosts: Vec<usize>,
    /// Which of them this one is.
    own: u32,
    keepers: Keepers,
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
        Self { hosts, ranks, own, keepers: Keepers::default() }
    }

    /// With what each of them found at its paths.
    pub(super) fn with_found(&mut self, found: &[Found]) {
        self.keepers = Keepers::of_identities(found);
    }

    pub(super) fn ranks(&self) -> &[HostFacts] {
        &self.ranks
    }

    pub(super) fn is_one_host(&self) -> bool {
        self.hosts.iter().all(|host| *host == 0)
    }

    /// Whether two ranks run on one host.
    pub(super) fn shares_a_host(&self) -> bool {
        self.hosts.iter().collect::<BTreeSet<_>>().len() < self.hosts.len()
    }

    /// What the entities of a rank's host are called by.
    pub(super) fn node(&self, rank: u32) -> String {
        format!("node[{}]", self.hosts[rank as usize])
    }

    /// How messages call a rank.
    pub(super) fn name(&self, rank: u32) -> String {
        format!("rank {rank} on {}", self.ranks[rank as usize].name)
    }

    pub(super) fn dealt<'c>(&self, case: &'c Case) -> Result<Dealt<'c>, CannotDeal> {
        Dealt::of(case, &self.hosts)
    }

    /// The paths that this rank uses of a case.
    pub(super) fn paths(&self, case: &Case) -> BTreeSet<String> {
        self.dealt(case).map(|dealt| dealt.paths(self.own as usize)).unwrap_or_default()
    }

    /// This rank's part of a case.
    pub(super) fn share(&self, case: &Case) -> Result<Share, CannotDeal> {
        Ok(self.dealt(case)?.share(self.own as usize, &self.keepers))
    }

    /// A target of a case that several ranks use and one writes.
    pub(super) fn shared_and_written(&self, case: &Case) -> Option<String> {
        let dealt = self.dealt(case).ok()?;
        let borrowed: Vec<_> =
            (0..self.ranks.len()).map(|rank| self.keepers.borrowed(rank)).collect();
        let users = |path: &String| {
            let uses = |rank: &usize| {
                dealt.paths(*rank).contains(path)
                    && (borrowed[*rank].contains(path) || self.keepers.lent(*rank).contains(path))
            };
            (0..self.ranks.len()).filter(uses).count()
        };
        let written = case.streams.iter().filter(|stream| stream.reads != Ratio::ONE);
        let targets = written.map(|stream| &case.targets[stream.target]);
        targets.filter_map(|target| target.binding.clone()).find(|path| users(path) > 1)
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

impl CaseSent {
    pub(super) fn of(case: &Case) -> Self {
        let sizes = case.targets.iter().map(|target| target.size.map(|size| size.0));
        Self { text: case.text.clone(), passes: case.workload.passes, sizes: sizes.collect() }
    }

    pub(super) fn read(&self) -> Result<Case, String> {
        let mut case = read_case(&self.text)?;
        case.workload.passes = self.passes;
        for (target, size) in case.targets.iter_mut().zip(&self.sizes) {
            target.size = size.map(Bytes);
        }
        Ok(case)
    }
}

/// A case from its own text.
pub(super) fn read_case(text: &str) -> Result<Case, String> {
    let source = Source { name: "the case".into(), text: text.to_owned() };
    let study = parse(&source, &[]).map_err(|mistakes| mistakes.to_string())?;
    let cases = study.cases().map_err(|mistakes| mistakes.to_string())?;
    cases.into_iter().next().ok_or_else(|| "it has no case".to_owned())
}

//! The streams of a case dealt over ranks, and what each rank holds for its share of them.
//!
//! A stream with `on=` runs on the host that stands for its node ([`Nodes`]). Others go round: the
//! k-th stream without `on=` to rank k modulo their number, so that each declaration is spread
//! evenly; one that is behind another, or begins after it on the same part of a target, goes where
//! that is.
//!
//! A file or device that several ranks use is kept by the lowest of them, which examines, opens and
//! fills it for all; the others borrow it. Whether two ranks mean the same one by a path only they
//! can find out ([`Keepers`]). A scratch file has no name, so each rank has its own.

mod keepers;
mod nodes;

use std::collections::{BTreeMap, BTreeSet};

use iopath_units::Bytes;
use thiserror::Error;

use crate::case::{Case, Stream, Target};
use crate::system::PartId;

pub use keepers::Keepers;
pub use nodes::Nodes;

/// Why a case cannot be dealt over ranks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CannotDeal {
    /// There are fewer ranks than nodes.
    #[error(
        "streams run on node {nodes} of the study, but there {} only: start one rank a node",
        if *.ranks == 1 { "is 1 rank".to_owned() } else { format!("are {ranks} ranks") }
    )]
    TooFewRanks {
        /// The last node that streams run on, counted from 1.
        nodes: usize,
        /// Ranks that there are.
        ranks: usize,
    },
    /// Epochs of one rank would begin with those of another that are not the same.
    #[error(
        "streams begin after others (after=), but rank {rank} has none of those that begin first"
    )]
    Idle {
        /// Who has streams of later epochs only.
        rank: usize,
    },
    /// The share of an amount differs from epoch to epoch.
    #[error(
        "the amount ends streams that begin one after the other, but rank {rank} has not the same \
         share of all of them: use a time"
    )]
    Amount {
        /// Whose share differs.
        rank: usize,
    },
}

/// A case dealt over ranks.
#[derive(Clone, Debug)]
pub struct Dealt<'a> {
    case: &'a Case,
    /// The rank of each stream.
    ranks: Vec<usize>,
    count: usize,
}

/// What one rank does of a case.
#[derive(Clone, Debug)]
pub struct Share {
    /// The case with the streams that this rank runs.
    pub runs: Case,
    /// The same targets, with the streams of all ranks that it opens and fills them for.
    pub holds: Case,
}

impl<'a> Dealt<'a> {
    /// Deals the streams of a case over ranks, of which each runs on a host, by their number;
    /// `nodes` are those of the whole run.
    ///
    /// # Errors
    ///
    /// Why it cannot be dealt over these.
    pub fn of(case: &'a Case, nodes: &Nodes, hosts: &[usize]) -> Result<Self, CannotDeal> {
        let stands_for = nodes.ranks(case, hosts)?;
        let everybody: Vec<usize> = (0..hosts.len()).collect();
        let mut turns: BTreeMap<Option<PartId>, usize> = BTreeMap::new();
        let mut ranks = vec![0; case.streams.len()];
        let leaders: Vec<Option<usize>> =
            case.streams.iter().map(|one| leader(case, one)).collect();
        for (at, stream) in case.streams.iter().enumerate().filter(|(at, _)| leaders[*at].is_none())
        {
            let node = nodes::node_of(case, stream);
            let candidates = node.map_or(&everybody, |node| &stands_for[&node]);
            let turn = turns.entry(node).or_default();
            ranks[at] = candidates[*turn % candidates.len()];
            *turn += 1;
        }
        for at in 0..ranks.len() {
            let chain = std::iter::successors(leaders[at], |leader| leaders[*leader]);
            ranks[at] = chain.take(leaders.len()).last().map_or(ranks[at], |first| ranks[first]);
        }
        let dealt = Self { case, ranks, count: hosts.len() };
        dealt.assure_epochs()?;
        Ok(dealt)
    }

    /// The rank that runs each stream.
    #[must_use]
    pub fn ranks(&self) -> &[usize] {
        &self.ranks
    }

    /// The paths that each rank uses of the case.
    #[must_use]
    pub fn paths(&self, rank: usize) -> BTreeSet<String> {
        let mine = self.case.streams.iter().zip(&self.ranks).filter(|(_, of)| **of == rank);
        let targets: BTreeSet<usize> = mine.map(|(stream, _)| stream.target).collect();
        targets
            .iter()
            .flat_map(|target| paths(self.case, &self.case.targets[*target]))
            .cloned()
            .collect()
    }

    /// The targets that a rank opens, by their places in the case.
    #[must_use]
    pub fn targets(&self, rank: usize, keepers: &Keepers) -> BTreeSet<usize> {
        let streams = self.case.streams.iter().enumerate();
        let held = streams.filter(|(at, _)| self.holds(*at, rank, keepers));
        held.map(|(_, stream)| stream.target).collect()
    }

    /// Whether a rank runs a stream, or keeps its target for the rank that does.
    fn holds(&self, at: usize, rank: usize, keepers: &Keepers) -> bool {
        let target = &self.case.targets[self.case.streams[at].target];
        let mut paths = paths(self.case, target);
        self.ranks[at] == rank || paths.any(|path| keepers.of(path, self.ranks[at]) == rank)
    }

    /// The part of a rank.
    #[must_use]
    pub fn share(&self, rank: usize, keepers: &Keepers) -> Share {
        let targets: Vec<usize> = self.targets(rank, keepers).into_iter().collect();
        let holds = self.part(&targets, &|at| self.holds(at, rank, keepers));
        let mut runs = self.part(&targets, &|at| self.ranks[at] == rank);
        runs.workload.until.amount = self.amount(rank);
        Share { runs, holds }
    }

    /// The case with the streams that some ranks run.
    #[must_use]
    pub fn of_ranks(&self, ranks: &BTreeSet<usize>) -> Case {
        let all: Vec<usize> = (0..self.case.targets.len()).collect();
        self.part(&all, &|at| ranks.contains(&self.ranks[at]))
    }

    fn part(&self, targets: &[usize], has: &dyn Fn(usize) -> bool) -> Case {
        let place: BTreeMap<usize, usize> = targets.iter().copied().zip(0..).collect();
        let streams = self.case.streams.iter().enumerate().filter(|(at, _)| has(*at));
        let streams = streams.filter_map(|(_, stream)| {
            Some(Stream { target: *place.get(&stream.target)?, ..stream.clone() })
        });
        Case {
            targets: targets.iter().map(|target| self.case.targets[*target].clone()).collect(),
            streams: streams.collect(),
            ..self.case.clone()
        }
    }

    /// The part of the amount that the streams of a rank move, in whole requests. Those of all
    /// ranks together are the amount but for less than a request a rank.
    fn amount(&self, rank: usize) -> Option<Bytes> {
        let amount = self.case.workload.until.amount?;
        let largest = self.case.streams.iter().filter_map(Stream::largest_request).max();
        let unit = u128::from(largest.unwrap_or(1).max(1));
        let (mine, all) = self.shares()[0][rank];
        let before: usize = self.shares()[0][..rank].iter().map(|(mine, _)| mine).sum();
        let up_to = |streams: usize| match streams == all {
            true => u128::from(amount.0),
            false => u128::from(amount.0) * streams as u128 / all.max(1) as u128 / unit * unit,
        };
        Some(Bytes((up_to(before + mine) - up_to(before)) as u64))
    }

    /// Of each epoch, how many of its streams each rank runs, and how many there are.
    fn shares(&self) -> Vec<Vec<(usize, usize)>> {
        let of_epoch = |streams: &Vec<usize>| {
            let of_rank =
                |rank| streams.iter().filter(|stream| self.ranks[**stream] == rank).count();
            (0..self.count).map(|rank| (of_rank(rank), streams.len())).collect()
        };
        self.case.epochs().iter().map(of_epoch).collect()
    }

    /// Ranks count the epochs of their own streams, and these must be the same ones.
    fn assure_epochs(&self) -> Result<(), CannotDeal> {
        let shares = self.shares();
        for rank in 0..self.count {
            let has: Vec<bool> = shares.iter().map(|epoch| epoch[rank].0 > 0).collect();
            if has.windows(2).any(|pair| !pair[0] && pair[1]) {
                return Err(CannotDeal::Idle { rank });
            }
            let same = |pair: &[Vec<(usize, usize)>]| {
                let [(mine, all), (mine_then, all_then)] = [pair[0][rank], pair[1][rank]];
                mine_then == 0 || mine * all_then == mine_then * all
            };
            if self.case.workload.until.amount.is_some() && !shares.windows(2).all(same) {
                return Err(CannotDeal::Amount { rank });
            }
        }
        Ok(())
    }
}

/// What a target is on the machine: its own file or device, or those that it lies on.
fn paths<'c>(case: &'c Case, target: &'c Target) -> impl Iterator<Item = &'c String> {
    let below = if target.binding.is_some() { BTreeSet::new() } else { below(case, target.part) };
    let binds = target.below.iter().filter(move |(part, _)| below.contains(part));
    let below = binds.flat_map(|(_, bind)| bind.paths.iter().chain(&bind.copy));
    target.binding.iter().chain(below)
}

/// A part with all that it is made of.
fn below(case: &Case, part: PartId) -> BTreeSet<PartId> {
    let (mut found, mut open) = (BTreeSet::new(), vec![part]);
    while let Some(part) = open.pop() {
        if found.insert(part) && part.0 < case.system.parts.len() {
            open.extend(case.system.part(part).members.iter());
        }
    }
    found
}

/// The stream that one without `on=` follows: the same part of the same target in the group that
/// it is behind, or begins after.
fn leader(case: &Case, stream: &Stream) -> Option<usize> {
    let Stream { modelled, after, .. } = stream;
    let behind = modelled.behind.as_ref().map(|behind| &behind.group);
    let group = behind.or(after.as_ref().map(|after| &after.group));
    let group = group.filter(|_| modelled.on.is_none())?;
    let part = |one: &Stream| (one.target, one.region);
    let leads = |one: &Stream| one.group == *group && part(one) == part(stream);
    case.streams.iter().position(leads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, parse};

    const PATH: &str = "path { host \"n\" count=2 }\nlayout { file \"f\" count=4 size=\"1 MiB\" }";

    fn case(streams: &str) -> Case {
        let text = format!("study \"t\"\n{PATH}\nbind from=\"f\" to=\"/d/f[0-3]\"\n{streams}");
        let source = Source { name: "t.kdl".into(), text };
        let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
    }

    fn ranks(streams: &str, hosts: &[usize]) -> Result<Vec<usize>, CannotDeal> {
        let case = case(&format!("workload time=\"1 s\" {{\n{streams}\n}}"));
        Dealt::of(&case, &Nodes::of([&case]), hosts).map(|dealt| dealt.ranks().to_vec())
    }

    const ON: &str = "streams \"a\" over=\"f[0-1]\" op=\"read\" block=\"4 KiB\" on=\"n[1]\"
        streams \"b\" over=\"f[2-3]\" op=\"read\" block=\"4 KiB\" on=\"n[0]\"";

    #[test]
    fn streams_without_a_node_go_round() {
        let streams = "streams \"a\" over=\"f\" op=\"read\" block=\"4 KiB\"";
        assert_eq!(ranks(streams, &[0, 0, 1]), Ok(vec![0, 1, 2, 0]));
        assert_eq!(ranks(streams, &[0]), Ok(vec![0; 4]));
    }

    #[test]
    fn a_node_is_a_host_and_its_streams_go_round_over_its_ranks() {
        assert_eq!(ranks(ON, &[0, 1]), Ok(vec![1, 1, 0, 0]));
        assert_eq!(ranks(ON, &[0, 1, 0, 1]), Ok(vec![1, 3, 0, 2]));
    }

    #[test]
    fn on_one_host_a_rank_stands_for_a_node() {
        assert_eq!(ranks(ON, &[0, 0, 0]), Ok(vec![1, 1, 0, 0]));
        let too_few = CannotDeal::TooFewRanks { nodes: 2, ranks: 1 };
        assert_eq!(ranks(ON, &[0]), Err(too_few));
    }

    /// A node is the same host in every case, also where nobody names those before it.
    #[test]
    fn a_node_is_counted_where_no_stream_names_it() {
        let one = "streams \"a\" over=\"f[0]\" op=\"read\" block=\"4 KiB\" on=\"n[1]\"";
        assert_eq!(ranks(one, &[0, 1]), Ok(vec![1]));
        assert_eq!(ranks(one, &[0, 0]), Ok(vec![1]));
        assert_eq!(ranks(one, &[0]), Err(CannotDeal::TooFewRanks { nodes: 2, ranks: 1 }));
    }

    #[test]
    fn who_comes_after_another_on_its_file_stays_with_it() {
        let streams = "streams \"w\" over=\"f\" op=\"write\" block=\"4 KiB\"
            streams \"r\" over=\"f\" op=\"read\" block=\"4 KiB\" after=\"w\"
            streams \"again\" over=\"f\" op=\"write\" block=\"4 KiB\" after=\"r\"";
        let expected: Vec<usize> = [0, 1, 2, 0].repeat(3);
        assert_eq!(ranks(streams, &[0, 1, 2]), Ok(expected));
    }

    #[test]
    fn an_amount_is_divided_without_a_rest() {
        let streams = "workload amount=\"10 MiB\" {
            streams \"a\" over=\"f\" op=\"read\" block=\"4 KiB\"
        }";
        let case = case(streams);
        let dealt = Dealt::of(&case, &Nodes::default(), &[0, 0, 0]).unwrap();
        let share = |rank| dealt.share(rank, &Keepers::default()).runs.workload.until.amount;
        let shares: Vec<u64> = (0..3).map(|rank| share(rank).unwrap().0).collect();
        assert_eq!(shares, [5 << 20, 2621440, 2621440]);
    }

    #[test]
    fn the_lowest_rank_holds_what_several_use() {
        let streams = "workload time=\"1 s\" {
            streams \"w\" over=\"f[0]\" op=\"write\" block=\"4 KiB\" on=\"n[1]\"
            streams \"r\" over=\"f[0]\" op=\"read\" block=\"4 KiB\" on=\"n[0]\"
        }";
        let case = case(streams);
        let dealt = Dealt::of(&case, &Nodes::of([&case]), &[0, 1]).unwrap();
        let found = |identity: &str| BTreeMap::from([("/d/f0".into(), identity.to_owned())]);
        let names =
            |case: &Case| case.streams.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        let one = Keepers::of_identities(&[found("x"), found("x")]);
        let share = dealt.share(0, &one);
        assert_eq!(
            (names(&share.runs), names(&share.holds)),
            (vec!["r".into()], vec!["w".into(), "r".into()])
        );
        assert_eq!(names(&dealt.share(1, &one).holds), ["w"]);
        assert_eq!(
            names(&dealt.of_ranks(&BTreeSet::from([0]))),
            ["r"],
            "its own, not what it keeps"
        );
        assert_eq!(names(&dealt.of_ranks(&BTreeSet::from([0, 1]))), ["w", "r"]);
        assert_eq!(one.borrowed(1), BTreeSet::from(["/d/f0".to_owned()]));
        let two = Keepers::of_identities(&[found("x"), found("y")]);
        assert_eq!(names(&dealt.share(0, &two).holds), ["r"]);
        assert!(two.borrowed(1).is_empty());
    }
}

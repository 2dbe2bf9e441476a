//! Case to Record by bounds and sharing: no time passes.
//!
//! What streams demand of every row of the network is linear in their requests ([`Demand`]). On
//! these demands they share by weighted max–min fairness ([`fill`]), on the terms of one bound
//! after the other ([`Terms`]): shares forced by stripes and policies, besides what a stream has
//! in flight. Each bound is told with what binds, what more of it would give, and the next
//! upgrades. It leaves out what [`iopath_path::Mechanism`] names, and says so in the record.

mod compose;
mod contention;
mod curve;
mod demand;
mod derivative;
mod efficiency;
pub mod fill;
mod flushes;
mod free;
mod leaves_out;
mod lognormal;
pub mod matrix;
mod model;
mod occupancy;
mod prices;
mod settle;
mod solution;
mod synchronised;
mod terms;
mod times;
mod timing;
mod traffic;
mod unrated;
mod upgrades;
mod window;

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::Network;
use iopath_record::{Fact, Record};
use iopath_study::Case;

pub use demand::{Demand, StreamClass};
pub use free::{FreeSplit, Unsolved, free_split};
pub use occupancy::{Limit, Occupancies, Occupancy, occupancies};
pub use terms::Terms;

use crate::model::Model;
use crate::solution::Solution;
use crate::unrated::Unrated;

/// The bounds of a case on its network, as a record. Whoever knows more facts adds them to the
/// record's `environment`. Processor time that nobody stated is no limit where a stream meets no
/// other: without ratings nothing is predicted.
#[must_use]
pub fn evaluate(case: &Case, network: &Network) -> Record {
    let unrated = Unrated::of(case, network);
    match unrated.streams.is_empty() {
        true => bounds_of(case, network, Detail::Full),
        false => bounds_of(case, &unrated.without_processors(network), Detail::Full),
    }
}

fn bounds_of(case: &Case, network: &Network, detail: Detail) -> Record {
    let model = Model::of(case, network);
    compose::record(&model, &solutions(&model, detail), detail)
}

/// The same of those streams that something limits, where some are limited by nothing that is
/// described: these share no rated capacity with the others, so each can be judged by itself. Who
/// is left out stands in the fact [`Fact::Unrated`]; what these take of processors is left out,
/// too.
#[must_use]
pub fn evaluate_rated(case: &Case, network: &Network) -> Record {
    rated(case, network, Detail::Full)
}

/// The same without why: no upgrades, nothing that binds, and no free split. What streams get is
/// all that counts where many builds are compared, and found in less than half of the time.
#[must_use]
pub fn rates_rated(case: &Case, network: &Network) -> Record {
    rated(case, network, Detail::Rates)
}

/// What of a case is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Full,
    /// What streams get, and how long their requests take.
    Rates,
}

fn rated(case: &Case, network: &Network, detail: Detail) -> Record {
    let unrated = Unrated::of(case, network);
    if !unrated.streams.is_empty() && unrated.streams.len() == network.streams.len() {
        return bounds_of(case, &unrated.without_processors(network), detail);
    }
    let model = Model::of(case, network);
    let solutions = solutions(&model, detail);
    let mut unlimited = unlimited(&model, &solutions);
    unlimited.extend(unrated.streams);
    if unlimited.is_empty() || unlimited.len() == network.streams.len() {
        return compose::record(&model, &solutions, detail);
    }
    let mut record = bounds_of(case, &without(network, &unlimited), detail);
    record.environment.extend([Fact::Unrated.is(names(case, network, &unlimited))]);
    record
}

/// Declarations of some streams; of those that have others, too, with how many: "reader (1 of 4
/// streams)".
fn names(case: &Case, network: &Network, some: &BTreeSet<usize>) -> String {
    // Of each declaration, how many of its streams are among them, and all.
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (position, load) in network.streams.iter().enumerate() {
        let count = counts.entry(&case.streams[load.stream].group).or_default();
        count[0] += usize::from(some.contains(&position));
        count[1] += 1;
    }
    let names = counts.iter().filter(|(_, [own, _])| *own > 0).map(|(name, [own, all])| {
        if own == all { (*name).to_owned() } else { format!("{name} ({own} of {all} streams)") }
    });
    names.collect::<Vec<_>>().join(", ")
}

fn solutions(model: &Model<'_>, detail: Detail) -> Vec<Solution> {
    let solve = |(kind, terms)| match detail {
        Detail::Full => Solution::of(model, kind, terms),
        Detail::Rates => Solution::alone(model, kind, terms),
    };
    model.terms.iter().map(|(kind, terms)| solve((*kind, terms))).collect()
}

/// Positions of the streams that even the tightest bound does not limit.
fn unlimited(model: &Model<'_>, solutions: &[Solution]) -> BTreeSet<usize> {
    if solutions.iter().any(|solution| solution.is_finite(model)) {
        return BTreeSet::new();
    }
    let rates = solutions.last().map(|solution| solution.rates(model)).unwrap_or_default();
    (0..).zip(rates).filter(|(_, rate)| rate.is_infinite()).map(|(position, _)| position).collect()
}

/// The network without some streams; epochs stay without gaps.
fn without(network: &Network, unlimited: &BTreeSet<usize>) -> Network {
    let mut rest = network.clone();
    let mut positions = 0..;
    rest.streams.retain(|_| positions.next().is_some_and(|at| !unlimited.contains(&at)));
    let epochs: BTreeSet<u32> = rest.streams.iter().map(|stream| stream.epoch).collect();
    for stream in &mut rest.streams {
        stream.epoch =
            (0..).zip(&epochs).find(|(_, known)| **known == stream.epoch).map_or(0, |(at, _)| at);
    }
    rest
}

//! Case to Record by bounds and sharing: no time passes.
//!
//! What streams demand of every row of the network is linear in their requests ([`Demand`]). On
//! these demands they share by weighted max–min fairness ([`fill`]), on the terms of one bound
//! after the other ([`Terms`]): shares forced by stripes and policies, besides what a stream has
//! in flight. Each bound is told with what binds, what more of it would give, and the next
//! upgrades. It leaves out what [`iopath_path::Mechanism`] names, and says so in the record.

mod charges;
mod compose;
mod curve;
mod demand;
mod derivative;
mod efficiency;
pub mod fill;
mod free;
mod leaves_out;
mod lognormal;
pub mod matrix;
mod model;
mod prices;
mod settle;
mod solution;
mod synchronised;
mod terms;
mod times;
mod timing;
mod traffic;
mod upgrades;
mod walk;
mod window;

use iopath_path::Network;
use iopath_record::Record;
use iopath_study::Case;

pub use demand::{Demand, StreamClass};
pub use free::{FreeSplit, Unsolved, free_split};
pub use terms::Terms;

use crate::model::Model;
use crate::solution::Solution;

/// The bounds of a case on its network, as a record. Whoever knows more facts adds them to the
/// record's `environment`.
#[must_use]
pub fn evaluate(case: &Case, network: &Network) -> Record {
    let model = Model::of(case, network);
    let solve = |(kind, terms)| Solution::of(&model, kind, terms);
    let solutions: Vec<Solution> =
        model.terms.iter().map(|(kind, terms)| solve((*kind, terms))).collect();
    compose::record(&model, &solutions)
}

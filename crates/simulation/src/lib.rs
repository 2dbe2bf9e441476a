//! Case to Record by discrete events; simulated time passes.
//!
//! Requests travel one by one: they take tokens, queue at the stages of their way, are split and
//! joined, hit or miss caches. [`core`] is what any model of queues stands on and knows nothing of
//! storage; everything else is the model of a path.

pub mod core;

mod caches;
mod counters;
mod course;
mod failures;
mod files;
mod hits;
mod interleave;
mod locks;
mod media;
mod path_selector;
mod plan;
mod rebuilds;
mod record;
mod run;
mod samples;
mod settings;
mod split;
mod stations;
mod streams;
mod tally;
mod task;
mod threads;
mod totals;
mod travel;
mod world;

use iopath_path::{Hops, Network, Routes};
use iopath_record::Record;
use iopath_study::Case;

pub use settings::Settings;

use crate::run::Run;

/// What a case does on its network, as a record. Whoever knows more facts adds them to the
/// record's `environment`.
#[must_use]
pub fn simulate(case: &Case, network: &Network, settings: &Settings) -> Record {
    let mut networks = failures::networks(case, network);
    let routes = networks.iter().map(|network| Routes::new(&case.system, network));
    let mut routes: Vec<Routes> = routes.collect();
    let hops = networks.iter_mut().zip(&mut routes);
    let hops = hops.map(|(network, routes)| Hops::new(case, network, routes)).collect();
    let run = Run::of(case, hops, settings);
    record::of(case, &run, settings)
}

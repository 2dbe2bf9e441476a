//! Case to Record by discrete events; simulated time passes.
//!
//! Requests travel one by one: they take tokens, queue at the stages of their way, are split and
//! joined, hit or miss caches. [`core`] is what any model of queues stands on and knows nothing of
//! storage; everything else is the model of a path.

pub mod core;

mod arrivals;
mod caches;
mod counters;
mod course;
mod failures;
mod fates;
mod files;
mod hits;
mod interleave;
mod live;
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

pub use arrivals::{Answer, Arrival, Asks};
pub use fates::{Fate, What};
pub use live::{Live, live};
pub use settings::Settings;

use crate::run::Run;

/// What a case does on its network, as a record. Whoever knows more facts adds them to the
/// record's `environment`.
#[must_use]
pub fn simulate(case: &Case, network: &Network, settings: &Settings) -> Record {
    on_networks(case, network, |hops| record::of(case, &Run::of(case, hops, settings), settings))
}

/// Does something on all networks that a case has one after the other, as parts fail and return.
fn on_networks<T>(case: &Case, network: &Network, run: impl FnOnce(Vec<Hops<'_>>) -> T) -> T {
    let mut networks = failures::networks(case, network);
    let routes = networks.iter().map(|network| Routes::new(&case.system, network));
    let mut routes: Vec<Routes> = routes.collect();
    let hops = networks.iter_mut().zip(&mut routes);
    run(hops.map(|(network, routes)| Hops::new(case, network, routes)).collect())
}

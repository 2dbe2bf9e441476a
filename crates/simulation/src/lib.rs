//! Case to Record by discrete events; simulated time passes.
//!
//! Requests travel one by one: they take tokens, queue at the stages of their way, are split and
//! joined, hit or miss caches. [`core`] is what any model of queues stands on and knows nothing of
//! storage; everything else is the model of a path.

pub mod core;

mod arrivals;
mod caches;
mod contention;
mod counters;
mod course;
mod failures;
mod fates;
mod files;
mod hits;
mod hw_queues;
mod interleave;
mod live;
mod locks;
mod media;
mod networks;
mod path_selector;
mod plan;
mod rebuilds;
mod record;
mod refusals;
mod replay;
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

use iopath_path::Network;
use iopath_record::Record;
use iopath_study::Case;

pub use arrivals::{Answer, Arrival, Asks};
pub use fates::{Fate, What};
pub use live::{Live, live};
pub use replay::{Replayed, replay};
pub use settings::Settings;

use crate::run::Run;

/// What a case does on its network, as a record. A caller that knows more facts adds them to the
/// record's `environment`.
#[must_use]
pub fn simulate(case: &Case, network: &Network, settings: &Settings) -> Record {
    networks::of(case, network, |networks| record::of(case, &Run::of(networks, settings), settings))
}

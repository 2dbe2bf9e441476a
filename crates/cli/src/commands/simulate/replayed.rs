//! `simulate --arrivals`: requests that a live system answered, in place of the study's streams.

use iopath_live::Arrivals;
use iopath_path::Network;
use iopath_record::{Fact, Record};
use iopath_simulation::{Arrival, Replayed, Settings, replay};
use iopath_study::Case;
use iopath_units::Nanos;

use crate::arguments::Simulate;
use crate::exit_status::Problem;
use crate::run::models::{Built, Paths};

/// Recorded requests, as they arrive at the only case.
pub(super) struct Replay {
    arrivals: Arrivals,
    at: Vec<(Nanos, Arrival)>,
}

/// What `--arrivals` names.
pub(super) fn read(arguments: &Simulate, built: &[Built<'_>]) -> Result<Option<Replay>, Problem> {
    let Some(path) = &arguments.arrivals else { return Ok(None) };
    let wrong = |why: &dyn std::fmt::Display| Problem::mistake(format!("--arrivals: {why}"));
    let [Built { trial, paths: Paths::Whole(network) }] = built else {
        return Err(wrong(&"requests of one case were recorded: select one with --case"));
    };
    let arrivals = Arrivals::read(path).map_err(|trouble| wrong(&trouble))?;
    let at = arrivals.at(&trial.case, network).map_err(|trouble| wrong(&trouble))?;
    Ok(Some(Replay { arrivals, at }))
}

impl Replay {
    /// What they find on the network of a case.
    pub(super) fn record(&self, case: &Case, network: &Network, settings: &Settings) -> Record {
        let settings = Settings { seed: self.arrivals.seed, ..*settings };
        let Replayed { mut record, answers } = replay(case, network, &settings, &self.at);
        let as_recorded = self.arrivals.share_as_recorded(&answers) * 1e6;
        record.environment.extend([
            Fact::Replayed.is(self.at.len().to_string()),
            Fact::ReplayedAsRecorded.is(format!("{as_recorded:.0}")),
        ]);
        record
    }
}

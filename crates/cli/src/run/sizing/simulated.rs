//! A build in a simulation. Where requests a second are needed, they arrive at that rate, in the
//! mix that the workload states, whatever its depths; else the workload loads it as it does.

use std::collections::BTreeMap;

use iopath_advice::{Needs, Offered};
use iopath_analysis::{Prediction, predict};
use iopath_path::Network;
use iopath_report::{Carried, Simulated};
use iopath_simulation::{Settings, simulate};
use iopath_study::Case;
use iopath_study::case::Pacing;
use iopath_units::OperationRate;

/// What a simulation found of a build.
pub(super) struct Found {
    prediction: Prediction,
    /// How many requests arrived at random; none of a closed loop.
    arrived: Option<f64>,
}

impl Found {
    /// Simulates a case on its network, of which bounds say this.
    pub(super) fn of(case: &Case, bounds: &Prediction, network: &Network, needs: &Needs) -> Self {
        let open = needs.iops().and_then(|all| at_rate(case, bounds, all));
        let case = open.as_ref().unwrap_or(case);
        let settings = Settings { seed: case.workload.seed, ..Settings::default() };
        let record = simulate(case, network, &settings);
        let is_open = case.streams.iter().all(|stream| stream.pacing != Pacing::Closed);
        let phases = record.streams.iter().flat_map(|stream| &stream.phases);
        let arrived = phases.map(|phase| phase.completed as f64).sum();
        Self { prediction: predict(&record), arrived: is_open.then_some(arrived) }
    }

    pub(super) fn offered(&self) -> Offered<'_> {
        match self.arrived {
            Some(arrived) => Offered::at_random(&self.prediction, arrived),
            None => Offered::of(&self.prediction),
        }
    }

    /// As it is shown.
    pub(super) fn simulated(&self, share_of_need: f64) -> Simulated {
        Simulated {
            carried: Carried::predicted(&self.prediction),
            response_ns: self.prediction.response_ns,
            share_of_need,
        }
    }
}

/// The case with so many requests a second, shared as its rates are, else as its streams share in
/// bounds; none where its streams cannot have a rate.
fn at_rate(case: &Case, bounds: &Prediction, all: OperationRate) -> Option<Case> {
    let stated = case.stated_rates();
    let rates: Option<BTreeMap<String, f64>> =
        stated.iter().map(|(group, rate)| Some((group.clone(), (*rate)?))).collect();
    let shared = || {
        let groups = bounds.shares.iter();
        groups.map(|group| (group.name.clone(), group.operations_per_sec)).collect()
    };
    let rates = rates.unwrap_or_else(shared);
    let sum: f64 = rates.values().sum();
    let rate = |rate: f64| OperationRate((all.0 as f64 * rate / sum).round() as u64);
    case.at_rates(&rates.into_iter().map(|(group, own)| (group, rate(own))).collect()).ok()
}

//! A build in simulations. Requests a second are judged where they arrive at the rate that is
//! needed, in the mix that the workload states; everything else where the workload loads the build
//! as it does.

use std::collections::BTreeSet;

use iopath_advice::{Judged, Needs, Offered};
use iopath_analysis::find_max::response_ns;
use iopath_analysis::{Prediction, predict};
use iopath_path::Network;
use iopath_report::{Carried, Response, Simulated};
use iopath_simulation::Settings;
use iopath_study::case::Pacing;
use iopath_study::{Case, PartId};

use crate::run::crew::Simulator;
use crate::run::searched::{at_load, shares, shares_of_load};

/// A case on its network, and what bounds say of it.
pub(super) struct Build<'a> {
    pub case: &'a Case,
    pub network: &'a Network,
    /// What has failed.
    pub gone: &'a BTreeSet<PartId>,
    pub bounds: &'a Prediction,
}

/// How a build does, and what the simulation that decides found.
pub(super) struct Verdict {
    pub judged: Judged,
    pub found: Simulated,
}

/// How a build does in simulations, and what the one that decides found.
pub(super) fn judged(simulator: &Simulator, build: &Build<'_>, needs: &Needs) -> Verdict {
    let found = |needs: Needs| {
        let found = Found::of(simulator, build, &needs);
        let judged = needs.judge(&found.offered().holding(build.bounds));
        let found = found.simulated(judged.share);
        Verdict { judged, found }
    };
    match (needs.requests_alone(), needs.all_but_requests()) {
        (Some(requests), Some(others)) => both(found(requests), found(others)),
        (Some(one), None) | (None, Some(one)) => found(one),
        (None, None) => found(*needs),
    }
}

/// Two that must both do: the one with less of what is needed is shown, or the requests where
/// their response is limited by what no other figure shows.
fn both(requests: Verdict, others: Verdict) -> Verdict {
    let is_limited = requests.found.limited.is_some();
    let share = requests.judged.share.min(others.judged.share);
    let found = match others.judged.share < requests.judged.share && !is_limited {
        true => others.found,
        false => requests.found,
    };
    let judged = Judged {
        offers: [requests.judged.offers, others.judged.offers].concat(),
        short: [requests.judged.short, others.judged.short].concat(),
        share,
    };
    Verdict { judged, found: Simulated { share_of_need: share, ..found } }
}

/// What a simulation found.
struct Found {
    prediction: Prediction,
    /// How many requests arrived at random; none of a closed loop.
    arrived: Option<f64>,
    /// The percentile of the response that is limited.
    limited: Option<Response>,
}

impl Found {
    fn of(simulator: &Simulator, build: &Build<'_>, needs: &Needs) -> Self {
        let settings = Settings { seed: build.case.workload.seed, ..Settings::default() };
        let open = needs.iops().and_then(|all| {
            let shares = shares_of_load(build.case, &shares(build.bounds));
            // That its streams can have a rate was checked before.
            let case = at_load(build.case, &shares, all.per_sec()).ok()?;
            Some((Network::build(&case, build.gone).ok()?, case))
        });
        let (network, case) = match &open {
            Some((network, case)) => (network, case),
            None => (build.network, build.case),
        };
        let record = simulator.simulate(case, network, &settings);
        let is_open = case.streams.iter().all(|stream| stream.pacing != Pacing::Closed);
        let phases = record.streams.iter().flat_map(|stream| &stream.phases);
        let arrived = phases.map(|phase| phase.completed as f64).sum();
        let limited = needs
            .percentile()
            .and_then(|metric| response_ns(&record, metric).map(|ns| Response { metric, ns }));
        Self { prediction: predict(&record), arrived: is_open.then_some(arrived), limited }
    }

    fn offered(&self) -> Offered<'_> {
        let offered = match self.arrived {
            Some(arrived) => Offered::at_random(&self.prediction, arrived),
            None => Offered::of(&self.prediction),
        };
        offered.responding(self.limited.map(|response| response.ns))
    }

    fn simulated(&self, share_of_need: f64) -> Simulated {
        Simulated {
            carried: Carried::predicted(&self.prediction),
            response_ns: self.prediction.response_ns,
            limited: self.limited,
            share_of_need,
        }
    }
}

//! Builds that carry what is needed, side by side.

use iopath_advice::{Compared, Measure};
use iopath_analysis::Prediction;
use iopath_analysis::demand::Demand;
use iopath_analysis::find_max::Metric;
use serde::Serialize;

use super::prediction::PredictedCase;
use super::removal::Carried;

/// What a template was asked, and the builds that were found.
#[derive(Clone, Debug, Serialize)]
pub struct Sizing {
    /// Title of the study.
    pub study: String,
    /// Title of the experiment.
    pub experiment: String,
    /// What is needed, headroom included.
    pub needs: String,
    /// The run whose load it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedNeed>,
    /// What of it is headroom, as it was given.
    pub headroom: Option<String>,
    /// What may fail, as it was given.
    pub survives: Vec<String>,
    /// What is least.
    #[serde(serialize_with = "measure")]
    pub least: Measure,
    /// How many builds there are to choose from.
    pub combinations: u64,
    /// How many of them the bounds were asked for.
    pub asked: u64,
    /// How many were simulated.
    pub simulated: u64,
    /// Where the search ended early: every build that was not found costs this at least.
    pub rest_costs_at_least: Option<f64>,
    /// Whether builds were not judged, as there are too many ways to lose what may fail.
    pub has_unjudged: bool,
    /// Whether the search went by how many components the load keeps busy.
    pub by_utilisation: bool,
    /// The builds, best first.
    pub builds: Vec<Build>,
    /// Where no build carries it: the one that is nearest.
    pub nearest: Option<Nearest>,
    /// Factors whose count is of what stands in each of another component.
    pub within: Vec<Within>,
    /// Why builds that were looked at cannot be made, each reason once: hard limits above all.
    pub left_out: Vec<String>,
    /// The file in which the best build is a study, as a shell takes it.
    pub written: Option<String>,
}

/// The load of a stored run, which is needed.
#[derive(Clone, Debug, Serialize)]
pub struct RecordedNeed {
    /// Which run.
    pub run: u64,
    /// How many times its load.
    pub times: f64,
    /// What it asked for.
    #[serde(flatten)]
    pub demand: Demand,
    /// What the study's streams have of it, as `--set` has it; nothing where the study or the user
    /// states that, or there are several declarations of streams.
    pub set: Vec<String>,
}

impl RecordedNeed {
    /// Its mean size of a request in whole sectors, as streams can have it.
    #[must_use]
    pub fn block(&self) -> u64 {
        let sectors = (self.demand.load.request_bytes / SECTOR).round().max(1.0);
        (sectors * SECTOR) as u64
    }
}

/// Of Linux, whatever blocks a device has (Documentation/admin-guide/iostats.rst).
const SECTOR: f64 = 512.0;

/// One build.
#[derive(Clone, Debug, Serialize)]
pub struct Build {
    /// The level of each factor, in the order of the template.
    pub chosen: Vec<Chosen>,
    /// What it costs and takes.
    pub totals: Totals,
    /// Every component that is counted, how many in all.
    pub parts: Vec<PartCount>,
    /// What is predicted of it.
    #[serde(flatten)]
    pub case: PredictedCase,
    /// Everything that is needed, with what it offers of it.
    pub offers: Vec<Compared>,
    /// Months until what is stored fills it, where it is known how that grows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_after_months: Option<f64>,
    /// The least that it carries of anything that is needed, as a share of that.
    pub share_of_need: f64,
    /// The same as simulated; none where it was not.
    pub simulated: Option<Simulated>,
    /// What is left of it with each thing that may fail gone, the worst of each.
    pub survived: Vec<Survived>,
    /// Why each count is what it is: what there is with the next lower one.
    pub why: Vec<Why>,
    /// What bounds say of it with one more of each count that there can be more of; of the best
    /// build, and where bounds decide.
    pub more: Vec<More>,
}

/// What there is with one more of something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct More {
    /// Of which factor.
    pub factor: String,
    /// Its next higher level.
    pub level: String,
    /// Everything that is needed, with what there is of it.
    pub offers: Vec<Compared>,
    /// By how much that exceeds what the build offers, of what grows most: 0.1 is a tenth.
    pub gain: f64,
    /// What it adds to what is least.
    pub adds: f64,
}

/// A count that is there once for each of something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Within {
    /// Of which factor.
    pub factor: String,
    /// The name of what it is in, without indexes.
    pub each: String,
}

/// The level of a factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chosen {
    /// Its name.
    pub factor: String,
    /// Its level.
    pub level: String,
}

/// How many there are of a component, and what they cost and take together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartCount {
    /// Its name, without indexes.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// How many.
    pub count: u64,
    /// Their price.
    pub price: Option<f64>,
    /// Their rack space.
    pub rack_units: Option<f64>,
    /// Their power.
    pub watts: Option<f64>,
}

/// What a build costs and takes; none where nothing in it says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Price, in the currency of the study.
    pub price: Option<f64>,
    /// Rack space.
    pub rack_units: Option<f64>,
    /// Power.
    pub watts: Option<f64>,
    /// Components that requests cross, and media.
    pub parts: f64,
}

/// What a simulation found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Simulated {
    /// All streams together.
    pub carried: Carried,
    /// Mean response.
    pub response_ns: Option<f64>,
    /// The figure of the response that is limited, where that is not the mean.
    pub limited: Option<Response>,
    /// The least of anything that is needed, as a share of that.
    pub share_of_need: f64,
}

/// A figure of response times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Response {
    /// Which.
    pub metric: Metric,
    /// How much it is.
    pub ns: f64,
}

/// The worst that is left where some components have failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Survived {
    /// What may fail, as it was given.
    pub loss: String,
    /// Of how many possible losses.
    pub of: u64,
    /// The one of which least is left.
    pub without: Vec<String>,
    /// Everything that is needed, with what there is of it then.
    pub offers: Vec<Compared>,
    /// What is left then.
    pub carried: Carried,
    /// The least of anything that is needed, as a share of that.
    pub share_of_need: f64,
}

/// What there is with less of one thing.
#[derive(Clone, Debug, Serialize)]
pub struct Why {
    /// Of which factor.
    pub factor: String,
    /// Its level in the build.
    pub level: String,
    /// The next lower level; none where it has the lowest.
    pub lower: Option<String>,
    /// Why that does not do.
    pub because: Because,
}

/// Why less does not do.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// There is no less.
    Lowest,
    /// The bounds are short.
    Short {
        /// Of what.
        short: Vec<Compared>,
        /// What has failed then; empty where everything is in place.
        without: Vec<String>,
        /// What is predicted.
        prediction: Box<Prediction>,
    },
    /// It carries less in a simulation than in bounds.
    Simulated(Simulated),
    /// It cannot be built.
    NotBuilt(String),
    /// It does as well, at the same cost.
    Does,
}

/// A build that is short.
#[derive(Clone, Debug, Serialize)]
pub struct Nearest {
    /// The level of each factor.
    pub chosen: Vec<Chosen>,
    /// What is predicted of it.
    #[serde(flatten)]
    pub case: PredictedCase,
    /// What is short.
    pub short: Vec<Compared>,
    /// What has to fail for that; empty where it is short with everything in place.
    pub without: Vec<String>,
    /// Whether a simulation found that, and bounds did not.
    pub is_simulated: bool,
}

fn measure<S: serde::Serializer>(of: &Measure, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(name(*of))
}

/// What is least, as the command line names it.
pub(crate) fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::Price => "price",
        Measure::RackUnits => "rack-units",
        Measure::Watts => "watts",
        Measure::Parts => "parts",
    }
}

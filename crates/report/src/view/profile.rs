//! A profile: what each component of a path carried in experiments on the devices behind it, how
//! each level scales, and what a request costs.
//!
//! Everything is made from the records of the run, so a stored one is shown as it was at first. The
//! path is in each record; its components and the shares of them that each device uses are found
//! again from the experiment with the most devices.

use std::collections::BTreeSet;

use iopath_analysis::capacities::{Carried, Figure, Load, Scaling};
use iopath_analysis::limit::Cause;
use iopath_analysis::thresholds::groups::{FROM_CACHE, LESS_THAN_ALONE};
use iopath_study::PartId;
use iopath_units::Op;

use super::run::{RunReport, TrialReport};

mod costs;
mod disturbed;
mod exceeded;
mod measured;
mod next;

pub use costs::HostCosts;
pub use disturbed::Disturbed;
pub use exceeded::Exceeded;
pub use measured::{crossed_by, crossed_by_rereads, measured_together};
pub(crate) use next::Stage;

use measured::{Found, Measured};

/// The title of the study of such a run, by which it is known.
pub const PROFILE_TITLE: &str = "What each component of this path carries";

/// What a profile tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Its name in the store.
    pub run: String,
    /// Names of the devices, files or volumes that were measured.
    pub devices: Vec<String>,
    /// Every component that they use, in the order of the study.
    pub components: Vec<ComponentProfile>,
    /// What each load did to each device alone.
    pub alone: Vec<AloneProfile>,
    /// Levels with several parts.
    pub levels: Vec<LevelProfile>,
    /// Experiments in which devices lost and no component explains it, by title.
    pub unexplained: Vec<String>,
    /// Experiments whose requests took longer than a quarter of a pass, by title.
    pub too_short: Vec<String>,
    /// Experiments of which the devices saw less than half, by title: nothing is concluded of them.
    pub not_served: Vec<String>,
    /// What others on this machine did meanwhile, each kind once.
    pub disturbed: Vec<Disturbed>,
    /// Processor time of requests.
    pub costs: Option<HostCosts>,
    /// How many experiments.
    pub experiments: usize,
    /// Of each load of bytes the experiment with the most devices at once.
    pub widest: Vec<Widest>,
}

/// The experiment with the most devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Widest {
    pub load: Load,
    /// How many.
    pub devices: usize,
    /// All of them together.
    pub bytes_per_sec: f64,
    /// Whether this machine's processors or the load generator were the limit.
    pub is_limited_by_host: bool,
    /// Its study.
    pub text: String,
}

/// What a component carried.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentProfile {
    pub part: PartId,
    pub name: String,
    pub kind: &'static str,
    /// Where the study declares it: instances of one declaration have one number.
    pub declared: usize,
    /// Equal ones have one number: instances of one declaration to which the study assigns the
    /// same.
    pub equal: usize,
    /// The devices that use it.
    pub devices: Vec<String>,
    /// Of each load that was measured with sets of devices.
    pub carried: Vec<LoadCarried>,
}

/// What it carried of one load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCarried {
    pub load: Load,
    pub carried: Carried,
    /// The experiment in which it carried the most, by title.
    pub experiment: String,
    /// Whether it is full while all devices are measured.
    pub limits_all: bool,
    /// The least and the most of its passes.
    pub passes: [f64; 2],
    /// Others that no experiment tells from it, by name.
    pub alike: Vec<String>,
    /// Limits that the path states, and that it passed more of.
    pub exceeded: Vec<Exceeded>,
}

/// One load on one device alone.
#[derive(Clone, Debug, PartialEq)]
pub struct AloneProfile {
    pub device: String,
    pub load: Load,
    pub bytes_per_sec: f64,
    pub operations_per_sec: f64,
    pub latency_ns_p50: Option<u64>,
    pub latency_ns_p99: Option<u64>,
    /// Processor time of a request.
    pub cpu_ns: Option<f64>,
    /// What limited it.
    pub limit: Cause,
}

/// How a component scales over its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelProfile {
    /// Components that exactly these devices use.
    pub names: Vec<String>,
    pub load: Load,
    pub scaling: Scaling,
}

impl ComponentProfile {
    /// What it carries of large requests: of re-reads where a cache below served them, so that they
    /// were more; else of new data, as media may have been the limit. What only one device uses is
    /// no capacity then, so a little more is enough.
    #[must_use]
    pub fn of_bytes(&self, op: Op) -> Option<&LoadCarried> {
        let of = |figure| {
            let is_it = |one: &&LoadCarried| (one.load.figure, one.load.op) == (figure, op);
            self.carried.iter().find(is_it)
        };
        let seen = |one: &LoadCarried| one.carried.seen().unwrap_or_default();
        let new = of(Figure::Throughput);
        let more = if self.devices.len() == 1 { 1.0 + LESS_THAN_ALONE } else { FROM_CACHE };
        let is_served =
            |again: &&LoadCarried| new.is_none_or(|new| seen(again) >= more * seen(new));
        of(Figure::Reread).filter(is_served).or(new)
    }

    /// What it carries in one direction: bytes and operations.
    pub fn figures(&self, op: Op) -> impl Iterator<Item = &LoadCarried> {
        let is_other = move |one: &&LoadCarried| one.load.op == op && !one.load.is_of_bytes();
        self.of_bytes(op).into_iter().chain(self.carried.iter().filter(is_other))
    }
}

/// A component that passed more of re-reads was not what new data filled: it is no longer named
/// with those that may have been.
fn without_refuted(mut components: Vec<ComponentProfile>) -> Vec<ComponentProfile> {
    let is_reread =
        |one: &ComponentProfile| one.of_bytes(Op::Read).is_some_and(|read| read.load.is_reread());
    let roomy: BTreeSet<String> =
        components.iter().filter(|one| is_reread(one)).map(|one| one.name.clone()).collect();
    let read =
        |one: &&mut LoadCarried| (one.load.figure, one.load.op) == (Figure::Throughput, Op::Read);
    for one in components.iter_mut().flat_map(|one| &mut one.carried).filter(read) {
        one.alike.retain(|name| !roomy.contains(name));
    }
    components
}

impl Profile {
    /// What the trials of a run tell; none where the run is no profile.
    #[must_use]
    pub fn of(report: &RunReport) -> Option<Self> {
        let trials = &report.trials;
        let is_profile = |trial: &TrialReport| trial.case.study == PROFILE_TITLE;
        if trials.is_empty() || !trials.iter().all(is_profile) {
            return None;
        }
        let measured = Measured::of(trials)?;
        let loads: BTreeSet<Load> = measured.loads().filter(|load| load.is_of_sets()).collect();
        let found: Vec<Found<'_>> = loads.iter().map(|load| measured.found(*load)).collect();
        // Re-reads may wait for a cache that they share, which is no component here.
        let new = found.iter().filter(|one| !one.is_reread());
        let alone = measured.alone(&found);
        Some(Self {
            run: report.id.clone().unwrap_or_default(),
            components: without_refuted(measured.components(&found)),
            levels: found.iter().flat_map(|one| measured.levels(one)).collect(),
            unexplained: new.flat_map(Found::unexplained).collect(),
            too_short: measured.too_short(),
            costs: HostCosts::of(&alone),
            widest: measured.widest(),
            experiments: measured.count(),
            not_served: measured.not_served,
            disturbed: Disturbed::of(trials.iter().flat_map(|trial| &trial.findings.warnings)),
            devices: measured.devices,
            alone,
        })
    }

    /// What limits all devices by large requests of one kind, then what limits next.
    pub(crate) fn stages(&self, op: Op) -> Vec<Stage> {
        next::stages(&self.components, op)
    }

    /// The experiment of new data with the most devices.
    #[must_use]
    pub fn widest(&self, op: Op) -> Option<&Widest> {
        let is_it = |one: &&Widest| (one.load.figure, one.load.op) == (Figure::Throughput, op);
        self.widest.iter().find(is_it)
    }

    /// Whether a device uses a component.
    #[must_use]
    pub fn uses(&self, device: &str, part: PartId) -> bool {
        let is_it = |one: &&ComponentProfile| one.part == part;
        let devices = self.components.iter().filter(is_it).flat_map(|one| &one.devices);
        devices.into_iter().any(|other| other == device)
    }

    /// What one load did to a device alone.
    #[must_use]
    pub fn alone_of(&self, device: &str, figure: Figure) -> Vec<&AloneProfile> {
        let is_it = |one: &&AloneProfile| one.device == device && one.load.figure == figure;
        self.alone.iter().filter(is_it).collect()
    }

    /// Seconds that a write of a device takes longer where each is flushed, one at a time.
    #[must_use]
    pub fn flush_s(&self, device: &str) -> Option<f64> {
        let seconds = |figure| {
            let mut all = self.alone_of(device, figure).into_iter();
            let write = all.find(|one| one.load.op == Op::Write)?;
            Some(write.operations_per_sec).filter(|rate| *rate > 0.0).map(f64::recip)
        };
        Some((seconds(Figure::Flush)? - seconds(Figure::Latency)?).max(0.0))
    }
}

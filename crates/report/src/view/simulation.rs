//! Simulated cases, over all seeds and each seed alone, with what bounds allow.

use std::collections::BTreeMap;
use std::slice;

use iopath_analysis::prediction::GroupShare;
use iopath_analysis::{Findings, NoFindings, Prediction, analyse, predict};
use iopath_record::{Fact, Record, Technique};
use serde::Serialize;

use super::RunView;
use super::removal::{Carried, Removal};
use super::run::TrialReport;

/// The cases of a study as a simulation answers them.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    /// What came out of all cases, over all seeds.
    pub view: &'a RunView,
    /// The cases, in their order.
    pub cases: Vec<SimulatedCase<'a>>,
}

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedCase<'a> {
    /// What came out, over all seeds.
    pub trial: &'a TrialReport,
    /// What bounds say of the same case.
    pub bound: Prediction,
    /// How full the path is, and how the streams share it, by the first seed.
    pub path: Prediction,
    /// Each seed alone.
    pub seeds: Vec<Seed>,
    /// What was taken out, and what there was before; none where all is there.
    pub removal: Option<Removal>,
}

/// One seed of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seed {
    /// The root of its randomness.
    pub seed: u64,
    /// How many events were handled.
    pub events: u64,
    /// What the simulation says of itself, such as the time that passed in it.
    pub facts: BTreeMap<String, String>,
    /// Half the width of the 95 % interval of its throughput, in percent, where that is known.
    pub half_width_percent: Option<f64>,
    /// Jain's index over its streams.
    pub jain: Option<f64>,
    /// What it says of throughput, response and shares.
    #[serde(flatten, with = "OfSeed")]
    pub carried: Prediction,
}

/// What of a prediction a seed has.
#[derive(Serialize)]
#[serde(remote = "Prediction")]
struct OfSeed {
    throughput_bytes_per_sec: f64,
    operations_per_sec: f64,
    response_ns: Option<f64>,
    shares: Vec<GroupShare>,
}

/// Facts that a simulation states of itself.
const FACTS: &str = "simulation.";

impl<'a> SimulatedCase<'a> {
    /// What the records of a trial say, one a seed.
    ///
    /// # Errors
    /// Where there is no record.
    pub fn of(
        trial: &'a TrialReport,
        records: &[Record],
        bound: Prediction,
        removal: Option<Removal>,
    ) -> Result<Self, NoFindings> {
        // What is found of a single seed is what is found of the trial.
        let alone = |record: &Record| match records {
            [_] => Ok(Seed::of(record, &trial.findings)),
            _ => analyse(slice::from_ref(record)).map(|findings| Seed::of(record, &findings)),
        };
        let seeds: Vec<Seed> = records.iter().map(alone).collect::<Result<_, _>>()?;
        let path = seeds.first().ok_or(NoFindings::NoPass)?.carried.clone();
        Ok(Self { trial, bound, path, seeds, removal })
    }

    /// Share of what bounds allow; none where they allow nothing.
    #[must_use]
    pub fn of_bound(&self) -> Option<f64> {
        let Prediction { throughput_bytes_per_sec: bytes, operations_per_sec: requests, .. } =
            self.bound;
        let found = self.found();
        let bytes = (bytes > 0.0).then(|| found.throughput_bytes_per_sec / bytes);
        bytes.or_else(|| (requests > 0.0).then(|| found.operations_per_sec / requests))
    }

    /// The throughputs of the slowest and the fastest of several seeds.
    pub(crate) fn seed_ends(&self) -> Option<(f64, f64)> {
        let rates = || self.seeds.iter().map(|seed| seed.carried.throughput_bytes_per_sec);
        let ends = rates().reduce(f64::min).zip(rates().reduce(f64::max));
        ends.filter(|_| self.seeds.len() > 1)
    }

    /// What is left with parts taken out; none where every stream stops.
    pub(crate) fn left(&self) -> Option<Carried> {
        let has_stopped = self.trial.fact(Fact::NothingLeft).is_some();
        (!has_stopped).then(|| self.found())
    }

    pub(crate) fn found(&self) -> Carried {
        Carried::found(&self.trial.findings)
    }
}

impl Seed {
    fn of(record: &Record, findings: &Findings) -> Self {
        let facts = record.environment.iter();
        let own = facts.filter_map(|(key, value)| Some((key.strip_prefix(FACTS)?, value)));
        let events = match record.technique {
            Technique::Simulation { events } => events,
            Technique::Analytic | Technique::Measurement { .. } | Technique::Observation => 0,
        };
        Self {
            seed: record.case.seed,
            events,
            facts: own.map(|(key, value)| (key.to_owned(), value.clone())).collect(),
            half_width_percent: findings.confidence.map(|known| known.half_width_percent),
            jain: findings.jain,
            carried: predict(record),
        }
    }
}

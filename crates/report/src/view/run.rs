//! A run as reports see it: its trials, each with its findings and the facts around it.

use std::collections::BTreeMap;

use iopath_analysis::hosts::{HostShares, shares};
use iopath_analysis::limit::Limiting;
use iopath_analysis::picture::Picture;
use iopath_analysis::thresholds::trials::RESPONSE_WITHIN;
use iopath_analysis::{
    Balance, DepthPoint, Findings, Layers, NoFindings, Prediction, SharedLimitHint, analyse,
    balance, layers, picture, predict, shared_limit,
};
use iopath_record::{CaseText, Fact, Record, TargetFact, Technique};
use iopath_units::Nanos;

use super::removal::Carried;
use super::watched::Stored;

/// Latencies below this are those of a model of which no part takes time: chosen.
pub(crate) const INSTANT_NS: u64 = 64;

/// A run, or the part of it that is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// Its name in the store; none where it is not stored.
    pub id: Option<String>,
    /// Its trials, in their order.
    pub trials: Vec<TrialReport>,
    /// The limit of the mean response in load sweeps.
    pub within: Nanos,
}

/// A picture of a path with what each of its boxes moved over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    pub picture: Picture,
    /// Bytes a second of each box in every interval; empty where nothing was sampled.
    pub rates_over_time: Vec<Vec<f64>>,
}

/// One trial.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialReport {
    /// What was asked for, as in the first pass.
    pub case: CaseText,
    /// Who answered, as in the first pass.
    pub technique: Technique,
    /// Facts about machine, targets and settings, as in the first pass.
    pub environment: BTreeMap<String, String>,
    /// What came out.
    pub findings: Findings,
    /// What the first pass says of the path's capacity, where it holds bounds.
    pub prediction: Option<Prediction>,
    /// What each layer did in the first pass; empty of a model's record, whose parts are described.
    pub layers: Layers,
    /// What it says beside trials of other depths; none of a model and of open loops.
    pub depth: Option<DepthPoint>,
    /// How evenly members shared a load in the first pass.
    pub balance: Vec<Balance>,
    /// What each host got, and whose the limit is, in the first pass; none of one host.
    pub hosts: Option<HostShares>,
    /// Members whose limits one run cannot tell apart.
    pub shared_limit: Option<SharedLimitHint>,
    /// The path of the first pass, where something is known of it below the streams.
    pub path: Option<Drawn>,
    /// What everything did, where counters were watched and no stream was.
    pub watched: Option<Stored>,
}

impl RunReport {
    /// The report of a run's records, which are grouped by trial.
    ///
    /// # Errors
    /// Where records of one trial number belong to different cases.
    pub fn from_records(id: Option<String>, records: &[Record]) -> Result<Self, NoFindings> {
        let mut trials: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
        for record in records {
            trials.entry(record.case.trial).or_default().push(record.clone());
        }
        let trials = trials.values().map(|passes| TrialReport::from_passes(passes));
        Ok(Self { id, trials: trials.collect::<Result<_, _>>()?, within: RESPONSE_WITHIN })
    }
}

impl TrialReport {
    /// The report of all passes of one trial.
    ///
    /// # Errors
    /// Where there is no pass, or the passes belong to different trials.
    pub fn from_passes(passes: &[Record]) -> Result<Self, NoFindings> {
        let findings = analyse(passes)?;
        let first = passes.first().ok_or(NoFindings::NoPass)?;
        let is_watched = first.technique == Technique::Observation && findings.streams.is_empty();
        Ok(Self {
            layers: of_layers(first),
            depth: DepthPoint::of(passes, &findings),
            balance: if first.technique.is_model() { Vec::new() } else { balance(first) },
            hosts: shares(first, &findings),
            shared_limit: shared_limit(passes, &findings.limit),
            path: path(first, &findings.limit),
            watched: is_watched.then(|| Stored::of(passes)).flatten(),
            case: first.case.clone(),
            technique: first.technique.clone(),
            environment: first.environment.clone(),
            findings,
            prediction: (!first.bounds.is_empty()).then(|| predict(first)),
        })
    }

    /// Whether counters were watched and no stream was.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.is_some()
    }

    /// Whether a model made it in which no part of the path takes time: then there is no response.
    pub(crate) fn is_instant(&self) -> bool {
        let Findings { latency_ns_max, intended_latency_ns_max, .. } = self.findings;
        let longest = latency_ns_max.max(intended_latency_ns_max);
        let is_simulated = matches!(self.technique, Technique::Simulation { .. });
        is_simulated && longest.is_some_and(|ns| ns < INSTANT_NS)
    }

    /// What it carried: the one figure that stands for it.
    pub(crate) fn carried(&self) -> Carried {
        Carried::found(&self.findings)
    }

    /// Which part of its passes the picture and the layers are of.
    pub(crate) fn part(&self) -> &'static str {
        match (self.findings.window_ns > 0, self.findings.passes.len()) {
            (true, ..=1) => "in the window",
            (true, _) => "in the window of the first pass",
            (false, ..=1) => "in the measured part",
            (false, _) => "in the measured part of the first pass",
        }
    }

    /// Experiment and levels: what tells this trial from the others.
    pub(crate) fn label(&self) -> String {
        label(&self.case.experiment, &self.case.levels)
    }

    /// What the environment says.
    pub(crate) fn fact(&self, fact: Fact<'_>) -> Option<&str> {
        fact.of(&self.environment)
    }

    /// A fact about every target that has it, by the target's name.
    pub(crate) fn of_targets(&self, fact: TargetFact) -> impl Iterator<Item = (&str, &str)> {
        fact.of_each(&self.environment)
    }
}

/// A simulation's meters cannot be off, and bytes in flight are counted where they end: its layers
/// are told, and not why they differ.
fn of_layers(record: &Record) -> Layers {
    match record.technique {
        Technique::Analytic => Layers::default(),
        Technique::Simulation { .. } => Layers { steps: Vec::new(), ..layers(record) },
        Technique::Measurement { .. } | Technique::Observation => layers(record),
    }
}

fn path(record: &Record, limit: &Limiting) -> Option<Drawn> {
    let picture = picture(record, limit);
    let rates_over_time = picture.rates_over_time(record);
    picture.has_path().then_some(Drawn { picture, rates_over_time })
}

pub(crate) fn label(experiment: &str, levels: &BTreeMap<String, String>) -> String {
    let levels: Vec<_> = levels.iter().map(|(factor, level)| format!("{factor}={level}")).collect();
    let parts = [experiment.to_owned(), levels.join(" ")];
    let kept: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if kept.is_empty() { "trial".to_owned() } else { kept.join(" ") }
}

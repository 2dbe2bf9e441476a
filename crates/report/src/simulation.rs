//! Simulated cases: what came out with how much confidence, what limited it, beside what bounds
//! allow; of a single case also how its streams share and how full its path is.

use std::collections::BTreeMap;
use std::slice;

use iopath_analysis::{Findings, NoFindings, Prediction, analyse, predict};
use iopath_record::{Fact, Record, Technique};
use iopath_units::System;
use serde::Serialize;

use crate::document::{Block, Document, Section, Table};
use crate::json;
use crate::look::Detail;
use crate::numbers::{UNKNOWN, maybe_time, operations, plus_minus, rate, time};
use crate::prediction::{Carried, Removal, path, sentence, shares};
use crate::run::{TrialReport, label};
use crate::sections::{Shown, intensity, ladder, limit, verdict, warnings};
use crate::view::RunView;
use crate::words::evidence;

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
    #[serde(flatten, with = "json::simulation::OfSeed")]
    pub carried: Prediction,
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

    /// What is left with parts taken out; none where every stream stops.
    fn left(&self) -> Option<Carried> {
        let has_stopped = self.trial.fact(Fact::NothingLeft).is_some();
        (!has_stopped).then(|| self.found())
    }

    fn found(&self) -> Carried {
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

/// What came out of every case; of a single one, or where it is asked for, everything.
#[must_use]
pub fn document(simulation: &Simulation<'_>, detail: Detail, system: System) -> Document {
    let Simulation { view, cases } = simulation;
    let shown = Shown { run: view, trials: &view.report.trials, system };
    let mut sections: Vec<Section> = vec![verdicts(&shown, cases)];
    let experiments = cases.chunk_by(|a, b| a.trial.case.experiment == b.trial.case.experiment);
    sections.extend(experiments.map(|cases| Section {
        id: "experiment",
        title: cases[0].trial.case.experiment.clone(),
        blocks: vec![Block::Table(table(cases, system))],
    }));
    sections.extend([ladder::section(&shown), intensity::section(&shown)].into_iter().flatten());
    if cases.len() == 1 || detail == Detail::Full {
        sections.extend(cases.iter().flat_map(|case| in_full(case, detail, system)));
    }
    let last = [
        limit::section(&shown),
        warnings::section(&shown),
        warnings::broken_laws(&shown),
        warnings::exceeded_ratings(&shown),
        Section::of("cost", "", vec![Block::Text(cost(cases))]),
    ];
    sections.extend(last.into_iter().flatten());
    let title = cases.first().map_or_else(String::new, |case| case.trial.case.study.clone());
    Document { title, sections, ..Document::default() }
}

/// What each case came to, and what is left where parts were taken out.
fn verdicts(shown: &Shown<'_>, cases: &[SimulatedCase<'_>]) -> Section {
    let mut blocks = verdict::sentences(shown);
    let left = cases.iter().filter_map(|case| {
        let left = case.removal.as_ref()?.sentence(case.left(), shown.system, "throughput");
        Some(format!("{}: {left}", case.trial.label()))
    });
    blocks.extend(Block::lines(left.collect()));
    Section { id: "verdict", title: "verdict".to_owned(), blocks }
}

fn table(cases: &[SimulatedCase<'_>], system: System) -> Table {
    let has_streams = cases.iter().any(|case| case.trial.findings.streams.len() > 1);
    let mut table = Table::of(cases)
        .column("case", levels)
        .column("throughput", |case| rate(case.found().throughput_bytes_per_sec, system))
        .bars(|case| case.found().throughput_bytes_per_sec)
        .expendable(2, "95 %", half_width)
        .expendable(4, "requests", |case| operations(case.found().operations_per_sec, system))
        .column("response", |case| maybe_time(response(case).0, system))
        .expendable(5, "p50", |case| percentile(response(case).1, system))
        .expendable(3, "p99", |case| percentile(response(case).2, system));
    if has_streams {
        table = table.expendable(2, "Jain", jain);
    }
    table
        .column("of bound", |case| case.of_bound().map_or_else(unknown, percent))
        .expendable(1, "limited by", |case| evidence::cause(&case.trial.findings.limit))
        .done()
}

/// What tells a case from the others of its experiment.
fn levels(case: &SimulatedCase<'_>) -> String {
    match case.trial.case.levels.is_empty() {
        true => case.trial.label(),
        false => label("", &case.trial.case.levels),
    }
}

fn unknown() -> String {
    UNKNOWN.to_owned()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn half_width(case: &SimulatedCase<'_>) -> String {
    let known = case.trial.findings.confidence;
    known.map_or_else(unknown, |known| plus_minus(known.half_width_percent))
}

/// Mean, p50 and p99, from the intended start where there is one; none where nothing takes time.
fn response(case: &SimulatedCase<'_>) -> (Option<f64>, Option<u64>, Option<u64>) {
    let findings = &case.trial.findings;
    if case.trial.is_instant() {
        return (None, None, None);
    }
    match findings.intended_latency_ns_mean {
        Some(mean) => {
            (Some(mean), findings.intended_latency_ns_p50, findings.intended_latency_ns_p99)
        }
        None => (findings.latency_ns_mean, findings.latency_ns_p50, findings.latency_ns_p99),
    }
}

fn percentile(ns: Option<u64>, system: System) -> String {
    maybe_time(ns.map(|ns| ns as f64), system)
}

/// Over all seeds; of several also the spread.
fn jain(case: &SimulatedCase<'_>) -> String {
    let all = || case.seeds.iter().filter_map(|seed| seed.jain);
    match (all().reduce(f64::min), all().reduce(f64::max)) {
        (Some(least), Some(most)) if most - least >= 0.0005 => format!("{least:.3} .. {most:.3}"),
        (Some(least), _) => format!("{least:.3}"),
        (None, _) => unknown(),
    }
}

/// What is too long for many cases.
fn in_full(case: &SimulatedCase<'_>, detail: Detail, system: System) -> Vec<Section> {
    let bounds = format!("bounds: {}", sentence(&case.bound, system));
    let sections = [
        Section::of("case", case.trial.label(), vec![Block::Lines(vec![bounds])]),
        case.removal.as_ref().and_then(Removal::losses),
        seeds(case, system),
        shares(&case.path, system),
        path(&case.path, detail, system),
    ];
    sections.into_iter().flatten().collect()
}

/// A row a seed, where there are several.
fn seeds(case: &SimulatedCase<'_>, system: System) -> Option<Section> {
    let jain = |seed: &Seed| seed.jain.map_or_else(unknown, |jain| format!("{jain:.3}"));
    let table = Table::of(&case.seeds)
        .column("seed", |seed| seed.seed.to_string())
        .column("throughput", |seed| rate(seed.carried.throughput_bytes_per_sec, system))
        .column("response", |seed| maybe_time(seed.carried.response_ns, system))
        .column("Jain", jain)
        .expendable(1, "events", |seed| seed.events.to_string());
    let blocks = if case.seeds.len() < 2 { Vec::new() } else { vec![Block::Table(table.done())] };
    Section::of("seeds", "seeds", blocks)
}

/// What it took: events of all seeds, and the time that was counted.
fn cost(cases: &[SimulatedCase<'_>]) -> String {
    let events: u64 = cases.iter().flat_map(|case| &case.seeds).map(|seed| seed.events).sum();
    let nanos: u64 = cases.iter().map(|case| case.trial.findings.window_ns).sum();
    let passed = time(nanos as f64, System::Decimal);
    format!("{events} events; {passed} of simulated time were counted")
}

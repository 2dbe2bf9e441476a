//! Simulated cases: what came out with how much confidence, what limited it, beside what bounds
//! allow; of a single case also how its streams share and how full its path is.

use std::collections::BTreeMap;
use std::slice;

use iopath_analysis::limit::{Cause, Limiting};
use iopath_analysis::{Findings, NoFindings, Prediction, analyse, predict};
use iopath_record::{Fact, Record, Technique};
use iopath_units::System;

use crate::look::{Look, Tone};
use crate::numbers::{UNKNOWN, maybe_time, operations, plus_minus, rate, time};
use crate::prediction::{Carried, Detail, Removal, path, sentence, shares};
use crate::run::{RunReport, TrialReport, label};
use crate::table::{Column, render};
use crate::wrap::wrap;
use crate::{intensity, ladder, text};

mod json;

pub use json::simulation_json;

/// The cases of a study as a simulation answers them.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation<'a> {
    /// What came out of all cases, over all seeds.
    pub report: &'a RunReport,
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
#[derive(Clone, Debug, PartialEq)]
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

/// The simulation as text.
#[must_use]
pub fn render_simulation(simulation: &Simulation<'_>, detail: Detail, look: &Look) -> String {
    let Simulation { report: run, cases } = simulation;
    let mut parts = vec![text::verdicts(run, look), removals(cases, look)];
    for experiment in cases.chunk_by(|a, b| a.trial.case.experiment == b.trial.case.experiment) {
        let title = look.paint(Tone::Verdict, &experiment[0].trial.case.experiment);
        parts.push(format!("{title}\n{}", render(columns(experiment, look.system), look.width)));
    }
    parts.extend([ladder::text(run, look), intensity::lines(run, look)]);
    if cases.len() == 1 || detail == Detail::Full {
        parts.extend(cases.iter().map(|case| in_full(case, detail, look)));
    }
    parts.extend([
        text::limits(run, look),
        text::warnings(run, look),
        text::laws(run, look),
        cost(cases),
    ]);
    let shown: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n", shown.join("\n\n"))
}

/// What was taken out, and how much is left.
fn removals(cases: &[SimulatedCase<'_>], look: &Look) -> String {
    let line = |case: &SimulatedCase| {
        let removal = case.removal.as_ref()?;
        let left = removal.sentence(case.left(), look.system, "throughput");
        Some(wrap(&format!("{}: {left}", case.trial.label()), 2, look.width))
    };
    cases.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn columns(cases: &[SimulatedCase<'_>], system: System) -> Vec<Column> {
    let cells =
        |of: &dyn Fn(&SimulatedCase<'_>) -> String| cases.iter().map(of).collect::<Vec<_>>();
    let column = |title, expendable, of: &dyn Fn(&SimulatedCase<'_>) -> String| Column {
        title,
        cells: cells(of),
        expendable,
    };
    let mut columns = vec![
        column("case", 0, &levels),
        column("throughput", 0, &|case| rate(case.found().throughput_bytes_per_sec, system)),
        column("95 %", 2, &half_width),
        column("requests", 4, &|case| operations(case.found().operations_per_sec, system)),
        column("response", 0, &|case| maybe_time(response(case).0, system)),
        column("p50", 5, &|case| percentile(response(case).1, system)),
        column("p99", 3, &|case| percentile(response(case).2, system)),
    ];
    if cases.iter().any(|case| case.trial.findings.streams.len() > 1) {
        columns.push(column("Jain", 2, &jain));
    }
    let of_bound = |case: &SimulatedCase| case.of_bound().map_or_else(unknown, percent);
    columns.push(column("of bound", 0, &of_bound));
    columns.push(column("limited by", 1, &|case| limited(&case.trial.findings.limit)));
    columns
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

/// The component, or the kind of the cause.
fn limited(limit: &Limiting) -> String {
    match (limit.cause, &limit.entity) {
        (Cause::Unknown, _) => unknown(),
        (Cause::Rate, _) | (_, None) => limit.cause.name().to_owned(),
        (_, Some(entity)) => entity.clone(),
    }
}

/// What is too long for many cases.
fn in_full(case: &SimulatedCase<'_>, detail: Detail, look: &Look) -> String {
    let bounds = format!("bounds: {}", sentence(&case.bound, look.system));
    let parts = [
        wrap(&bounds, 2, look.width),
        case.removal.as_ref().map(|removal| removal.losses(look)).unwrap_or_default(),
        seeds(case, look),
        shares(&case.path, look),
        intensity::table(case.trial, look),
        path(&case.path, detail, look),
    ];
    let shown: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n{}", look.paint(Tone::Verdict, &case.trial.label()), shown.join("\n\n"))
}

/// A line a seed, where there are several.
fn seeds(case: &SimulatedCase<'_>, look: &Look) -> String {
    if case.seeds.len() < 2 {
        return String::new();
    }
    let cells = |of: &dyn Fn(&Seed) -> String| case.seeds.iter().map(of).collect::<Vec<_>>();
    let system = look.system;
    let jain = |seed: &Seed| seed.jain.map_or_else(unknown, |jain| format!("{jain:.3}"));
    let columns = vec![
        Column::needed("seed", cells(&|seed| seed.seed.to_string())),
        Column::needed("throughput", cells(&|s| rate(s.carried.throughput_bytes_per_sec, system))),
        Column::needed("response", cells(&|seed| maybe_time(seed.carried.response_ns, system))),
        Column::needed("Jain", cells(&jain)),
        Column { title: "events", cells: cells(&|seed| seed.events.to_string()), expendable: 1 },
    ];
    format!("seeds\n{}", render(columns, look.width))
}

/// What it took: events of all seeds, and the time that was counted.
fn cost(cases: &[SimulatedCase<'_>]) -> String {
    let events: u64 = cases.iter().flat_map(|case| &case.seeds).map(|seed| seed.events).sum();
    let nanos: u64 = cases.iter().map(|case| case.trial.findings.window_ns).sum();
    let passed = time(nanos as f64, System::Decimal);
    format!("{events} events; {passed} of simulated time were counted")
}

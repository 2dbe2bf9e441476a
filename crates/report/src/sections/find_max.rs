//! The highest load within a latency limit: a sentence and the response curve of each search.

use iopath_analysis::find_max::{
    Answer, HighestLoad, Metric, Outcome, Reason, Tried, TriedLoad, highest_loads,
};
use iopath_analysis::limit::Cause;
use iopath_analysis::load_sweep::LoadSweep;
use iopath_analysis::predict;
use iopath_record::Record;
use iopath_units::System;
use serde::Serialize;

use super::{OfExperiment, Shown, latency, load_sweep, warnings};
use crate::document::{Block, Document, Section, Table};
use crate::numbers::{UNKNOWN, maybe_ns, maybe_time, operations};
use crate::view::RunView;
use crate::view::run::{TrialReport, label};
use crate::words::find_max::{interval, limit, sentence};
use crate::words::{evidence, percent};

/// A search with what is in the way of more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Searched {
    #[serde(flatten)]
    pub found: HighestLoad,
    /// What held the lowest load beyond the limit back, or is fullest there, in words; none where
    /// that is not known.
    pub limited_by: Option<String>,
}

/// Every search of a run.
pub(crate) fn of(run: &RunView) -> Vec<Searched> {
    among(&run.report.trials, run)
}

/// Every search among some trials of a run.
fn among(trials: &[TrialReport], run: &RunView) -> Vec<Searched> {
    let passes: Vec<&[Record]> =
        run.records.chunk_by(|a, b| a.case.trial == b.case.trial).collect();
    let trials = trials.iter().filter_map(|trial| {
        let passes = passes.iter().find(|one| one[0].case.trial == trial.case.trial)?;
        Some(Tried { findings: &trial.findings, passes })
    });
    let trials: Vec<Tried<'_>> = trials.collect();
    let with = |found: HighestLoad| {
        let limited_by = limited_by(&found, run);
        Searched { found, limited_by }
    };
    highest_loads(&trials).into_iter().map(with).collect()
}

/// What held the lowest load beyond the limit back; where that is the rate, what is fullest.
fn limited_by(found: &HighestLoad, run: &RunView) -> Option<String> {
    let Some(Answer::Between { beyond_per_sec, .. }) = found.answer else { return None };
    let number = found.at(beyond_per_sec)?.trial;
    let cause = &run.report.trials.iter().find(|trial| trial.case.trial == number)?.findings.limit;
    if !matches!(cause.cause, Cause::Rate | Cause::Unknown) {
        return Some(format!("limited by {}", evidence::cause(cause)));
    }
    let record = run.records.iter().find(|record| record.case.trial == number)?;
    let components = predict(record).components;
    let used = components.iter().filter_map(|one| Some((&one.name, one.utilisation?)));
    let (name, share) = used.max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(format!("busiest there: {name}, {}", percent(share)))
}

/// What each search came to; nothing where a part of its trials is shown, which is no search.
pub(super) fn sentences(shown: &Shown<'_>) -> Vec<OfExperiment> {
    if shown.trials.len() < shown.run.report.trials.len() {
        return Vec::new();
    }
    let said = |one: Searched| OfExperiment {
        text: sentence(&one.found, one.limited_by.as_deref(), shown.system),
        experiment: one.found.experiment,
    };
    among(shown.trials, shown.run).into_iter().map(said).collect()
}

/// The trial of the highest load within the limit; of a search without any, its lightest.
fn best<'a>(found: &HighestLoad, trials: &'a [TrialReport]) -> Option<&'a TrialReport> {
    let within = match found.answer {
        Some(Answer::Between { within_per_sec, .. }) => found.at(within_per_sec),
        Some(Answer::Always { highest_per_sec }) => found.at(highest_per_sec),
        Some(Answer::Never { .. }) | None => found.loads.first(),
    };
    let number = within?.trial;
    trials.iter().find(|trial| trial.case.trial == number)
}

/// What a search found, and what one must know of the loads that it found: what is too much gives
/// warnings by its nature.
#[must_use]
pub fn document(run: &RunView, system: System) -> Document {
    let trials = &run.report.trials;
    let shown = Shown { run, trials, system };
    let all = of(run);
    let best = all.iter().filter_map(|one| best(&one.found, trials)).cloned();
    let best: Vec<TrialReport> = best.collect();
    let found = Shown { run, trials: &best, system };
    let sections =
        [answer(&shown), warnings::broken_laws(&shown), section(&shown), warnings::section(&found)];
    let sections = sections.into_iter().flatten().collect();
    let title = trials.first().map_or_else(String::new, |one| one.case.study.clone());
    Document { title, sections, ..Document::default() }
}

/// What all searches of a run came to.
pub(crate) fn answer(shown: &Shown<'_>) -> Option<Section> {
    let said = sentences(shown).into_iter().map(|one| Block::Verdict(one.text));
    Section::of("verdict", "verdict", said.collect())
}

/// The response curves.
pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let all = among(shown.trials, shown.run);
    let figures = load_sweep::of_searches(&shown.run.report);
    let mut blocks = Vec::new();
    for (at, Searched { found, .. }) in all.iter().enumerate() {
        blocks.push(Block::Table(table(found, shown.system)));
        let is_same = |sweep: &&LoadSweep| {
            sweep.experiment == found.experiment && sweep.levels == found.levels
        };
        let curve = figures.iter().find(is_same).map(|sweep| {
            let sweep = LoadSweep { within_ns: found.limit.within_ns, ..sweep.clone() };
            let limited = found.limit.metric.name();
            Block::Figure(latency::curves::load_sweep(at, &sweep, limited, shown.system))
        });
        blocks.extend(curve);
    }
    Section::of("find-max", "response time by load", blocks)
}

fn table(found: &HighestLoad, system: System) -> Table {
    let metric = found.limit.metric;
    let title =
        format!("{}, {}", label(&found.experiment, &found.levels), limit(found.limit, system));
    let figure = |load: &TriedLoad| {
        load.figure.map_or_else(|| UNKNOWN.to_owned(), |figure| interval(figure, system))
    };
    let mut table = Table::of(&found.loads)
        .titled(title)
        .column("load", |load| operations(load.wanted_per_sec, system))
        .column("achieved", |load| operations(load.achieved_per_sec, system))
        .column(metric.name(), figure);
    if metric != Metric::Mean {
        table = table.column("mean", |load| maybe_time(load.response_ns_mean, system));
    }
    if metric != Metric::P50 {
        table = table.expendable(2, "p50", |load| maybe_ns(load.response_ns_p50, system));
    }
    if metric != Metric::P99 {
        table = table.expendable(1, "p99", |load| maybe_ns(load.response_ns_p99, system));
    }
    table
        .expendable(3, "passes", |load| load.passes.to_string())
        .column("within", |load| within(load.outcome).to_owned())
        .done()
}

fn within(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Within => "yes",
        Outcome::Beyond(Reason::Latency) => "no",
        Outcome::Beyond(Reason::NotAchieved) => "no: not achieved",
        Outcome::Beyond(Reason::Growing) => "no: growing",
        Outcome::Undecided => "undecided",
    }
}

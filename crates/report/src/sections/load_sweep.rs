//! Response time against load: a sentence, a table and a figure for each load sweep of a run.

use iopath_analysis::find_max::RATE;
use iopath_analysis::load_sweep::{LoadStep, LoadSweep, load_sweeps};
use iopath_record::Fact;
use iopath_units::System;

use super::{OfExperiment, Shown, latency};
use crate::document::{Block, Section, Table};
use crate::numbers::{UNKNOWN, maybe_ns, maybe_time, operations, rate, time};
use crate::view::run::{RunReport, TrialReport, label};

/// Every load sweep among the trials in which requests take time.
pub(crate) fn of(run: &RunReport) -> Vec<LoadSweep> {
    let trials = run.trials.iter().filter(|trial| !trial.is_instant());
    let trials: Vec<_> = trials.map(|trial| (&trial.case, &trial.findings)).collect();
    load_sweeps(&trials, run.within)
}

/// Those of searches for the highest load, for their figures.
pub(crate) fn of_searches(run: &RunReport) -> Vec<LoadSweep> {
    let trials = run.trials.iter().filter(|trial| is_searched(trial));
    let trials: Vec<_> = trials.map(|trial| (&trial.case, &trial.findings)).collect();
    load_sweeps(&trials, run.within).into_iter().filter(|sweep| sweep.factor == RATE).collect()
}

/// Trials of a search have a limit and a section of their own.
fn among(trials: &[TrialReport], run: &RunReport) -> Vec<LoadSweep> {
    let trials = trials.iter().filter(|trial| !trial.is_instant() && !is_searched(trial));
    let trials: Vec<_> = trials.map(|trial| (&trial.case, &trial.findings)).collect();
    load_sweeps(&trials, run.within)
}

fn is_searched(trial: &TrialReport) -> bool {
    trial.fact(Fact::FindMaxLatency).is_some()
}

/// What each load sweep comes to.
pub(super) fn sentences(shown: &Shown<'_>) -> Vec<OfExperiment> {
    let said = |load_sweep: LoadSweep| OfExperiment {
        text: sentence(&load_sweep, shown.system),
        experiment: load_sweep.experiment,
    };
    among(shown.trials, &shown.run.report).into_iter().map(said).collect()
}

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let all = among(shown.trials, &shown.run.report);
    let mut blocks = Vec::new();
    let mut at = 0;
    for group in all.chunk_by(|a, b| a.experiment == b.experiment && a.factor == b.factor) {
        blocks.extend(of_group(at, group, shown.system));
        at += group.len();
    }
    Section::of("ladder", "response time by load", blocks)
}

/// Load sweeps of one experiment: of several their means over one another, and each one's
/// percentiles folded. `at` is the place of the first among those of the run.
fn of_group(at: usize, group: &[LoadSweep], system: System) -> Vec<Block> {
    let is_only = group.len() == 1;
    let together = latency::load_sweeps::load_sweeps(at, group, system).filter(|_| !is_only);
    let each = group.iter().zip(at..).flat_map(|(load_sweep, at)| {
        let figure = Block::Figure(latency::curves::load_sweep(at, load_sweep, "mean", system));
        let title = format!("percentiles of {}", label(&load_sweep.experiment, &load_sweep.levels));
        let figure = if is_only { figure } else { Block::Fold(title, vec![figure]) };
        [Block::Table(table(load_sweep, system)), figure]
    });
    together.map(Block::Figure).into_iter().chain(each).collect()
}

fn sentence(load_sweep: &LoadSweep, system: System) -> String {
    let name = label(&load_sweep.experiment, &load_sweep.levels);
    let within = time(load_sweep.within_ns as f64, system);
    let highest = match load_sweep.highest_within_per_sec {
        Some(per_sec) => {
            format!("{} with a mean response within {within}", speed(load_sweep, per_sec, system))
        }
        None => format!("no step has a mean response within {within}"),
    };
    let lightest = load_sweep.steps.first().map_or("", |step| step.level.as_str());
    let response = maybe_time(load_sweep.lightest_response_ns, system);
    let factor = &load_sweep.factor;
    format!("{name}: response time by {factor}: {highest}; {response} at {factor}={lightest}")
}

fn speed(load_sweep: &LoadSweep, per_sec: f64, system: System) -> String {
    match load_sweep.measure {
        "operations" => operations(per_sec, system),
        _ => rate(per_sec, system),
    }
}

fn table(load_sweep: &LoadSweep, system: System) -> Table {
    let within = |step: &LoadStep| match step.is_within {
        Some(true) => "yes",
        Some(false) => "no",
        None => UNKNOWN,
    };
    Table::of(&load_sweep.steps)
        .titled(label(&load_sweep.experiment, &load_sweep.levels))
        .column("load", |step| step.level.clone())
        .column("wanted", |step| speed(load_sweep, step.wanted_per_sec, system))
        .column("achieved", |step| speed(load_sweep, step.achieved_per_sec, system))
        .column("mean response", |step| maybe_time(step.response_ns_mean, system))
        .expendable(2, "p50", |step| maybe_ns(step.response_ns_p50, system))
        .column("p99", |step| maybe_ns(step.response_ns_p99, system))
        .expendable(1, "within", |step| within(step).to_owned())
        .done()
}

//! Sweeps of several runs: their lines over one another along the factor, throughput and p99. The
//! run is one more factor of the pooled trials.

use std::collections::BTreeSet;

use iopath_units::System;

use crate::document::Figure;
use crate::sections::{Shown, sweep};
use crate::view::RunView;
use crate::view::run::TrialReport;

/// The factor that says whose trial it is.
const RUN: &str = "run";

pub(super) fn figures(runs: &[RunView], system: System) -> Vec<Figure> {
    let Some(first) = runs.first() else { return Vec::new() };
    let each = runs.iter().enumerate();
    let pooled = each.flat_map(|(at, run)| run.report.trials.iter().map(move |one| (at, run, one)));
    // A study may have a factor of that name; a run compared with itself has one line.
    let names = runs.iter().map(|run| &run.facts.id);
    let is_twice = names.clone().flatten().collect::<BTreeSet<_>>().len() < names.flatten().count();
    if is_twice || pooled.clone().any(|(_, _, trial)| trial.case.levels.contains_key(RUN)) {
        return Vec::new();
    }
    let named = |(number, (at, run, trial)): (u32, (usize, &RunView, &TrialReport))| {
        let mut trial = trial.clone();
        trial.case.trial = number;
        let name = run.facts.id.clone().unwrap_or_else(|| (at + 1).to_string());
        trial.case.levels.insert(RUN.to_owned(), name);
        trial
    };
    let trials: Vec<TrialReport> = (0..).zip(pooled).map(named).collect();
    sweep::of_runs(&Shown { run: first, trials: &trials, system }, RUN)
}

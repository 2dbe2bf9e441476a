//! Sweeps of several runs: their lines over one another along the factor, throughput and p99. The
//! run is one more factor of the pooled trials.

use iopath_analysis::compare::pairing;
use iopath_units::System;

use super::letter;
use crate::document::Figure;
use crate::sections::{Shown, sweep};
use crate::view::RunView;
use crate::view::run::TrialReport;

/// The factor that says whose trial it is.
const RUN: &str = "run";

pub(super) fn figures(runs: &[RunView], system: System) -> Vec<Figure> {
    let Some(first) = runs.first() else { return Vec::new() };
    let each = runs.iter().enumerate();
    let pooled = each.flat_map(|(at, run)| run.report.trials.iter().map(move |one| (at, one)));
    // A study may have a factor of that name.
    if pooled.clone().any(|(_, trial)| trial.case.levels.contains_key(RUN)) {
        return Vec::new();
    }
    let named = |(number, (at, trial)): (u32, (usize, &TrialReport))| {
        let mut trial = trial.clone();
        trial.case.trial = number;
        // Experiments without a title of their own pair: see `iopath_analysis::compare::pairing`.
        if pairing(&trial.case).experiment.is_empty() {
            first.study().clone_into(&mut trial.case.experiment);
        }
        trial.case.levels.insert(RUN.to_owned(), letter(at));
        trial
    };
    let trials: Vec<TrialReport> = (0..).zip(pooled).map(named).collect();
    sweep::of_runs(&Shown { run: first, trials: &trials, system }, RUN)
}

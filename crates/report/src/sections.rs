//! What is shown of a run: a file for each subject, from a view to a section. Text and page show
//! the same sections; what each can show of a block is theirs to decide.

pub(crate) mod advice;
pub(crate) mod agreement;
pub(crate) mod builds;
pub(crate) mod check;
mod chosen;
pub(crate) mod comparison;
pub(crate) mod crash;
pub(crate) mod damage;
pub(crate) mod depths;
pub(crate) mod emulation;
pub(crate) mod environment;
pub(crate) mod failures;
pub(crate) mod fairness;
pub(crate) mod field;
pub(crate) mod find_max;
mod flat;
pub(crate) mod hosts;
pub(crate) mod import;
pub(crate) mod intensity;
pub(crate) mod latency;
pub(crate) mod layers;
pub(crate) mod layout;
pub(crate) mod limit;
pub(crate) mod list;
pub(crate) mod load_sweep;
pub(crate) mod machine_placing;
mod over_time;
pub(crate) mod path;
pub(crate) mod placing;
pub(crate) mod prediction;
pub(crate) mod probe;
pub(crate) mod profile;
pub(crate) mod results;
pub(crate) mod runbook;
pub(crate) mod sensitivity;
pub(crate) mod simulation;
pub(crate) mod sizing;
pub(crate) mod sweep;
pub(crate) mod time;
pub(crate) mod tuning;
pub(crate) mod verdict;
pub(crate) mod warnings;

use iopath_units::System;

use crate::view::run::{TrialReport, label};
use crate::view::{DescribedPath, RunView};

/// Cases up to which each has a sentence or a line of its own unasked: chosen, half a screen.
pub(crate) const SENTENCES: usize = 12;

/// What sections are made of.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub run: &'a RunView,
    /// Those of its trials that are shown: all, or one.
    pub trials: &'a [TrialReport],
    pub system: System,
}

/// A sentence about all trials of an experiment.
pub(crate) struct OfExperiment {
    pub experiment: String,
    pub text: String,
}

impl<'a> Shown<'a> {
    /// What tells a trial from the others that are shown: its levels alone where all of them are
    /// of one experiment, whose name is in the title.
    pub(crate) fn label(&self, trial: &TrialReport) -> String {
        let is_one = self.trials.len() > 1
            && self.trials.iter().all(|one| {
                one.case.experiment == trial.case.experiment && !one.case.levels.is_empty()
            });
        if is_one { label("", &trial.case.levels) } else { trial.label() }
    }

    /// The trials, each with the path that it describes.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&'a TrialReport, &'a DescribedPath)> {
        let is_shown = |trial: &TrialReport| {
            self.trials.iter().any(|shown| shown.case.trial == trial.case.trial)
        };
        self.run.trials().filter(move |(trial, _)| is_shown(trial))
    }
}

//! Which trials of a run have figures of their own, and which of them is shown first: the fastest.
//! Others can be chosen, and what is left out is named.

use iopath_record::Record;

use super::Shown;
use crate::document::{Block, Case};
use crate::view::fastest;
use crate::view::run::TrialReport;

/// Trials that have figures of their own: chosen, so that a page stays a few MB large.
const DETAILED: usize = 12;

/// Names of trials that are left out, before the rest is only counted: chosen.
const NAMES: usize = 8;

/// A trial with its records.
pub(super) struct ChosenTrial<'a> {
    pub trial: &'a TrialReport,
    /// In the order of the passes.
    pub records: Vec<&'a Record>,
    /// Whether the run has no other.
    is_only: bool,
}

impl ChosenTrial<'_> {
    /// Its number, which makes anchors unique.
    pub(super) fn number(&self) -> u32 {
        self.trial.case.trial
    }

    /// What a figure shows, and of which trial where there are several.
    pub(super) fn title(&self, what: &str) -> String {
        match self.is_only {
            true => what.to_owned(),
            false => format!("{what}: {}", self.trial.label()),
        }
    }

    /// What is said, and of which trial where there are several.
    pub(super) fn of(&self, said: String) -> String {
        match self.is_only {
            true => said,
            false => format!("{}: {said}", self.trial.label()),
        }
    }

    /// The first pass: counters over time are its.
    pub(super) fn first(&self) -> Option<&Record> {
        self.records.first().copied()
    }

    /// What to say where a figure is of the first pass only.
    pub(super) fn of_passes(&self) -> String {
        match self.records.len() {
            0 | 1 => String::new(),
            passes => format!(" The first of {passes} passes."),
        }
    }
}

/// The blocks of the trials: of one alone as they are; of several a case each, the fastest first,
/// in every section the same. Of many some are left out, and a line names them.
pub(super) fn each(shown: &Shown<'_>, make: impl Fn(&ChosenTrial<'_>) -> Vec<Block>) -> Vec<Block> {
    let trials = shown.trials;
    if let [trial] = trials {
        return make(&ChosenTrial { trial, records: records(shown, trial), is_only: true });
    }
    let speeds: Vec<f64> = trials.iter().map(fastest::speed).collect();
    let kept = kept(&speeds);
    let case = |at: &usize| {
        let trial = &trials[*at];
        let told = ChosenTrial { trial, records: records(shown, trial), is_only: false };
        Case { trial: told.number(), title: titled(trial, shown), blocks: make(&told) }
    };
    let cases: Vec<Case> = kept.iter().map(case).collect();
    if cases.iter().all(|case| case.blocks.is_empty()) {
        return Vec::new();
    }
    let mut blocks = vec![Block::Cases(cases)];
    let is_left_out = |at: &usize| !kept.contains(at);
    let left: Vec<usize> = (0..trials.len()).filter(is_left_out).collect();
    if !left.is_empty() {
        blocks.push(Block::Text(left_out(trials, &left)));
    }
    blocks
}

fn records<'a>(shown: &Shown<'a>, trial: &TrialReport) -> Vec<&'a Record> {
    let all = shown.run.records.iter();
    let mut own: Vec<&Record> =
        all.filter(|record| record.case.trial == trial.case.trial).collect();
    own.sort_by_key(|record| record.case.pass);
    own
}

/// The fastest, the slowest, the first, the last, then evenly between them; the fastest first, the
/// others in their order.
fn kept(speeds: &[f64]) -> Vec<usize> {
    let all = || 0..speeds.len();
    let ends = fastest::of_speeds(speeds);
    let [fastest, slowest] = [ends.map(|ends| ends.fastest), ends.map(|ends| ends.slowest)];
    let ends = [fastest, slowest, all().next(), all().last()];
    let mut kept: Vec<usize> = Vec::new();
    let between = all().len().min(DETAILED);
    let between = (0..between).map(|part| part * speeds.len() / between);
    for at in ends.into_iter().flatten().chain(between).chain(all()) {
        if kept.len() < DETAILED && !kept.contains(&at) {
            kept.push(at);
        }
    }
    if let Some(others) = kept.get_mut(1..) {
        others.sort_unstable();
    }
    kept
}

fn titled(trial: &TrialReport, shown: &Shown<'_>) -> String {
    let rate = crate::numbers::rate(fastest::speed(trial), shown.system);
    format!("{} · {rate}", trial.label())
}

fn left_out(trials: &[TrialReport], left: &[usize]) -> String {
    let names: Vec<String> = left.iter().take(NAMES).map(|at| trials[*at].label()).collect();
    let more = match left.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "Here and below figures of {} of {} trials are left out: {}{more}. Their records are \
         whole: `iopath export` writes them.",
        left.len(),
        trials.len(),
        names.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_trials_the_fastest_comes_first_and_the_slowest_is_there() {
        let mut speeds: Vec<f64> = (0..40).map(|at| 100.0 + f64::from(at % 7)).collect();
        (speeds[17], speeds[30]) = (900.0, 1.0);
        let kept = kept(&speeds);
        assert_eq!(kept.len(), DETAILED);
        assert_eq!(kept[0], 17);
        for at in [0, 30, 39] {
            assert!(kept.contains(&at), "{at} is not in {kept:?}");
        }
        assert!(kept[1..].is_sorted());
    }

    #[test]
    fn a_run_without_a_finished_pass_has_no_trial_to_keep() {
        assert!(kept(&[]).is_empty());
    }

    #[test]
    fn of_few_all_are_kept() {
        let mut kept = kept(&[1.0, 3.0, 2.0]);
        assert_eq!(kept[0], 1);
        kept.sort_unstable();
        assert_eq!(kept, [0, 1, 2]);
    }
}

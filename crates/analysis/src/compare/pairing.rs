//! Which trials of two runs are the same: those of one experiment at the same levels.
//!
//! An experiment without a title of its own has that of its study, which says what was done rather
//! than which experiment it is: the title of a run from options has its depth. So untitled
//! experiments pair whatever their studies are called. It leaves out what the trials do: whether
//! they do the same is told beside their figures.

use iopath_record::CaseText;

use super::TrialName;

/// What pairs a trial with one of another run; the experiment is empty where it has no title.
#[must_use]
pub fn pairing(case: &CaseText) -> TrialName {
    let is_titled = case.experiment != case.study;
    let experiment = if is_titled { case.experiment.clone() } else { String::new() };
    TrialName { experiment, levels: case.levels.clone() }
}

//! How trials and runs end: as exit codes, with what to say.

use iopath_measurement::{CannotBegin, Ending as TrialEnding, Failure, Stage};

use crate::exit_status::{ExitStatus, Problem};

/// How a trial ended, with what another rank failed of.
pub(super) fn ended(
    ending: TrialEnding,
    elsewhere: Option<Problem>,
) -> Result<ExitStatus, Problem> {
    match (ending, elsewhere) {
        (TrialEnding::Failed(failure @ Failure::Damaged { .. }), _) => {
            Err(Problem::wrong_data(failure))
        }
        (TrialEnding::Failed(failure), _) => Err(Problem::new(ExitStatus::Failed, failure)),
        (_, Some(problem)) => Err(problem),
        (TrialEnding::Finished, None) => Ok(ExitStatus::Done),
        (TrialEnding::Interrupted, None) => Ok(ExitStatus::Interrupted),
    }
}

/// A pass could not be stored. What the trial itself failed of weighs more and decides the code.
pub(super) fn not_stored(error: &str, status: Result<TrialEnding, CannotBegin>) -> Problem {
    let text = format!("a pass could not be stored: {error}");
    match status {
        Ok(TrialEnding::Failed(failure)) => {
            Problem::new(ExitStatus::Failed, format!("{failure}\n{text}"))
        }
        Ok(TrialEnding::Finished | TrialEnding::Interrupted) | Err(_) => Problem::unexpected(text),
    }
}

/// Why a trial could not begin, after cases that wrote to the targets `before`: the code must not
/// say that no target was written when one was.
pub(super) fn not_begun(error: &CannotBegin, before: &[String]) -> Problem {
    if !matches!(error.stage, Stage::Open | Stage::Set | Stage::Journal) {
        return Problem::new(ExitStatus::Failed, error);
    }
    if !before.is_empty() {
        let written = before.join(", ");
        return Problem::new(
            ExitStatus::Failed,
            format!("{error}\nearlier cases wrote to {written}"),
        );
    }
    Problem::new(if error.is_refusal() { ExitStatus::Refused } else { ExitStatus::Obstacle }, error)
}

/// A run that found wrong data has failed, however it ended.
pub(super) fn with_damage(
    ended: Result<ExitStatus, Problem>,
    mut damaged: Vec<String>,
) -> Result<ExitStatus, Problem> {
    if damaged.is_empty() {
        return ended;
    }
    damaged.extend(ended.err().map(|problem| problem.to_string()));
    Err(Problem::new(ExitStatus::Failed, damaged.join("\n")))
}

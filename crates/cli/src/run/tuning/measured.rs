//! Settings tried by real I/O: each visit is a trial of the run.

use iopath_measurement::Next;
use iopath_record::Record;

use super::{Coming, Trials};
use crate::exit_status::Problem;
use crate::run::session;

/// The search under way.
pub(crate) struct Measured<'a> {
    pub trials: Trials<'a>,
    current: Option<Coming>,
    /// How many records there were before the trial under way.
    before: usize,
}

impl<'a> Measured<'a> {
    /// A search that has measured nothing yet.
    pub(crate) fn new(trials: Trials<'a>) -> Self {
        Self { trials, current: None, before: 0 }
    }
}

impl Measured<'_> {
    /// Takes what the trial under way came to, also where it was the last and ended early.
    pub(crate) fn finish(&mut self, measured: &[Record]) -> Result<(), Problem> {
        let passes = measured.get(self.before..).unwrap_or_default();
        self.before = measured.len();
        self.current.take().map_or(Ok(()), |current| self.trials.observe(&current, passes))
    }
}

impl session::Trials for Measured<'_> {
    fn next(&mut self, measured: &[Record]) -> Result<Option<session::Coming>, Problem> {
        self.finish(measured)?;
        self.current = self.trials.coming();
        let coming = self.current.as_ref().map(|coming| session::Coming {
            case: coming.case.clone(),
            path_from: self.trials.tuned.path_from(&coming.setting),
            facts: Vec::new(),
        });
        Ok(coming)
    }

    fn next_pass(&self, passes: &[Record]) -> Next {
        let until_ci = self.current.as_ref().and_then(|one| one.case.workload.until_ci);
        session::until_precise(passes, until_ci)
    }
}

//! What some devices carry together, by a short pass of plain reads: this machine's ceiling, and
//! each device alone.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iopath_analysis::{Findings, analyse};
use iopath_machine::Root;
use iopath_measurement::target::preflight;
use iopath_measurement::{Ending as Ended, Host, Next, Part, Targets, measure};
use iopath_study::Case;

use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;

/// A short pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Bytes of a request.
    pub block: u64,
    /// Length and warm-up, as a study says them.
    pub times: &'static str,
}

impl Probe {
    /// Reads all of some devices at once, four requests in flight at each.
    pub(crate) fn run(
        self,
        paths: &[PathBuf],
        interrupted: &AtomicBool,
    ) -> Result<Findings, Problem> {
        let case = self.case(paths)?;
        let root = Root::live();
        let mut targets = Targets::new(root.clone(), ".".into());
        let cases = std::slice::from_ref(&case);
        let lacking = preflight::lacking(&root, cases, cases);
        let unfit = targets.obstacles(cases, &[], interrupted);
        if let Some(obstacle) = lacking.iter().chain(&unfit).next() {
            return Err(Problem::new(ExitStatus::Obstacle, obstacle));
        }
        let mut records = Vec::new();
        let mut keep = |record| {
            records.push(record);
            Next::Enough
        };
        let tell = &mut |_| {};
        let host = Host { root: &root, interrupted, tell, keep: &mut keep, ranks: None };
        let ended = measure(Part::whole(&case), 0, &mut targets, host);
        match ended.map_err(|error| Problem::new(ExitStatus::Failed, error))? {
            Ended::Finished => analyse(&records).map_err(Problem::unexpected),
            Ended::Interrupted => Err(Problem::new(ExitStatus::Interrupted, "interrupted")),
            Ended::Failed(failure) => Err(Problem::new(ExitStatus::Failed, failure)),
        }
    }

    /// The devices are set into the case, not into its text: their names may be any.
    fn case(self, paths: &[PathBuf]) -> Result<Case, Problem> {
        let Self { block, times } = self;
        let names: Vec<String> = (0..paths.len()).map(|number| format!("/{number}")).collect();
        let text = format!(
            "study \"probe\"\nlayout {{ file \"data\" count={} }}\n\
             bind from=\"data\" to=\"{}\"\n\
             workload {times} {{\n\
             streams \"all\" over=\"data\" op=\"read\" block=\"{block} B\" depth=4\n}}\n",
            names.len(),
            names.join(", "),
        );
        let planned = studies::plan("(probe)", text, &[])?;
        let first = planned.plan.trials.into_iter().next();
        let mut case = first
            .map(|trial| trial.case)
            .ok_or_else(|| Problem::unexpected("a study without a case"))?;
        for (target, path) in case.targets.iter_mut().zip(paths) {
            target.binding = Some(path.display().to_string());
            target.below = Arc::default();
        }
        Ok(case)
    }
}

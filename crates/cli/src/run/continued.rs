//! A run of many experiments that was stopped, and is continued by one that plans the same.

use std::collections::BTreeMap;

use iopath_machine::Root;
use iopath_record::Record;
use iopath_store::{RunId, RunState, Store};

use crate::exit_status::Problem;
use crate::inputs::studies::Planned;
use crate::run::session;

/// What a stopped run has measured in full.
pub(crate) struct Continued {
    pub run: RunId,
    pub records: Vec<Record>,
    /// How many trials that are.
    pub trials: usize,
}

/// How old a stopped run may be: chosen, as rates of a machine change with what else it does.
const RECENT_NS: u64 = 3_600_000_000_000;

impl Continued {
    /// The newest run of the same experiments by this program on this machine, where it was
    /// stopped a short time ago.
    pub(crate) fn find(store: &Store, planned: &Planned) -> Result<Option<Self>, Problem> {
        let runs = store.runs().map_err(Problem::unexpected)?;
        let now = session::unix_ns();
        let own = session::begin(&Root::live(), &planned.text);
        for run in runs.into_iter().rev().map(|summary| summary.run) {
            if now.saturating_sub(run.begin.started_unix_ns) > RECENT_NS {
                continue;
            }
            let is_own = run.begin.host == own.host && run.begin.version == own.version;
            if !is_own || plan(&run.begin.study) != plan(&planned.text) {
                continue;
            }
            let is_finished = run.end.is_some_and(|end| end.state == RunState::Finished);
            let records = store.records(run.id).map_err(Problem::unexpected)?;
            let wanted = planned.plan.trials.first().map_or(1, |trial| trial.case.workload.passes);
            let continued = Self::of(run.id, records, wanted);
            return Ok(Some(continued).filter(|found| !is_finished && found.trials > 0));
        }
        Ok(None)
    }

    /// The records of trials that have all their passes.
    fn of(run: RunId, records: Vec<Record>, wanted: u32) -> Self {
        let mut passes: BTreeMap<u32, u32> = BTreeMap::new();
        records.iter().for_each(|one| *passes.entry(one.case.trial).or_default() += 1);
        let is_whole = |one: &Record| passes[&one.case.trial] >= wanted;
        let records: Vec<Record> = records.into_iter().filter(is_whole).collect();
        let trials = passes.values().filter(|count| **count >= wanted).count();
        Self { run, records, trials }
    }
}

/// A study without its scratch file, whose size is that of the space that was free.
fn plan(text: &str) -> String {
    text.lines().filter(|line| !line.contains(" directory=")).collect::<Vec<_>>().join("\n")
}

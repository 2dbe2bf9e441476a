//! A run that was stopped, and is continued by one that plans the same: a profile by itself, a
//! measurement where it is told which (`--resume`).

use std::collections::BTreeMap;

use iopath_analysis::is_full;
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

/// A run that said something so short a time ago has not been killed: chosen, several of its signs.
const UNDER_WAY_NS: u64 = 10_000_000_000;

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
            let continued = Self::of(run.id, records, planned);
            return Ok(Some(continued).filter(|found| !is_finished && found.trials > 0));
        }
        Ok(None)
    }

    /// What a run has measured of these very trials.
    pub(crate) fn of_run(store: &Store, run: RunId, planned: &Planned) -> Result<Self, Problem> {
        let known = store.run(run).map_err(Problem::unexpected)?;
        let told = store.told_at(run).map_err(Problem::unexpected)?;
        let is_recent = |told| session::unix_ns().saturating_sub(told) < UNDER_WAY_NS;
        match known.end {
            None if told.is_some_and(is_recent) => {
                let text = format!("run {run} was under way 10 s ago: wait until it has ended");
                return Err(Problem::mistake(text));
            }
            Some(end) if end.state == RunState::Finished => {
                let text = format!("run {run} is finished: nothing is left to measure");
                return Err(Problem::mistake(text));
            }
            _ => {}
        }
        let records = store.records(run).map_err(Problem::unexpected)?;
        if let Some(other) = records.iter().find(|record| !is_planned(planned, record)) {
            return Err(Problem::mistake(format!(
                "run {run} measured something else in its trial {}; resume it with its study and \
                 options: {}",
                other.case.trial + 1,
                known.begin.command
            )));
        }
        Ok(Self::of(run, records, planned))
    }

    /// The records of trials that have all their passes: the last one has not, where it goes on
    /// until it is precise.
    fn of(run: RunId, mut records: Vec<Record>, planned: &Planned) -> Self {
        let mut passes: BTreeMap<u32, u32> = BTreeMap::new();
        for record in records.iter().filter(|record| is_full(record)) {
            *passes.entry(record.case.trial).or_default() += 1;
        }
        let last = records.iter().map(|record| record.case.trial).max();
        passes.retain(|trial, count| {
            let of_plan = planned.plan.trials.get(*trial as usize);
            let workload = of_plan.or(planned.plan.trials.first()).map(|one| &one.case.workload);
            workload.is_some_and(|workload| {
                let is_open = workload.until_ci.is_some() && last == Some(*trial);
                *count >= workload.passes && !is_open
            })
        });
        records.retain(|record| passes.contains_key(&record.case.trial));
        Self { run, records, trials: passes.len() }
    }
}

/// Whether a record is one of the trial in its place.
fn is_planned(planned: &Planned, record: &Record) -> bool {
    let trial = planned.plan.trials.get(record.case.trial as usize);
    trial.is_some_and(|trial| plan(&trial.case.text) == plan(&record.case.text))
}

/// A study without its scratch file, whose size is that of the space that was free.
fn plan(text: &str) -> String {
    text.lines().filter(|line| !line.contains(" directory=")).collect::<Vec<_>>().join("\n")
}

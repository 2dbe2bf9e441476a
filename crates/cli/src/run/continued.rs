//! A run that was stopped, and is continued by one that plans the same: a profile by itself, a
//! measurement where it is told which (`--resume`).

use std::collections::BTreeMap;

use iopath_analysis::is_full;
use iopath_machine::Root;
use iopath_measurement::{MOST_PASSES, Next};
use iopath_record::{Record, Technique};
use iopath_store::{NewRun, Run, RunId, RunState, Store};
use iopath_study::case::Workload;

use crate::exit_status::Problem;
use crate::inputs::studies::Planned;
use crate::run::session::{self, until_precise};

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
            if !is_of_here(&run.begin, &own) || plan(&run.begin.study) != plan(&planned.text) {
                continue;
            }
            let is_finished = is_finished(&run);
            let records = store.records(run.id).map_err(Problem::unexpected)?;
            let continued = Self::of(run.id, records, planned);
            return Ok(Some(continued).filter(|found| !is_finished && found.trials > 0));
        }
        Ok(None)
    }

    /// What a run has measured of these very trials.
    pub(crate) fn of_run(store: &Store, run: RunId, planned: &Planned) -> Result<Self, Problem> {
        let known = store.run(run).map_err(Problem::unexpected)?;
        let last = store.told_at(run).map_err(Problem::unexpected)?;
        let is_recent = |ns| session::unix_ns().saturating_sub(ns) < UNDER_WAY_NS;
        let own = session::begin(&Root::live(), &planned.text);
        let why = if known.end.is_none() && last.is_some_and(is_recent) {
            Some("reported less than 10 s ago and may still be running: wait until it has ended")
        } else if is_finished(&known) {
            Some("is finished: nothing is left to measure")
        } else if !is_of_here(&known.begin, &own) {
            Some("was measured on another host, or by another version")
        } else {
            None
        };
        if let Some(why) = why {
            return Err(Problem::mistake(format!("run {run} {why}")));
        }
        let records = store.records(run).map_err(Problem::unexpected)?;
        if let Some(difference) = records.iter().find_map(|one| difference(planned, one)) {
            return Err(Problem::mistake(format!(
                "run {run} measured something else: {difference}; resume it with its study and \
                 options: {}",
                known.begin.command
            )));
        }
        Ok(Self::of(run, records, planned))
    }

    /// The records of trials that have all their passes, and read back what they had written.
    fn of(run: RunId, records: Vec<Record>, planned: &Planned) -> Self {
        let mut of_trial: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
        for record in records {
            of_trial.entry(record.case.trial).or_default().push(record);
        }
        of_trial.retain(|trial, records| {
            let of_plan = planned.plan.trials.get(*trial as usize);
            let workload = of_plan.or(planned.plan.trials.first()).map(|one| &one.case.workload);
            workload.is_some_and(|workload| is_whole(records, workload))
        });
        let trials = of_trial.len();
        Self { run, records: of_trial.into_values().flatten().collect(), trials }
    }
}

fn is_whole(records: &[Record], workload: &Workload) -> bool {
    let full = records.iter().filter(|record| is_full(record)).count();
    let is_intact = records.iter().all(|record| record.bad_blocks.is_empty());
    let is_enough = full >= MOST_PASSES as usize
        || matches!(until_precise(records, workload.until_ci), Next::Enough);
    is_intact && full >= workload.passes as usize && is_enough
}

fn is_finished(run: &Run) -> bool {
    run.end.as_ref().is_some_and(|end| end.state == RunState::Finished)
}

/// Whether a run was begun on the same host and by the same version as another.
fn is_of_here(run: &NewRun, own: &NewRun) -> bool {
    run.host == own.host && run.version == own.version
}

/// How a record is none of the trial in its place; ratings of the path may be those of a profile
/// that was made since.
fn difference(planned: &Planned, record: &Record) -> Option<String> {
    let number = record.case.trial + 1;
    if !matches!(record.technique, Technique::Measurement { .. }) {
        return Some(format!("trial {number} is no measurement"));
    }
    let Some(trial) = planned.plan.trials.get(record.case.trial as usize) else {
        return Some(format!("its trial {number} is not planned"));
    };
    let (then, now) = (&record.case.text, &trial.case.text);
    let mut lines = then.lines().zip(now.lines());
    let other = lines.find(|(then, now)| then != now);
    (then != now).then(|| match other {
        Some((then, now)) => {
            format!("trial {number} had `{}`, and is planned with `{}`", then.trim(), now.trim())
        }
        None => format!("trial {number} had {} lines of a study", then.lines().count()),
    })
}

/// A study without its scratch file, whose size is that of the space that was free.
fn plan(text: &str) -> String {
    text.lines().filter(|line| !line.contains(" directory=")).collect::<Vec<_>>().join("\n")
}

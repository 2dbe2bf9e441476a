//! Rows of a list: what the store knows of each run, and the verdict of its first trial.
//!
//! A verdict is computed from records, so it is computed for the rows that are shown, and kept for
//! runs that have ended: their records do not change.

use std::collections::BTreeMap;

use iopath_report::{ListedRun, RunReport, verdict};
use iopath_store::{Found, Run, RunId, RunSummary, Search, Store, StoreError};
use iopath_units::System;

/// Verdicts that were computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts(BTreeMap<RunId, String>);

/// A page of a list with its verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Newest first.
    pub runs: Vec<ListedRun>,
    /// How many there are on all pages.
    pub count: u64,
}

impl Listing {
    /// What is searched for.
    ///
    /// # Errors
    /// Where the store cannot be read. What cannot be read of a run is said in its row and hides no
    /// other run.
    pub fn read(
        store: &Store,
        search: &Search,
        system: System,
        verdicts: &mut Verdicts,
    ) -> Result<Self, StoreError> {
        let Found { runs, count } = store.list(search)?;
        let row = |summary| listed(summary, |run| verdicts.of(store, run, system));
        Ok(Self { runs: runs.into_iter().map(row).collect(), count })
    }
}

impl Verdicts {
    /// How many are known.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    fn of(&mut self, store: &Store, run: &Run, system: System) -> String {
        if let Some(known) = self.0.get(&run.id) {
            return known.clone();
        }
        match told(store, run, system) {
            Ok(told) if run.end.is_some() => self.0.entry(run.id).or_insert(told).clone(),
            Ok(told) => told,
            Err(why) => format!("cannot be read: {why}"),
        }
    }
}

fn listed(summary: RunSummary, verdict: impl FnOnce(&Run) -> String) -> ListedRun {
    let RunSummary { run, title, technique, trials, records } = summary;
    let said = if records == 0 { "no pass completed".to_owned() } else { verdict(&run) };
    let state = run.state_name();
    let verdict = if state == "finished" { said } else { format!("{state}; {said}") };
    ListedRun {
        id: run.id.to_string(),
        started_unix_ns: run.begin.started_unix_ns,
        study: title.unwrap_or_default(),
        command: run.begin.command,
        host: run.begin.host,
        state: state.to_owned(),
        technique: technique.unwrap_or_default(),
        trials,
        passes: records,
        verdict,
    }
}

/// What the first trial of a run says.
fn told(store: &Store, run: &Run, system: System) -> Result<String, String> {
    let records = store.first_trial(run.id).map_err(|error| error.to_string())?;
    let report = RunReport::from_records(None, &records).map_err(|error| error.to_string())?;
    Ok(report.trials.first().map_or_else(String::new, |trial| verdict(trial, system)))
}

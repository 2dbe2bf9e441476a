//! Rows of a list: what the store knows of each run, and its verdict.
//!
//! A verdict is computed from records, so it is computed for the rows that are shown, and kept for
//! runs that have ended: their records do not change.

use std::collections::BTreeMap;

use iopath_report::{ListedRun, RunFacts, RunView, compose};
use iopath_store::{Found, RunId, RunSummary, Search, Store, StoreError};
use iopath_units::System;

/// Records up to which all of a run are read for its verdict, of more those of its first trial:
/// chosen, ten levels of three passes; a study of 72 simulations would take seconds.
const WHOLE: u64 = 30;

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
        let row = |summary| verdicts.listed(store, summary, system);
        Ok(Self { runs: runs.into_iter().map(row).collect(), count })
    }
}

impl Verdicts {
    /// How many are known.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    fn of(&mut self, store: &Store, summary: &RunSummary, system: System) -> String {
        let run = &summary.run;
        if let Some(known) = self.0.get(&run.id) {
            return known.clone();
        }
        match told(store, summary, system) {
            Ok(told) if run.end.is_some() => self.0.entry(run.id).or_insert(told).clone(),
            Ok(told) => told,
            Err(why) => format!("cannot be read: {why}"),
        }
    }

    fn listed(&mut self, store: &Store, summary: RunSummary, system: System) -> ListedRun {
        let said = match summary.records {
            0 => "no pass completed".to_owned(),
            _ => self.of(store, &summary, system),
        };
        row(summary, said)
    }
}

fn row(summary: RunSummary, said: String) -> ListedRun {
    let RunSummary { run, title, technique, trials, records } = summary;
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

/// What a run says; of very many records what its first trial does.
fn told(store: &Store, summary: &RunSummary, system: System) -> Result<String, String> {
    let RunSummary { run, trials, records, .. } = summary;
    let is_whole = *records <= WHOLE;
    let read = if is_whole { store.records(run.id) } else { store.first_trial(run.id) };
    let read = read.map_err(|error| error.to_string())?;
    let view = RunView::of(RunFacts::default(), read).map_err(|error| error.to_string())?;
    let said = compose::headline(&view, system);
    Ok(if is_whole { said } else { format!("first of {trials} trials: {said}") })
}

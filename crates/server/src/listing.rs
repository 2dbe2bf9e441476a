//! Rows of a list: what the store knows of each run, and its verdict.
//!
//! A verdict is computed from records, so it is computed for the rows that are shown, and kept for
//! runs that have ended: their records do not change.

use std::collections::BTreeMap;

use iopath_report::{ListedRun, RunColumn, RunFacts, RunOrder, RunView, compose};
use iopath_store::{Found, RunId, RunSummary, Search, Store, StoreError};
use iopath_units::System;

/// Records up to which those of a run of several trials are read for its verdict: chosen, ten
/// levels of three passes; a study of 72 simulations would take seconds.
const WHOLE: u64 = 30;

/// Newest runs whose throughput is computed to sort by it (chosen: some seconds the first time).
const SORTED: usize = 500;

/// What the records of a run say.
#[derive(Clone, Debug, Default, PartialEq)]
struct Told {
    verdict: String,
    throughput_bytes_per_sec: Option<f64>,
}

/// What was computed of runs that have ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdicts(BTreeMap<RunId, Told>);

/// A page of a list with its verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// In the order that was asked for.
    pub runs: Vec<ListedRun>,
    /// How many there are on all pages.
    pub count: u64,
}

impl Listing {
    /// What is searched for, in an order.
    ///
    /// # Errors
    /// Where the store cannot be read. What cannot be read of a run is said in its row and hides no
    /// other run.
    pub fn read(
        store: &Store,
        search: &Search,
        order: RunOrder,
        system: System,
        verdicts: &mut Verdicts,
    ) -> Result<Self, StoreError> {
        if order != RunOrder::default() {
            return Self::sorted(store, search, order, system, verdicts);
        }
        let Found { runs, count } = store.list(search)?;
        let row = |summary| verdicts.listed(store, &summary, system);
        Ok(Self { runs: runs.into_iter().map(row).collect(), count })
    }

    /// Sorts all that match by what is known of them; records are opened only of those that are
    /// shown, or where their throughput is what they are sorted by.
    fn sorted(
        store: &Store,
        search: &Search,
        order: RunOrder,
        system: System,
        verdicts: &mut Verdicts,
    ) -> Result<Self, StoreError> {
        let all = Search { skip: 0, limit: None, ..search.clone() };
        let Found { runs, count } = store.list(&all)?;
        let opened = if order.by == RunColumn::Throughput { SORTED } else { 0 };
        let sortable = |(at, summary): (usize, RunSummary)| {
            let run = match at < opened {
                true => verdicts.listed(store, &summary, system),
                false => row(&summary, Told::default()),
            };
            (run, summary)
        };
        let mut runs: Vec<_> = runs.into_iter().enumerate().map(sortable).collect();
        runs.sort_by(|(a, _), (b, _)| order.compare(a, b));
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let page = runs.iter().skip(number(search.skip));
        let page = page.take(search.limit.map_or(usize::MAX, number));
        let row = |(_, summary): &(ListedRun, RunSummary)| verdicts.listed(store, summary, system);
        Ok(Self { runs: page.map(row).collect(), count })
    }
}

impl Verdicts {
    /// How many are known.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    fn of(&mut self, store: &Store, summary: &RunSummary, system: System) -> Told {
        let run = &summary.run;
        if let Some(known) = self.0.get(&run.id) {
            return known.clone();
        }
        match told(store, summary, system) {
            Ok(told) if run.end.is_some() => self.0.entry(run.id).or_insert(told).clone(),
            Ok(told) => told,
            Err(why) => Told::only(format!("cannot be read: {why}")),
        }
    }

    fn listed(&mut self, store: &Store, summary: &RunSummary, system: System) -> ListedRun {
        let told = match summary.records {
            0 => Told::only("no pass completed".to_owned()),
            _ => self.of(store, summary, system),
        };
        row(summary, told)
    }
}

impl Told {
    fn only(verdict: String) -> Self {
        Self { verdict, throughput_bytes_per_sec: None }
    }
}

fn row(summary: &RunSummary, told: Told) -> ListedRun {
    let RunSummary { run, title, technique, trials, records } = summary;
    let state = run.state_name();
    let Told { verdict, throughput_bytes_per_sec } = told;
    let verdict = with_state(state, verdict);
    ListedRun {
        id: run.id.to_string(),
        started_unix_ns: run.begin.started_unix_ns,
        study: title.clone().unwrap_or_default(),
        command: run.begin.command.clone(),
        host: run.begin.host.clone(),
        state: state.to_owned(),
        technique: technique.clone().unwrap_or_default(),
        trials: *trials,
        passes: *records,
        throughput_bytes_per_sec,
        verdict,
    }
}

/// How a run stands in front of what it says, unless that begins with it.
fn with_state(state: &str, verdict: String) -> String {
    match state == "finished" || verdict.starts_with(&format!("{state}: ")) {
        true => verdict,
        false => format!("{state}; {verdict}"),
    }
}

/// What a run says. Of very many trials nothing: what the first of them does is not the answer.
fn told(store: &Store, summary: &RunSummary, system: System) -> Result<Told, String> {
    let RunSummary { run, trials, records, .. } = summary;
    if *trials > 1 && *records > WHOLE {
        return Ok(Told::only(format!("{trials} trials: see its report")));
    }
    let read = store.records(run.id).map_err(|error| error.to_string())?;
    let view = RunView::of(RunFacts::default(), read).map_err(|error| error.to_string())?;
    Ok(Told {
        verdict: compose::headline(&view, system),
        throughput_bytes_per_sec: compose::throughput(&view),
    })
}

#[cfg(test)]
mod tests {
    use super::with_state;

    #[test]
    fn a_run_that_was_interrupted_is_said_to_be_once() {
        for (state, verdict, expected) in [
            ("finished", "a: 1 GB/s", "a: 1 GB/s"),
            ("interrupted", "a: 1 GB/s", "interrupted; a: 1 GB/s"),
            ("interrupted", "interrupted: a: 1 GB/s", "interrupted: a: 1 GB/s"),
        ] {
            assert_eq!(with_state(state, verdict.to_owned()), expected);
        }
    }
}

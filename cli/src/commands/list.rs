//! `iopath list`: the runs in the store.

use iopath_report::{ListedRun, RunReport, list_json, render_list, verdict};
use iopath_store::{Run, RunSummary, Store};
use iopath_units::System;

use crate::arguments::List;
use crate::ending::{Ending, Problem};
use crate::{output, place};

pub(crate) fn run(arguments: &List) -> Result<Ending, Problem> {
    let system = arguments.show.system();
    let runs = match place::store_if_any(&arguments.store)? {
        Some(store) => runs(&store, system)?,
        None => Vec::new(),
    };
    if arguments.show.json {
        output::print_json(&list_json(&runs))?;
    } else {
        output::print(&render_list(&runs, &output::look(system)))?;
    }
    Ok(Ending::Done)
}

fn runs(store: &Store, system: System) -> Result<Vec<ListedRun>, Problem> {
    let runs = store.runs().map_err(Problem::unexpected)?;
    Ok(runs.into_iter().map(|summary| listed(store, summary, system)).collect())
}

/// A run's row; what cannot be read of it is said there and hides no other run.
fn listed(store: &Store, summary: RunSummary, system: System) -> ListedRun {
    let RunSummary { run, trials, records } = summary;
    let Told { study, technique, verdict: said } = match told(store, &run, system) {
        Ok(told) => told,
        Err(problem) => Told { verdict: format!("cannot be read: {problem}"), ..Told::default() },
    };
    let state = run.state_name();
    let verdict = if state == "finished" { said } else { format!("{state}; {said}") };
    ListedRun {
        id: run.id.to_string(),
        started_unix_ns: run.begin.started_unix_ns,
        study,
        technique,
        trials,
        passes: records,
        verdict,
    }
}

/// What the first trial of a run says.
#[derive(Default)]
struct Told {
    study: String,
    technique: String,
    verdict: String,
}

fn told(store: &Store, run: &Run, system: System) -> Result<Told, Problem> {
    let records = store.records(run.id).map_err(Problem::unexpected)?;
    let report = RunReport::from_records(None, &records).map_err(Problem::unexpected)?;
    Ok(match report.trials.first() {
        Some(trial) => Told {
            study: trial.case.study.clone(),
            technique: trial.technique.name().to_owned(),
            verdict: verdict(trial, system),
        },
        None => Told { verdict: "no pass was finished".to_owned(), ..Told::default() },
    })
}

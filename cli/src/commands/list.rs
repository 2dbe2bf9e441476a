//! `iopath list`: the runs in the store.

use iopath_report::{ListedRun, RunReport, list_json, render_list, verdict};
use iopath_store::{RunSummary, Store};
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
    runs.into_iter().map(|summary| listed(store, summary, system)).collect()
}

fn listed(store: &Store, summary: RunSummary, system: System) -> Result<ListedRun, Problem> {
    let RunSummary { run, trials, records } = summary;
    let state = run.state_name();
    let report = store.records(run.id).map_err(Problem::unexpected)?;
    let report = RunReport::from_records(None, &report).map_err(Problem::unexpected)?;
    let first = report.trials.first().map(|trial| verdict(trial, system));
    let said = first.unwrap_or_else(|| "no pass was finished".to_owned());
    let verdict = if state == "finished" { said } else { format!("{state}; {said}") };
    let study = report.trials.first().map_or(String::new(), |trial| trial.case.study.clone());
    Ok(ListedRun {
        id: run.id.to_string(),
        started_unix_ns: run.begin.started_unix_ns,
        study,
        technique: "measurement".to_owned(),
        trials,
        passes: records,
        verdict,
    })
}

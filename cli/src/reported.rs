//! A stored run with everything that its page tells, and the page as a file.

use std::fs;
use std::io;
use std::path::Path;

use iopath_record::Technique;
use iopath_report::page::{Reported, RunFacts, compose};
use iopath_report::{RunReport, html};
use iopath_store::{Run, RunEnd, RunId, RunState, Store};
use iopath_units::System;

use crate::commands::explain;
use crate::ending::{Ending, Problem};

/// Everything about a run of the store.
pub(crate) fn read(store: &Store, id: RunId) -> Result<Reported, Problem> {
    let run = store.run(id).map_err(Problem::unexpected)?;
    let records = store.records(id).map_err(Problem::unexpected)?;
    let report = RunReport::from_records(Some(id.to_string()), &records);
    let report = report.map_err(Problem::unexpected)?;
    let is_real = |technique: &Technique| matches!(technique, Technique::Measurement { .. });
    let expected = report
        .trials
        .iter()
        .map(|trial| is_real(&trial.technique).then(|| explain::expected(&trial.case)).flatten());
    let expected = expected.collect();
    Ok(Reported { facts: facts(&run), expected, report, records })
}

fn facts(run: &Run) -> RunFacts {
    RunFacts {
        id: Some(run.id.to_string()),
        command: run.begin.command.clone(),
        version: run.begin.version.clone(),
        host: run.begin.host.clone(),
        started_unix_ns: run.begin.started_unix_ns,
        state: match run.end.as_ref().map(|RunEnd { state, .. }| state) {
            Some(RunState::Finished) => None,
            None => Some("unfinished: under way, or killed".to_owned()),
            Some(RunState::Interrupted) => Some("interrupted".to_owned()),
            Some(RunState::Failed(why)) => Some(format!("failed: {why}")),
        },
    }
}

/// Writes the page of a run, whole or not at all: a browser may have the old one open.
pub(crate) fn write(path: &Path, run: &Reported, system: System) -> Result<(), Problem> {
    let page = html::render(&compose(run, system));
    let written = directory(path).and_then(|()| replace(path, &page));
    written.map_err(|error| {
        let text = format!("cannot write {}: {error}; name another file with -o", path.display());
        Problem::new(Ending::Obstacle, text)
    })
}

fn directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) => fs::create_dir_all(parent),
        None => Ok(()),
    }
}

fn replace(path: &Path, page: &str) -> io::Result<()> {
    // What is no file, such as /dev/stdout, is written to as it is.
    if path.exists() && !path.is_file() {
        return fs::write(path, page);
    }
    let beside = path.with_extension("html.part");
    fs::write(&beside, page)?;
    fs::rename(&beside, path).inspect_err(|_| drop(fs::remove_file(&beside)))
}

//! What was found with everything that its page tells, and the page as a file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use iopath_record::{Record, Technique};
use iopath_report::page::{Page, Reported, RunFacts, compose};
use iopath_report::{RunReport, html};
use iopath_store::{NewRun, Run, RunEnd, RunId, RunState, Store};
use iopath_study::Study;
use iopath_units::System;

use crate::arguments::{ReportOption, StoreOption};
use crate::commands::explain;
use crate::ending::{Ending, Problem};
use crate::{output, place, published};

/// Everything about a run of the store.
pub(crate) fn read(store: &Store, id: RunId) -> Result<Reported, Problem> {
    let run = store.run(id).map_err(Problem::unexpected)?;
    let records = store.records(id).map_err(Problem::unexpected)?;
    let study = published::stored(&run.begin.study);
    of(&run.begin, study.as_ref(), (Some(id), state(&run)), records)
}

/// Everything about records, whether stored or not.
pub(crate) fn of(
    begin: &NewRun,
    study: Option<&Study>,
    (id, state): (Option<RunId>, Option<String>),
    records: Vec<Record>,
) -> Result<Reported, Problem> {
    let id = id.map(|id| id.to_string());
    let report = RunReport::from_records(id.clone(), &records).map_err(Problem::unexpected)?;
    let is_real = |technique: &Technique| matches!(technique, Technique::Measurement { .. });
    let expected = report.trials.iter();
    let expected = expected
        .map(|trial| is_real(&trial.technique).then(|| explain::expected(&trial.case)).flatten());
    let facts = RunFacts {
        id,
        command: begin.command.clone(),
        version: begin.version.clone(),
        host: begin.host.clone(),
        started_unix_ns: begin.started_unix_ns,
        state,
    };
    let expected = expected.collect();
    let agreements = study.map(|study| published::agreements(study, &records));
    let agreements = agreements.unwrap_or_default();
    Ok(Reported { facts, expected, agreements, report, records })
}

/// How a run stands that did not end as it should.
fn state(run: &Run) -> Option<String> {
    match run.end.as_ref().map(|RunEnd { state, .. }| state) {
        Some(RunState::Finished) => None,
        None => Some("unfinished: under way, or killed".to_owned()),
        Some(RunState::Interrupted) => Some("interrupted".to_owned()),
        Some(RunState::Failed(why)) => Some(format!("failed: {why}")),
    }
}

/// What the page of runs is called.
pub(crate) fn name(ids: &[RunId]) -> String {
    format!("run{}", ids.iter().map(|id| format!("-{id}")).collect::<String>())
}

/// Writes the page that a command leaves besides its text, where it is wanted, and says where.
///
/// The results stand already: a page that cannot be written is told, and fails nothing, unless
/// somebody asked for it by name.
pub(crate) fn leave(
    option: &ReportOption,
    (store, name): (&StoreOption, &str),
    page: impl FnOnce() -> Result<Page, Problem>,
) -> Result<(), Problem> {
    if option.no_report {
        return Ok(());
    }
    let path = option.report.clone().map_or_else(|| usual(store, name), Ok);
    let written = path.and_then(|path| write(&path, &page()?).map(|()| path));
    match written {
        Ok(path) => output::tell(&format!("report: {}", path.display())),
        Err(problem) if option.report.is_some() => return Err(problem),
        Err(problem) => output::tell(&format!("no report: {problem}")),
    }
    Ok(())
}

/// The page of a run.
pub(crate) fn page(run: &Reported, system: System) -> Page {
    compose(run, system)
}

/// Where a page goes that nobody wants elsewhere: the folder is there then.
pub(crate) fn usual(store: &StoreOption, name: &str) -> Result<PathBuf, Problem> {
    let path = place::report(store, name)?;
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.map_err(|error| cannot_write(&path, &error))?;
    Ok(path)
}

/// Writes a page, whole or not at all: a browser may have the old one open.
pub(crate) fn write(path: &Path, page: &Page) -> Result<(), Problem> {
    replace(path, &html::render(page)).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &io::Error) -> Problem {
    let text = format!("cannot write {}: {error}; name another file", path.display());
    Problem::new(Ending::Obstacle, text)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // What is no file, such as /dev/stdout, is written to as it is.
    if path.exists() && !path.is_file() {
        return fs::write(path, text);
    }
    let beside = path.with_extension("html.part");
    fs::write(&beside, text)?;
    fs::rename(&beside, path).inspect_err(|_| drop(fs::remove_file(&beside)))
}

//! What was found with everything that its page tells, and the page as a file.

use std::path::{Path, PathBuf};

use iopath_outfile::make_directory;
use iopath_record::{Record, Technique};
use iopath_report::page::{Page, Reported, RunFacts, compose};
use iopath_report::{RunReport, html};
use iopath_store::{NewRun, Run, RunEnd, RunId, RunState, Store};
use iopath_study::Study;
use iopath_units::System;

use crate::arguments::{ReportOption, StoreOption};
use crate::commands::explain;
use crate::ending::Problem;
use crate::outputs::{Outputs, Replaces, is_stdout};
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

/// The page that a command leaves besides its text.
pub(crate) struct Left<'a> {
    option: &'a ReportOption,
    store: &'a StoreOption,
    outputs: Outputs,
}

impl<'a> Left<'a> {
    /// Before anything is measured or modelled: a place that somebody named must be possible.
    pub(crate) fn plan(
        option: &'a ReportOption,
        store: &'a StoreOption,
        outputs: Outputs,
    ) -> Result<Self, Problem> {
        match option.report.as_deref() {
            Some(path) if is_stdout(path) => output::leave_to_page(),
            Some(path) => outputs.check(path, PAGE)?,
            None => {}
        }
        Ok(Self { option, store, outputs })
    }

    /// Writes the page, where it is wanted, and says where.
    ///
    /// The results stand already: a page that cannot be written is reported and fails nothing,
    /// unless somebody asked for it by name.
    pub(crate) fn write(
        &self,
        name: &str,
        page: impl FnOnce() -> Result<Page, Problem>,
    ) -> Result<(), Problem> {
        if self.option.no_report {
            return Ok(());
        }
        if let Some(path) = &self.option.report {
            // A run may have written to its targets: no code may say that none was.
            let written = page().and_then(|page| write(path, &page, &self.outputs));
            let rest = "the results stand, only their page is missing";
            written.map_err(|problem| Problem::unexpected(format!("{problem}\n{rest}")))?;
            said(path);
            return Ok(());
        }
        let written = page().and_then(|page| write_usual(self.store, name, &page, &self.outputs));
        match written {
            Ok(path) => said(&path),
            Err(problem) => output::tell(&format!("no report: {problem}")),
        }
        Ok(())
    }
}

fn said(path: &Path) {
    if !is_stdout(path) {
        output::tell(&format!("report: {}", path.display()));
    }
}

/// The page of a run.
pub(crate) fn page(run: &Reported, system: System) -> Page {
    compose(run, system)
}

/// Earlier pages are replaced.
const PAGE: Replaces = Replaces::Own(html::MARK);

/// Writes a page where no one wants it elsewhere, in a folder that is made for it, and says where.
/// Like the store it is for its owner alone.
pub(crate) fn write_usual(
    store: &StoreOption,
    name: &str,
    page: &Page,
    outputs: &Outputs,
) -> Result<PathBuf, Problem> {
    let path = place::report(store, name)?;
    path.parent().map_or(Ok(()), make_directory)?;
    outputs.write_private(&path, &html::render(page), PAGE)?;
    Ok(path)
}

/// Writes a page, whole or not at all: a browser may have the old one open.
pub(crate) fn write(path: &Path, page: &Page, outputs: &Outputs) -> Result<(), Problem> {
    outputs.write(path, &html::render(page), PAGE)
}

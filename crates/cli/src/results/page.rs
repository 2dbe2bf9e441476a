//! The page of a command as a file: where it goes, and what it may replace.

use std::path::{Path, PathBuf};

use iopath_outfile::make_directory;
use iopath_report::document::Document;
use iopath_report::html;
use iopath_store::RunId;

use crate::arguments::{ReportOption, StoreOption};
use crate::exit_status::Problem;
use crate::output;
use crate::results::outputs::{Outputs, Replaces, is_stdout};
use crate::results::place;

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

    /// Whether a page is written.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.option.no_report
    }

    /// Writes the page, where it is wanted, and says where.
    ///
    /// The results stand already: a page that cannot be written is reported and fails nothing,
    /// unless somebody asked for it by name.
    pub(crate) fn write(&self, name: &str, page: impl FnOnce() -> Document) -> Result<(), Problem> {
        if !self.is_wanted() {
            return Ok(());
        }
        if let Some(path) = &self.option.report {
            // A run may have written to its targets: no code may say that none was.
            let written = write(path, &page(), &self.outputs);
            let rest = "the results are valid, only the page is missing";
            written.map_err(|problem| Problem::unexpected(format!("{problem}\n{rest}")))?;
            said(path);
            return Ok(());
        }
        match write_usual(self.store, name, &page(), &self.outputs) {
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

/// Earlier pages are replaced.
const PAGE: Replaces = Replaces::Own(html::MARK);

/// Writes a page where no one wants it elsewhere, in a folder that is made for it, and says where.
/// Like the store it is for its owner alone.
pub(crate) fn write_usual(
    store: &StoreOption,
    name: &str,
    page: &Document,
    outputs: &Outputs,
) -> Result<PathBuf, Problem> {
    let path = place::report(store, name)?;
    path.parent().map_or(Ok(()), make_directory)?;
    outputs.write_private(&path, &html::render(page), PAGE)?;
    Ok(path)
}

/// Writes a page, whole or not at all: a browser may have the old one open.
pub(crate) fn write(path: &Path, page: &Document, outputs: &Outputs) -> Result<(), Problem> {
    outputs.write(path, &html::render(page), PAGE)
}

//! Which runs are compared: each has a letter, by which tables, sentences and charts name it.

use crate::document::Table;
use crate::numbers::UNKNOWN;
use crate::view::compared::ComparedRun;

/// The letter of the run at a position, from A on; beyond Z its number.
pub(crate) fn letter(at: usize) -> String {
    ('A'..='Z').nth(at).map_or_else(|| (at + 1).to_string(), String::from)
}

/// What a run is called in sentences.
pub(crate) fn name(run: &ComparedRun<'_>) -> String {
    run.facts.id.as_ref().map_or_else(|| "a run".to_owned(), |id| format!("run {id}"))
}

/// The same with its letter, for what stands alone: a chart, a title.
pub(crate) fn lettered(at: usize, run: &ComparedRun<'_>) -> String {
    format!("{} ({})", letter(at), name(run))
}

/// A row a run.
pub(super) fn table(runs: &[ComparedRun<'_>]) -> Table {
    let rows: Vec<_> = runs.iter().enumerate().collect();
    let hosts = runs.iter().any(|run| run.facts.host != runs[0].facts.host);
    Table::of(&rows)
        .column("", |(at, _)| letter(*at))
        .column("run", |(_, run)| run.facts.id.clone().unwrap_or_else(|| UNKNOWN.to_owned()))
        .column("study", |(_, run)| run.study.to_owned())
        .column("started (UTC)", |(_, run)| run.facts.started())
        .column_if(hosts, "machine", |(_, run)| run.facts.host.clone())
        .done()
}

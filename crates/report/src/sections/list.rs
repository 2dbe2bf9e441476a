//! The runs of a store, one line each.

use iopath_units::System;

use crate::document::{Block, Document, Table};
use crate::numbers::maybe_rate;
use crate::view::list::ListedRun;

/// The runs in the order given, of so many in all. Times are UTC.
#[must_use]
pub fn document(runs: &[ListedRun], count: u64, system: System) -> Document {
    if runs.is_empty() {
        let text = "no run is stored yet: `iopath measure` makes one".to_owned();
        return Document::of_blocks("Runs".to_owned(), vec![Block::Text(text)]);
    }
    let table = Table::of(runs)
        .column("run", |run| run.id.clone())
        .column("started (UTC)", ListedRun::started)
        .expendable(1, "study", |run| run.study.clone())
        .expendable(4, "technique", |run| run.technique.clone())
        .expendable(2, "trials", |run| run.trials.to_string())
        .expendable(3, "passes", |run| run.passes.to_string())
        .expendable(5, "throughput", |run| maybe_rate(run.throughput_bytes_per_sec, system))
        .column("verdict", |run| run.verdict.clone());
    let earlier = count.saturating_sub(runs.len() as u64);
    let earlier =
        (earlier > 0).then(|| Block::Text(format!("{earlier} earlier: see --last and --all")));
    let blocks = std::iter::once(Block::Table(table.done())).chain(earlier).collect();
    Document::of_blocks("Runs".to_owned(), blocks)
}

//! The runs of a store, one line each.

use jiff::Timestamp;
use serde::Serialize;

use crate::document::{Block, Document, Table};

/// What a list shows of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedRun {
    /// Its name in the store.
    #[serde(rename = "run")]
    pub id: String,
    /// Wall clock at its beginning, in ns since 1970.
    pub started_unix_ns: u64,
    /// Title of its study.
    pub study: String,
    /// The command, as typed.
    pub command: String,
    /// Name of the machine.
    pub host: String,
    /// How it stands: `finished`, `interrupted`, `failed`, `unfinished`.
    pub state: String,
    /// Which technique: `measurement`, `simulation`, …
    pub technique: String,
    /// How many trials are stored.
    pub trials: u64,
    /// How many passes of all trials are stored.
    pub passes: u64,
    /// The verdict of its first trial, or another word about it.
    pub verdict: String,
}

/// The runs in the order given, of so many in all. Times are UTC.
#[must_use]
pub fn document(runs: &[ListedRun], count: u64) -> Document {
    if runs.is_empty() {
        let text = "no run is stored yet: `iopath measure` makes one".to_owned();
        return Document::of_blocks("Runs".to_owned(), vec![Block::Text(text)]);
    }
    let table = Table::of(runs)
        .column("run", |run| run.id.clone())
        .column("started (UTC)", |run| started(run.started_unix_ns))
        .expendable(1, "study", |run| run.study.clone())
        .expendable(4, "technique", |run| run.technique.clone())
        .expendable(2, "trials", |run| run.trials.to_string())
        .expendable(3, "passes", |run| run.passes.to_string())
        .column("verdict", |run| run.verdict.clone());
    let earlier = count.saturating_sub(runs.len() as u64);
    let earlier =
        (earlier > 0).then(|| Block::Text(format!("{earlier} earlier: see --last and --all")));
    let blocks = std::iter::once(Block::Table(table.done())).chain(earlier).collect();
    Document::of_blocks("Runs".to_owned(), blocks)
}

pub(crate) fn started(unix_ns: u64) -> String {
    let at = Timestamp::from_nanosecond(i128::from(unix_ns));
    at.map_or_else(|_| "-".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

//! The runs of a store, one line each.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::look::Look;
use crate::table::{Column, render};

/// What a list shows of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRun {
    /// Its name in the store.
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

/// The list as text, in the order given, of so many in all. Times are UTC.
#[must_use]
pub fn render_list(runs: &[ListedRun], count: u64, look: &Look) -> String {
    if runs.is_empty() {
        return "no run is stored yet: `iopath measure` makes one\n".to_owned();
    }
    let cells = |of: &dyn Fn(&ListedRun) -> String| runs.iter().map(of).collect();
    let column = |title, expendable, of: &dyn Fn(&ListedRun) -> String| Column {
        title,
        cells: cells(of),
        expendable,
    };
    let columns = vec![
        column("run", 0, &|run| run.id.clone()),
        column("started (UTC)", 0, &|run| started(run.started_unix_ns)),
        column("study", 1, &|run| run.study.clone()),
        column("technique", 4, &|run| run.technique.clone()),
        column("trials", 2, &|run| run.trials.to_string()),
        column("passes", 3, &|run| run.passes.to_string()),
        column("verdict", 0, &|run| run.verdict.clone()),
    ];
    let table = render(columns, look.width);
    match count.saturating_sub(runs.len() as u64) {
        0 => format!("{table}\n"),
        earlier => format!("{table}\n{earlier} earlier: see --last and --all\n"),
    }
}

/// The list as JSON, `iopath-runs/1`, of so many in all.
#[must_use]
pub fn list_json(runs: &[ListedRun], count: u64) -> Value {
    let run = |run: &ListedRun| {
        json!({
            "run": run.id,
            "started_unix_ns": run.started_unix_ns,
            "study": run.study,
            "command": run.command,
            "host": run.host,
            "state": run.state,
            "technique": run.technique,
            "trials": run.trials,
            "passes": run.passes,
            "verdict": run.verdict,
        })
    };
    let runs: Vec<Value> = runs.iter().map(run).collect();
    json!({ "format": "iopath-runs/1", "count": count, "runs": runs })
}

pub(crate) fn started(unix_ns: u64) -> String {
    let at = Timestamp::from_nanosecond(i128::from(unix_ns));
    at.map_or_else(|_| "-".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

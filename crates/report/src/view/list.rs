//! The runs of a store.

use jiff::Timestamp;
use serde::Serialize;

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
    /// What it comes to, in a line, or another word about it.
    pub verdict: String,
}

impl ListedRun {
    /// When it began (UTC).
    pub(crate) fn started(&self) -> String {
        let at = Timestamp::from_nanosecond(i128::from(self.started_unix_ns));
        at.map_or_else(|_| "-".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string())
    }
}

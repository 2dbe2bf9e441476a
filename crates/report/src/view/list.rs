//! The runs of a store, and the columns by which a list of them is sorted.

use std::cmp::Ordering;

use serde::Serialize;

/// What a list shows of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Of its fastest trial; none where a list does not open its records.
    pub throughput_bytes_per_sec: Option<f64>,
    /// What it comes to, in a line, or another word about it.
    pub verdict: String,
}

/// A column that a list can be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunColumn {
    /// In the order in which they came into the store.
    #[default]
    Run,
    /// When they began: imported ones may have done so before.
    Started,
    Study,
    Technique,
    Machine,
    Trials,
    Passes,
    Throughput,
}

impl RunColumn {
    /// As they stand in a list.
    pub const ALL: [Self; 8] = [
        Self::Run,
        Self::Started,
        Self::Study,
        Self::Technique,
        Self::Machine,
        Self::Trials,
        Self::Passes,
        Self::Throughput,
    ];

    /// Its word in addresses and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Started => "started",
            Self::Study => "study",
            Self::Technique => "technique",
            Self::Machine => "machine",
            Self::Trials => "trials",
            Self::Passes => "passes",
            Self::Throughput => "throughput",
        }
    }

    /// The column of this word.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.name() == name)
    }

    /// Whether it is a text, which is read from a to z; the greatest number comes first.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Study | Self::Technique | Self::Machine)
    }

    /// Which of two runs comes first upwards. An unknown throughput is the least.
    fn compare(self, a: &ListedRun, b: &ListedRun) -> Ordering {
        let number = |run: &ListedRun| run.id.parse::<u64>().unwrap_or(u64::MAX);
        let throughput = |run: &ListedRun| run.throughput_bytes_per_sec.unwrap_or(-1.0);
        match self {
            Self::Run => number(a).cmp(&number(b)),
            Self::Started => a.started_unix_ns.cmp(&b.started_unix_ns),
            Self::Study => a.titled().to_lowercase().cmp(&b.titled().to_lowercase()),
            Self::Technique => a.technique.cmp(&b.technique),
            Self::Machine => a.host.cmp(&b.host),
            Self::Trials => a.trials.cmp(&b.trials),
            Self::Passes => a.passes.cmp(&b.passes),
            Self::Throughput => throughput(a).total_cmp(&throughput(b)),
        }
    }
}

/// How a list is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOrder {
    pub by: RunColumn,
    /// Whether the greatest comes first.
    pub descends: bool,
}

impl Default for RunOrder {
    /// Newest first.
    fn default() -> Self {
        Self::by(RunColumn::Run)
    }
}

impl RunOrder {
    /// As a reader of a column expects it: texts from a to z, the greatest number first.
    #[must_use]
    pub const fn by(by: RunColumn) -> Self {
        Self { by, descends: !by.is_text() }
    }

    /// Its word in addresses and in the head of a table.
    #[must_use]
    pub const fn direction(self) -> &'static str {
        if self.descends { "descending" } else { "ascending" }
    }

    /// The other way round.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { by: self.by, descends: !self.descends }
    }

    /// Which of two runs stands before the other.
    #[must_use]
    pub fn compare(self, a: &ListedRun, b: &ListedRun) -> Ordering {
        if self.descends { self.by.compare(b, a) } else { self.by.compare(a, b) }
    }
}

impl ListedRun {
    /// When it began (UTC).
    pub(crate) fn started(&self) -> String {
        super::started(self.started_unix_ns)
    }

    /// What it is called where it stands in a list: without a record only its command is known.
    pub(crate) fn titled(&self) -> &str {
        if self.study.is_empty() { &self.command } else { &self.study }
    }
}

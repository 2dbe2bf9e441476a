//! What is known of a run besides its records.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Number of a run in its store, from 1, never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub u64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What is known when a run begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewRun {
    /// The command line, as typed.
    pub command: String,
    /// The whole study, as a study file.
    pub study: String,
    /// Version of the program.
    pub version: String,
    /// Wall clock at the start, in ns since 1970.
    pub started_unix_ns: u64,
    /// Name of the machine.
    pub host: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum RunState {
    /// Every trial was made.
    Finished,
    /// Somebody stopped it; the trials before that are there.
    Interrupted,
    /// It could not go on, for this reason; the trials before that are there.
    Failed(String),
}

/// How and when a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEnd {
    pub state: RunState,
    /// Wall clock, in ns since 1970.
    pub ended_unix_ns: u64,
}

/// A run in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its number here.
    pub id: RunId,
    /// Its number in the store in which it was made; none if that is this one.
    pub origin: Option<RunId>,
    /// What was known at its beginning.
    pub begin: NewRun,
    /// None while it goes on, and for ever if it was killed.
    pub end: Option<RunEnd>,
}

impl Run {
    /// How it stands, in one word.
    #[must_use]
    pub fn state_name(&self) -> &'static str {
        self.end.as_ref().map_or("unfinished", |end| end.state.name())
    }
}

impl RunState {
    /// Its word.
    pub(crate) fn name(&self) -> &'static str {
        self.into()
    }

    /// Why it could not go on.
    pub(crate) fn failure(&self) -> Option<&String> {
        match self {
            Self::Failed(why) => Some(why),
            Self::Finished | Self::Interrupted => None,
        }
    }
}

/// A run with the number of its records, for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    pub run: Run,
    /// Title of the study in its first record; none where it has no record that can be read.
    pub title: Option<String>,
    /// Name of the technique of its first record.
    pub technique: Option<String>,
    /// Trials with at least one record.
    pub trials: u64,
    /// Records: one for each pass of each trial.
    pub records: u64,
}

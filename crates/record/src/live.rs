//! What a run tells of itself while it goes on, once a second: where it is, and what has moved
//! since its pass began. It is forgotten when the record of the pass is there, so its format is
//! promised to nobody.

use serde::{Deserialize, Serialize};

use crate::Progress;

/// A run under way, at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Title of the study.
    pub title: String,
    /// Experiment and levels of the trial under way.
    pub label: String,
    /// Position of the trial, from 0.
    pub trial: u32,
    /// How many trials the run has.
    pub trials: u32,
    /// Which pass of the trial, from 0.
    pub pass: u32,
    /// Estimated time of the run that has passed.
    pub done_ns: u64,
    /// Estimated time of the whole run; none where only bytes bound it.
    pub whole_ns: Option<u64>,
    /// What is being done.
    pub progress: Progress,
}

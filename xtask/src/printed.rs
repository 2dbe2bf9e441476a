//! What `iopath measure --json` prints: trials, each with the findings that its reader asks for.

use serde::Deserialize;

/// A run; of its findings only `F` is read.
#[derive(Debug, Deserialize)]
pub(crate) struct Printed<F> {
    /// Its name in the store; none where it was not stored.
    pub run: Option<String>,
    pub trials: Vec<Trial<F>>,
}

/// One trial.
#[derive(Debug, Deserialize)]
pub(crate) struct Trial<F> {
    pub findings: F,
}

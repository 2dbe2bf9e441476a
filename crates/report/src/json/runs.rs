//! Several runs: the list of a store, `iopath-runs/2`, and two side by side,
//! `iopath-comparison/2`.

use iopath_analysis::Comparison;
use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::view::list::ListedRun;

#[derive(Serialize)]
struct Runs<'a> {
    count: u64,
    runs: &'a [ListedRun],
}

#[derive(Serialize)]
struct Compared<'a> {
    comparison: &'a Comparison,
}

/// The list, of so many runs in all.
#[must_use]
pub fn list_json(runs: &[ListedRun], count: u64) -> Value {
    versioned("iopath-runs/2", &Runs { count, runs })
}

/// The comparison.
#[must_use]
pub fn comparison_json(comparison: &Comparison) -> Value {
    versioned("iopath-comparison/2", &Compared { comparison })
}

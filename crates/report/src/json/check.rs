//! A study that was checked, `iopath-check/1`.

use serde_json::Value;

use super::versioned;
use crate::view::check::CheckReport;

/// The study as a value; keys are described in `docs/json.md`.
#[must_use]
pub fn check_json(report: &CheckReport) -> Value {
    versioned("iopath-check/1", report)
}

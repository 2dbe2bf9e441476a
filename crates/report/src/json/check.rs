//! A study that was checked, `iopath-check/1`.

use iopath_path::Severity;
use serde::Serializer;
use serde_json::Value;

use super::versioned;
use crate::check::CheckReport;

/// The study as a value; keys are described in `docs/json.md`.
#[must_use]
pub fn check_json(report: &CheckReport) -> Value {
    versioned("iopath-check/1", report)
}

pub(crate) fn severity<S: Serializer>(of: &Severity, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(of)
}

//! Predictions, `iopath-prediction/1`: every figure under its own name.

use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::view::builds::ComparedBuild;
use crate::view::prediction::PredictedCase;

/// How long the steps took, in nanoseconds, over all cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Timing {
    /// From text to cases.
    pub parse_ns: u64,
    /// From cases to networks.
    pub build_ns: u64,
    /// From networks to records.
    pub evaluate_ns: u64,
}

#[derive(Serialize)]
struct Predictions<'a> {
    run: Option<&'a str>,
    cases: &'a [PredictedCase],
    timing: Timing,
}

/// The predictions as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn prediction_json(run: Option<&str>, cases: &[PredictedCase], timing: Timing) -> Value {
    versioned("iopath-prediction/1", &Predictions { run, cases, timing })
}

#[derive(Serialize)]
struct Builds<'a> {
    builds: &'a [ComparedBuild],
}

/// Builds of several studies, `iopath-builds/1`.
#[must_use]
pub fn builds_json(builds: &[ComparedBuild]) -> Value {
    versioned("iopath-builds/1", &Builds { builds })
}

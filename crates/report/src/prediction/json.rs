//! Predictions as JSON, `iopath-prediction/1`: every figure unrounded, under its own name.

use crate::json::case_text;
use serde_json::{Value, json};

use super::{PredictedCase, Removal};

/// How long the steps took, in nanoseconds, over all cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// From text to cases.
    pub parse_ns: u64,
    /// From cases to networks.
    pub build_ns: u64,
    /// From networks to records.
    pub evaluate_ns: u64,
}

/// The predictions as a value; keys and units are told in `docs/json.md`.
#[must_use]
pub fn prediction_json(run: Option<&str>, cases: &[PredictedCase], timing: Timing) -> Value {
    json!({
        "format": "iopath-prediction/1",
        "run": run,
        "cases": cases.iter().map(case).collect::<Vec<_>>(),
        "timing": {
            "parse_ns": timing.parse_ns,
            "build_ns": timing.build_ns,
            "evaluate_ns": timing.evaluate_ns,
        },
    })
}

fn case(predicted: &PredictedCase) -> Value {
    json!({
        "case": case_text(&predicted.case),
        "technique": predicted.technique.name(),
        "prediction": predicted.prediction,
        "without": predicted.removal.as_ref().map(without),
    })
}

pub(crate) fn without(removal: &Removal) -> Value {
    json!({
        "removed": removal.removed,
        "before": removal.before,
        "lost": removal.lost,
    })
}

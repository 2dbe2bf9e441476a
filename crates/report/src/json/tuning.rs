//! The best setting of a study's factors, `iopath-tuning/1`.

use serde_json::Value;

use super::versioned;
use crate::view::tuning::Tuned;

/// What a tuning came to as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn tuning_json(tuned: &Tuned) -> Value {
    versioned("iopath-tuning/1", tuned)
}

//! Builds that carry what is needed, `iopath-size/2`.

use serde_json::Value;

use super::versioned;
use crate::view::sizing::Sizing;

/// The builds as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn sizing_json(sizing: &Sizing) -> Value {
    versioned("iopath-size/2", sizing)
}

//! The best placement and the moves to it, `iopath-placement/1`.

use serde_json::Value;

use super::versioned;
use crate::view::placing::Placing;

/// The placement as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn placing_json(placing: &Placing) -> Value {
    versioned("iopath-placement/1", placing)
}

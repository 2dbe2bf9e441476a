//! The best placement and the moves to it, `iopath-placement/1`; the placement of a machine,
//! `iopath-machine-placement/1`. Keys and units are described in `docs/json.md`.

use serde_json::Value;

use super::versioned;
use crate::view::machine_placing::MachinePlacing;
use crate::view::placing::Placing;

/// The placement of a study as a value.
#[must_use]
pub fn placing_json(placing: &Placing) -> Value {
    versioned("iopath-placement/1", placing)
}

/// The placement of a machine as a value.
#[must_use]
pub fn machine_placing_json(placing: &MachinePlacing) -> Value {
    versioned("iopath-machine-placement/1", placing)
}

//! Two runs side by side as JSON.

use iopath_analysis::Comparison;
use serde_json::{Value, json};

/// The comparison as JSON, `iopath-comparison/2`.
#[must_use]
pub fn comparison_json(comparison: &Comparison) -> Value {
    json!({ "format": "iopath-comparison/2", "comparison": comparison })
}

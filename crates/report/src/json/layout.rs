//! The commands that build a layout, `iopath-layout/1`.

use serde_json::Value;

use super::versioned;
use crate::view::layout::LayoutView;

/// The steps as a value; keys are described in `docs/json.md`.
#[must_use]
pub fn layout_json(view: &LayoutView) -> Value {
    versioned("iopath-layout/1", view)
}

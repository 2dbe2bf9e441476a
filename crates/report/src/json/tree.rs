//! A path as a tree, part of `iopath-check/1` and `iopath-discovery/1`.

use iopath_path::tree::Tree;
use serde_json::Value;

use super::value;
use crate::view::tree::Written;

/// The tree as a value; keys are described in `docs/json.md`.
#[must_use]
pub fn tree_json(tree: &Tree) -> Value {
    value(&Written::of(tree))
}

//! A path as a tree, part of `iopath-check/1` and `iopath-discovery/1`.

use iopath_path::tree::{self, Node};
use iopath_study::source::Origin;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::value;

#[derive(Serialize)]
struct Tree<'a> {
    path: Vec<Declared<'a>>,
    layout: Vec<Declared<'a>>,
    joints: Vec<Declared<'a>>,
    streams: Vec<Declared<'a>>,
}

#[derive(Serialize)]
struct Declared<'a> {
    kind: &'static str,
    name: &'a str,
    each: u64,
    total: u64,
    properties: Vec<Property<'a>>,
    notes: &'a [String],
    children: Vec<Declared<'a>>,
}

#[derive(Serialize)]
struct Property<'a> {
    name: &'static str,
    value: String,
    origin: Option<&'a str>,
}

/// The tree as a value; keys are described in `docs/json.md`.
#[must_use]
pub fn tree_json(tree: &tree::Tree) -> Value {
    value(&view(tree))
}

pub(crate) fn within<S: Serializer>(tree: &tree::Tree, to: S) -> Result<S::Ok, S::Error> {
    view(tree).serialize(to)
}

fn view(tree: &tree::Tree) -> Tree<'_> {
    Tree {
        path: declared(&tree.path),
        layout: declared(&tree.layout),
        joints: declared(&tree.joints),
        streams: declared(&tree.streams),
    }
}

fn declared(all: &[Node]) -> Vec<Declared<'_>> {
    let each = all.iter().map(|node| Declared {
        kind: node.kind,
        name: &node.name,
        each: node.each,
        total: node.total,
        properties: node.properties.iter().map(property).collect(),
        notes: &node.notes,
        children: declared(&node.children),
    });
    each.collect()
}

fn property(of: &tree::Property) -> Property<'_> {
    let value = of.value.to_string().trim_matches('"').to_owned();
    Property { name: of.name, value, origin: origin(&of.origin) }
}

/// A word or the title of a source; null where none is stated.
fn origin(origin: &Origin) -> Option<&str> {
    match origin {
        Origin::Unstated => None,
        Origin::Given => Some("given"),
        Origin::Rated => Some("rated"),
        Origin::Assumed => Some("assumed"),
        Origin::Published(source) => Some(source),
    }
}

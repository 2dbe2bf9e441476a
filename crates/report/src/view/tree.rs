//! Paths as trees, as `iopath-check/1` and `iopath-discovery/1` write them.

use std::borrow::Cow;

use iopath_path::tree::{self, Node};
use iopath_study::source::Origin;
use serde::{Serialize, Serializer};

/// A tree with the name of what has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedTree {
    /// Title of the experiment that has it first.
    pub experiment: String,
    /// The path, what lies over it and who uses it.
    #[serde(serialize_with = "written")]
    pub tree: tree::Tree,
}

/// A tree as formats write it.
#[derive(Serialize)]
pub(crate) struct Written<'a> {
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
    origin: Option<Cow<'a, str>>,
}

fn written<S: Serializer>(tree: &tree::Tree, to: S) -> Result<S::Ok, S::Error> {
    Written::of(tree).serialize(to)
}

impl<'a> Written<'a> {
    pub(crate) fn of(tree: &'a tree::Tree) -> Self {
        Self {
            path: declared(&tree.path),
            layout: declared(&tree.layout),
            joints: declared(&tree.joints),
            streams: declared(&tree.streams),
        }
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
fn origin(origin: &Origin) -> Option<Cow<'_, str>> {
    match origin {
        Origin::Unstated => None,
        Origin::Given => Some("given".into()),
        Origin::Rated => Some("rated".into()),
        Origin::Assumed => Some("assumed".into()),
        Origin::Inferred(inference) => Some(inference.to_string().into()),
        Origin::Published(source) => Some(source.into()),
    }
}

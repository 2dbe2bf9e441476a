//! The sections of a study file: which nodes stand at its top and in its experiments. What is
//! shared by all experiments is read once; an experiment's own `path` or `layout` replaces it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::declaration::{Declaration, Reader};
use crate::include::Library;
use crate::language::Kind;
use crate::mistake::MistakeKind;
use crate::parts::{self, Parts};
use crate::source::{Sourced, Span};
use crate::syntax::Node;
use crate::value::Value;

/// A study file, its declarations read, its names not yet looked up.
pub(crate) struct Document<'a> {
    pub title: String,
    pub source: Option<Sourced<Value>>,
    /// What `use` names.
    pub parts: Arc<Parts>,
    pub shared: Sections<'a>,
    pub blocks: Vec<Block<'a>>,
}

/// What may stand both at the top and in an experiment.
#[derive(Default)]
pub(crate) struct Sections<'a> {
    pub path: Option<Vec<Declaration>>,
    pub layout: Option<Vec<Declaration>>,
    /// Those that stand in the path go with it.
    pub path_binds: Vec<Declaration>,
    /// All others.
    pub binds: Vec<Declaration>,
    pub sets: Vec<&'a Node>,
    /// The workload, its streams behind it.
    pub workload: Option<Vec<Declaration>>,
    pub vary: Option<&'a Node>,
    pub published: Option<&'a Node>,
    /// Of a runbook; an experiment has one at most.
    pub steps: Vec<&'a Node>,
}

/// An experiment with its block.
pub(crate) struct Block<'a> {
    pub title: String,
    pub span: Span,
    pub sections: Sections<'a>,
}

impl<'a> Document<'a> {
    pub(crate) fn read(nodes: &'a [Node], mut files: Library<'_>, reader: &mut Reader) -> Self {
        let known = reader.kinds(nodes, "");
        let mut document = Self {
            title: String::new(),
            source: None,
            parts: Arc::default(),
            shared: Sections::default(),
            blocks: Vec::new(),
        };
        let mut studies = 0;
        let mut parts: Option<Vec<Declaration>> = None;
        let mut titles = BTreeMap::new();
        for (kind, node) in known {
            match kind.name {
                "study" => {
                    studies += 1;
                    document.study(kind, node, reader);
                    once(studies > 1, node, reader);
                }
                "parts" => {
                    once(parts.is_some(), node, reader);
                    let row = reader.declaration(kind, node);
                    parts.get_or_insert(parts::section(&row, &mut reader.collected));
                }
                "experiment" => {
                    reader.values(kind, node);
                    let title = reader.title(kind, node);
                    let span = node.arguments.first().map_or(node.kind.span, |title| title.span);
                    if let Some(title) = &title
                        && titles.insert(title.clone(), ()).is_some()
                    {
                        let message = format!("there is already an experiment \"{title}\"");
                        reader.collected.add(MistakeKind::Duplicate, span, message);
                    }
                    let mut sections = Sections::default();
                    for (kind, node) in reader.kinds(&node.children, "experiment") {
                        sections.take(kind, node, &mut files, reader);
                    }
                    let title = title.unwrap_or_default();
                    document.blocks.push(Block { title, span, sections });
                }
                _ => document.shared.take(kind, node, &mut files, reader),
            }
        }
        if studies == 0 {
            let (span, hint) = (Span::study(0, 0), "begin with: study \"title\"");
            reader.collected.hinted(MistakeKind::Missing, span, "the file has no study", hint);
        }
        let mut own = parts.unwrap_or_default();
        own.append(&mut files.parts);
        let parts = Parts::new(own, reader);
        parts.check(&mut reader.collected);
        document.parts = Arc::new(parts);
        document
    }

    fn study(&mut self, kind: &'static Kind, node: &Node, reader: &mut Reader) {
        self.title = reader.title(kind, node).unwrap_or_default();
        self.source = reader.values(kind, node).remove("source");
        reader.kinds(&node.children, kind.name);
    }
}

impl<'a> Sections<'a> {
    fn take(
        &mut self,
        kind: &'static Kind,
        node: &'a Node,
        files: &mut Library<'_>,
        reader: &mut Reader,
    ) {
        match kind.name {
            "path" | "layout" => {
                let mut read = match kind.name {
                    "path" => files.path(kind, node, reader),
                    _ => reader.declaration(kind, node).children,
                };
                let (section, binds) = match kind.name {
                    "path" => (&mut self.path, &mut self.path_binds),
                    _ => (&mut self.layout, &mut self.binds),
                };
                binds.extend(read.extract_if(.., |d| d.kind.name == "bind"));
                once(section.is_some(), node, reader);
                section.get_or_insert(read);
            }
            "bind" => self.binds.push(reader.declaration(kind, node)),
            "set" => {
                reader.surplus(kind, &node.arguments);
                reader.kinds(&node.children, kind.name);
                self.sets.push(node);
            }
            "workload" => {
                let mut workload = reader.declaration(kind, node);
                let mut all = std::mem::take(&mut workload.children);
                all.insert(0, workload);
                once(self.workload.is_some(), node, reader);
                self.workload.get_or_insert(all);
            }
            "vary" => {
                once(self.vary.is_some(), node, reader);
                self.vary.get_or_insert(node);
            }
            "step" => self.steps.push(node),
            "published" => {
                once(self.published.is_some(), node, reader);
                self.published.get_or_insert(node);
            }
            _ => {}
        }
    }
}

/// Reports a section that is there already; the first one holds.
fn once(again: bool, node: &Node, reader: &mut Reader) {
    if again {
        let message = format!("{} appears twice", node.kind.text);
        reader.collected.add(MistakeKind::Duplicate, node.kind.span, message);
    }
}

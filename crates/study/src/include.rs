//! Files that a study takes a path from: `path file="p690.kdl"` takes that file's `path`, with the
//! wires in it, and its `parts`; nothing else of it is read. Reading files is left to the caller,
//! who asks [`includes`] which files a text names and hands them over.

use std::collections::BTreeMap;

use crate::declaration::{Declaration, Reader};
use crate::language::Kind;
use crate::mistake::{Collected, MistakeKind};
use crate::parts;
use crate::source::{Source, Sourced, Span, Text};
use crate::syntax::{self, Form, Node};
use crate::value::Value;

/// The files whose paths a study takes, in order, none twice: each as a path from where the name
/// of `source` starts, because a file is named from where the study lies. Files may name others.
#[must_use]
pub fn includes(source: &Source) -> Vec<String> {
    let nodes = syntax::read(&source.text, Text::Study, &mut Collected::default());
    let inside = nodes.iter().filter(|node| node.kind.text == "experiment");
    let all = nodes.iter().chain(inside.flat_map(|node| &node.children));
    let mut names = Vec::new();
    for node in all.filter(|node| node.kind.text == "path") {
        let files = node.properties.iter().filter(|(key, _)| key.text == "file");
        for (_, entry) in files.filter(|(_, entry)| entry.written.form == Form::Text) {
            let name = beside(&source.name, &entry.written.text);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The path of a file that another one names.
fn beside(other: &str, name: &str) -> String {
    if name.starts_with('/') {
        return name.to_owned();
    }
    let folder = other.rsplit_once('/').map(|(folder, _)| folder.split('/'));
    let mut way: Vec<&str> = folder.into_iter().flatten().collect();
    for step in name.split('/') {
        match step {
            "." => {}
            ".." if way.last().is_some_and(|last| !matches!(*last, "" | "..")) => {
                way.pop();
            }
            _ => way.push(step),
        }
    }
    way.join("/")
}

/// The files of a study, read as far as they are asked for.
pub(crate) struct Library<'a> {
    source: &'a Source,
    included: &'a [Source],
    /// Parts of all files that were read.
    pub parts: Vec<Declaration>,
    paths: BTreeMap<usize, Vec<Declaration>>,
    /// Files that are being read, each named by the one before.
    open: Vec<usize>,
}

impl<'a> Library<'a> {
    pub(crate) fn new(source: &'a Source, included: &'a [Source]) -> Self {
        let (parts, paths, open) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { source, included, parts, paths, open }
    }

    /// What stands in a `path`: first that of the file which it names, then its own.
    pub(crate) fn path(
        &mut self,
        kind: &'static Kind,
        node: &Node,
        reader: &mut Reader,
    ) -> Vec<Declaration> {
        let row = reader.declaration(kind, node);
        let mut all = match row.values.get("file") {
            Some(file) => self.take(file, reader).unwrap_or_else(|| {
                reader.blind = true;
                Vec::new()
            }),
            None => Vec::new(),
        };
        all.extend(row.children);
        all
    }

    /// The path of a file; `None` where there is none, which is reported.
    fn take(&mut self, file: &Sourced<Value>, reader: &mut Reader) -> Option<Vec<Declaration>> {
        let name = beside(&self.text(file.span.text).name, file.value.text()?);
        let index = self.included.iter().position(|source| source.name == name);
        if name == beside("", &self.source.name) || index.is_some_and(|at| self.open.contains(&at))
        {
            let message = format!("file: {name} includes itself");
            reader.collected.add(MistakeKind::Contradiction, file.span, message);
            return None;
        }
        let Some(index) = index else {
            let message = format!("file: {name} cannot be read");
            reader.collected.add(MistakeKind::UnknownName, file.span, message);
            return None;
        };
        if let Some(path) = self.paths.get(&index) {
            return Some(path.clone());
        }
        self.open.push(index);
        let path = self.read(index, file.span, reader);
        self.open.pop();
        self.paths.insert(index, path.clone()?);
        path
    }

    fn text(&self, text: Text) -> &'a Source {
        match text {
            Text::Included(index) => &self.included[index],
            Text::Study | Text::Catalogue | Text::Set(_) => self.source,
        }
    }

    fn read(&mut self, index: usize, at: Span, reader: &mut Reader) -> Option<Vec<Declaration>> {
        let source = &self.included[index];
        let mut path = None;
        let mistakes = reader.collected.len();
        for node in syntax::read(&source.text, Text::Included(index), &mut reader.collected) {
            match Kind::named(&node.kind.text).filter(|kind| kind.within.contains(&"")) {
                Some(kind) if kind.name == "path" => path = Some(self.path(kind, &node, reader)),
                Some(kind) if kind.name == "parts" => {
                    let row = reader.declaration(kind, &node);
                    self.parts.append(&mut parts::section(&row, &mut reader.collected));
                }
                _ => {}
            }
        }
        if path.is_none() && reader.collected.len() == mistakes {
            let message = format!("file: {} has no path", source.name);
            reader.collected.add(MistakeKind::Missing, at, message);
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_where_the_study_lies() {
        for (other, name, path) in [
            ("jfs2.kdl", "p690.kdl", "p690.kdl"),
            ("studies/jfs2.kdl", "p690.kdl", "studies/p690.kdl"),
            ("studies/jfs2.kdl", "./p690.kdl", "studies/p690.kdl"),
            ("a/b/c.kdl", "../d.kdl", "a/d.kdl"),
            ("c.kdl", "../d.kdl", "../d.kdl"),
            ("../c.kdl", "../d.kdl", "../../d.kdl"),
            ("/a.kdl", "b.kdl", "/b.kdl"),
            ("/x/a.kdl", "/b.kdl", "/b.kdl"),
        ] {
            assert_eq!(beside(other, name), path, "{name} from {other}");
        }
    }
}

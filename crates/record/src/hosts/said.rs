//! Warnings and events of all ranks: what all hosts say once, what some say with their names.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::Parts;
use super::things::Things;
use crate::{Event, Warning};

/// Warnings in the order of ranks.
pub(super) fn warnings(parts: &Parts) -> Vec<Warning> {
    let mut said = Said::default();
    for (part, warning) in parts.each(|record| &record.warnings) {
        said.note(part, (&warning.kind, &warning.text));
    }
    let all = said.all.iter().map(|(kind, text)| Warning {
        kind: (*kind).clone(),
        text: format!("{}{text}", said.by(parts, &(*kind, *text))),
    });
    all.collect()
}

/// Events in the order of time; those of one instant in the order of ranks.
pub(super) fn events(parts: &Parts, things: &Things) -> Vec<Event> {
    let mut said = Said::default();
    for (part, event) in parts.each(|record| &record.events) {
        let entity = event.entity.map(|entity| things.place(part, entity));
        said.note(part, (event.at_ns, entity, &event.what));
    }
    let mut all: Vec<Event> = (said.all.iter())
        .map(|one @ (at_ns, entity, what)| Event {
            at_ns: *at_ns,
            entity: *entity,
            what: format!("{}{what}", said.by(parts, one)),
        })
        .collect();
    all.sort_by_key(|event| event.at_ns);
    all
}

/// What was said, once each, with who said it.
struct Said<T> {
    all: Vec<T>,
    parts: BTreeMap<T, BTreeSet<usize>>,
}

impl<T> Default for Said<T> {
    fn default() -> Self {
        Self { all: Vec::new(), parts: BTreeMap::new() }
    }
}

impl<T: Ord + Clone> Said<T> {
    fn note(&mut self, part: usize, one: T) {
        let said = self.parts.entry(one.clone()).or_default();
        if said.is_empty() {
            self.all.push(one);
        }
        said.insert(part);
    }

    /// The nodes that said it, as the beginning of a sentence; nothing where all did.
    fn by(&self, parts: &Parts, one: &T) -> String {
        let nodes: BTreeSet<&str> = self.parts[one].iter().map(|part| parts.node(*part)).collect();
        if nodes.len() == parts.nodes.len() {
            return String::new();
        }
        let named = parts.nodes.iter().filter(|node| nodes.contains(node.as_str()));
        let named: Vec<&str> = named.map(String::as_str).collect();
        format!("{}: ", named.join(", "))
    }
}

//! The names of one rank's targets and devices in the merged record.

use std::collections::BTreeMap;

use super::super::names::on_node;
use super::super::parts::Parts;
use super::super::things::Things;
use super::about::{About, Thing, lists_devices};
use crate::EntityId;

/// New names by old ones.
pub(super) struct Renamed<'a> {
    parts: &'a Parts,
    part: usize,
    targets: BTreeMap<&'a str, &'a str>,
    devices: BTreeMap<&'a str, &'a str>,
}

impl<'a> Renamed<'a> {
    pub(super) fn of(parts: &'a Parts, things: &'a Things, part: usize) -> Self {
        let (mut targets, mut devices) = (BTreeMap::new(), BTreeMap::new());
        for (id, entity) in (0..).map(EntityId).zip(&parts.ranks[part].record.entities) {
            let name = entity.name.as_str();
            let placed = &things.entity(things.place(part, id)).name;
            let shared = &things.entity(things.target(part, id)).name;
            targets.entry(name).or_insert(shared.as_str());
            // A device that is a target has the target's name, and the kernel's as its binding.
            let node = entity.binding.as_deref().and_then(|path| path.strip_prefix("/dev/"));
            devices.entry(node.unwrap_or(name)).or_insert(placed.as_str());
        }
        Self { parts, part, targets, devices }
    }

    /// The key of a fact.
    pub(super) fn key(&self, key: &str, about: &About) -> String {
        let Some(Thing { topic, name, fact }) = &about.thing else { return key.to_owned() };
        let known = if *topic == "target" { &self.targets } else { &self.devices };
        format!("{topic}.{}.{fact}", self.name(known, name))
    }

    /// The value of a fact.
    pub(super) fn value(&self, key: &str, value: &str) -> String {
        if !lists_devices(key) {
            return value.to_owned();
        }
        let names = value.split_whitespace().map(|name| self.name(&self.devices, name));
        names.collect::<Vec<_>>().join(" ")
    }

    fn name(&self, known: &BTreeMap<&str, &str>, name: &str) -> String {
        let placed = known.get(name).map(|name| (*name).to_owned());
        placed.unwrap_or_else(|| on_node(self.parts, self.part, name))
    }
}

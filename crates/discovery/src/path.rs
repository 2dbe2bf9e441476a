//! The path while it grows: the machine with its processors, and the way over PCI Express to each
//! adapter and drive.
//!
//! A port of the root complex stands in the NUMA node that it is next to; a machine with one node
//! is that node. The limit of a link stands at its upper end: at the root port, or at a `link` of a
//! switch. What a link could do counts where it is at rest; where a device behind it has moved data
//! and it is not suspended, what it does now. Virtual machines show ports too, without a link that
//! means anything: those of virtio devices are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use iopath_machine::hardware::{PciFunction, PciKind, PciLink};
use iopath_units::Bytes;

use crate::fabric::Unit;
use crate::facts::Facts;
use crate::model::{Component, Discovered, PartModel, Property, Wire, name_of};
use crate::ratings::{self, Class};

/// What the machine itself is called inside this crate.
pub(crate) const HOST: &str = "(host)";

/// The path while it grows.
pub(crate) struct Growing<'a> {
    pub facts: &'a Facts,
    found: BTreeMap<String, Component>,
    parents: BTreeMap<String, Option<String>>,
    order: Vec<String>,
    wires: Vec<Wire>,
    parts: BTreeMap<String, PartModel>,
    pub assumed: BTreeSet<String>,
    pub unread: BTreeSet<String>,
    /// Why devices have no limit.
    unlimited: BTreeMap<String, String>,
    /// Logical units of arrays, to be drawn when all are known.
    pub units: Vec<Unit>,
    /// What NVMe says of choosing among ways.
    pub policies: Vec<String>,
    pub policy: Option<&'static str>,
    pub policy_is_assumed: bool,
    /// Functions with a device behind them that has moved data.
    at_work: BTreeSet<String>,
}

impl<'a> Growing<'a> {
    pub(crate) fn new(facts: &'a Facts) -> Self {
        let mut growing = Self {
            facts,
            found: BTreeMap::new(),
            parents: BTreeMap::new(),
            order: Vec::new(),
            wires: Vec::new(),
            parts: BTreeMap::new(),
            assumed: BTreeSet::new(),
            unread: BTreeSet::new(),
            unlimited: BTreeMap::new(),
            units: Vec::new(),
            policies: Vec::new(),
            policy: None,
            policy_is_assumed: false,
            at_work: at_work(facts),
        };
        growing.machine();
        growing
    }

    /// The machine, and its nodes where it has several.
    fn machine(&mut self) {
        let facts = self.facts;
        let nodes = &facts.hardware.nodes;
        let name = facts.host.as_deref().unwrap_or("server");
        let mut host = Component::new("host", HOST, name);
        host.kernel = HOST.to_owned();
        if nodes.len() < 2 {
            let only = nodes.first();
            let cpus = facts.cpus.or(only.map(|node| node.cpu_count)).filter(|cpus| *cpus > 0);
            host.values.extend(cpus.map(|cpus| Property::number("cpus", u64::from(cpus))));
            let bytes = facts.memory_bytes.or(only.and_then(|node| node.memory_bytes));
            host.values.extend(bytes.map(memory));
        }
        self.add(None, host);
        for node in nodes.iter().filter(|node| nodes.len() > 1 && node.cpu_count > 0) {
            let mut socket =
                Component::new("socket", &node_key(node.number), &format!("node{}", node.number));
            socket.values.push(Property::number("cpus", u64::from(node.cpu_count)));
            socket.values.extend(node.memory_bytes.map(memory));
            self.add(Some(HOST), socket);
        }
    }

    /// Adds a part unless one of the same key is there.
    pub(crate) fn add(&mut self, parent: Option<&str>, part: Component) -> String {
        let key = part.kernel.clone();
        if !self.found.contains_key(&key) {
            self.parents.insert(key.clone(), parent.map(str::to_owned));
            self.order.push(key.clone());
            self.found.insert(key.clone(), part);
        }
        key
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.found.contains_key(key)
    }

    /// Joins two parts, once.
    pub(crate) fn wire(&mut self, from: &str, to: &str) {
        let wire = Wire { from: from.to_owned(), to: to.to_owned() };
        if !self.wires.contains(&wire) {
            self.wires.push(wire);
        }
    }

    /// What stands for a NUMA node: its socket, or the machine.
    pub(crate) fn place_of_node(&self, node: Option<u32>) -> String {
        let key = node.map(node_key).filter(|key| self.has(key));
        key.unwrap_or_else(|| HOST.to_owned())
    }

    /// The lowest port above a function, with all ports above it.
    pub(crate) fn port_above(&mut self, address: &str) -> String {
        let hardware = &self.facts.hardware;
        let chain = hardware.chain(address);
        let node = chain.iter().rev().find_map(|function| function.node);
        let mut place = self.place_of_node(node);
        if chain.last().is_some_and(|function| is_virtual(function)) {
            return place;
        }
        let links = hardware.links(address);
        let above = chain.len().saturating_sub(1);
        for function in chain.iter().take(above) {
            let link = links.iter().find(|link| link.above == function.address);
            let port = self.port(function, link);
            place = self.add(Some(&place), port);
        }
        place
    }

    fn port(&self, function: &PciFunction, link: Option<&PciLink>) -> Component {
        let (kind, word) = match function.kind {
            PciKind::RootPort => ("root-port", "rp"),
            PciKind::SwitchUpstream => ("pcie-switch", "sw"),
            PciKind::SwitchDownstream => ("link", "link"),
            PciKind::Bridge | PciKind::Endpoint => ("bridge", "bridge"),
        };
        // The domain is that of all others on nearly every machine.
        let address = &function.address;
        let short = address.strip_prefix("0000:").unwrap_or(address);
        let mut port = Component::new(kind, address, &format!("{word}-{short}"));
        let Some(link) = link else { return port };
        let is_at_rest = link.is_suspended || !self.at_work.contains(&link.below);
        let (most, now) = (link.max.or(link.current), link.current.or(link.max));
        if let Some(counts) = if is_at_rest { most } else { now } {
            ratings::pcie(counts).give(&mut port);
        }
        port.remark = match (now, most) {
            (Some(now), Some(most)) if now.is_less_than(most) => {
                let why = if is_at_rest { ", at rest" } else { "" };
                format!("{now} now{why}, {most} at most")
            }
            (Some(now), _) => now.to_string(),
            _ => String::new(),
        };
        port
    }

    /// The model of a drive as a part of the study, with what is known or assumed of it.
    pub(crate) fn model(
        &mut self,
        kind: &'static str,
        (model, firmware): (Option<&str>, Option<&str>),
        class: Class,
    ) -> Option<String> {
        let known = model.and_then(ratings::of_model);
        let stands_in = known.or(class.part())?;
        let name = match model {
            Some(model) => name_of(&model.to_lowercase()),
            None => format!("{stands_in}-assumed"),
        };
        let told = model.unwrap_or("a drive without a model name");
        let firmware = firmware.map(|firmware| format!(", firmware {firmware}"));
        let firmware = firmware.unwrap_or_default();
        let (values, remark) = match known {
            Some(part) => (vec![Property::quantity("use", part)], format!("{told}{firmware}")),
            None => {
                let text = format!("{told}: no rating known, its class is assumed ({stands_in})");
                self.assumed.insert(text);
                let remark =
                    format!("{told}{firmware}: enter its data sheet here; {stands_in} stands in");
                (ratings::assumed(stands_in), remark)
            }
        };
        Some(self.add_model(PartModel { kind, name, values, remark }))
    }

    /// Adds a model under its name, or under another one where that stands for something else: one
    /// drive of it may be shown as of another kind, or hang on a slower link.
    fn add_model(&mut self, mut part: PartModel) -> String {
        let first = part.name.clone();
        let is_other = |other: &PartModel, part: &PartModel| {
            (other.kind, &other.values) != (part.kind, &part.values)
        };
        let mut number = 1;
        while self.parts.get(&part.name).is_some_and(|other| is_other(other, &part)) {
            number += 1;
            part.name = format!("{first}-{number}");
        }
        let name = part.name.clone();
        self.parts.entry(name.clone()).or_insert(part);
        name
    }

    pub(crate) fn not_known(&mut self, of: impl Display, what: impl Display) {
        self.unread.insert(format!("{of}: {what}"));
    }

    /// A device without a limit, as long as it is not measured.
    pub(crate) fn unlimited(&mut self, device: &str, why: impl Display) {
        self.unread.insert(unlimited(device, &why, NO_LIMIT));
        self.unlimited.insert(device.to_owned(), why.to_string());
    }

    /// Everything that was added, each part in the one above it, in the order of adding; and what
    /// is not known of it.
    pub(crate) fn grown(mut self, found: &mut Discovered) {
        let mut path = Vec::new();
        // Those added last are in those added before.
        for key in std::mem::take(&mut self.order).into_iter().rev() {
            let Some(mut part) = self.found.remove(&key) else { continue };
            part.children.reverse();
            let parent = self.parents.get(&key).cloned().flatten();
            match parent.and_then(|parent| self.found.get_mut(&parent)) {
                Some(parent) => parent.children.push(part),
                None => path.push(part),
            }
        }
        path.reverse();
        (found.path, found.wires) = (path, self.wires);
        found.parts = self.parts.into_values().collect();
        (found.policy, found.policy_is_assumed) = (self.policy, self.policy_is_assumed);
        found.unread = self.facts.unread.iter().cloned().chain(self.unread).collect();
        found.unlimited = self.unlimited;
        found.assumed = self.assumed.into_iter().collect();
    }
}

/// What is said of an unrated device.
pub(crate) const NO_LIMIT: &str = "it has no limit";

/// Why a device has no limit, or its reads or writes have none.
pub(crate) fn unlimited(device: &str, why: &impl Display, what: &str) -> String {
    format!("{device}: {why}, so {what} here")
}

fn memory(bytes: u64) -> Property {
    Property::quantity("memory", &Bytes(bytes).to_string())
}

fn node_key(node: u32) -> String {
    format!("node{node}")
}

/// A device of a hypervisor: its link is made up.
fn is_virtual(function: &PciFunction) -> bool {
    const VIRTIO: u32 = 0x1af4;
    function.vendor == Some(VIRTIO) || function.driver.as_deref() == Some("virtio-pci")
}

/// Functions on the way to a device that has moved data.
fn at_work(facts: &Facts) -> BTreeSet<String> {
    let attachments = facts.hardware.attachments.iter();
    let moved = attachments.filter(|(name, _)| facts.moved.contains(*name));
    let functions = moved.flat_map(|(_, attachment)| attachment.functions());
    let chains = functions.flat_map(|address| facts.hardware.chain(address));
    chains.map(|function| function.address.clone()).collect()
}

//! What is reached over Fibre Channel or a network: arrays with their ports, and the ways there.
//!
//! Target ports that lead to one logical unit, or bear one node name, are of one array. Where an
//! array says which of its ports are optimised for a unit (SPC-4, 5.15: asymmetric access), ports
//! that are so for the same units are one controller, and own them. A fabric is known by its name;
//! two ends that see no one else are joined by a cable. Units without a fabric are in `direct`.
//! Paths that are down are not drawn while others are up.
//! Leaves out: zones, what the switches are, and everything inside the array, none of which a
//! kernel knows.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use iopath_machine::devices::Device;
use iopath_machine::hardware::{
    Attachment, FibreChannelVia, IscsiVia, Nvme, NvmePath, NvmeTransport, Scsi, ScsiVia,
};
use iopath_machine::network_routes;

use crate::attached::{depth, drive, joined, queue};
use crate::direct::drawn_paths;
use crate::model::Component;
use crate::path::{Growing, HOST};
use crate::ratings;

/// A logical unit with all ways to it.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub part: Component,
    /// What it stands in: an `array`, or an `enclosure` where adapters lead to it directly.
    pub holder: &'static str,
    pub vendor: Option<String>,
    pub ways: Vec<Way>,
}

impl Unit {
    /// Whether it is the device of this kernel name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.part.kernel == name
    }
}

/// One way to a logical unit.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// Keys of the ports of this machine.
    pub initiators: Vec<String>,
    /// The port of the array.
    pub target: String,
    /// The name of the array, as far as the port says it.
    pub node: Option<String>,
    /// Whether the array prefers this way.
    pub optimised: Option<bool>,
    /// The fabric between.
    pub fabric: Option<String>,
}

/// Whether all of some paths to a unit can be drawn.
pub(crate) fn is_drawn(paths: &[(String, Scsi)]) -> bool {
    let can = |(_, scsi): &(String, Scsi)| !matches!(scsi.via, ScsiVia::Ata(_) | ScsiVia::Usb(_));
    !paths.is_empty() && paths.iter().all(can)
}

/// Whether nothing goes through a path; one in reserve is not down.
fn is_down(scsi: &Scsi) -> bool {
    let is_closed = match &scsi.via {
        ScsiVia::FibreChannel(via) => !via.is_online(),
        _ => false,
    };
    is_closed || scsi.state.as_deref().is_some_and(|state| state != "running")
}

impl Growing<'_> {
    /// A unit of an array, by the SCSI devices that are the ways to it.
    pub(crate) fn unit_of_array(
        &mut self,
        device: &Device,
        ways: &[(String, Scsi)],
        attachment: &Attachment,
    ) {
        let (holder, mut part) = self.unit(device, ways, attachment);
        if let [(_, _)] = ways {
            part.values.extend(depth(&attachment.queue));
        }
        let down = ways.iter().filter(|(_, scsi)| !scsi.is_usable()).count();
        if ways.len() > 1 {
            let usable = format!("{} paths, {} of them usable", ways.len(), ways.len() - down);
            part.remark = joined(&usable, &part.remark);
        }
        let vendor = ways.iter().find_map(|(_, scsi)| scsi.vendor.clone());
        let is_any_up = ways.iter().any(|(_, scsi)| !is_down(scsi));
        let drawn = ways.iter().filter(|(_, scsi)| !is_any_up || !is_down(scsi));
        let found = drawn.filter_map(|(name, scsi)| self.way(name, scsi));
        let ways = found.collect::<Vec<_>>();
        self.units.push(Unit { part, holder, vendor, ways });
    }

    /// What a unit is by its first path, and what it stands in.
    fn unit(
        &mut self,
        device: &Device,
        ways: &[(String, Scsi)],
        attachment: &Attachment,
    ) -> (&'static str, Component) {
        match ways.first().map(|(name, scsi)| (name, &scsi.via)) {
            Some((name, ScsiVia::Sas(via))) => ("enclosure", self.sas_unit(device, (name, via))),
            Some((_, ScsiVia::Virtio | ScsiVia::Hypervisor(_))) => {
                self.behind_hypervisor(device);
                ("enclosure", drive("part", device, &queue(&attachment.queue)))
            }
            _ => ("array", drive("lun", device, &queue(&attachment.queue))),
        }
    }

    fn way(&mut self, name: &str, scsi: &Scsi) -> Option<Way> {
        let word = scsi.access_state.as_deref();
        let optimised = word.map(|word| word == "active/optimized");
        match &scsi.via {
            ScsiVia::FibreChannel(via) => Some(self.fibre_channel_way(via, optimised)),
            ScsiVia::Iscsi(via) => Some(self.iscsi_way(via, optimised)),
            ScsiVia::Sas(via) => self.sas_path(name, (scsi, via), optimised),
            ScsiVia::Virtio | ScsiVia::Hypervisor(_) | ScsiVia::Other(_) => {
                self.path_of_adapter(name, scsi, optimised)
            }
            ScsiVia::Ata(_) | ScsiVia::Usb(_) => {
                self.not_known(name, "such a path is not drawn");
                None
            }
        }
    }

    fn fibre_channel_way(&mut self, via: &FibreChannelVia, optimised: Option<bool>) -> Way {
        let host = &via.host;
        let key = format!("host{}", host.number);
        if !self.has(&key) {
            let place = match &host.pci {
                Some(address) => self.port_above(address),
                None => HOST.to_owned(),
            };
            let mut hba = Component::new("hba", &key, &key);
            if let Some(megabits) = host.megabits_per_sec {
                ratings::fibre_channel(megabits).give(&mut hba);
            }
            hba.remark = host.state.iter().map(|state| state.to_lowercase()).collect();
            self.add(Some(&place), hba);
        }
        let remote = &via.remote;
        Way {
            initiators: vec![key],
            target: remote.port_name.clone().unwrap_or_else(|| remote.name.clone()),
            node: remote.node_name.clone(),
            optimised,
            fabric: host.fabric_name.clone(),
        }
    }

    fn iscsi_way(&mut self, via: &IscsiVia, optimised: Option<bool>) -> Way {
        let portal = via.portal.clone().unwrap_or_else(|| via.session.clone());
        let address = portal.rsplit_once(':').map_or(portal.as_str(), |(address, _)| address);
        let initiators = match &via.interface {
            Some(interface) => self.interface(interface),
            None => self.towards(address),
        };
        Way { initiators, target: portal, node: via.target.clone(), optimised, fabric: None }
    }

    /// A namespace that is reached over a network or Fibre Channel.
    pub(crate) fn nvme_over_fabric(&mut self, device: &Device, nvme: &Nvme) {
        let (drawn, remark) = drawn_paths(nvme);
        let ways: Vec<Way> = drawn.into_iter().map(|path| self.nvme_way(nvme, path)).collect();
        let part = drive("nvme", device, &remark);
        self.policies.extend(nvme.path_policy.clone().filter(|_| ways.len() > 1));
        self.units.push(Unit { part, holder: "array", vendor: None, ways });
    }

    fn nvme_way(&mut self, nvme: &Nvme, path: &NvmePath) -> Way {
        let controller = &path.controller;
        let target = controller.address_word("traddr").unwrap_or(&controller.name).to_owned();
        let initiators = match (&controller.transport, controller.address_word("host_iface")) {
            (NvmeTransport::FibreChannel, _) => {
                self.not_known(&path.device, "its Fibre Channel port is not known");
                vec![HOST.to_owned()]
            }
            (_, Some(interface)) => self.interface(interface),
            (_, None) => self.towards(&target),
        };
        let (node, optimised) = (nvme.subsystem_nqn.clone(), path.is_optimised());
        Way { initiators, target, node, optimised, fabric: None }
    }

    /// The interfaces that lead to an address; the machine itself where that is not known.
    pub(crate) fn towards(&mut self, address: &str) -> Vec<String> {
        let facts = self.facts;
        let address: Option<Ipv4Addr> = address.trim_matches(['[', ']']).parse().ok();
        let found = address.and_then(|address| network_routes::towards(&facts.routes, address));
        match found {
            Some(interface) => self.interface(interface),
            None => {
                self.unread.insert("the interface to the server is not known".to_owned());
                vec![HOST.to_owned()]
            }
        }
    }

    /// The adapters that an interface is, or stands on.
    pub(crate) fn interface(&mut self, name: &str) -> Vec<String> {
        let facts = self.facts;
        let mut open = vec![name.to_owned()];
        let mut seen = BTreeSet::new();
        let mut keys = Vec::new();
        while let Some(name) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let Some(interface) = facts.hardware.interfaces.get(&name) else { continue };
            if !interface.lower.is_empty() {
                open.extend(interface.lower.iter().rev().cloned());
                continue;
            }
            let place = match &interface.pci {
                Some(address) => self.port_above(address),
                None => HOST.to_owned(),
            };
            let mut nic = Component::new("nic", &name, &name);
            ratings::ethernet(interface).give(&mut nic);
            nic.remark = interface.driver.clone().unwrap_or_default();
            keys.push(self.add(Some(&place), nic));
        }
        if keys.is_empty() { vec![HOST.to_owned()] } else { keys }
    }

    /// Draws all arrays with their units, ports and cables.
    pub(crate) fn place_units(&mut self) {
        let units = std::mem::take(&mut self.units);
        let cables = Cables::of(&units);
        for group in arrays(&units) {
            self.array(&units, &group);
        }
        for way in units.iter().flat_map(|unit| &unit.ways) {
            for initiator in &way.initiators {
                self.join(&cables, (initiator, way));
            }
        }
        if units.iter().any(|unit| unit.ways.len() > 1) {
            self.choose_policy();
        }
    }

    fn array(&mut self, units: &[Unit], group: &[usize]) {
        let ports: BTreeSet<&String> =
            group.iter().flat_map(|at| &units[*at].ways).map(|way| &way.target).collect();
        let Some(first) = ports.first() else {
            for at in group {
                self.add(Some(HOST), units[*at].part.clone());
            }
            return;
        };
        let vendor = group.iter().find_map(|at| units[*at].vendor.clone());
        let holder = group.first().map_or("array", |at| units[*at].holder);
        let name = vendor.map_or_else(|| holder.to_owned(), |vendor| vendor.to_lowercase());
        let box_key = format!("{holder} {first}");
        let mut array = Component::new(holder, &box_key, &name);
        let nodes = group.iter().flat_map(|at| &units[*at].ways).filter_map(|way| way.node.clone());
        let nodes: BTreeSet<String> = nodes.collect();
        if holder == "array" {
            array.remark = format!(
                "its inside is not known: {}",
                nodes.into_iter().collect::<Vec<_>>().join(", ")
            );
        }
        self.add(None, array);
        let owned = owned(units, group);
        // In the order of their first ports.
        let mut controllers: Vec<&BTreeSet<usize>> = Vec::new();
        for set in ports.iter().filter_map(|port| owned.get(*port)) {
            if !controllers.contains(&set) {
                controllers.push(set);
            }
        }
        let has_owners = controllers.len() > 1;
        let key_of = |set: &BTreeSet<usize>| {
            let at = controllers.iter().position(|other| **other == *set).unwrap_or(0);
            format!("{box_key} controller {at}")
        };
        for (letter, set) in ('a'..='z').cycle().zip(&controllers).filter(|_| has_owners) {
            let name = format!("controller-{letter}");
            self.add(Some(&box_key), Component::new("controller", &key_of(set), &name));
        }
        for port in &ports {
            let place = match owned.get(*port) {
                Some(set) if has_owners => key_of(set),
                _ => box_key.clone(),
            };
            self.add(Some(&place), Component::new("port", port, "port"));
        }
        for at in group {
            let owners = controllers.iter().filter(|set| set.contains(at));
            let owners: Vec<_> = owners.collect();
            let place = match owners[..] {
                [set] if has_owners => key_of(set),
                _ => box_key.clone(),
            };
            self.add(Some(&place), units[*at].part.clone());
        }
    }

    fn join(&mut self, cables: &Cables, (initiator, way): (&str, &Way)) {
        let is_alone = way.fabric.is_none() && cables.is_alone(initiator, &way.target);
        if is_alone {
            self.wire(initiator, &way.target);
            return;
        }
        let (key, name) = match &way.fabric {
            Some(fabric) => (format!("fabric {fabric}"), "fabric"),
            None => ("network".to_owned(), "network"),
        };
        let mut switch = Component::new("switch", &key, name);
        switch.common = name.to_owned();
        self.add(None, switch);
        self.wire(initiator, &key);
        self.wire(&way.target, &key);
    }

    fn choose_policy(&mut self) {
        let told = self.policies.first().map(String::as_str);
        if let Some(other) = self.policies.iter().find(|other| Some(other.as_str()) != told) {
            let text = format!("several multipath policies: one is used for all, not {other}");
            self.assumed.insert(text);
        }
        let policy = match told {
            Some("round-robin") => "round-robin",
            Some("queue-depth" | "queue-length") => "queue-length",
            Some("numa" | "fixed") => "fixed",
            Some("service-time") => "service-time",
            _ => {
                let why = match told {
                    Some(other) => format!("{other} has no equivalent in a study"),
                    None => "the device-mapper policy is in its table (root only)".to_owned(),
                };
                let text = format!("multipath chooses by service-time: {why}");
                self.assumed.insert(text);
                self.policy_is_assumed = true;
                "service-time"
            }
        };
        self.policy = Some(policy);
    }
}

/// Units of one array together: they share a port or a node's name.
fn arrays(units: &[Unit]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(BTreeSet<String>, Vec<usize>)> = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        let names = unit.ways.iter().flat_map(|way| {
            let node = way.node.as_ref().map(|node| format!("node {node}"));
            std::iter::once(way.target.clone()).chain(node)
        });
        let mut names: BTreeSet<String> = names.collect();
        let mut members = vec![at];
        groups.retain_mut(|(other, others)| {
            let meets = !other.is_disjoint(&names);
            if meets {
                names.append(other);
                members.append(others);
            }
            !meets
        });
        members.sort_unstable();
        groups.push((names, members));
    }
    groups.sort_by_key(|(_, members)| members.first().copied());
    groups.into_iter().map(|(_, members)| members).collect()
}

/// For each port the units that it is optimised for; nothing where no array says it of any.
fn owned(units: &[Unit], group: &[usize]) -> BTreeMap<String, BTreeSet<usize>> {
    let mut sets: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for at in group {
        for way in &units[*at].ways {
            let Some(optimised) = way.optimised else { continue };
            let set = sets.entry(way.target.clone()).or_default();
            if optimised {
                set.insert(*at);
            }
        }
    }
    sets
}

/// Who sees whom, of those in no named fabric.
struct Cables {
    pairs: BTreeSet<(String, String)>,
}

impl Cables {
    fn of(units: &[Unit]) -> Self {
        let ways = units.iter().flat_map(|unit| &unit.ways);
        let ways = ways.filter(|way| way.fabric.is_none());
        let pairs = ways.flat_map(|way| {
            way.initiators.iter().map(|initiator| (initiator.clone(), way.target.clone()))
        });
        Self { pairs: pairs.collect() }
    }

    fn is_alone(&self, initiator: &str, target: &str) -> bool {
        let others =
            self.pairs.iter().filter(|(from, to)| from == initiator || to == target).count();
        others <= 1
    }
}

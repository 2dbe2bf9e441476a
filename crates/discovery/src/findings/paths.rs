//! Several ways to one unit: which are down, and whether those in use are shared out evenly.
//!
//! A way is down where the device, its port or its controller says so. One on standby (ALUA, ANA:
//! `standby`, `inaccessible`) is as it should be, and not counted as down. Ways are in use where
//! the array calls them optimised, or makes no difference.
//! A unit with two names that nothing joins is found by its world-wide name.
//! Leaves out: how multipathd groups ways; units without a world-wide name.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::hardware::{NvmePath, Scsi, ScsiVia, Transport};

use super::drive_links::{gigabits, scsi_of};
use crate::facts::Facts;
use crate::model::{Finding, Weight};

/// One way to a unit.
pub(super) struct Way {
    device: String,
    state: State,
    /// The port of this machine that it goes through.
    port: Option<String>,
    /// That port's rate.
    megabits_per_sec: Option<u32>,
    /// The port of the array that it leads to.
    pub(super) remote: Option<String>,
}

impl Way {
    pub(super) fn is_used(&self) -> bool {
        matches!(self.state, State::InUse)
    }

    pub(super) fn is_down(&self) -> bool {
        matches!(self.state, State::Down(_))
    }
}

enum State {
    InUse,
    InReserve,
    Down(String),
}

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut found = Vec::new();
    for device in facts.devices.iter().filter(|device| names.contains(&device.name)) {
        let ways = ways_of(facts, device);
        if ways.len() < 2 {
            continue;
        }
        // What is uneven because something is down is told by that.
        found.extend(down(device, &ways).or_else(|| uneven(device, &ways)));
    }
    found.extend(unjoined(facts, names));
    found
}

/// Names of one unit that are disks of their own to the kernel, as no multipath joins them.
fn unjoined(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut units: BTreeMap<&str, Vec<&Device>> = BTreeMap::new();
    for device in facts.devices.iter().filter(|device| !is_joined(facts, device)) {
        let others = facts.devices.same_unit(device);
        let is_looked_at = names.contains(&device.name)
            || others.into_iter().any(|other| names.contains(&other.name));
        if let Some(wwid) = device.identity.wwid.as_deref().filter(|_| is_looked_at) {
            units.entry(wwid).or_default().push(device);
        }
    }
    units.retain(|_, devices| devices.len() > 1);
    let finding = |(wwid, devices): (&&str, &Vec<&Device>)| {
        let parts: Vec<String> = devices.iter().map(|device| device.name.clone()).collect();
        Finding {
            rule: "unjoined-paths",
            weight: Weight::Warning,
            text: format!("{} are {} names of one unit, {wwid}", parts.join(", "), parts.len()),
            parts,
            hint: "let multipathd join them (`multipath -ll`): each name is one path only, and \
            the page caches of the names are not coherent"
                .to_owned(),
        }
    };
    units.iter().map(finding).collect()
}

/// Whether a disk is a path of a multipath device.
fn is_joined(facts: &Facts, device: &Device) -> bool {
    let mut holders = device.holders.iter().filter_map(|holder| facts.devices.find(holder));
    holders.any(Device::is_multipath)
}

pub(super) fn ways_of(facts: &Facts, device: &Device) -> Vec<Way> {
    if device.is_multipath() {
        let way = |name: &String| Some(scsi_way(name, scsi_of(facts, name)?));
        return device.slaves.iter().filter_map(way).collect();
    }
    let transport = facts.hardware.attachments.get(&device.name).map(|found| &found.transport);
    let Some(Transport::Nvme(nvme)) = transport else { return Vec::new() };
    nvme.paths.iter().map(nvme_way).collect()
}

fn scsi_way(name: &str, scsi: &Scsi) -> Way {
    let mut why = scsi.state.clone().filter(|state| state != "running");
    let (mut port, mut megabits_per_sec) = (format!("host{}", scsi.address.host), None);
    let mut remote = None;
    match &scsi.via {
        ScsiVia::FibreChannel(via) => {
            let closed = |state: &Option<String>| state.clone().filter(|state| state != "Online");
            let host = closed(&via.host.state).map(|state| format!("{port} {state}"));
            let array = closed(&via.remote.state).map(|s| format!("{} {s}", via.remote.name));
            why = why.or(host).or(array);
            megabits_per_sec = via.host.megabits_per_sec;
            remote.clone_from(&via.remote.port_name);
        }
        ScsiVia::Iscsi(via) => {
            why = why.or_else(|| via.state.clone().filter(|state| state != "LOGGED_IN"));
            port = via.interface.clone().unwrap_or(port);
            remote.clone_from(&via.portal);
        }
        ScsiVia::Ata(_)
        | ScsiVia::Sas(_)
        | ScsiVia::Usb(_)
        | ScsiVia::Virtio
        | ScsiVia::Hypervisor(_)
        | ScsiVia::Other(_) => {}
    }
    let access = scsi.access_state.as_deref();
    let lost = access.filter(|state| ["unavailable", "offline"].contains(state));
    let state = match why.or_else(|| lost.map(str::to_owned)) {
        Some(why) => State::Down(why),
        None if access.is_some_and(|state| state != "active/optimized") => State::InReserve,
        None => State::InUse,
    };
    Way { device: name.to_owned(), state, port: Some(port), megabits_per_sec, remote }
}

fn nvme_way(path: &NvmePath) -> Way {
    let controller = &path.controller;
    let ana = path.ana_state.as_deref();
    let why = controller.state.clone().filter(|state| state != "live");
    let lost = ana.filter(|state| *state == "persistent-loss").map(str::to_owned);
    let state = match why.or(lost) {
        Some(why) => State::Down(why),
        None if ana.is_some_and(|state| state != "optimized") => State::InReserve,
        None => State::InUse,
    };
    // `host_iface` or the address it comes from; each controller of PCIe has a port of its own.
    let word = |name: &str| controller.address_word(name).map(str::to_owned);
    let port = controller.pci.clone();
    let port = port.or_else(|| word("host_iface")).or_else(|| word("src_addr"));
    let remote = word("traddr");
    Way { device: path.device.clone(), state, port, megabits_per_sec: None, remote }
}

fn down(device: &Device, ways: &[Way]) -> Option<Finding> {
    let why = |way: &Way| match &way.state {
        State::Down(why) => Some(format!("{} ({why})", way.device)),
        State::InUse | State::InReserve => None,
    };
    let down: Vec<String> = ways.iter().filter_map(why).collect();
    let share = match (down.len(), ways.len()) {
        (0, _) => return None,
        (down, all) if down == all => "all ",
        (down, all) if down * 2 == all => "half of the paths, ",
        _ => "",
    };
    let name = told(device);
    Some(Finding {
        rule: "paths-down",
        weight: Weight::Warning,
        parts: vec![device.name.clone()],
        text: format!(
            "{share}{} of {} paths to {name} are down: {}",
            down.len(),
            ways.len(),
            down.join(", ")
        ),
        hint: format!(
            "the remaining ones carry everything, and the next loss may end it: check {}, then \
             cables, zones and the array's ports",
            list_command(device)
        ),
    })
}

fn uneven(device: &Device, ways: &[Way]) -> Option<Finding> {
    let is_used = |way: &&Way| way.is_used();
    // A single one cannot be shared out.
    if ways.iter().filter(is_used).count() < 2 {
        return None;
    }
    let mut ports: BTreeMap<&str, (u32, Option<u32>)> = BTreeMap::new();
    for way in ways {
        let port = ports.entry(way.port.as_deref()?).or_default();
        port.0 += u32::from(is_used(&way));
        port.1 = way.megabits_per_sec;
    }
    let counts: BTreeSet<u32> = ports.values().map(|(count, _)| *count).collect();
    let used = ports.values().filter(|(count, _)| *count > 0);
    let rates: BTreeSet<u32> = used.filter_map(|(_, rate)| *rate).collect();
    if counts.len() < 2 && rates.len() < 2 {
        return None;
    }
    let port = |(name, (count, rate)): (&&str, &(u32, Option<u32>))| {
        let rate = rate.map(|rate| format!(" at {}", gigabits(rate))).unwrap_or_default();
        format!("{count} through {name}{rate}")
    };
    let ports: Vec<String> = ports.iter().map(port).collect();
    Some(Finding {
        rule: "uneven-paths",
        weight: Weight::Warning,
        parts: vec![device.name.clone()],
        text: format!("the active paths to {} are uneven: {}", told(device), ports.join(", ")),
        hint: "zone each port of this machine to the same number of the array's ports, at the \
               same rate; until then use queue-length or service-time instead of round-robin"
            .to_owned(),
    })
}

fn told(device: &Device) -> String {
    match &device.kind {
        DeviceKind::Mapper { name, .. } => format!("{} ({name})", device.name),
        _ => device.name.clone(),
    }
}

fn list_command(device: &Device) -> String {
    match &device.kind {
        DeviceKind::Mapper { name, .. } => format!("`multipath -ll {name}`"),
        _ => format!("`nvme list-subsys /dev/{}`", device.name),
    }
}

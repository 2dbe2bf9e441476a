//! Links of drives and adapters that run below what is known to be possible: SATA, SAS, Fibre
//! Channel.
//!
//! What the other end can is unknown to the kernel. So a link is called degraded only where a
//! drive of the same model runs faster on this machine, or where lanes of one port differ; a port
//! that could do more by itself is advice.
//! Leaves out: USB, whose devices say what they speak only by the way they are connected.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::hardware::{SasDevice, SasPort, Scsi, ScsiVia, Transport};

use crate::facts::Facts;
use crate::model::{Finding, Weight};

/// A drive's own link, in million bits per second.
struct DriveLink {
    drive: String,
    model: Option<String>,
    current: u32,
    port_max: Option<u32>,
}

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let devices: Vec<(&String, &Scsi)> =
        names.iter().filter_map(|name| Some((name, scsi_of(facts, name)?))).collect();
    let links: Vec<DriveLink> =
        devices.iter().filter_map(|(name, scsi)| drive_link(facts, name, scsi)).collect();
    let mut found = slower_than_their_like(&links);
    found.extend(uneven_ports(&devices));
    found.extend(slow_adapters(&devices));
    found
}

pub(super) fn scsi_of<'a>(facts: &'a Facts, name: &str) -> Option<&'a Scsi> {
    let Transport::Scsi(scsi) = &facts.hardware.attachments.get(name)?.transport else {
        return None;
    };
    Some(scsi)
}

fn drive_link(facts: &Facts, name: &str, scsi: &Scsi) -> Option<DriveLink> {
    let (current, port_max) = match &scsi.via {
        ScsiVia::Ata(via) => (via.megabits_per_sec?, via.max_megabits_per_sec),
        ScsiVia::Sas(via) => {
            let lane = via.ports.last()?.lanes.first()?;
            (lane.megabits_per_sec?, lane.max_megabits_per_sec)
        }
        ScsiVia::FibreChannel(_)
        | ScsiVia::Iscsi(_)
        | ScsiVia::Usb(_)
        | ScsiVia::Virtio
        | ScsiVia::Hypervisor(_)
        | ScsiVia::Other(_) => return None,
    };
    let model = facts.devices.find(name).and_then(|device| device.identity.model.clone());
    Some(DriveLink { drive: name.to_owned(), model, current, port_max })
}

fn slower_than_their_like(links: &[DriveLink]) -> Vec<Finding> {
    let mut found = Vec::new();
    for link in links {
        let alike = links.iter().filter(|other| link.model.is_some() && other.model == link.model);
        // The first of those that are fastest.
        let fastest = alike.rev().max_by_key(|other| other.current);
        let known = fastest.filter(|other| other.current > link.current);
        let limit = link.port_max.filter(|max| *max > link.current);
        let drive = &link.drive;
        match (known, limit) {
            (Some(other), Some(_)) => found.push(Finding {
                rule: "degraded-link",
                weight: Weight::Warning,
                parts: vec![drive.clone()],
                text: format!(
                    "the link of {drive} runs at {}, that of {} of the same model ({}) at {}",
                    gigabits(link.current),
                    other.drive,
                    link.model.as_deref().unwrap_or_default(),
                    gigabits(other.current),
                ),
                hint: "reseat the drive, then change its cable or bay; errors of its link are in \
                       the kernel's log"
                    .to_owned(),
            }),
            (None, Some(max)) => found.push(Finding {
                rule: "slow-link",
                weight: Weight::Advice,
                parts: vec![drive.clone()],
                text: format!(
                    "the link of {drive} runs at {} of the {} that its port can",
                    gigabits(link.current),
                    gigabits(max),
                ),
                hint: "check the drive's own rate: if higher, change its cable or bay".to_owned(),
            }),
            (_, None) => {}
        }
    }
    found
}

/// Ports of several lanes, each once, whose lanes differ.
fn uneven_ports(devices: &[(&String, &Scsi)]) -> Vec<Finding> {
    let mut ports: BTreeMap<&str, (&SasPort, Vec<String>)> = BTreeMap::new();
    for (name, scsi) in devices {
        let ScsiVia::Sas(via) = &scsi.via else { continue };
        for port in via.ports.iter().filter(|port| port.lanes.len() > 1) {
            let found = ports.entry(&port.name).or_insert_with(|| (port, Vec::new()));
            found.1.push((*name).clone());
        }
    }
    ports.into_values().filter_map(|(port, drives)| uneven_port(port, drives)).collect()
}

fn uneven_port(port: &SasPort, drives: Vec<String>) -> Option<Finding> {
    let fastest = port.lanes.iter().filter_map(|lane| lane.megabits_per_sec).max()?;
    let slow = port.lanes.iter().filter(|lane| lane.megabits_per_sec != Some(fastest));
    let slow: Vec<&str> = slow.map(|lane| lane.name.as_str()).collect();
    if slow.is_empty() {
        return None;
    }
    let end = match &port.end {
        SasDevice::Expander { name, .. } | SasDevice::End { name } => name,
    };
    Some(Finding {
        rule: "degraded-link",
        weight: Weight::Warning,
        text: format!(
            "{} of {} lanes of {} to {end} ({}) do not run at {} like the others; {} drives \
             share them",
            slow.len(),
            port.lanes.len(),
            port.name,
            slow.join(", "),
            gigabits(fastest),
            drives.len(),
        ),
        parts: drives,
        hint: "reseat or change the cable between the two".to_owned(),
    })
}

/// Ports of Fibre Channel that could do more than the fabric lets them.
fn slow_adapters(devices: &[(&String, &Scsi)]) -> Vec<Finding> {
    let mut seen = BTreeMap::new();
    for (name, scsi) in devices {
        let ScsiVia::FibreChannel(via) = &scsi.via else { continue };
        let most = via.host.supported_megabits_per_sec.iter().copied().max();
        let (Some(current), Some(most)) = (via.host.megabits_per_sec, most) else { continue };
        if current < most {
            let found = seen.entry(via.host.number).or_insert_with(|| (current, most, Vec::new()));
            found.2.push((*name).clone());
        }
    }
    let told = |(host, (current, most, parts))| Finding {
        rule: "slow-link",
        weight: Weight::Advice,
        parts,
        text: format!("host{host} runs at {} of the {} it can", gigabits(current), gigabits(most)),
        hint: "check the switch's port, its settings and the transceivers".to_owned(),
    };
    seen.into_iter().map(told).collect()
}

/// Rates of links as their makers name them: 6000 is 6 Gb/s.
pub(super) fn gigabits(megabits: u32) -> String {
    format!("{} Gb/s", f64::from(megabits) / 1000.0)
}

//! Links that run slower than both their ends can, and devices that are far from a processor.
//!
//! A PCI Express link may be slow because its device is at rest; only where a device behind it has
//! moved data and it is not suspended is that told as a defect
//! (<https://github.com/open-mpi/hwloc/issues/653>). SAS and SATA links keep their rate.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::hardware::{PciLink, ScsiVia, Transport};
use iopath_machine::target::TargetKind;

use super::{Subject, finding};
use crate::model::{Finding, Weight};

/// Links that run below what both ends can do.
pub(super) fn degraded(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    let hardware = &subject.facts.hardware;
    let mut links: BTreeMap<String, (PciLink, BTreeSet<&str>)> = BTreeMap::new();
    for (name, attachment) in subject.attached() {
        for link in attachment.functions().iter().flat_map(|address| hardware.links(address)) {
            let key = link.below.clone();
            links.entry(key).or_insert_with(|| (link, BTreeSet::new())).1.insert(name);
        }
        serial(name, &attachment.transport, all);
    }
    for (link, behind) in links.values() {
        let (Some(now), Some(most)) = (link.current, link.max) else { continue };
        if !now.is_less_than(most) {
            continue;
        }
        let has_moved = behind.iter().any(|name| subject.facts.moved.contains(*name));
        let names: Vec<&str> = behind.iter().copied().collect();
        let at = format!("the link from {} to {}", link.above, link.below);
        if has_moved && !link.is_suspended {
            let text = format!("{at} runs at {now}; both ends can do {most}");
            let hint = "look at slot, riser and cable, and at the firmware's settings of the slot";
            all.push(finding("degraded-link", Weight::Warning, &names, text, hint));
        } else {
            let text = format!("{at} runs at {now} at rest; both ends can do {most}");
            let hint = "read from it and look again: a link at rest may save power";
            all.push(finding("link-at-rest", Weight::Advice, &names, text, hint));
        }
    }
}

/// Links of SAS and SATA.
fn serial(name: &str, transport: &Transport, all: &mut Vec<Finding>) {
    let Transport::Scsi(scsi) = transport else { return };
    let mut tell = |what: &str, now: u32, most: u32| {
        let gigabits = |megabits: u32| f64::from(megabits) / 1000.0;
        let text =
            format!("{what} runs at {} Gb/s; {} Gb/s is its most", gigabits(now), gigabits(most));
        let hint = "look at the cable, the bay, and what the drive itself can do";
        all.push(finding("degraded-link", Weight::Warning, &[name], text, hint));
    };
    match &scsi.via {
        ScsiVia::Ata(via) => {
            let rates = via.megabits_per_sec.zip(via.max_megabits_per_sec);
            if let Some((now, most)) = rates.filter(|(now, most)| now < most) {
                tell(&via.port, now, most);
            }
        }
        ScsiVia::Sas(via) => {
            // The last port is the drive's own; those above are shared and told once, by it.
            for lane in via.ports.iter().rev().take(1).flat_map(|port| &port.lanes) {
                let rates = lane.megabits_per_sec.zip(lane.max_megabits_per_sec);
                if let Some((now, most)) = rates.filter(|(now, most)| now < most) {
                    tell(&lane.name, now, most);
                }
            }
        }
        ScsiVia::FibreChannel(_)
        | ScsiVia::Iscsi(_)
        | ScsiVia::Usb(_)
        | ScsiVia::Virtio
        | ScsiVia::Hypervisor(_)
        | ScsiVia::Other(_) => {}
    }
}

/// Volumes over several NUMA nodes, and targets that are next to one of several.
pub(super) fn remote(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    let hardware = &subject.facts.hardware;
    if hardware.nodes.len() < 2 {
        return;
    }
    let nodes_of = |name: &str| {
        let mut nodes: BTreeMap<u32, usize> = BTreeMap::new();
        for leaf in subject.leaves(name) {
            if let Some(node) = hardware.node_of(&leaf) {
                *nodes.entry(node).or_default() += 1;
            }
        }
        nodes
    };
    for volume in &subject.found.volumes {
        let nodes = nodes_of(&volume.kernel);
        if nodes.len() > 1 {
            let each = nodes.iter().map(|(node, count)| format!("{count} at node {node}"));
            let each: Vec<String> = each.collect();
            let text = format!(
                "{} lies on drives of several NUMA nodes: {}; a process on one node moves the \
                 rest across the link between the processors",
                volume.name,
                each.join(", ")
            );
            let hint = "run streams on all these nodes, or make one volume for each";
            all.push(finding("numa-split", Weight::Advice, &[&volume.kernel], text, hint));
        }
    }
    for target in &subject.facts.targets {
        let TargetKind::BlockDevice(name) = &target.kind else { continue };
        let nodes: Vec<u32> = nodes_of(name).into_keys().collect();
        if let [node] = nodes[..] {
            let text = format!("{name} is next to NUMA node {node} of {}", hardware.nodes.len());
            let hint = format!("run what uses it there: numactl --cpunodebind={node}");
            all.push(finding("numa-remote", Weight::Advice, &[name], text, &hint));
        }
    }
}

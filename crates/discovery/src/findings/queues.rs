//! Virtual disks whose requests share few queues.
//!
//! Requests of all processors of a queue share its lock and its interrupt (blk-mq:
//! Documentation/block/blk-mq.rst). A hypervisor chooses how many there are; QEMU gives virtio-blk
//! and virtio-scsi one for each processor since 5.2.
//! Leaves out: controllers whose queues their hardware or driver limits.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::hardware::{ScsiVia, Transport};

use crate::facts::Facts;
use crate::model::{Finding, Weight};

/// Processors that may share a queue (chosen: with fewer it is rarely the limit).
const SHARING: usize = 8;

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut controllers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in names {
        let address = facts.hardware.attachments.get(name).and_then(|found| found.pci.as_deref());
        controllers.entry(address.unwrap_or(name)).or_default().push(name.clone());
    }
    controllers.into_values().filter_map(|disks| few(facts, disks)).collect()
}

/// Disks of one controller have its queues.
fn few(facts: &Facts, disks: Vec<String>) -> Option<Finding> {
    let attachment = facts.hardware.attachments.get(disks.first()?)?;
    let (option, of) = match &attachment.transport {
        Transport::Virtio { .. } => ("num-queues of virtio-blk-pci", "disk"),
        Transport::Scsi(scsi) if matches!(scsi.via, ScsiVia::Virtio) => {
            ("num_queues of virtio-scsi-pci", "controller")
        }
        _ => return None,
    };
    let (queues, processors) = (attachment.queues?, facts.hardware.processors.len());
    let shared = if queues == 1 { "its only queue".to_owned() } else { format!("{queues} queues") };
    (processors > SHARING * queues).then(|| Finding {
        rule: "few-queues",
        weight: Weight::Advice,
        parts: disks,
        text: format!(
            "{processors} processors share {shared}, each with one lock and one interrupt (virtio)"
        ),
        hint: format!(
            "let the hypervisor give the {of} more: QEMU {option}, libvirt <driver \
             queues=\"{processors}\"/> of the {of}"
        ),
    })
}

//! Virtual disks whose requests share few queues.
//!
//! Requests of all processors of a queue share its lock and its interrupt (blk-mq:
//! Documentation/block/blk-mq.rst). A hypervisor chooses how many there are; QEMU gives virtio-blk
//! and virtio-scsi one for each processor since 5.2.
//! Leaves out: controllers whose queues their hardware or driver limits.

use std::collections::BTreeSet;

use iopath_machine::hardware::{ScsiVia, Transport};

use crate::facts::Facts;
use crate::model::{Finding, Weight};

/// Processors that may share a queue (chosen: with fewer it is rarely the limit).
const SHARING: usize = 8;

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    names.iter().filter_map(|name| few(facts, name)).collect()
}

fn few(facts: &Facts, name: &str) -> Option<Finding> {
    let attachment = facts.hardware.attachments.get(name)?;
    let is_virtio = match &attachment.transport {
        Transport::Virtio { .. } => true,
        Transport::Scsi(scsi) => matches!(scsi.via, ScsiVia::Virtio),
        _ => false,
    };
    let queues = attachment.queues.filter(|_| is_virtio)?;
    let processors = facts.hardware.processors.len();
    (processors > SHARING * queues).then(|| Finding {
        rule: "few-queues",
        weight: Weight::Advice,
        parts: vec![name.to_owned()],
        text: format!(
            "{name} is virtio, and {processors} processors share {queues} of its queues, with one \
             lock and one interrupt each"
        ),
        hint: format!(
            "let the hypervisor give it more: QEMU num-queues={processors}, libvirt <driver \
             queues=\"{processors}\"/>"
        ),
    })
}

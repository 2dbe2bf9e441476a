//! How what lies on drives was made: arrays, partitions, file systems, files.
//!
//! Sources: alignment to physical blocks and chunks is what `alignment_offset` and the sizes of
//! the queue are for (Documentation/ABI/stable/sysfs-block); XFS tells `sunit` and `swidth` in
//! sectors of 512 bytes (xfs(5)), ext4 `stripe` in blocks, which are 4 KiB where nobody chose
//! another (ext4(5)).

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::devices::DeviceKind;
use iopath_machine::mounts::Mount;
use iopath_units::Bytes;

use super::{Subject, finding};
use crate::model::{Finding, Volume, Weight};

/// Pieces of a file that are smaller on average than this cost a seek or a request each: chosen.
const SCATTERED: u64 = 1 << 20;

/// Arrays that miss members, or that are made whole again.
pub(super) fn degraded_arrays(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    for name in &subject.names {
        let Some(array) = subject.facts.hardware.arrays.get(name) else { continue };
        let missing = array.degraded.unwrap_or(0);
        let busy = array.sync_action.as_deref().filter(|word| !["idle", "frozen"].contains(word));
        if missing > 0 {
            let text = format!("{missing} of its members are missing");
            let hint = "put in a new drive; until then reads are worked out from parity, and the \
                        next loss may take all data";
            all.push(finding("degraded-array", Weight::Warning, &[name], text, hint));
        }
        if let Some(action) = busy {
            let text = format!("a {action} runs and takes throughput from everybody else");
            let hint = "measure again when it has ended: mdadm --detail tells how far it is";
            all.push(finding("array-busy", Weight::Warning, &[name], text, hint));
        }
    }
}

/// Mirrors whose sides all hang on one adapter.
pub(super) fn one_controller(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    let attachments = &subject.facts.hardware.attachments;
    let is_mirrored = |volume: &&Volume| {
        let is_ten = volume.values.iter().any(|v| v.name == "level" && v.value == "10");
        volume.kind == "mirror" || is_ten
    };
    let mut alone: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for volume in subject.found.volumes.iter().filter(is_mirrored) {
        let leaves = volume.over.iter().flat_map(|member| subject.leaves(member));
        let adapters: BTreeSet<Option<&str>> = leaves
            .map(|leaf| attachments.get(&leaf).and_then(|found| found.pci.as_deref()))
            .collect();
        let adapters: Vec<_> = adapters.into_iter().collect();
        if let [Some(adapter)] = adapters[..] {
            alone.entry(adapter).or_default().push(&volume.name);
        }
    }
    for (adapter, volumes) in alone {
        let text = format!("all copies hang on one adapter, {adapter}: they are lost with it");
        let hint = "put the copies behind different adapters where there are two";
        all.push(finding("one-controller", Weight::Advice, &volumes, text, hint));
    }
}

/// Partitions that begin within a physical block or a chunk.
pub(super) fn misaligned(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    for name in &subject.names {
        let Some(device) = subject.facts.devices.find(name) else { continue };
        let DeviceKind::Partition { whole, start_bytes, .. } = &device.kind else { continue };
        let Some(attachment) = subject.facts.hardware.attachments.get(whole) else { continue };
        let queue = &attachment.queue;
        let block = queue.physical_block_bytes.unwrap_or(512).max(512);
        let chunk = queue.optimal_io_bytes.or(queue.minimum_io_bytes).unwrap_or(block).max(block);
        let shift = queue.alignment_offset.filter(|shift| *shift > 0).unwrap_or(0).unsigned_abs();
        let begin = Bytes(*start_bytes);
        let hint = "partitions that begin at whole MiB suit all drives and arrays";
        let is_off = |unit: u64| start_bytes.wrapping_add(shift) % unit != 0;
        if is_off(block) {
            let text = format!(
                "begins at {begin}, within a physical block of {}: small writes read first",
                Bytes(block)
            );
            all.push(finding("misaligned-partition", Weight::Warning, &[name], text, hint));
        } else if is_off(chunk) {
            let text = format!(
                "begins at {begin}, within a chunk of {}: requests of whole chunks meet two",
                Bytes(chunk)
            );
            all.push(finding("misaligned-partition", Weight::Advice, &[name], text, hint));
        }
    }
}

/// File systems that were made for another chunk than they lie on.
pub(super) fn stripe_hints(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    for mount in mounts_of(subject) {
        let Some(device) = subject.facts.devices.by_number(mount.number) else { continue };
        let Some((chunk, row)) = chunk_of(subject, &device.name) else { continue };
        let option = |name: &str| -> Option<u64> {
            let mut options = mount.options.iter();
            options.find_map(|option| option.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
        };
        let (hint_of, lies_on) = match mount.fs_type.as_str() {
            "xfs" => (option("sunit").map(|sectors| sectors * 512), ("chunk", chunk)),
            "ext4" => (option("stripe").map(|blocks| blocks * 4096), ("stripe", row)),
            _ => continue,
        };
        let at = mount.mount_point.display();
        match hint_of {
            Some(made) if made != lies_on.1 => {
                let text = format!(
                    "{at} was made for a {} of {}; {} has {}",
                    lies_on.0,
                    Bytes(made),
                    device.name,
                    Bytes(lies_on.1)
                );
                let hint = "mount with the right sunit and swidth (xfs), or tune2fs -E \
                            stripe-width (ext4)";
                all.push(finding("stripe-hint", Weight::Warning, &[&device.name], text, hint));
            }
            _ => {}
        }
    }
}

/// The mounts of the file systems that were drawn.
fn mounts_of<'a>(subject: &'a Subject<'_>) -> impl Iterator<Item = &'a Mount> {
    let mut seen = BTreeSet::new();
    let drawn = |mount: &&Mount| {
        let device = subject.facts.devices.by_number(mount.number);
        device.is_some_and(|device| subject.names.contains(&device.name))
    };
    subject.facts.mounts.iter().filter(drawn).filter(move |mount| seen.insert(mount.number))
}

/// What a device has on one member before the next, and on all members that hold data.
fn chunk_of(subject: &Subject<'_>, name: &str) -> Option<(u64, u64)> {
    let hardware = &subject.facts.hardware;
    let queue = &hardware.attachments.get(name)?.queue;
    let (chunk, row) = (queue.minimum_io_bytes?, queue.optimal_io_bytes?);
    let of_array = hardware.arrays.get(name).and_then(|array| array.chunk_bytes);
    let is_striped = row > chunk && row.is_multiple_of(chunk);
    is_striped.then_some((of_array.unwrap_or(chunk), row))
}

/// Members that cannot take a chunk in one request.
pub(super) fn cut_requests(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    let attachments = &subject.facts.hardware.attachments;
    for volume in &subject.found.volumes {
        let Some((chunk, _)) = chunk_of(subject, &volume.kernel) else { continue };
        let leaves = subject.leaves(&volume.kernel).into_iter();
        let limits = leaves.filter_map(|leaf| {
            let most = attachments.get(&leaf)?.queue.max_request_bytes?;
            (most < chunk).then_some((most, leaf))
        });
        if let Some((most, leaf)) = limits.min() {
            let text = format!(
                "its chunk of {} is more than {leaf} takes at a time: {}",
                Bytes(chunk),
                Bytes(most)
            );
            let hint = "raise max_sectors_kb of the members as far as max_hw_sectors_kb allows";
            all.push(finding("cut-requests", Weight::Advice, &[&volume.kernel], text, hint));
        }
    }
}

/// Files in many small pieces.
pub(super) fn fragmented(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    for target in &subject.facts.targets {
        let Some(pieces) = target.extents.filter(|pieces| *pieces > 1) else { continue };
        let each = target.bytes / pieces;
        if each < SCATTERED {
            let path = target.path.display().to_string();
            let text = format!("{pieces} pieces of {} on average", Bytes(each));
            let hint = "write it anew in one go, or let the file system's tool gather it: \
                        e4defrag, xfs_fsr, btrfs filesystem defragment";
            all.push(finding("fragmented-file", Weight::Warning, &[&path], text, hint));
        }
    }
}

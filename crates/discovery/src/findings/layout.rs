//! What lies across what: partitions across blocks and chunks, file systems made for another
//! stripe, files in many pieces.
//!
//! XFS shows its stripe in the options of a mount, in sectors of 512 bytes (`sunit`, `swidth`;
//! xfs(5)); ext4 in blocks (`stripe`; ext4(5)), which are of 4 KiB on all but tiny file systems.
//! Leaves out: alignment inside LVM and ZFS.

use std::collections::BTreeSet;

use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::mounts::Mount;
use iopath_units::Bytes;

use super::members::{groups, stripe_of};
use crate::facts::{Facts, Target};
use crate::model::{Finding, Weight};

/// A run of a file that is shorter costs a reader of disks more than a sixth of its time: a seek of
/// 8 ms and 200 MB/s, which are 1.6 MB not read, against five times that (chosen).
const SHORT_RUN_ON_DISK: u64 = 8 << 20;

/// On flash a run costs only where it is shorter than a request: the kernel's readahead of 128 KiB.
const SHORT_RUN_ON_FLASH: u64 = 128 << 10;

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let devices = facts.devices.iter().filter(|device| names.contains(&device.name));
    let mut found: Vec<Finding> = devices.filter_map(|device| misaligned(facts, device)).collect();
    let mut seen = BTreeSet::new();
    for mount in &facts.mounts {
        let Some(device) = facts.devices.by_number(mount.number) else { continue };
        if names.contains(&device.name) && seen.insert(device.name.clone()) {
            found.extend(other_stripe(facts, mount, device, names));
        }
    }
    found.extend(facts.targets.iter().filter_map(|target| fragmented(facts, target)));
    found
}

fn misaligned(facts: &Facts, device: &Device) -> Option<Finding> {
    let DeviceKind::Partition { whole, start_bytes, .. } = &device.kind else { return None };
    let queue = &facts.hardware.attachments.get(whole)?.queue;
    // What the disk says of its own beginning shifts all partitions.
    let shift = queue.alignment_offset.and_then(|shift| u64::try_from(shift).ok()).unwrap_or(0);
    let place = start_bytes.saturating_sub(shift);
    let block = queue.physical_block_bytes.filter(|block| *block > 0)?;
    let chunk = stripe_of(queue).map(|(chunk, _)| chunk);
    let (unit, noun, weight) = if !place.is_multiple_of(block) {
        (block, "physical blocks", Weight::Warning)
    } else {
        let chunk = chunk.filter(|chunk| !place.is_multiple_of(*chunk))?;
        (chunk, "chunks", Weight::Advice)
    };
    Some(Finding {
        rule: "misaligned-partition",
        weight,
        parts: vec![device.name.clone()],
        text: format!(
            "{} begins {} into {whole}, which is {} off from its {noun} of {}",
            device.name,
            Bytes(*start_bytes),
            Bytes(place % unit),
            Bytes(unit),
        ),
        hint: "aligned requests need two of them instead of one: save the data and create the \
            partition again, at a multiple of 1 MiB or of the stripe"
            .to_owned(),
    })
}

/// What a file system was made for against what its device deals out.
fn other_stripe(
    facts: &Facts,
    mount: &Mount,
    device: &Device,
    names: &BTreeSet<String>,
) -> Option<Finding> {
    let group = groups(facts, names).into_iter().find(|group| group.volume == device.name)?;
    let chunk = group.chunk_bytes?;
    let stripe = group.data_members.map(|members| members * chunk);
    let option = |name: &str| mount.option(name)?.parse::<u64>().ok();
    let real = match stripe {
        Some(stripe) => format!("chunks of {} and stripes of {}", Bytes(chunk), Bytes(stripe)),
        None => format!("chunks of {}", Bytes(chunk)),
    };
    let (text, hint) = match mount.fs_type.as_str() {
        "xfs" => {
            let unit = option("sunit").map(|sectors| sectors.saturating_mul(512));
            let width = option("swidth").map(|sectors| sectors.saturating_mul(512));
            if unit == Some(chunk) && (width == stripe || stripe.is_none()) {
                return None;
            }
            let (sunit, swidth) = (chunk / 512, stripe.unwrap_or(chunk) / 512);
            let hint = format!("mount it once with sunit={sunit},swidth={swidth}, which it keeps");
            (made_for(unit, width), hint)
        }
        "ext4" => {
            let unit = option("stripe").map(|blocks| blocks.saturating_mul(4096));
            if unit.is_some() && (unit == Some(chunk) || unit == stripe) {
                return None;
            }
            let blocks = stripe.unwrap_or(chunk) / 4096;
            (made_for(unit, None), format!("mount it with stripe={blocks}, also in /etc/fstab"))
        }
        _ => return None,
    };
    Some(Finding {
        rule: "stripe-hint",
        weight: Weight::Advice,
        parts: vec![device.name.clone()],
        text: format!(
            "the {} on {} was made for {text}, and {} ({}) has {real}",
            mount.fs_type,
            mount.mount_point.display(),
            device.name,
            group.noun
        ),
        hint,
    })
}

fn made_for(unit: Option<u64>, width: Option<u64>) -> String {
    match (unit, width) {
        (None, _) => "no stripe".to_owned(),
        (Some(unit), None) => format!("a stripe of {}", Bytes(unit)),
        (Some(unit), Some(width)) => {
            format!("chunks of {} and stripes of {}", Bytes(unit), Bytes(width))
        }
    }
}

fn fragmented(facts: &Facts, target: &Target) -> Option<Finding> {
    let runs = target.extents.filter(|runs| *runs > 1)?;
    let disks: BTreeSet<String> =
        target.place.devices.iter().flat_map(|name| facts.devices.leaves(name)).collect();
    let turns = |disk: &String| {
        let attachment = facts.hardware.attachments.get(facts.devices.whole_of(disk));
        attachment.and_then(|attachment| attachment.queue.is_rotational).unwrap_or(false)
    };
    let (limit, noun) = match disks.iter().any(turns) {
        true => (SHORT_RUN_ON_DISK, "disks"),
        false => (SHORT_RUN_ON_FLASH, "flash"),
    };
    let run = target.bytes / runs;
    (run < limit).then(|| Finding {
        rule: "fragmented-file",
        weight: Weight::Advice,
        parts: target.place.devices.iter().cloned().collect(),
        text: format!(
            "{} has {runs} extents of {} on average, less than {} on {noun}",
            target.path.display(),
            rounded(run),
            Bytes(limit),
        ),
        hint: "copy it in one go (with fallocate first), or use xfs_fsr, e4defrag or btrfs \
            filesystem defragment in place"
            .to_owned(),
    })
}

fn rounded(bytes: u64) -> String {
    use iopath_units::{Human, System};
    Bytes(bytes).human(System::Binary)
}

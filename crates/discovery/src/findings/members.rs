//! Volumes over several members, as rules look at them, whoever makes them.
//!
//! md tells level, chunk and slots; device-mapper shows a stripe by its queue, whose smallest good
//! request is the chunk and whose best one the whole stripe (drivers/md/dm-stripe.c), and a mirror
//! by the names of its images (lvmraid(7)); btrfs and ZFS tell their profiles.
//! Leaves out: where on a member a volume begins.

use std::collections::BTreeSet;

use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::file_systems::TopKind;
use iopath_machine::hardware::QueueFacts;
use iopath_machine::mapper::Target;

use crate::facts::Facts;

/// A volume and what it lies on.
pub(super) struct Group {
    /// Its name: that of the kernel, or of a pool.
    pub(super) volume: String,
    /// What it is, in words.
    pub(super) noun: String,
    /// What lies on one member before the next begins, where it deals data out.
    pub(super) chunk_bytes: Option<u64>,
    /// Members that hold data in one stripe, where that is known.
    pub(super) data_members: Option<u64>,
    /// Members by kernel name.
    pub(super) members: Vec<String>,
    /// Members that hold the same data, as places among the members; empty without mirrors.
    pub(super) mirrors: Vec<Vec<usize>>,
}

/// Chunk and whole stripe of a queue that shows a stripe.
pub(crate) fn stripe_of(queue: &QueueFacts) -> Option<(u64, u64)> {
    let (chunk, stripe) = (queue.minimum_io_bytes?, queue.optimal_io_bytes?);
    // A page is what disks with sectors of 4 KiB say.
    (chunk > 4096 && stripe > chunk && stripe.is_multiple_of(chunk)).then_some((chunk, stripe))
}

/// All volumes over several members, of these devices.
pub(super) fn groups(facts: &Facts, names: &BTreeSet<String>) -> Vec<Group> {
    let devices = facts.devices.iter().filter(|device| names.contains(&device.name));
    let mut all: Vec<Group> = devices.filter_map(|device| of_device(facts, device)).collect();
    all.extend(of_btrfs(facts));
    all.extend(of_pools(facts));
    all.retain(|group| {
        group.members.len() > 1 && group.members.iter().all(|member| names.contains(member))
    });
    all
}

fn of_device(facts: &Facts, device: &Device) -> Option<Group> {
    match &device.kind {
        DeviceKind::Array { .. } => of_array(facts, device),
        DeviceKind::Mapper { .. } if !device.is_multipath() => of_mapper(facts, device),
        DeviceKind::Mapper { .. }
        | DeviceKind::Disk
        | DeviceKind::Partition { .. }
        | DeviceKind::Loop(_)
        | DeviceKind::Bcache
        | DeviceKind::Zram => None,
    }
}

fn of_array(facts: &Facts, device: &Device) -> Option<Group> {
    let array = facts.hardware.arrays.get(&device.name)?;
    let level = array.level.clone().unwrap_or_default();
    let placed = array.members.iter().filter(|member| member.slot.is_some());
    let members: Vec<String> = placed.map(|member| member.device.clone()).collect();
    let count = members.len();
    // Two near copies: neighbours hold the same (layout 0x102).
    let are_pairs =
        level == "raid10" && array.layout.is_some_and(|layout| layout & 0xffff == 0x102);
    let mirrors = match level.as_str() {
        "raid1" => vec![(0..count).collect()],
        "raid10" if are_pairs => (0..count / 2).map(|pair| vec![2 * pair, 2 * pair + 1]).collect(),
        _ => Vec::new(),
    };
    let disks = u64::from(array.raid_disks.unwrap_or(0));
    let data_members = match level.as_str() {
        "raid0" => Some(disks),
        "raid4" | "raid5" => disks.checked_sub(1),
        "raid6" => disks.checked_sub(2),
        "raid10" if are_pairs => Some(disks / 2),
        _ => None,
    };
    let chunk_bytes = array.chunk_bytes.filter(|_| level != "raid1");
    let (volume, noun) = (device.name.clone(), level);
    Some(Group { volume, noun, chunk_bytes, data_members, members, mirrors })
}

fn of_mapper(facts: &Facts, device: &Device) -> Option<Group> {
    let map = |name: &String| match facts.devices.find(name).map(|device| &device.kind) {
        Some(DeviceKind::Mapper { name, .. }) => name.clone(),
        _ => String::new(),
    };
    let members = facts.data_of(device);
    let queue = facts.hardware.attachments.get(&device.name).map(|found| &found.queue);
    let stripe = queue.and_then(stripe_of).filter(|(chunk, stripe)| {
        let dealt = stripe / chunk;
        dealt <= members.len() as u64
    });
    let are_copies =
        |target: &Target| target.kind == "mirror" || target.layout.word.as_deref() == Some("raid1");
    let is_mirror = match facts.tables.get(&device.name) {
        Some(Ok(targets)) => targets.iter().all(are_copies),
        _ => members.iter().all(|name| map(name).contains("_rimage_")),
    };
    let mirrors = match stripe {
        None if is_mirror => vec![(0..members.len()).collect()],
        _ => Vec::new(),
    };
    Some(Group {
        volume: device.name.clone(),
        noun: device.noun().to_owned(),
        chunk_bytes: stripe.map(|(chunk, _)| chunk),
        data_members: stripe.map(|(chunk, stripe)| stripe / chunk),
        members,
        mirrors,
    })
}

fn of_btrfs(facts: &Facts) -> impl Iterator<Item = Group> {
    facts.btrfs.iter().map(|found| Group {
        volume: found.label.clone().unwrap_or_else(|| found.uuid.clone()),
        noun: format!("btrfs {}", found.data.join(" and ")),
        chunk_bytes: None,
        data_members: None,
        // Copies lie on any two members: they are apart unless all members are together.
        mirrors: match found.data.iter().all(|profile| profile.starts_with("raid1")) {
            true if !found.data.is_empty() => vec![(0..found.members.len()).collect()],
            _ => Vec::new(),
        },
        members: found.members.clone(),
    })
}

fn of_pools(facts: &Facts) -> impl Iterator<Item = Group> {
    facts.pools.iter().map(|pool| {
        let mut members = Vec::new();
        let mut mirrors = Vec::new();
        for top in &pool.tops {
            let first = members.len();
            members.extend(top.members.iter().flatten().cloned());
            if top.kind == TopKind::Mirror {
                mirrors.push((first..members.len()).collect());
            }
        }
        let (volume, noun) = (pool.name.clone(), "pool of ZFS".to_owned());
        Group { volume, noun, chunk_bytes: None, data_members: None, members, mirrors }
    })
}

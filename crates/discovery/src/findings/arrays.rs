//! Volumes over several members: copies that fall together, members that are missing, work that
//! arrays do for themselves, and chunks that no single request can hold.
//!
//! A chunk that is larger than the largest request of a member (`max_sectors_kb`) goes out in
//! several, each with a cost of its own. An array with parity keeps the stripes that it works on in
//! a cache of `stripe_cache_size` pages for each member (Documentation/admin-guide/md.rst), by
//! default 256: two stripes of 512 KiB chunks.
//! Leaves out: disks of virtual machines, whose hardware is not seen.

use std::collections::BTreeSet;

use iopath_machine::hardware::{ScsiVia, Transport};
use iopath_units::Bytes;

use super::members::{Group, groups};
use crate::facts::Facts;
use crate::model::{Finding, Weight};

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut found = Vec::new();
    for group in groups(facts, names) {
        found.extend(group.mirrors.iter().find_map(|sides| together(facts, &group, sides)));
        found.extend(split_chunks(facts, &group));
        found.extend(stripe_cache(facts, &group));
    }
    found.extend(names.iter().flat_map(|name| incomplete(facts, name)));
    found.extend(facts.pools.iter().filter_map(|pool| {
        let state = pool.state.as_deref().filter(|state| *state != "ONLINE")?;
        let members = pool.tops.iter().flat_map(|top| top.members.iter().flatten());
        let is_wanted = facts.targets.is_empty() || members.into_iter().any(|m| names.contains(m));
        is_wanted.then(|| Finding {
            rule: "degraded-array",
            weight: Weight::Warning,
            parts: vec![pool.name.clone()],
            text: format!("the pool {} is {state}", pool.name),
            hint: format!("`zpool status {}` names the member; replace it", pool.name),
        })
    }));
    found
}

/// Copies on one disk, or behind one controller.
fn together(facts: &Facts, group: &Group, sides: &[usize]) -> Option<Finding> {
    if sides.len() < 2 {
        return None;
    }
    let members: Vec<&String> = sides.iter().map(|side| &group.members[*side]).collect();
    let disks: BTreeSet<Vec<String>> =
        members.iter().map(|member| facts.devices.leaves(member).into_iter().collect()).collect();
    let listed = members.iter().map(|member| member.as_str()).collect::<Vec<_>>().join(" and ");
    let only = |all: &BTreeSet<Vec<String>>| {
        let one = all.first().filter(|one| all.len() == 1 && one.len() == 1)?;
        Some(one[0].clone())
    };
    let (rule, what, weight) = match only(&disks) {
        Some(disk) => ("one-disk", format!("on one disk, {disk}"), Weight::Warning),
        None => {
            let controllers: BTreeSet<Vec<String>> =
                disks.iter().map(|disks| controllers(facts, disks)).collect();
            let controller = only(&controllers)?;
            ("one-controller", format!("behind one controller, {controller}"), Weight::Advice)
        }
    };
    Some(Finding {
        rule,
        weight,
        parts: vec![group.volume.clone()],
        text: format!("the copies of {} ({}) are {what}: {listed}", group.volume, group.noun),
        hint: "losing it loses all of them: move one copy elsewhere if possible".to_owned(),
    })
}

/// The PCI functions of some disks; of virtual ones none.
fn controllers(facts: &Facts, disks: &[String]) -> Vec<String> {
    let mut all = BTreeSet::new();
    for disk in disks {
        let Some(attachment) = facts.hardware.attachments.get(disk) else { continue };
        let is_virtual = match &attachment.transport {
            Transport::Virtio { .. } | Transport::Xen | Transport::None => true,
            Transport::Scsi(scsi) => matches!(scsi.via, ScsiVia::Virtio | ScsiVia::Hypervisor(_)),
            Transport::Nvme(_)
            | Transport::Mmc
            | Transport::Pmem
            | Transport::Network(_)
            | Transport::Other(_) => false,
        };
        if !is_virtual {
            all.extend(attachment.functions().into_iter().map(str::to_owned));
        }
    }
    all.into_iter().collect()
}

fn incomplete(facts: &Facts, name: &str) -> Vec<Finding> {
    let Some(array) = facts.hardware.arrays.get(name) else { return Vec::new() };
    let level = array.level.as_deref().unwrap_or("array");
    let mut found = Vec::new();
    if let Some(missing) = array.degraded.filter(|missing| *missing > 0) {
        let disks = array.raid_disks.map(|disks| format!(" of {disks}")).unwrap_or_default();
        found.push(Finding {
            rule: "degraded-array",
            weight: Weight::Warning,
            parts: vec![name.to_owned()],
            text: format!("{name} ({level}) is without {missing}{disks} members"),
            hint: format!(
                "`mdadm --detail /dev/{name}` names it; add a new one with `mdadm --add`: until \
                 then the next loss may lose all data"
            ),
        });
    }
    let action = array.sync_action.as_deref();
    if let Some(action) = action.filter(|action| !["idle", "frozen"].contains(action)) {
        found.push(Finding {
            rule: "array-busy",
            weight: Weight::Warning,
            parts: vec![name.to_owned()],
            text: format!("{name} ({level}) is busy: {action}"),
            hint: "measure again when it has finished: `mdadm --detail` has its progress"
                .to_owned(),
        });
    }
    found
}

/// Members whose largest request is less than a chunk.
fn split_chunks(facts: &Facts, group: &Group) -> Option<Finding> {
    let chunk = group.chunk_bytes?;
    let mut disks = BTreeSet::new();
    for member in &group.members {
        disks.insert(facts.devices.whole_of(member).to_owned());
    }
    let queue = |disk: &String| Some(&facts.hardware.attachments.get(disk)?.queue);
    let is_small = |disk: &String| {
        let most = queue(disk).and_then(|queue| queue.max_request_bytes);
        most.is_some_and(|most| most > 0 && most < chunk)
    };
    let small: Vec<String> = disks.into_iter().filter(is_small).collect();
    let first = small.first()?;
    let queue = queue(first)?;
    let most = queue.max_request_bytes?;
    let hardware = queue.max_hardware_request_bytes.unwrap_or(most);
    let wanted = chunk.min(hardware);
    let hint = if wanted > most {
        let kib = wanted >> 10;
        format!(
            "raise max_sectors_kb of {} to {kib}; make it permanent by a udev rule",
            small.join(", ")
        )
    } else {
        format!("the controller allows only {}: choose a chunk of that", Bytes(hardware))
    };
    Some(Finding {
        rule: "cut-requests",
        weight: Weight::Advice,
        text: format!(
            "{} ({}) has chunks of {}, but requests of {first} are limited to {}: each chunk is \
             split into {}",
            group.volume,
            group.noun,
            Bytes(chunk),
            Bytes(most),
            chunk.div_ceil(most),
        ),
        parts: small,
        hint,
    })
}

/// Stripes that parity must be computed in at a time: fewer leave members idle (chosen).
const STRIPES: u64 = 8;
/// The kernel's largest (drivers/md/raid5.c).
const MOST_PAGES: u64 = 32768;
const PAGE: u64 = 4096;

/// An array with parity whose cache has room for few stripes: writers of whole stripes wait for one
/// another.
fn stripe_cache(facts: &Facts, group: &Group) -> Option<Finding> {
    let array = facts.hardware.arrays.get(&group.volume)?;
    let (chunk, pages) = (group.chunk_bytes?, array.stripe_cache_pages?);
    let stripes = (pages * PAGE) / chunk;
    let wanted = (2 * STRIPES * chunk / PAGE).min(MOST_PAGES);
    if stripes >= STRIPES || wanted <= pages {
        return None;
    }
    let memory = wanted * PAGE * u64::from(array.raid_disks?);
    Some(Finding {
        rule: "stripe-cache",
        weight: Weight::Advice,
        parts: vec![group.volume.clone()],
        text: format!(
            "{} ({}) has room for {stripes} stripes at a time: {pages} pages of each member, with \
             chunks of {}",
            group.volume,
            group.noun,
            Bytes(chunk)
        ),
        hint: format!(
            "raise md/stripe_cache_size of {} to {wanted}, which takes {} of memory: large writes \
             need fewer reads of old data and parity; a udev rule keeps it",
            group.volume,
            Bytes(memory)
        ),
    })
}

//! Judging a block device.
//!
//! A ZFS member or a mount in another namespace shows no holder; both have the device open
//! exclusively, which an exclusive open for reading finds out (open(2), O_EXCL on block devices).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::lock;
use super::loops::{backing_of, behind, loops_on};
use super::reach::{Reach, reach};
use super::refusal::Reason;
use super::token::token_of_device;
use super::{Case, Survey};
use crate::devices::{Device, DeviceKind};
use crate::error::ReadError;
use crate::location::{self, Object};
use crate::root::open_to_read;
use crate::signatures::{self, Class, Content, Signature};

const EMPTY: Content = Content { signatures: Vec::new(), has_data: false };

pub(super) fn examine(
    survey: &Survey<'_>,
    target: &Path,
    name: &str,
    case: &mut Case,
) -> Result<(), ReadError> {
    case.token = token_of_device(survey.root, &survey.devices, name);
    let Some(device) = survey.devices.find(name) else { return Ok(()) };
    if device.read_only {
        case.reasons.push(Reason::ReadOnly { what: device.node().display().to_string() });
    }
    if device.bytes == 0 {
        case.reasons.push(Reason::NoCapacity);
        return Ok(());
    }
    let reach = reach(survey, name);
    let mut unreadable = Vec::new();
    case.reasons.extend(doubts(survey, &reach));
    let suspended = suspended(survey, &reach);
    let is_readable = suspended.is_empty();
    case.reasons.extend(suspended);
    for member in reach.all.iter().filter_map(|name| survey.devices.find(name)) {
        let uses = uses_of(survey, member, name, &reach);
        let mut content = EMPTY;
        if is_readable && is_probed(survey, device, member) {
            match content_of(survey, device, member) {
                Ok(found) => content = found,
                Err(error) => unreadable.push((member.node(), error.to_string())),
            }
        }
        let is_unknown = content.has_data && content.signatures.is_empty();
        case.would_lose.extend(loss(member, &content, &uses));
        case.reasons.extend(uses);
        for signature in content.signatures {
            case.reasons.extend(imported_pool(survey, member, &signature));
            case.reasons.push(Reason::Signed { device: member.node(), signature });
        }
        if is_unknown {
            case.reasons.push(Reason::UnknownData { device: member.node() });
        }
    }
    if survey.root.is_live() {
        unreadable.extend(busy(survey, target, device, case));
        for lower in reach.free.iter().filter_map(|name| survey.devices.find(name)) {
            unreadable.extend(busy(survey, &lower.node(), lower, case));
        }
        // A lock on the whole disk, on a partition or on the file behind a loop device is one on
        // the bytes that they share.
        let others = reach.all.iter().filter(|name| **name != device.name);
        let others = others.filter_map(|name| Some(survey.devices.find(name)?.node()));
        let files = reach.own.iter().filter_map(|name| file_behind(survey, name));
        for place in others.chain(files) {
            case.reasons.extend(locked(survey, &place));
        }
    }
    case.reasons.extend(told_together(&unreadable));
    Ok(())
}

/// The target, its partitions, and the disk around it are read; what stands above is not, since a
/// suspended device-mapper device would let us wait for ever.
fn is_probed(survey: &Survey<'_>, target: &Device, member: &Device) -> bool {
    survey.judges_contents() && shares_place(survey, target, member)
}

fn shares_place(survey: &Survey<'_>, target: &Device, member: &Device) -> bool {
    member.name == target.name
        || target.partitions.contains(&member.name)
        || survey.devices.whole_of(&target.name) == member.name
}

/// What could not be read or remains in doubt.
fn doubts(survey: &Survey<'_>, reach: &Reach) -> Vec<Reason> {
    let node =
        |name: &String| survey.devices.find(name).map_or_else(|| PathBuf::from(name), Device::node);
    let unread = reach.unread.iter().map(|what| Reason::Unverifiable { what: what.clone() });
    let mut reasons: Vec<Reason> = unread.collect();
    let loops = reach.doubtful_loops.iter();
    reasons.extend(loops.map(|name| Reason::MayShareFile { loop_device: node(name) }));
    for (name, others) in &reach.units {
        let path = |other| Reason::OtherPath { device: node(name), other: node(other) };
        reasons.extend(others.iter().map(path));
    }
    reasons
}

/// What a device carries. On the disk around a target partition the table that defines it does not
/// count, nor does what lies inside another partition.
fn content_of(survey: &Survey<'_>, target: &Device, member: &Device) -> io::Result<Content> {
    let mut content = signatures::look(&survey.root.path(member.node()))?;
    if member.partitions.contains(&target.name) {
        let overlapping = survey.devices.overlapping(&target.name);
        let elsewhere: Vec<Range<u64>> = member
            .partitions
            .iter()
            .filter(|name| **name != target.name && !overlapping.contains(*name))
            .filter_map(|name| survey.devices.find(name)?.range())
            .collect();
        content.signatures.retain(|signature| {
            let is_elsewhere = elsewhere.iter().any(|range| range.contains(&signature.offset));
            signature.class != Class::PartitionTable && !is_elsewhere
        });
        // The table is there, and what the other partitions hold.
        content.has_data = false;
    }
    Ok(content)
}

/// Reading waits until somebody resumes what is suspended, however far below.
fn suspended(survey: &Survey<'_>, reach: &Reach) -> Vec<Reason> {
    let is_suspended = |name: &&String| {
        let attribute = format!("/sys/block/{name}/dm/suspended");
        survey.root.attribute(attribute).is_some_and(|text| text != "0")
    };
    let what = |name: &String| Reason::Unverifiable { what: format!("/dev/{name} is suspended") };
    reach.own.iter().filter(is_suspended).map(what).collect()
}

/// Everything that uses a device now, but for what the target is made of.
fn uses_of(survey: &Survey<'_>, device: &Device, target: &str, reach: &Reach) -> Vec<Reason> {
    let mut reasons = mounts_of(survey, device);
    reasons.extend(swaps_of(survey, device));
    for holder in reach.holders.get(&device.name).into_iter().flatten() {
        let by = survey.devices.find(holder).map_or_else(|| holder.clone(), describe);
        reasons.push(Reason::Held { device: device.node(), by });
    }
    let is_below = device.name != target && reach.own.contains(&device.name);
    if device.is_bcache_member && !is_below {
        reasons.push(Reason::Held { device: device.node(), by: "bcache".to_owned() });
    }
    for name in loops_on(survey, &Object::Block(device.name.clone())) {
        if reach.all.contains(&name) && !reach.own.contains(&name) {
            let loop_device = PathBuf::from(format!("/dev/{name}"));
            reasons.push(Reason::BacksLoop { backing: device.node(), loop_device });
        }
    }
    reasons
}

fn mounts_of(survey: &Survey<'_>, device: &Device) -> Vec<Reason> {
    let is_on = |mount: &&crate::mounts::Mount| {
        location::devices_of(survey.root, &survey.devices, mount).contains(&device.name)
    };
    let mut reasons: Vec<Reason> = survey
        .mounts
        .iter()
        .filter(is_on)
        .map(|mount| Reason::Mounted { device: device.node(), at: mount.mount_point.clone() })
        .collect();
    if reasons.is_empty() && location::btrfs_members(survey.root, &device.name).is_some() {
        let by = "a btrfs mounted out of sight".to_owned();
        reasons.push(Reason::Held { device: device.node(), by });
    }
    reasons
}

/// Swap on the device itself, in a file of the file system on it, or in the file that it shows.
fn swaps_of(survey: &Survey<'_>, device: &Device) -> Vec<Reason> {
    let shown = behind(survey, device);
    let is_on = |path: &Path| match survey.identify(path) {
        Some(Object::Block(name)) => name == device.name,
        found if found.is_some() && found == shown => true,
        _ => location::device_of_file(survey.root, &survey.devices, path)
            .is_ok_and(|location| location.devices.contains(&device.name)),
    };
    let swaps = survey.swaps.iter().filter(|swap| is_on(&swap.path));
    swaps.map(|swap| Reason::ActiveSwap { swap: swap.path.clone() }).collect()
}

/// A pool that is imported shows itself in /proc/spl/kstat/zfs/POOL.
fn imported_pool(survey: &Survey<'_>, device: &Device, signature: &Signature) -> Option<Reason> {
    let pool = signature.label.as_ref().filter(|_| signature.kind == "ZFS member")?;
    let is_imported = survey.root.has(format!("/proc/spl/kstat/zfs/{pool}"));
    let by = format!("the imported ZFS pool {pool:?}");
    is_imported.then(|| Reason::Held { device: device.node(), by })
}

/// Finds an exclusive opener or a lock; gives back what hinders finding one.
fn busy(survey: &Survey<'_>, place: &Path, device: &Device, case: &mut Case) -> Option<Unreadable> {
    // What the caller has claimed itself would be busy; others may have locked it all the same.
    let claim = if survey.is_claimed(&device.name) { OFlags::empty() } else { OFlags::EXCL };
    let opened = open_to_read(place, claim);
    let error = match opened.and_then(|file| lock::by_others(survey, place, &file)) {
        Ok(locked) => {
            case.reasons.extend(locked);
            return None;
        }
        Err(error) => error,
    };
    match Errno::from_io_error(&error) {
        Some(Errno::BUSY) => case.reasons.push(Reason::Busy { device: device.node() }),
        Some(Errno::NOMEDIUM) => case.reasons.push(Reason::NoCapacity),
        _ => return Some((device.node(), error.to_string())),
    }
    None
}

/// A lock on a device or file that shares bytes with the target.
fn locked(survey: &Survey<'_>, place: &Path) -> Option<Reason> {
    // One that cannot be opened has other reasons.
    lock::by_others(survey, place, &open_to_read(place, OFlags::empty()).ok()?).ok().flatten()
}

/// The file behind a loop device, where its path still leads to it.
fn file_behind(survey: &Survey<'_>, name: &str) -> Option<PathBuf> {
    let device = survey.devices.find(name)?;
    let path = &backing_of(device)?.file;
    let shown = behind(survey, device)?;
    let is_file = matches!(shown, Object::Inode { .. }) && survey.identify(path) == Some(shown);
    is_file.then(|| path.clone())
}

/// A device by its node, and what the kernel said when it was to be read.
type Unreadable = (PathBuf, String);

/// One reason for all devices about which the kernel said the same.
fn told_together(unreadable: &[Unreadable]) -> Vec<Reason> {
    let mut nodes: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (node, error) in unreadable {
        nodes.entry(error).or_default().insert(node.display().to_string());
    }
    let told = nodes.into_iter().map(|(error, nodes)| {
        let nodes: Vec<String> = nodes.into_iter().collect();
        Reason::Unverifiable { what: format!("cannot read {}: {error}", nodes.join(", ")) }
    });
    told.collect()
}

/// `LVM volume vg-home (/dev/dm-0)`.
fn describe(device: &Device) -> String {
    let node = device.node();
    match &device.kind {
        DeviceKind::Mapper { name, .. } => {
            format!("{} {name} ({})", device.noun(), node.display())
        }
        _ => format!("{} {}", device.noun(), node.display()),
    }
}

/// One line about what a device would lose; none when it holds nothing.
fn loss(device: &Device, content: &Content, uses: &[Reason]) -> Option<String> {
    let mut parts: Vec<String> = content.signatures.iter().map(ToString::to_string).collect();
    if content.has_data && parts.is_empty() {
        parts.push("data in no known format".to_owned());
    }
    for reason in uses {
        match reason {
            Reason::Mounted { at, .. } => parts.push(format!("mounted on {}", at.display())),
            Reason::ActiveSwap { .. } => parts.push("active swap".to_owned()),
            Reason::Held { by, .. } => parts.push(format!("held by {by}")),
            Reason::BacksLoop { loop_device, .. } => {
                parts.push(format!("behind {}", loop_device.display()));
            }
            _ => {}
        }
    }
    let name = match &device.kind {
        DeviceKind::Mapper { name, .. } => format!("{} ({name})", device.node().display()),
        _ => device.node().display().to_string(),
    };
    (!parts.is_empty()).then(|| format!("{name}: {}", parts.join(", ")))
}

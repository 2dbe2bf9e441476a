//! Which file or device is behind a loop device, and which loop devices are over one file.
//!
//! LOOP_GET_STATUS64 gives the file's device and inode number ([`crate::ioctl`]), also when its
//! name was deleted; it takes leave to open the device. Else there is the path in sysfs
//! (`loop/backing_file`), made up anew at every look, which is lost when the name was deleted.
//! Law: two loop devices may be over one file unless their files, or their bytes, are shown to be
//! different. Leaves out: ranges within a file.

use std::os::linux::fs::MetadataExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::Survey;
use super::bytes::{View, differ};
use crate::counters::diskstats::DeviceNumber;
use crate::devices::{Backing, Device, DeviceKind};
use crate::ioctl::{self, LoopFile};
use crate::location::Object;
use crate::mounts::Mount;
use crate::root::{Root, open_to_read};

/// What a loop device shows: a block device or a file; `None` when that is lost, or it is none.
pub(super) fn behind(survey: &Survey<'_>, device: &Device) -> Option<Object> {
    let backing = backing_of(device)?;
    let by_path = || survey.identify(&backing.file).filter(|_| !backing.is_deleted);
    let Some(file) = survey.loop_file(device) else { return by_path() };
    let inode = Object::Inode { device: file.device, inode: file.inode };
    match file.special {
        0 => Some(inode),
        // An older kernel's way to say that the file is no device, or a node that lies on the
        // very device that it leads to.
        special if special == file.device => {
            Some(by_path().filter(|object| matches!(object, Object::Block(_))).unwrap_or(inode))
        }
        special => {
            let number = DeviceNumber::from_raw(special);
            let device = survey.devices.by_number(number);
            Some(device.map_or(Object::UnknownBlock(number), |d| Object::Block(d.name.clone())))
        }
    }
}

/// Loop devices that show a block device or file.
pub(super) fn loops_on(survey: &Survey<'_>, object: &Object) -> Vec<String> {
    let shows = |device: &&Device| behind(survey, device).as_ref() == Some(object);
    survey.devices.iter().filter(shows).map(|device| device.name.clone()).collect()
}

/// The file a loop device is over, as sysfs describes it.
pub(super) fn backing_of(device: &Device) -> Option<&Backing> {
    match &device.kind {
        DeviceKind::Loop(backing) => backing.as_ref(),
        _ => None,
    }
}

/// Where in what is behind it a loop device begins.
pub(super) fn start_of(device: &Device) -> u64 {
    backing_of(device).map_or(0, |backing| backing.offset_bytes)
}

/// Whether two loop devices are over one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    Known,
    Possible,
    Excluded,
}

/// Whether two loop devices are over one file. Those over a device are found below, in the graph.
pub(super) fn sharing(survey: &Survey<'_>, one: &Device, other: &Device) -> Sharing {
    let (Some(first), Some(second)) = (backing_of(one), backing_of(other)) else {
        return Sharing::Excluded;
    };
    let (shown, also) = (behind(survey, one), behind(survey, other));
    let is_file = |object: &Option<Object>| match object {
        Some(Object::Inode { .. }) | None => true,
        Some(Object::Block(_) | Object::UnknownBlock(_)) => false,
    };
    if !is_file(&shown) || !is_file(&also) {
        return Sharing::Excluded;
    }
    let is_one_lost = shown.is_none() && also.is_none() && first.file == second.file;
    if is_one_lost || shown.is_some() && shown == also {
        return Sharing::Known;
    }
    let are_numbered = match (&shown, &also) {
        (Some(Object::Inode { device, .. }), Some(Object::Inode { device: second, .. })) => {
            device == second && is_numbered(survey, *device)
        }
        _ => false,
    };
    let are_kept = is_of_own(survey, one) && is_of_own(survey, other);
    if are_numbered || are_kept || is_apart(survey, one, other) || !is_attached(survey, other) {
        return Sharing::Excluded;
    }
    Sharing::Possible
}

/// A device that was detached since the survey, and perhaps attached to another file, does not show
/// that file any more.
pub(super) fn is_attached(survey: &Survey<'_>, device: &Device) -> bool {
    match (survey.loop_file(device), loop_file(device)) {
        (Some(then), Some(now)) => then == now,
        _ => survey.root.has(format!("/sys/block/{}/loop/backing_file", device.name)),
    }
}

/// Whether the bytes, where both would show the same part of one file, are different.
fn is_apart(survey: &Survey<'_>, one: &Device, other: &Device) -> bool {
    let end = |device: &Device| start_of(device).saturating_add(device.bytes);
    let from = start_of(one).max(start_of(other));
    let bytes = end(one).min(end(other)).saturating_sub(from);
    let view = |device: &Device| View::of_device(survey.root, device, from - start_of(device));
    bytes == 0 || differ(&view(one), &view(other), bytes)
}

/// Whether two inode numbers on one file system are two files: FUSE may number every name.
pub(super) fn is_numbered(survey: &Survey<'_>, device: u64) -> bool {
    let number = DeviceNumber::from_raw(device);
    let is_fuse = |mount: &Mount| mount.number == number && mount.fs_type.starts_with("fuse");
    !survey.mounts.iter().any(is_fuse)
}

/// Whether no other file can be the one behind a loop device under other numbers.
pub(super) fn is_of_own(survey: &Survey<'_>, device: &Device) -> bool {
    let Some(object @ Object::Inode { device: number, .. }) = behind(survey, device) else {
        return false;
    };
    // The path shows the file system, if it still leads to this file.
    let path = backing_of(device).map(|backing| &backing.file);
    let is_kept = |path: &Path| {
        survey.identify(path).as_ref() == Some(&object) && keeps_own(survey.root, path, number)
    };
    has_device(number) || path.is_some_and(|path| is_kept(path))
}

/// Whether a file system keeps its files itself, so that no other one shows them under other
/// numbers, as overlay, NFS and FUSE do with those of others. An imitated machine has no others.
pub(super) fn keeps_own(root: &Root, path: &Path, device: u64) -> bool {
    // include/uapi/linux/magic.h; those without a block device of their number.
    const OWN: [u64; 7] = [
        0x0102_1994, // tmpfs
        0x8584_58F6, // ramfs
        0x9584_58F6, // hugetlbfs
        0x9123_683E, // btrfs
        0x2FC1_2FC1, // zfs
        0xCA45_1A4E, // bcachefs
        0x2405_1905, // ubifs
    ];
    const OVERLAY: u64 = 0x794C_7630;
    if !root.is_live() {
        return true;
    }
    let Ok(facts) = rustix::fs::statfs(root.path(path)) else { return false };
    let magic = (facts.f_type as u64) & 0xFFFF_FFFF;
    OWN.contains(&magic) || magic != OVERLAY && has_device(device)
}

fn has_device(number: u64) -> bool {
    rustix::fs::major(number) != 0
}

/// Asks the kernel; nothing where the node is not this device's, or may not be opened.
pub(super) fn loop_file(device: &Device) -> Option<LoopFile> {
    backing_of(device)?;
    let node = open_to_read(&device.node(), OFlags::empty()).ok()?;
    let number = DeviceNumber::from_raw(node.metadata().ok()?.st_rdev());
    ioctl::loop_file(&node).ok().filter(|_| number == device.number)
}

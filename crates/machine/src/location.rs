//! What a name leads to, and which file system and which drives a file lies on.
//!
//! Whether two names are one thing is decided here alone: links are followed, nodes known by their
//! device's number, files by file system and inode.
//!
//! Idea: statx names the mount, the mount names its device; where the file system makes up a
//! device number (btrfs) the mount's source and sysfs tell the members. From there down through
//! `slaves` and partitions to the leaf drives. tmpfs, overlay, nfs and ZFS have no block device of
//! their own here.
//! Leaves out: which extents of the file lie on which drive.

use std::collections::BTreeSet;
use std::fs;
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags};

use crate::counters::diskstats::DeviceNumber;
use crate::devices::{Device, DeviceKind, Devices};
use crate::error::ReadError;
use crate::file_systems;
use crate::mounts::{self, Mount};
use crate::root::Root;

/// Where a file lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The mount; `None` for a block device itself.
    pub mount: Option<Mount>,
    /// The devices the file system is on, by name; empty when it has none.
    pub devices: BTreeSet<String>,
    /// The drives at the bottom of those; a loop device is followed to the drives under its file.
    pub leaves: BTreeSet<String>,
}

/// Finds the block devices under a file, directory or device node.
pub fn device_of_file(root: &Root, devices: &Devices, path: &Path) -> Result<Location, ReadError> {
    if let Object::Block(name) = identify(root, devices, path)? {
        let leaves = leaves_through_loops(root, devices, &name);
        return Ok(Location { mount: None, devices: BTreeSet::from([name]), leaves });
    }
    device_of_file_among(root, devices, &mounts::read(root)?, path)
}

/// The same with mounts that were read before: for many files at once.
pub fn device_of_file_among(
    root: &Root,
    devices: &Devices,
    mounts: &[Mount],
    path: &Path,
) -> Result<Location, ReadError> {
    if let Object::Block(name) = identify(root, devices, path)? {
        let leaves = leaves_through_loops(root, devices, &name);
        return Ok(Location { mount: None, devices: BTreeSet::from([name]), leaves });
    }
    let mount = mount_among(root, mounts, path)?.cloned();
    let found = mount.as_ref().map_or_else(BTreeSet::new, |mount| devices_of(root, devices, mount));
    let leaves = found.iter().flat_map(|name| leaves_through_loops(root, devices, name)).collect();
    Ok(Location { mount, devices: found, leaves })
}

/// A path to what this process has open under a number.
pub fn path_of_open(number: i32) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{number}"))
}

/// What a path leads to: the same for all names of one thing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// A block device, by kernel name.
    Block(String),
    /// A block device that sysfs does not list.
    UnknownBlock(DeviceNumber),
    /// Anything else, by device and inode number: all its names are one.
    Inode { device: u64, inode: u64 },
}

impl Object {
    /// The disk that a partition is of; a device that is none is its own.
    pub fn whole(&self, devices: &Devices) -> Option<Self> {
        let Self::Block(name) = self else { return None };
        Some(Self::Block(devices.whole_of(name).to_owned()))
    }
}

/// Follows links to the thing itself. Under an imitated root a device is known by its name, since a
/// real node there would lead to this machine's device.
pub fn identify(root: &Root, devices: &Devices, path: &Path) -> Result<Object, ReadError> {
    let place = root.path(path);
    if !root.is_live() {
        let found = fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
        let base = fs::canonicalize(root.path("/dev")).unwrap_or_else(|_| root.path("/dev"));
        let name =
            found.strip_prefix(base).ok().map(|name| name.to_string_lossy().replace('/', "!"));
        if let Some(device) = name.and_then(|name| devices.find(&name)) {
            return Ok(Object::Block(device.name.clone()));
        }
    }
    let metadata = fs::metadata(&place).map_err(|source| ReadError::from_io(place, source))?;
    if metadata.file_type().is_block_device() {
        let number = DeviceNumber::from_raw(metadata.st_rdev());
        let device = devices.by_number(number);
        return Ok(device.map_or(Object::UnknownBlock(number), |d| Object::Block(d.name.clone())));
    }
    Ok(Object::Inode { device: metadata.st_dev(), inode: metadata.st_ino() })
}

/// The mount a path lies on: by number on this machine, by the longest mount point elsewhere.
pub(crate) fn mount_of(root: &Root, path: &Path) -> Result<Option<Mount>, ReadError> {
    Ok(mount_among(root, &mounts::read(root)?, path)?.cloned())
}

/// The same among mounts that were read before.
pub(crate) fn mount_among<'m>(
    root: &Root,
    all: &'m [Mount],
    path: &Path,
) -> Result<Option<&'m Mount>, ReadError> {
    let wanted = if root.is_live() {
        let id = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID)
            .map_err(|errno| ReadError::from_io(path.into(), errno.into()))?
            .stx_mnt_id;
        all.iter().position(|mount| mount.id == id)
    } else {
        let place = root.path(path);
        let found = fs::canonicalize(&place).unwrap_or(place);
        let base = fs::canonicalize(root.path("/")).unwrap_or_else(|_| root.path("/"));
        let name = PathBuf::from("/").join(found.strip_prefix(base).unwrap_or(&found));
        let depth = |mount: &Mount| mount.mount_point.components().count();
        let holds = |(_, mount): &(usize, &Mount)| name.starts_with(&mount.mount_point);
        all.iter().enumerate().filter(holds).max_by_key(|(_, m)| depth(m)).map(|(index, _)| index)
    };
    Ok(wanted.map(|index| &all[index]))
}

/// The block devices of a mounted file system, those of its log among them.
///
/// bcachefs joins its members with colons; XFS names others in `logdev=` and `rtdev=`.
pub(crate) fn devices_of(root: &Root, devices: &Devices, mount: &Mount) -> BTreeSet<String> {
    let block = |path: &Path| match identify(root, devices, path) {
        Ok(Object::Block(name)) => Some(name),
        _ => None,
    };
    let is_path = |text: &&str| text.starts_with('/');
    let options = mount.options.iter().filter_map(|option| option.split_once('='));
    let others = options.map(|(_, value)| value).filter(is_path);
    let mut found: BTreeSet<String> = others.filter_map(|path| block(Path::new(path))).collect();
    if let Some(device) = devices.by_number(mount.number) {
        found.insert(device.name.clone());
        return found;
    }
    // A source that is no path (tmpfs, server:/export) is not one in the working directory.
    let source = mount.source.to_string_lossy();
    match block(&mount.source).filter(|_| is_path(&&*source)) {
        Some(name) => found.extend(btrfs_members(root, &name).unwrap_or_else(|| [name].into())),
        None => {
            let members = source.split(':').filter(is_path);
            found.extend(members.filter_map(|path| block(Path::new(path))));
        }
    }
    found
}

/// All members of the mounted btrfs that `name` belongs to: /sys/fs/btrfs/UUID/devices.
pub(crate) fn btrfs_members(root: &Root, name: &str) -> Option<BTreeSet<String>> {
    let all = file_systems::btrfs(root).into_iter().map(|found| found.members);
    let found = all.into_iter().find(|members| members.iter().any(|member| member == name));
    Some(found?.into_iter().collect())
}

fn leaves_through_loops(root: &Root, devices: &Devices, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        for leaf in devices.leaves(&name) {
            let lower = devices
                .find(&leaf)
                .map_or_else(BTreeSet::new, |device| under_loop(root, devices, device));
            if lower.is_empty() {
                found.insert(leaf);
            } else {
                open.extend(lower);
            }
        }
    }
    found
}

fn under_loop(root: &Root, devices: &Devices, device: &Device) -> BTreeSet<String> {
    let DeviceKind::Loop(Some(backing)) = &device.kind else { return BTreeSet::new() };
    match identify(root, devices, &backing.file) {
        Ok(Object::Block(name)) => BTreeSet::from([name]),
        Ok(_) => match mount_of(root, &backing.file) {
            Ok(Some(mount)) => devices_of(root, devices, &mount),
            _ => BTreeSet::new(),
        },
        Err(_) => BTreeSet::new(),
    }
}

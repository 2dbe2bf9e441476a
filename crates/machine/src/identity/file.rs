//! Files: an inode on a file system that other hosts know, too.
//!
//! A server's file system is known by the source of its mount, one on a block device by that
//! device: cluster file systems (gfs2, ocfs2) lie on one unit on all hosts, and a local one is
//! mounted by one of them. Inode numbers are the file system's own, so all hosts see the same.
//! Leaves out btrfs, where each subvolume counts inodes anew, and what makes them up on each host
//! (FUSE at large, overlays, memory).

use std::collections::BTreeSet;
use std::path::Path;

use super::{Known, Machine, Reach};
use crate::counters::diskstats::DeviceNumber;
use crate::error::ReadError;
use crate::location::{devices_of, mount_among};
use crate::mounts::Mount;

/// File systems of servers and clusters whose source is the same on all hosts.
const SERVED: [&str; 11] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "ceph",
    "lustre",
    "gpfs",
    "beegfs",
    "pvfs2",
    "wekafs",
    "fuse.glusterfs",
];

/// The name in the world, if it has one.
pub(super) fn of(
    machine: Machine<'_>,
    path: &Path,
    inode: u64,
) -> Result<Option<Known>, ReadError> {
    let Some(mount) = mount_among(machine.root, machine.mounts, path)? else { return Ok(None) };
    let system = if SERVED.contains(&mount.fs_type.as_str()) {
        served(mount)
    } else {
        on_device(machine, mount)
    };
    Ok(system.map(|system| Known::in_world(&format!("{system}#{inode}"))))
}

/// SMB makes inode numbers up unless the server's are used.
fn served(mount: &Mount) -> Option<String> {
    let is_smb = ["cifs", "smb3"].contains(&mount.fs_type.as_str());
    if is_smb && !mount.options.iter().any(|option| option == "serverino") {
        return None;
    }
    let source = mount.source.to_string_lossy();
    // With the version, as NFS 3 and 4 may mean different directories by one path.
    Some(format!("{}.{source}", mount.fs_type))
}

fn on_device(machine: Machine<'_>, mount: &Mount) -> Option<String> {
    if mount.fs_type == "btrfs" {
        return None;
    }
    let devices: BTreeSet<String> = devices_of(machine.root, machine.devices, mount);
    let mut devices = devices.iter();
    let (Some(only), None) = (devices.next(), devices.next()) else { return None };
    let known = machine.device(only).filter(|one| one.reach == Reach::World)?;
    Some(known.name)
}

/// A file as its kernel numbers it.
pub(super) fn numbered(device: u64, inode: u64) -> String {
    format!("{}#{inode}", DeviceNumber::from_raw(device))
}

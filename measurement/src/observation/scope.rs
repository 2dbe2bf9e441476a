//! What is watched: the whole machine, or what lies below some targets.
//!
//! Below a file is its file system and the devices that the mount names; below a device what it
//! stands on, down to the drives, a loop device being followed through its file
//! ([`iopath_machine::location`]). The machine itself is always watched. It leaves out which
//! extents of a file lie on which device.

use std::collections::BTreeSet;
use std::path::PathBuf;

use iopath_machine::location::{Location, device_of_file};
use iopath_machine::mounts::Mount;
use iopath_machine::{Devices, Root};

use super::CannotWatch;

/// A target with what it lies on.
#[derive(Debug)]
pub(super) struct Target {
    pub path: PathBuf,
    pub location: Location,
}

/// What is watched.
#[derive(Debug)]
pub(super) struct Scope {
    /// Empty: the whole machine.
    pub targets: Vec<Target>,
    /// The devices of the targets and all below.
    names: BTreeSet<String>,
}

impl Scope {
    pub(super) fn of(
        root: &Root,
        devices: &Devices,
        targets: &[PathBuf],
    ) -> Result<Self, CannotWatch> {
        let mut found = Vec::new();
        let mut names = BTreeSet::new();
        for path in targets {
            let cannot = |source| CannotWatch::Target { path: path.clone(), source };
            let location = device_of_file(root, devices, path).map_err(cannot)?;
            for name in location.devices.iter().chain(&location.leaves) {
                names.insert(name.clone());
                names.extend(devices.below(name));
            }
            found.push(Target { path: path.clone(), location });
        }
        Ok(Self { targets: found, names })
    }

    pub(super) fn has_device(&self, name: &str) -> bool {
        self.targets.is_empty() || self.names.contains(name)
    }

    /// Whether a file system without block devices (NFS, ZFS) is among what is watched.
    pub(super) fn has_mount(&self, is: impl Fn(&Mount) -> bool) -> bool {
        let mut mounts = self.targets.iter().filter_map(|target| target.location.mount.as_ref());
        self.targets.is_empty() || mounts.any(is)
    }
}

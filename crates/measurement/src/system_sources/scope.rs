//! What is sampled: the whole machine, or what lies below some targets.
//!
//! Below a file is its file system and the devices that the mount names; below a device what it
//! stands on, down to the drives, a loop device being followed through its file
//! ([`iopath_machine::location`]). The machine itself is always watched. It leaves out which
//! extents of a file lie on which device.

use std::collections::BTreeSet;
use std::path::PathBuf;

use iopath_machine::location::{Location, device_of_file};
use iopath_machine::mounts::Mount;
use iopath_machine::{Devices, ReadError, Root};

/// A target with what it lies on.
#[derive(Debug)]
pub(crate) struct Target {
    pub path: PathBuf,
    pub location: Location,
}

/// What is sampled; nothing but the machine itself to begin with.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub is_whole: bool,
    /// The targets; none where it is the whole machine.
    pub targets: Vec<Target>,
    /// The devices of the targets and all below.
    names: BTreeSet<String>,
}

impl Scope {
    /// Everything that the machine has.
    pub(crate) fn whole() -> Self {
        Self { is_whole: true, targets: Vec::new(), names: BTreeSet::new() }
    }

    /// What lies below these; the first that leads nowhere, and why.
    pub(crate) fn of(
        root: &Root,
        devices: &Devices,
        targets: &[PathBuf],
    ) -> Result<Self, (PathBuf, ReadError)> {
        let mut found = Vec::new();
        let mut names = BTreeSet::new();
        for path in targets {
            let location = device_of_file(root, devices, path);
            let location = location.map_err(|why| (path.clone(), why))?;
            for name in location.devices.iter().chain(&location.leaves) {
                names.insert(name.clone());
                names.extend(devices.below(name));
            }
            found.push(Target { path: path.clone(), location });
        }
        Ok(Self { is_whole: false, targets: found, names })
    }

    /// The devices of the targets and all below; none where it is the whole machine.
    pub(crate) fn devices(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(crate) fn has_device(&self, name: &str) -> bool {
        self.is_whole || self.names.contains(name)
    }

    /// Whether a file system without block devices (NFS, ZFS) is among what is sampled.
    pub(crate) fn has_mount(&self, is: impl Fn(&Mount) -> bool) -> bool {
        let mut mounts = self.targets.iter().filter_map(|target| target.location.mount.as_ref());
        self.is_whole || mounts.any(is)
    }
}

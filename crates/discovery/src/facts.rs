//! What is read of a machine before anything is concluded.
//!
//! All of it comes from `machine`, under one root; the rest of this crate computes with it. What
//! cannot be read is noted in words and left out. Leaves out: counters over time.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use iopath_machine::counters::diskstats::{self, DeviceNumber};
use iopath_machine::counters::{memory, processors};
use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::extents;
use iopath_machine::file_systems::{self, Btrfs, Parameter, Pool};
use iopath_machine::hardware::Hardware;
use iopath_machine::location;
use iopath_machine::mapper;
use iopath_machine::mounts::{self, Mount};
use iopath_machine::network_routes::{self, NetworkRoute};
use iopath_machine::target::{self, TargetKind};
use iopath_machine::{Devices, ReadError, Root, environment};

/// Facts about a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The machine's name.
    pub host: Option<String>,
    /// Logical processors.
    pub cpus: Option<u32>,
    /// Main memory.
    pub memory_bytes: Option<u64>,
    /// Block devices and how they stand on each other.
    pub devices: Devices,
    /// What they hang on.
    pub hardware: Hardware,
    /// Tables of device-mapper by kernel name, or why one is not known.
    pub tables: BTreeMap<String, Result<Vec<mapper::Target>, String>>,
    /// What is mounted.
    pub mounts: Vec<Mount>,
    /// Every btrfs with its members.
    pub btrfs: Vec<Btrfs>,
    /// Every pool of ZFS with its members.
    pub pools: Vec<Pool>,
    /// Parameters of ZFS that keep it from flushing, as far as they are set.
    pub zfs_without_flushes: Vec<Parameter>,
    /// Which interface leads where.
    pub routes: Vec<NetworkRoute>,
    /// Devices that have moved data since they came, or that answered a read just now.
    pub moved: BTreeSet<String>,
    /// Where the files behind loop devices lie, by loop device.
    pub behind_loops: BTreeMap<String, Place>,
    /// What the path is wanted of; empty for the whole machine.
    pub targets: Vec<Target>,
    /// What could not be read, in words.
    pub unread: Vec<String>,
}

/// Where a file lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The mount; `None` for a block device.
    pub mount: Option<Mount>,
    /// The block devices of its file system.
    pub devices: BTreeSet<String>,
}

/// Something that the path is wanted of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As it was named.
    pub path: PathBuf,
    pub kind: TargetKind,
    /// Its length; 0 for a directory.
    pub bytes: u64,
    /// What may still be written where it is.
    pub free_bytes: u64,
    /// Where it lies.
    pub place: Place,
    /// In how many pieces, where the file system says.
    pub extents: Option<u64>,
}

impl Facts {
    /// Reads a machine; with targets those, which must be there.
    ///
    /// # Errors
    /// The list of block devices, or a target, cannot be read.
    pub fn read(root: &Root, targets: &[PathBuf]) -> Result<Self, ReadError> {
        let devices = Devices::read(root)?;
        let mut unread = Vec::new();
        let environment = environment::read(root).facts;
        let mut facts = Self {
            host: environment.get("host.name").cloned(),
            hardware: Hardware::read(root, &devices),
            mounts: noted(mounts::read(root), &mut unread),
            btrfs: file_systems::btrfs(root),
            pools: file_systems::pools(root, &devices),
            zfs_without_flushes: file_systems::zfs_without_flushes(root),
            routes: network_routes::read(root),
            tables: tables(root, &devices),
            ..Self::default()
        };
        facts.cpus = processors_of(root, &environment);
        facts.memory_bytes = memory::read(root).ok().map(|memory| memory.total_bytes);
        facts.moved = diskstats::moved(root, devices.iter().map(|device| device.name.as_str()));
        for device in devices.iter() {
            if let DeviceKind::Loop(Some(backing)) = &device.kind {
                let place = place(root, &devices, &backing.file);
                facts.behind_loops.insert(device.name.clone(), place.unwrap_or_default());
            }
        }
        for path in targets {
            facts.targets.push(read_target(root, &devices, path)?);
        }
        unread.append(&mut facts.hardware.unread.clone());
        let mut facts = Self { devices, unread, ..facts };
        // A link is judged after a read only.
        let looked_at = facts.looked_at();
        facts.moved.extend(facts.hardware.wake(root, &looked_at));
        Ok(facts)
    }

    /// The devices under the targets; all of the machine without targets.
    pub(crate) fn looked_at(&self) -> BTreeSet<String> {
        if self.targets.is_empty() {
            return self.devices.iter().map(|device| device.name.clone()).collect();
        }
        let mut names = BTreeSet::new();
        let places = self.targets.iter().map(|target| &target.place);
        let members = places.clone().flat_map(|place| self.pool_members(place.mount.as_ref()));
        let own = places.flat_map(|place| place.devices.iter().cloned());
        let mut open: Vec<String> = members.chain(own).collect();
        while let Some(name) = open.pop() {
            if !names.insert(name.clone()) {
                continue;
            }
            open.extend(self.devices.below(&name));
            let behind = self.behind_loops.get(&name);
            open.extend(behind.into_iter().flat_map(|place| place.devices.iter().cloned()));
        }
        names
    }

    /// Names of devices by their numbers; those that are gone are left out.
    pub(crate) fn names_of(&self, numbers: &[DeviceNumber]) -> Vec<String> {
        let found = numbers.iter().filter_map(|number| self.devices.by_number(*number));
        found.map(|device| device.name.clone()).collect()
    }

    /// The devices that hold the data of a mapped one, in their order: by its table, else those it
    /// stands on without what the names of LVM call metadata, caches or copies.
    pub(crate) fn data_of(&self, device: &Device) -> Vec<String> {
        let Some(Ok(targets)) = self.tables.get(&device.name) else {
            let slaves = device.slaves.iter();
            return slaves.filter(|name| !self.is_besides(name)).cloned().collect();
        };
        let mut names: Vec<String> = Vec::new();
        for name in targets.iter().flat_map(|target| self.names_of(&target.layout.data)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether LVM names a device as one that only helps (lvmthin(7), lvmcache(7), lvmraid(7)).
    fn is_besides(&self, name: &str) -> bool {
        let Some(DeviceKind::Mapper { name, uuid }) =
            self.devices.find(name).map(|device| &device.kind)
        else {
            return false;
        };
        let ends = ["-cow", "-tmeta", "-cmeta", "-cdata", "-cvol"];
        uuid.starts_with("LVM-")
            && (name.contains("_rmeta_") || ends.iter().any(|end| uuid.ends_with(end)))
    }

    /// A dataset's pool is the first word of its name.
    fn pool_members(&self, mount: Option<&Mount>) -> Vec<String> {
        let Some(mount) = mount.filter(|mount| mount.fs_type == "zfs") else { return Vec::new() };
        let source = mount.source.to_string_lossy();
        let name = source.split('/').next().unwrap_or("");
        let pools = self.pools.iter().filter(|pool| pool.name == name);
        let members = pools.flat_map(|pool| pool.tops.iter().flat_map(|top| &top.members));
        members.flatten().cloned().collect()
    }
}

fn tables(root: &Root, devices: &Devices) -> BTreeMap<String, Result<Vec<mapper::Target>, String>> {
    let mapped = devices.iter().filter(|device| matches!(device.kind, DeviceKind::Mapper { .. }));
    let read = |device: &Device| mapper::targets(root, device).map_err(|error| untold(&error));
    mapped.map(|device| (device.name.clone(), read(device))).collect()
}

/// Why a table is not known.
fn untold(error: &ReadError) -> String {
    match error {
        ReadError::Unreadable { source, .. } if source.kind() == ErrorKind::PermissionDenied => {
            "its table is readable only for root".to_owned()
        }
        ReadError::Missing { .. } => "its table was not recorded".to_owned(),
        other => other.to_string(),
    }
}

fn noted<T: Default>(read: Result<T, ReadError>, unread: &mut Vec<String>) -> T {
    read.unwrap_or_else(|error| {
        unread.push(error.to_string());
        T::default()
    })
}

/// Processors that are counted, else those that are listed.
fn processors_of(root: &Root, environment: &BTreeMap<String, String>) -> Option<u32> {
    let counted = processors::read(root).ok().map(|found| found.each.len());
    let counted = counted.and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0);
    counted.or_else(|| environment.get("cpu.count")?.parse().ok())
}

fn place(root: &Root, devices: &Devices, path: &Path) -> Result<Place, ReadError> {
    let found = location::device_of_file(root, devices, path)?;
    Ok(Place { mount: found.mount, devices: found.devices })
}

fn read_target(root: &Root, devices: &Devices, path: &Path) -> Result<Target, ReadError> {
    let facts = target::read(root, devices, path)?;
    let facts = facts.ok_or_else(|| {
        let what = "neither a file, nor a directory, nor a block device";
        ReadError::Unreadable { path: path.to_owned(), source: std::io::Error::other(what) }
    })?;
    let free_bytes = facts.file_system.as_ref().map_or(0, |system| system.free_bytes);
    Ok(Target {
        path: path.to_owned(),
        kind: facts.kind,
        bytes: facts.bytes,
        free_bytes,
        place: place(root, devices, path)?,
        extents: extents::runs(root, path).ok().flatten(),
    })
}

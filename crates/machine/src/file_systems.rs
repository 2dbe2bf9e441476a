//! File systems over several devices: the members of btrfs and of pools of ZFS.
//!
//! A btrfs tells its members, and how data lies on them, in /sys/fs/btrfs/UUID (fs/btrfs/sysfs.c):
//! `devices/` links the members, `allocation/data/` has a folder for each profile in use. ZFS tells
//! the names and states of its pools in /proc/spl/kstat/zfs; how a pool is made stands in the
//! labels of its members only, which root alone may read (`zfs`).
//! Leaves out: subvolumes, datasets, and what a pool's caches and logs are on.

use crate::devices::Devices;
use crate::root::Root;

mod zfs;

pub use zfs::{Pool, Top, TopKind};

/// A btrfs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Btrfs {
    /// Its identity.
    pub uuid: String,
    /// Its name, where it has one.
    pub label: Option<String>,
    /// Its members by kernel name, sorted.
    pub members: Vec<String>,
    /// How data lies on them: `single`, `raid0`, `raid1`, `raid10`, `raid5`, `dup` …; several where
    /// it is being converted.
    pub data: Vec<String>,
}

/// Every btrfs that is mounted.
pub fn btrfs(root: &Root) -> Vec<Btrfs> {
    let folder = "/sys/fs/btrfs";
    let all = root.list(folder).unwrap_or_default().into_iter();
    // Beside the file systems stand `features` and others, without members.
    let read = |uuid: String| {
        let members = root.list(format!("{folder}/{uuid}/devices")).ok()?;
        let data = root.list(format!("{folder}/{uuid}/allocation/data")).unwrap_or_default();
        let data = data
            .into_iter()
            .filter(|name| root.has(format!("{folder}/{uuid}/allocation/data/{name}/total_bytes")));
        let data: Vec<String> = data.collect();
        (!members.is_empty()).then(|| Btrfs {
            label: root.attribute(format!("{folder}/{uuid}/label")),
            data,
            members,
            uuid,
        })
    };
    all.filter_map(read).collect()
}

/// Every pool of ZFS that is imported, by name.
pub fn pools(root: &Root, devices: &Devices) -> Vec<Pool> {
    let folder = "/proc/spl/kstat/zfs";
    let all = root.list(folder).unwrap_or_default().into_iter();
    // Beside the pools stand files of statistics.
    let names = all.filter(|name| root.path(format!("{folder}/{name}")).is_dir());
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return Vec::new();
    }
    let labels = zfs::labels(root, devices);
    let pool = |name: String| {
        let state = root.attribute(format!("{folder}/{name}/state"));
        zfs::pool(name, state, &labels)
    };
    names.into_iter().map(pool).collect()
}

/// A parameter of the module zfs that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: &'static str,
    pub value: String,
}

/// The parameters of ZFS that are set and keep it from flushing volatile caches: of everything, of
/// the intent log (zfs(4)).
pub fn zfs_without_flushes(root: &Root) -> Vec<Parameter> {
    let parameter = |name: &'static str| {
        let value = root.attribute(format!("/sys/module/zfs/parameters/{name}"))?;
        (value != "0").then_some(Parameter { name, value })
    };
    ["zfs_nocacheflush", "zil_nocacheflush"].into_iter().filter_map(parameter).collect()
}

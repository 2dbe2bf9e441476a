//! The control groups of this process.
//!
//! Format: cgroups(7), "/proc/pid/cgroup"; a line a hierarchy, `0::PATH` for version 2. A mount may
//! show a part of its hierarchy, and a container a part that does not hold its own group.
//! Leaves out: what groups limit.

use std::path::{Path, PathBuf};

use crate::error::ReadError;
use crate::mounts;
use crate::root::Root;

pub(crate) struct Group {
    pub(crate) directory: PathBuf,
    pub(crate) mount_point: PathBuf,
    /// Of version 2, whose one hierarchy has all controllers.
    pub(crate) is_unified: bool,
}

impl Group {
    /// Its directory and those of all groups above it.
    pub(crate) fn with_above(&self) -> impl Iterator<Item = &Path> {
        self.directory.ancestors().take_while(|path| path.starts_with(&self.mount_point))
    }
}

/// The groups that a controller may limit this process by; none without control groups.
pub(crate) fn of(root: &Root, controller: &str) -> Result<Vec<Group>, ReadError> {
    let Some(text) = root.read_if_present("/proc/self/cgroup")? else { return Ok(Vec::new()) };
    let mounts = mounts::read(root)?;
    let group = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?);
        let is_unified = controllers.is_empty();
        let is_named = controllers.split(',').any(|name| name == controller);
        let mount = mounts.iter().find(|mount| match mount.fs_type.as_str() {
            "cgroup2" => is_unified,
            "cgroup" => is_named && mount.options.iter().any(|option| option == controller),
            _ => false,
        })?;
        let below = Path::new(group).strip_prefix(&mount.subtree).ok()?;
        let mount_point = mount.mount_point.clone();
        Some(Group { directory: mount_point.join(below), mount_point, is_unified })
    };
    Ok(text.lines().filter_map(group).collect())
}

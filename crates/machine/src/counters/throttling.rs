//! cpu.stat of this process's control group (version 2): was the process held back?
//!
//! Format: Documentation/admin-guide/cgroup-v2.rst. A quota that throttles the load generator
//! looks like a slow device, so it is recorded. Limits of groups above ours count too but show only
//! in their own files. Leaves out: version 1, io.stat, memory limits.

use crate::error::ReadError;
use crate::line::{absent, lines};
use crate::mounts;
use crate::root::Root;

const NS_PER_US: u64 = 1_000;

/// How often and how long the group's tasks were held back for want of processor quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttling {
    /// Quota periods in which the group was throttled.
    pub periods: u64,
    /// Time throttled, summed over processors.
    pub ns: u64,
}

/// Reads the group's throttling; `None` without a version 2 group or a processor controller.
pub fn read(root: &Root) -> Result<Option<Throttling>, ReadError> {
    let Some(groups) = root.read_if_present("/proc/self/cgroup")? else { return Ok(None) };
    let Some(group) = groups.lines().find_map(|line| line.strip_prefix("0::")) else {
        return Ok(None);
    };
    let mounts = mounts::read(root)?;
    let Some(mount) = mounts.iter().find(|mount| mount.fs_type == "cgroup2") else {
        return Ok(None);
    };
    let file = format!("{}{}/cpu.stat", mount.mount_point.display(), group.trim_end_matches('/'));
    let Some(text) = root.read_if_present(&file)? else { return Ok(None) };
    let value = |name: &'static str| {
        lines(root, &file, &text)
            .find_map(|line| {
                let value = line.text.strip_prefix(name)?.strip_prefix(' ')?;
                Some(line.parse::<u64>(name, Some(value.trim())))
            })
            .transpose()
    };
    let Some(periods) = value("nr_throttled")? else { return Ok(None) };
    let us = value("throttled_usec")?.ok_or_else(|| absent(root.path(&file), "throttled_usec"))?;
    Ok(Some(Throttling { periods, ns: us.saturating_mul(NS_PER_US) }))
}

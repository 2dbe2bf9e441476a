//! cpu.stat of this process's control group (version 2): was the process held back?
//!
//! Format: Documentation/admin-guide/cgroup-v2.rst. A quota that throttles the load generator
//! looks like a slow device, so it is recorded. Limits of groups above ours count too but show only
//! in their own files. Leaves out: version 1, io.stat, memory limits.

use crate::error::ReadError;
use crate::groups;
use crate::line::Named;
use crate::root::Root;

const NS_PER_US: u64 = 1_000;

/// Reads how long the group's tasks were held back for want of processor quota, summed over
/// processors; `None` without a version 2 group or a processor controller.
pub fn throttled_ns(root: &Root) -> Result<Option<u64>, ReadError> {
    let groups = groups::of(root, "cpu")?;
    let Some(group) = groups.iter().find(|group| group.is_unified) else { return Ok(None) };
    let file = group.directory.join("cpu.stat");
    let Some(text) = root.read_if_present(&file)? else { return Ok(None) };
    if !text.contains("nr_throttled ") {
        return Ok(None);
    }
    let us = Named { root, file: &file.to_string_lossy(), text: &text }.number("throttled_usec")?;
    Ok(Some(us.saturating_mul(NS_PER_US)))
}

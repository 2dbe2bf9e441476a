//! /sys/fs/btrfs: errors of a mounted btrfs.
//!
//! Format: fs/btrfs/sysfs.c; since Linux 5.14 `devinfo/ID/error_stats` with a name and a value a
//! line. btrfs counts no requests: its traffic is that of its members in /proc/diskstats.
//! Leaves out: members ([`crate::file_systems`]), room, quota groups, the commit statistics of
//! Linux 6.0.

use crate::error::ReadError;
use crate::line::Named;
use crate::root::Root;

const ERRORS: [&str; 5] =
    ["write_errs", "read_errs", "flush_errs", "corruption_errs", "generation_errs"];

/// Reads, writes and flushes of its members that failed, and blocks whose checksum or generation
/// was wrong, since they were last set to nothing; they outlive a mount. `None` before Linux 5.14.
pub fn errors(root: &Root, uuid: &str) -> Result<Option<u64>, ReadError> {
    let folder = format!("/sys/fs/btrfs/{uuid}/devinfo");
    let mut errors: Option<u64> = None;
    for id in root.list(&folder)? {
        let file = format!("{folder}/{id}/error_stats");
        let Some(text) = root.read_if_present(&file)? else { continue };
        let stats = Named { root, file: &file, text: &text };
        for name in ERRORS {
            errors = Some(errors.unwrap_or(0).saturating_add(stats.number(name)?));
        }
    }
    Ok(errors)
}

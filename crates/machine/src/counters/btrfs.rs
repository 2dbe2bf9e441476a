//! /sys/fs/btrfs: members and errors of every mounted btrfs.
//!
//! Format: fs/btrfs/sysfs.c; since Linux 5.14 `devinfo/ID/error_stats` with a name and a value a
//! line. btrfs counts no requests: its traffic is that of its members in /proc/diskstats.
//! Leaves out: room, quota groups, the commit statistics of Linux 6.0.

use crate::error::ReadError;
use crate::line::Named;
use crate::root::Root;

const FOLDER: &str = "/sys/fs/btrfs";

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Btrfs {
    /// Its identity.
    pub uuid: String,
    /// Its members' names, such as `sdb`.
    pub members: Vec<String>,
    /// Reads, writes and flushes of its members that failed, and blocks whose checksum or
    /// generation was wrong, since they were last set to nothing; they outlive a mount. `None`
    /// before Linux 5.14.
    pub errors: Option<u64>,
}

const ERRORS: [&str; 5] =
    ["write_errs", "read_errs", "flush_errs", "corruption_errs", "generation_errs"];

/// Reads all mounted file systems.
pub fn read(root: &Root) -> Result<Vec<Btrfs>, ReadError> {
    // `features` is no file system.
    let all = root.list(FOLDER)?.into_iter().filter(|name| name != "features");
    all.map(|uuid| read_one(root, uuid)).collect()
}

fn read_one(root: &Root, uuid: String) -> Result<Btrfs, ReadError> {
    let folder = format!("{FOLDER}/{uuid}");
    let mut errors: Option<u64> = None;
    for id in root.list(format!("{folder}/devinfo"))? {
        let file = format!("{folder}/devinfo/{id}/error_stats");
        let Some(text) = root.read_if_present(&file)? else { continue };
        let stats = Named { root, file: &file, text: &text };
        for name in ERRORS {
            errors = Some(errors.unwrap_or(0).saturating_add(stats.number(name)?));
        }
    }
    Ok(Btrfs { members: root.list(format!("{folder}/devices"))?, errors, uuid })
}

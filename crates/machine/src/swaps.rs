//! /proc/swaps: devices and files in use as swap.
//!
//! Format: proc_swaps(5), names escaped as in mountinfo; sizes are KiB.
//! Leaves out: priorities.

use std::path::PathBuf;

use crate::error::ReadError;
use crate::line::lines;
use crate::mounts::unescape;
use crate::root::Root;

const FILE: &str = "/proc/swaps";

/// One swap area in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// The device or file.
    pub path: PathBuf,
    /// True for a file, false for a block device.
    pub is_file: bool,
    /// Size.
    pub bytes: u64,
}

/// Reads all swap areas in use; none when the kernel has no swap.
pub fn read(root: &Root) -> Result<Vec<Swap>, ReadError> {
    let Some(text) = root.read_if_present(FILE)? else { return Ok(Vec::new()) };
    let mut swaps = Vec::new();
    for line in lines(root, FILE, &text).skip(1) {
        let mut items = line.text.split_ascii_whitespace();
        let path = items.next().map(unescape).ok_or_else(|| line.malformed("name"))?;
        let kind = items.next().ok_or_else(|| line.malformed("type"))?;
        swaps.push(Swap {
            path,
            is_file: kind == "file",
            bytes: line.scaled("size", items.next(), 1024)?,
        });
    }
    Ok(swaps)
}

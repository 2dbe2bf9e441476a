//! /sys/block/NAME/stat: the columns of /proc/diskstats for devices that it does not list.
//!
//! Format: Documentation/block/stat.rst. The paths of native NVMe multipath (`nvme0c1n1`) are
//! hidden disks without a number; this is where their counters are.
//! Leaves out: everything that has a number, which one read of /proc/diskstats tells.

use super::diskstats::{DiskCounters, parse_counters};
use crate::error::ReadError;
use crate::line::Line;
use crate::root::Root;

/// A hidden path of NVMe multipath.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenPath {
    /// Such as `nvme0c1n1`: subsystem 0, controller 1, name space 1.
    pub name: String,
    /// The device that it is a path of, such as `nvme0n1`.
    pub whole: String,
}

/// The hidden paths of all NVMe devices, by name.
pub fn hidden_paths(root: &Root) -> Result<Vec<HiddenPath>, ReadError> {
    let names = root.list("/sys/block")?;
    Ok(names.into_iter().filter_map(hidden_path).collect())
}

/// Reads the counters of one device by name.
pub fn read(root: &Root, name: &str) -> Result<DiskCounters, ReadError> {
    let file = format!("/sys/block/{name}/stat");
    let text = root.read(&file)?;
    let line = Line { root, file: &file, number: 1, text: text.trim_end() };
    parse_counters(line.text.as_bytes()).ok_or_else(|| line.malformed("device counters"))
}

/// `nvme0c1n1` is controller 1 of subsystem 0, and its device is `nvme0n1`.
fn hidden_path(name: String) -> Option<HiddenPath> {
    let (subsystem, rest) = name.strip_prefix("nvme")?.split_once('c')?;
    let (controller, space) = rest.split_once('n')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let whole = format!("nvme{subsystem}n{space}");
    let is_path = [subsystem, controller, space].into_iter().all(is_number);
    is_path.then_some(HiddenPath { name, whole })
}

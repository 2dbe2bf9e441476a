//! Limits that control groups set on block devices for this process.
//!
//! Version 1: `blkio.throttle.{read,write}_{bps,iops}_device` of the process's own group; the
//! kernel holds a group to its own limits only
//! (Documentation/admin-guide/cgroup-v1/blkio-controller.rst).
//! Version 2: `io.max` of the process's group and of every group above it
//! (Documentation/admin-guide/cgroup-v2.rst). Leaves out: weights, `io.latency`, what hypervisors
//! and arrays set, which no file tells.

use std::path::PathBuf;

use crate::counters::diskstats::DeviceNumber;
use crate::error::ReadError;
use crate::groups::{self, Group};
use crate::line::{Line, lines};
use crate::root::Root;

/// One limit on one device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupLimit {
    /// The device; a partition is held to the limits of its disk.
    pub device: DeviceNumber,
    /// Which requests.
    pub direction: Direction,
    /// What of them.
    pub measure: Measure,
    /// How much of it a second.
    pub per_sec: u64,
    /// The kernel's file that says so.
    pub file: PathBuf,
}

/// Which requests a limit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Read,
    Write,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Bytes,
    /// Requests, as they leave the file system; large ones are split before.
    Operations,
}

const VERSION_1: [(&str, Direction, Measure); 4] = [
    ("blkio.throttle.read_bps_device", Direction::Read, Measure::Bytes),
    ("blkio.throttle.write_bps_device", Direction::Write, Measure::Bytes),
    ("blkio.throttle.read_iops_device", Direction::Read, Measure::Operations),
    ("blkio.throttle.write_iops_device", Direction::Write, Measure::Operations),
];

const VERSION_2: [(&str, Direction, Measure); 4] = [
    ("rbps", Direction::Read, Measure::Bytes),
    ("wbps", Direction::Write, Measure::Bytes),
    ("riops", Direction::Read, Measure::Operations),
    ("wiops", Direction::Write, Measure::Operations),
];

/// Every limit that holds for this process; empty without control groups.
pub fn read(root: &Root) -> Result<Vec<GroupLimit>, ReadError> {
    let mut found = Vec::new();
    for group in groups::of(root, "blkio")? {
        found.extend(match group.is_unified {
            true => of_version_2(root, &group)?,
            false => of_version_1(root, &group)?,
        });
    }
    Ok(found)
}

fn of_version_1(root: &Root, group: &Group) -> Result<Vec<GroupLimit>, ReadError> {
    let mut found = Vec::new();
    for (name, direction, measure) in VERSION_1 {
        let file = group.directory.join(name);
        let Some(text) = root.read_if_present(&file)? else { continue };
        let shown = file.to_string_lossy();
        for line in lines(root, &shown, &text) {
            let (device, value) = pair(&line)?;
            let per_sec = line.parse("limit", Some(value))?;
            found.push(GroupLimit { device, direction, measure, per_sec, file: file.clone() });
        }
    }
    Ok(found)
}

fn of_version_2(root: &Root, group: &Group) -> Result<Vec<GroupLimit>, ReadError> {
    let mut found = Vec::new();
    for directory in group.with_above() {
        let file = directory.join("io.max");
        let Some(text) = root.read_if_present(&file)? else { continue };
        let shown = file.to_string_lossy();
        for line in lines(root, &shown, &text) {
            let (device, rest) = pair(&line)?;
            for (key, value) in rest.split_whitespace().filter_map(|word| word.split_once('=')) {
                let known = VERSION_2.into_iter().find(|(name, ..)| *name == key);
                let Some((_, direction, measure)) = known.filter(|_| value != "max") else {
                    continue;
                };
                let per_sec = line.parse("limit", Some(value))?;
                found.push(GroupLimit { device, direction, measure, per_sec, file: file.clone() });
            }
        }
    }
    Ok(found)
}

fn pair<'a>(line: &Line<'a>) -> Result<(DeviceNumber, &'a str), ReadError> {
    let (number, rest) = line.text.split_once(' ').ok_or_else(|| line.malformed("limit"))?;
    let number = DeviceNumber::parse(number).ok_or_else(|| line.malformed("device number"))?;
    Ok((number, rest.trim()))
}

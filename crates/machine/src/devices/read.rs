//! Reading /sys/block into [`Device`]s.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::identity::{Identity, read_by_id};
use super::{Backing, Device, DeviceKind, is_numbered};
use crate::counters::diskstats::DeviceNumber;
use crate::error::ReadError;
use crate::line::Line;
use crate::root::Root;

const SECTOR_BYTES: u64 = 512;

pub(super) fn read(root: &Root) -> Result<BTreeMap<String, Device>, ReadError> {
    let by_id = read_by_id(root)?;
    let mut all = BTreeMap::new();
    for name in root.list("/sys/block")? {
        let folder = format!("/sys/block/{name}");
        let found = match read_disk(root, &name, &folder) {
            // A device that goes away while we read was not there.
            Err(error) if error.is_missing() => continue,
            other => other?,
        };
        for mut device in found {
            device.by_id = by_id.get(&device.name).cloned().unwrap_or_default();
            all.insert(device.name.clone(), device);
        }
    }
    Ok(all)
}

/// A whole device and its partitions; none for a device without a number.
fn read_disk(root: &Root, name: &str, folder: &str) -> Result<Vec<Device>, ReadError> {
    if !root.has(format!("{folder}/dev")) {
        return Ok(Vec::new());
    }
    let mut disk = read_one(root, name, folder)?;
    disk.identity = Identity::read(root, folder);
    disk.kind = kind_of(root, name, folder);
    let mut found = Vec::new();
    for entry in root.list(folder)? {
        let part = format!("{folder}/{entry}");
        if !entry.starts_with(name) || !root.has(format!("{part}/partition")) {
            continue;
        }
        match read_partition(root, name, &entry) {
            Ok(partition) => found.push(partition),
            // Another table was read meanwhile.
            Err(error) if error.is_missing() => continue,
            Err(error) => return Err(error),
        }
        disk.partitions.push(entry);
    }
    found.push(disk);
    Ok(found)
}

fn read_partition(root: &Root, disk: &str, name: &str) -> Result<Device, ReadError> {
    let folder = format!("/sys/block/{disk}/{name}");
    let mut partition = read_one(root, name, &folder)?;
    partition.kind = DeviceKind::Partition {
        whole: disk.to_owned(),
        number: number(root, &format!("{folder}/partition"), "partition")?,
        start_bytes: sectors(root, &format!("{folder}/start"), "start")?,
    };
    Ok(partition)
}

/// What every device has, whole or part.
fn read_one(root: &Root, name: &str, folder: &str) -> Result<Device, ReadError> {
    let file = format!("{folder}/dev");
    let text = root.read(&file)?;
    let line = Line { root, file: &file, number: 1, text: text.trim_end() };
    let device_number = DeviceNumber::parse(&text).ok_or_else(|| line.malformed("MAJOR:MINOR"))?;
    Ok(Device {
        name: name.to_owned(),
        number: device_number,
        kind: DeviceKind::Disk,
        bytes: sectors(root, &format!("{folder}/size"), "size")?,
        read_only: number::<u64>(root, &format!("{folder}/ro"), "ro")? != 0,
        holders: root.list(format!("{folder}/holders"))?,
        slaves: root.list(format!("{folder}/slaves"))?,
        partitions: Vec::new(),
        is_bcache_member: root.has(format!("{folder}/bcache")) && !name.starts_with("bcache"),
        identity: Identity::default(),
        by_id: Vec::new(),
    })
}

fn kind_of(root: &Root, name: &str, folder: &str) -> DeviceKind {
    let attribute = |path: &str| root.attribute(format!("{folder}/{path}"));
    // While it is being changed the old number stands behind, in parentheses.
    let count = |path: &str| attribute(path)?.split_whitespace().next()?.parse().ok();
    if root.has(format!("{folder}/dm")) {
        return DeviceKind::Mapper {
            name: attribute("dm/name").unwrap_or_default(),
            uuid: attribute("dm/uuid").unwrap_or_default(),
        };
    }
    if root.has(format!("{folder}/md")) {
        return DeviceKind::Array {
            level: attribute("md/level").unwrap_or_default(),
            disks: count("md/raid_disks"),
            missing: count("md/degraded"),
        };
    }
    if is_numbered(name, "loop") {
        DeviceKind::Loop(backing(root, folder))
    } else if is_numbered(name, "bcache") {
        DeviceKind::Bcache
    } else if is_numbered(name, "zram") {
        DeviceKind::Zram
    } else {
        DeviceKind::Disk
    }
}

/// The kernel appends ` (deleted)` to the path of a file without a name (d_path in fs/d_path.c).
fn backing(root: &Root, folder: &str) -> Option<Backing> {
    let bytes = fs::read(root.path(format!("{folder}/loop/backing_file"))).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end_matches('\n');
    let name = text.strip_suffix(" (deleted)");
    // A file may also really be called so.
    let is_deleted = name.is_some() && !root.has(text);
    let number = |attribute: &str| {
        let text = root.attribute(format!("{folder}/loop/{attribute}"));
        text.and_then(|text| text.parse().ok()).unwrap_or(0)
    };
    Some(Backing {
        file: PathBuf::from(name.filter(|_| is_deleted).unwrap_or(text)),
        is_deleted,
        offset_bytes: number("offset"),
        limit_bytes: number("sizelimit"),
    })
}

fn sectors(root: &Root, file: &str, item: &'static str) -> Result<u64, ReadError> {
    let text = root.read(file)?;
    let line = Line { root, file, number: 1, text: text.trim_end() };
    line.scaled(item, Some(text.trim()), SECTOR_BYTES)
}

fn number<T: std::str::FromStr>(
    root: &Root,
    file: &str,
    item: &'static str,
) -> Result<T, ReadError> {
    let text = root.read(file)?;
    Line { root, file, number: 1, text: text.trim_end() }.parse(item, Some(text.trim()))
}

//! What lies on what: arrays of md, logical volumes, partitions, loop devices, down to the drives.
//!
//! Every device below a target gets its place once, those at the bottom first. How a device is made
//! is in `md` and `mapped`; how large it may be said to be in `room`.
//! Law: of bcache the backing device holds all data (Documentation/admin-guide/bcache.rst), so it
//! alone is drawn: what the cache serves is not known from one look.
//! A partition that only an array of several stands on is left out of the study; findings look at
//! it.

use std::collections::BTreeSet;

use iopath_machine::devices::{Device, DeviceKind};
use iopath_units::Bytes;

use crate::attached::{joined, node};
use crate::model::{Property, Volume, name_of};
use crate::path::Growing;
use crate::room::Rooms;

/// Volumes while they are found, those at the bottom first.
pub(crate) struct Laying<'a> {
    pub path: Growing<'a>,
    pub volumes: Vec<Volume>,
    pub rooms: Rooms,
    /// Devices that have a place: in the path, or as a volume.
    done: BTreeSet<String>,
}

/// How a volume is made of others.
pub(crate) struct Made {
    /// Word of the language.
    pub kind: &'static str,
    pub values: Vec<Property>,
    pub over: Vec<String>,
    pub remark: String,
}

impl Made {
    /// One after the other.
    pub(crate) fn concat(over: Vec<String>, remark: &str) -> Self {
        Self { kind: "concat", values: Vec::new(), over, remark: remark.to_owned() }
    }
}

/// What a volume lies on, and the partitions that are left out.
pub(crate) struct Members {
    pub names: Vec<String>,
    pub skipped: Vec<String>,
}

impl Members {
    /// The remark with the partitions that are left out.
    pub(crate) fn remark(&self, text: &str) -> String {
        match &self.skipped[..] {
            [] => text.to_owned(),
            some => joined(text, &format!("on partitions {}", some.join(" "))),
        }
    }
}

impl<'a> Laying<'a> {
    pub(crate) fn new(path: Growing<'a>) -> Self {
        let (volumes, rooms, done) = (Vec::new(), Rooms::default(), BTreeSet::new());
        Self { path, volumes, rooms, done }
    }

    /// Gives a device its place, and all that it lies on.
    pub(crate) fn need(&mut self, name: &str) {
        if !self.done.insert(name.to_owned()) {
            return;
        }
        let facts = self.path.facts;
        let Some(device) = facts.devices.find(name) else { return };
        match &device.kind {
            DeviceKind::Disk | DeviceKind::Zram => self.path.attach(device),
            DeviceKind::Partition { whole, start_bytes, .. } => {
                self.need(whole);
                let remark = format!("a partition from {} on", Bytes(*start_bytes));
                self.add(device, Made::concat(vec![whole.clone()], &remark));
            }
            DeviceKind::Loop(backing) => {
                let file = backing.as_ref().map(|backing| backing.file.display().to_string());
                self.loop_device(device, &file.unwrap_or_default());
            }
            DeviceKind::Mapper { .. } if device.is_multipath() => self.multipath(device),
            DeviceKind::Mapper { uuid, .. } => self.mapper(device, uuid),
            DeviceKind::Array { level, .. } => self.array(device, level),
            DeviceKind::Bcache => self.bcache(device),
        }
    }

    fn loop_device(&mut self, device: &Device, file: &str) {
        let place = self.path.facts.behind_loops.get(&device.name).cloned().unwrap_or_default();
        let on = match &place.mount {
            Some(mount) => self.on_of_mount(mount, &place.devices),
            // Its file is a block device itself.
            None => place.devices.iter().cloned().collect(),
        };
        on.iter().for_each(|name| self.need(name));
        self.add(device, Made::concat(on, &format!("a loop device of {file}")));
    }

    fn bcache(&mut self, device: &Device) {
        let facts = self.path.facts;
        let known = facts.hardware.bcaches.get(&device.name).cloned().unwrap_or_default();
        let backing: Vec<String> = known.backing.into_iter().collect();
        let mode = known.mode.map(|mode| format!(", {mode}")).unwrap_or_default();
        if !known.caches.is_empty() {
            let text = format!("its cache on {} is not drawn", known.caches.join(", "));
            self.path.not_known(&device.name, text);
        }
        let members = self.members(device, &backing);
        self.add(device, Made::concat(members.names, &format!("bcache{mode}")));
    }

    /// What a volume lies on: each member with its place, or the disk of a partition that no one
    /// else stands on.
    pub(crate) fn members(&mut self, device: &Device, listed: &[String]) -> Members {
        let facts = self.path.facts;
        let mut found = Members { names: Vec::new(), skipped: Vec::new() };
        for name in listed {
            let of = facts.devices.find(name);
            match of.map(|of| (&of.kind, &of.holders)) {
                Some((DeviceKind::Partition { whole, .. }, holders))
                    if listed.len() > 1 && holders.iter().all(|holder| *holder == device.name) =>
                {
                    found.skipped.push(name.clone());
                    found.names.push(whole.clone());
                }
                _ => found.names.push(name.clone()),
            }
        }
        found.names.iter().for_each(|name| self.need(name));
        found
    }

    /// Adds a block device as it is made.
    pub(crate) fn add(&mut self, device: &Device, made: Made) {
        let name = device.map_name().unwrap_or(&device.name);
        let Made { kind, mut values, over, remark } = made;
        if device.bytes > 0 {
            values.push(Property::quantity("size", &Bytes(device.bytes).to_string()));
        }
        let (name, kernel, node) = (name_of(name), device.name.clone(), Some(node(device)));
        self.volume(Volume { kind, name, kernel, node, values, over, remark }, device.bytes);
    }

    /// Adds a volume of so many bytes, 0 where that is unknown; one that lies on nothing that is
    /// known lies on something unknown.
    pub(crate) fn volume(&mut self, mut volume: Volume, bytes: u64) {
        volume.over.retain(|name| self.is_there(name));
        if volume.over.is_empty() {
            self.path.not_known(&volume.name, "the devices below it are not known");
            volume.over.push(self.unknown());
            volume.kind = "concat";
            volume.values.retain(|value| value.name == "size");
        }
        // What vanished may leave too few.
        if volume.over.len() < 2 && volume.kind != "concat" {
            volume.kind = "concat";
            volume.values.retain(|value| value.name == "size");
        }
        if let Err(text) = self.rooms.take(&self.path.facts.devices, &volume, bytes) {
            volume.values.retain(|value| value.name != "size");
            self.path.not_known(&volume.name, text);
        }
        self.volumes.push(volume);
    }

    fn is_there(&self, name: &str) -> bool {
        let is_unit = self.path.units.iter().any(|unit| unit.is(name));
        let is_volume = self.volumes.iter().any(|volume| volume.kernel == name);
        is_volume || is_unit || self.path.has(name)
    }
}

/// Names in the order that people count in: `nvme2n1` before `nvme10n1`.
pub(crate) fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(letters);
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(digits);
        // `sdaa` stands behind `sdz`.
        let word = format!("{:03}{word}", word.len().min(999));
        parts.push((word, number.parse().unwrap_or(0)));
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_as_people_count() {
        for sorted in
            [["sda", "sdb", "sdz", "sdaa"], ["nvme2n1", "nvme2n2", "nvme2n10", "nvme10n1"]]
        {
            let mut names = sorted;
            names.reverse();
            names.sort_by_key(|name| natural(name));
            assert_eq!(names, sorted);
        }
    }
}

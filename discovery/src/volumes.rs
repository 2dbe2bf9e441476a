//! What lies on what: arrays of md, logical volumes, partitions, loop devices, down to the drives.
//!
//! Laws: md tells level, chunk and the order of its members (Documentation/admin-guide/md.rst).
//! Device-mapper tells without root only whom it stands on; that it stripes shows in its queue, as
//! a preferred size of so many chunks (drivers/md/dm-stripe.c, `stripe_io_hints`). Where neither
//! tells, members are taken one after the other, and that is said.
//! A partition that only an array of several stands on is left out of the study; findings look at
//! it.

use std::collections::BTreeSet;

use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::hardware::{Array, Scsi, ScsiVia, Transport};
use iopath_units::Bytes;

use crate::attached::node;
use crate::model::{Property, Volume, name_of};
use crate::path::Growing;

/// Volumes while they are found, those at the bottom first.
pub(crate) struct Laying<'a> {
    pub path: Growing<'a>,
    pub volumes: Vec<Volume>,
    /// Devices that have a place: in the path, or as a volume.
    done: BTreeSet<String>,
}

impl<'a> Laying<'a> {
    pub(crate) fn new(path: Growing<'a>) -> Self {
        Self { path, volumes: Vec::new(), done: BTreeSet::new() }
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
                self.one_after_another(device, vec![whole.clone()], &remark);
            }
            DeviceKind::Loop(backing) => {
                let file = backing.as_ref().map(|backing| backing.file.display().to_string());
                self.loop_device(device, &file.unwrap_or_default());
            }
            DeviceKind::Mapper { uuid, .. } if uuid.starts_with("mpath-") => self.multipath(device),
            DeviceKind::Mapper { uuid, .. } => self.mapper(device, uuid),
            DeviceKind::Array { level, .. } => self.array(device, level),
            DeviceKind::Bcache => {
                let text = format!("{name}: what its cache serves is not drawn");
                self.path.unread.insert(text);
                let members = self.members(device, &device.slaves);
                self.one_after_another(device, members.0, "bcache; its cache is not drawn");
            }
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
        self.one_after_another(device, on, &format!("a loop device of {file}"));
    }

    /// A device of device-mapper that is several ways to one unit.
    fn multipath(&mut self, device: &Device) {
        let facts = self.path.facts;
        let attachments = &facts.hardware.attachments;
        let scsi = |name: &String| match &attachments.get(name)?.transport {
            Transport::Scsi(scsi) => Some((name.clone(), scsi.as_ref().clone())),
            _ => None,
        };
        let ways: Vec<(String, Scsi)> = device.slaves.iter().filter_map(scsi).collect();
        let in_fabric =
            |scsi: &Scsi| matches!(scsi.via, ScsiVia::FibreChannel(_) | ScsiVia::Iscsi(_));
        let drawn = ways.iter().all(|(_, scsi)| in_fabric(scsi)) && !ways.is_empty();
        match attachments.get(&device.name).filter(|_| drawn) {
            Some(attachment) => self.path.unit_of_array(device, &ways, attachment),
            None => {
                let usable = ways.iter().find(|(_, scsi)| scsi.is_usable());
                let first = usable.map(|(name, _)| name).or(device.slaves.first()).cloned();
                let text = format!("{}: only its first path is drawn", device.name);
                self.path.unread.insert(text);
                let on: Vec<String> = first.into_iter().collect();
                on.iter().for_each(|name| self.need(name));
                let remark = format!("multipath over {}", device.slaves.join(", "));
                self.one_after_another(device, on, &remark);
            }
        }
    }

    fn mapper(&mut self, device: &Device, uuid: &str) {
        // Metadata of a RAID of LVM lies beside its images.
        let is_image = |name: &&String| !self.map_name(name).contains("_rmeta_");
        let slaves: Vec<String> = device.slaves.iter().filter(is_image).cloned().collect();
        let images = slaves.iter().filter(|name| self.map_name(name).contains("_rimage_")).count();
        let (members, skipped) = self.members(device, &slaves);
        let noun = match uuid {
            _ if uuid.starts_with("CRYPT-") => {
                let text = "what encryption costs is not told: it takes processor time";
                self.path.unread.insert(format!("{}: {text}", device.name));
                "encrypted"
            }
            _ => device.noun(),
        };
        let remark = with_skipped(noun, &skipped);
        let count = members.len();
        let Some((chunk, data)) = self.chunk(device).filter(|_| count > 1) else {
            if count > 1 && images == count {
                return self.add(device, ("mirror", Vec::new(), members, remark));
            }
            if count > 1 {
                let text = "its table needs root; members are taken one after the other";
                self.path.assumed.insert(format!("{}: {text}", device.name));
            }
            return self.one_after_another(device, members, &remark);
        };
        let source = "sysfs: minimum_io_size and optimal_io_size";
        let size = Bytes(chunk).to_string();
        let level = match count - data.min(count) {
            0 => None,
            1 => Some(5),
            2 if count > 4 || images == 0 => Some(6),
            _ => Some(10),
        };
        match level {
            None => {
                let unit = Property::quantity("unit", &size).from(source);
                self.add(device, ("stripe", vec![unit], members, remark));
            }
            Some(level) => {
                let segment = Property::quantity("segment", &size).from(source);
                let level = Property::number("level", level).from("assumed");
                self.add(device, ("raid", vec![level, segment], members, remark));
            }
        }
    }

    fn map_name(&self, name: &str) -> &str {
        match self.path.facts.devices.find(name).map(|device| &device.kind) {
            Some(DeviceKind::Mapper { name, .. }) => name,
            _ => "",
        }
    }

    /// The chunk that a queue prefers, and of how many its best size is made.
    fn chunk(&self, device: &Device) -> Option<(u64, usize)> {
        let queue = &self.path.facts.hardware.attachments.get(&device.name)?.queue;
        let (chunk, best) = (queue.minimum_io_bytes?, queue.optimal_io_bytes?);
        let is_stripe = chunk > 4096 && best > chunk && best.is_multiple_of(chunk);
        let data = usize::try_from(best / chunk.max(1)).ok()?;
        (is_stripe && data <= device.slaves.len()).then_some((chunk, data))
    }

    fn array(&mut self, device: &Device, level: &str) {
        let facts = self.path.facts;
        let known = facts.hardware.arrays.get(&device.name).cloned().unwrap_or_default();
        let in_place: Vec<String> = known
            .members
            .iter()
            .filter(|member| member.slot.is_some())
            .map(|member| member.device.clone())
            .collect();
        let listed = if in_place.is_empty() { device.slaves.clone() } else { in_place };
        let (members, skipped) = self.members(device, &listed);
        let remark = with_skipped(&told_array(&known, level), &skipped);
        let size = known.chunk_bytes.map(|bytes| Bytes(bytes).to_string());
        let sized = |name| {
            let size = size.as_ref().map(|size| Property::quantity(name, size));
            size.into_iter().collect::<Vec<_>>()
        };
        let count = members.len();
        let level = known.level.as_deref().unwrap_or(level);
        let is_short = known.raid_disks.is_some_and(|disks| (count as u64) < u64::from(disks));
        self.leveled(device, level, (sized, members, remark));
        if is_short {
            self.incomplete(device, known.raid_disks.unwrap_or(0));
        }
    }

    /// An array of that level.
    fn leveled(
        &mut self,
        device: &Device,
        level: &str,
        (sized, members, remark): (impl Fn(&'static str) -> Vec<Property>, Vec<String>, String),
    ) {
        let count = members.len();
        match level {
            _ if count < 2 => self.one_after_another(device, members, &remark),
            "raid0" => self.add(device, ("stripe", sized("unit"), members, remark)),
            "raid1" => self.add(device, ("mirror", Vec::new(), members, remark)),
            "raid4" | "raid5" | "raid6" | "raid10" => {
                let number = level.trim_start_matches("raid").parse().unwrap_or(0);
                let least = match number {
                    6 => 4,
                    10 => 2,
                    _ => 3,
                };
                if count < least || number == 10 && !count.is_multiple_of(2) {
                    let text = format!("{count} members do not make {level} in a study");
                    self.path.unread.insert(format!("{}: {text}", device.name));
                    return self.one_after_another(device, members, &remark);
                }
                let mut values = vec![Property::number("level", number)];
                values.extend(sized("segment"));
                self.add(device, ("raid", values, members, remark));
            }
            _ => self.one_after_another(device, members, &remark),
        }
    }

    /// A study has no members that are missing: over those that are left the array would be less.
    fn incomplete(&mut self, device: &Device, disks: u32) {
        for volume in self.volumes.iter_mut().filter(|volume| volume.kernel == device.name) {
            volume.values.retain(|value| value.name != "size");
            let there = volume.over.len();
            let text = format!("only {there} of {disks} members are there: its size is left out");
            self.path.unread.insert(format!("{}: {text}", device.name));
        }
    }

    /// What a volume lies on, and the partitions that are left out.
    fn members(&mut self, device: &Device, listed: &[String]) -> (Vec<String>, Vec<String>) {
        let facts = self.path.facts;
        let mut skipped = Vec::new();
        let mut found = Vec::new();
        for name in listed {
            let of = facts.devices.find(name);
            match of.map(|of| (&of.kind, &of.holders)) {
                Some((DeviceKind::Partition { whole, .. }, holders))
                    if listed.len() > 1 && holders.iter().all(|holder| *holder == device.name) =>
                {
                    skipped.push(name.clone());
                    found.push(whole.clone());
                }
                _ => found.push(name.clone()),
            }
        }
        found.iter().for_each(|name| self.need(name));
        (found, skipped)
    }

    fn one_after_another(&mut self, device: &Device, over: Vec<String>, remark: &str) {
        self.add(device, ("concat", Vec::new(), over, remark.to_owned()));
    }

    fn add(
        &mut self,
        device: &Device,
        (kind, mut values, over, remark): (&'static str, Vec<Property>, Vec<String>, String),
    ) {
        if device.bytes > 0 {
            values.push(Property::quantity("size", &Bytes(device.bytes).to_string()));
        }
        let name = match &device.kind {
            DeviceKind::Mapper { name, .. } if !name.is_empty() => name,
            _ => &device.name,
        };
        self.volume(Volume {
            kind,
            name: name_of(name),
            kernel: device.name.clone(),
            node: Some(node(device)),
            values,
            over,
            remark,
        });
    }

    /// Adds a volume; one that lies on nothing that is known lies on something unknown.
    pub(crate) fn volume(&mut self, mut volume: Volume) {
        volume.over.retain(|name| self.is_there(name));
        if volume.over.is_empty() {
            let text = format!("{}: what it lies on is not told", volume.kernel);
            self.path.unread.insert(text);
            volume.over.push(self.unknown());
            volume.kind = "concat";
            volume.values.retain(|value| value.name == "size");
        }
        // What vanished may leave too few.
        if volume.over.len() < 2 && volume.kind != "concat" {
            volume.kind = "concat";
            volume.values.retain(|value| value.name == "size");
        }
        self.volumes.push(volume);
    }

    fn is_there(&self, name: &str) -> bool {
        let is_unit = self.path.units.iter().any(|unit| unit.is(name));
        let is_volume = self.volumes.iter().any(|volume| volume.kernel == name);
        is_volume || is_unit || self.path.has(name)
    }
}

fn told_array(known: &Array, level: &str) -> String {
    let mut words = vec![known.level.clone().unwrap_or_else(|| level.to_owned())];
    let near = known.layout.map(|layout| layout & 0xff).filter(|_| words[0] == "raid10");
    words.extend(near.map(|copies| format!("{copies} copies")));
    let missing = known.degraded.filter(|missing| *missing > 0);
    words.extend(missing.map(|missing| format!("{missing} missing")));
    let action = known.sync_action.as_ref().filter(|action| *action != "idle");
    words.extend(action.cloned());
    let spares = known.members.iter().filter(|member| member.slot.is_none());
    let spares: Vec<&str> = spares.map(|member| member.device.as_str()).collect();
    if !spares.is_empty() {
        words.push(format!("in reserve {}", spares.join(" ")));
    }
    format!("md {}", words.join(", "))
}

fn with_skipped(text: &str, partitions: &[String]) -> String {
    match partitions {
        [] => text.to_owned(),
        some => format!("{text}; on partitions {}", some.join(" ")),
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

//! Device-mapper: logical volumes, snapshots, thin pools, encryption, and several paths to one
//! unit.
//!
//! Laws: a table says line by line which devices hold the data and how they share it
//! (`iopath_machine::mapper`). Several lines are volumes of their own, one after the other. Where
//! the table is not known, that a device stripes shows in its queue, as a preferred size of so many
//! chunks (drivers/md/dm-stripe.c, `stripe_io_hints`); else members are assumed to be consecutive,
//! and that is said.
//! Leaves out, and says so: what holds no data of its own. The language has no metadata of a pool,
//! no store of a snapshot and no cache of blocks, and members of a `concat` would share the load.

use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::hardware::{Scsi, Transport};
use iopath_machine::mapper::Target;
use iopath_units::Bytes;

use crate::attached::joined;
use crate::fabric::is_drawn;
use crate::facts::Facts;
use crate::findings::stripe_of;
use crate::md::Raid;
use crate::model::{Property, Volume, name_of};
use crate::volumes::{Laying, Made};

impl Laying<'_> {
    pub(crate) fn mapper(&mut self, device: &Device, uuid: &str) {
        if uuid.starts_with("CRYPT-") {
            let text = "the processor cost of encryption is not known";
            self.path.not_known(map_name(device), text);
        }
        let facts = self.path.facts;
        match facts.tables.get(&device.name) {
            Some(Ok(targets)) => self.by_table(device, targets),
            Some(Err(why)) => self.by_queue(device, why),
            None => self.by_queue(device, "its table is not known"),
        }
    }

    fn by_table(&mut self, device: &Device, targets: &[Target]) {
        let lines = merged(targets);
        if let [only] = &lines[..] {
            let made = self.line(device, only);
            return self.add(device, made);
        }
        let mut parts = Vec::new();
        for (number, line) in (1..).zip(&lines) {
            let Made { kind, mut values, over, remark } = self.line(device, line);
            let bytes = line.upper.end - line.upper.start;
            values.push(Property::quantity("size", &Bytes(bytes).to_string()));
            let kernel = format!("{} {number}", device.name);
            let name = name_of(&format!("{}-{number}", map_name(device)));
            self.volume(
                Volume { kind, name, kernel: kernel.clone(), node: None, values, over, remark },
                bytes,
            );
            parts.push(kernel);
        }
        self.add(device, Made::concat(parts, noun(device)));
    }

    /// One line of a table.
    fn line(&mut self, device: &Device, line: &Target) -> Made {
        let facts = self.path.facts;
        let layout = &line.layout;
        let members = self.members(device, &facts.names_of(&layout.data));
        let remark = members.remark(&joined(noun(device), word_for(&line.kind)));
        let besides = facts.names_of(&layout.besides);
        if let Some(what) = left_out(&line.kind).filter(|_| !besides.is_empty()) {
            let names: Vec<&str> = besides.iter().map(|name| called(facts, name)).collect();
            let text = format!("{what} on {} is not drawn", names.join(", "));
            self.path.not_known(map_name(device), text);
        }
        let level = match (line.kind.as_str(), layout.word.as_deref()) {
            ("striped", _) => "raid0",
            ("mirror", _) => "raid1",
            ("raid", Some(word)) => level_of(word),
            _ => return Made::concat(members.names, &remark),
        };
        let chunk_bytes = layout.chunk_bytes;
        let made =
            self.leveled(device, Raid { level, chunk_bytes, members: members.names, remark });
        if layout.missing > 0 {
            let text = format_args!("{} of its members are missing", layout.missing);
            self.path.not_known(map_name(device), text);
        }
        made
    }

    /// Without its table.
    fn by_queue(&mut self, device: &Device, why: &str) {
        let facts = self.path.facts;
        let data = facts.data_of(device);
        let is_image = |name: &&String| called(facts, name).contains("_rimage_");
        let images = data.iter().filter(is_image).count();
        let members = self.members(device, &data);
        let remark = members.remark(noun(device));
        let over = members.names;
        let count = over.len();
        let made = match self.chunk(device).filter(|_| count > 1) {
            Some((chunk, data)) => {
                let level = match count - data.min(count) {
                    0 => None,
                    1 => Some(5),
                    2 if count > 4 || images == 0 => Some(6),
                    _ => Some(10),
                };
                dealt((chunk, level), over, remark)
            }
            None if count > 1 && images == count => {
                Made { kind: "mirror", values: Vec::new(), over, remark }
            }
            None => {
                if count > 1 {
                    let text = format!("{why}; members are assumed to be consecutive");
                    self.path.assumed.insert(format!("{}: {text}", map_name(device)));
                }
                Made::concat(over, &remark)
            }
        };
        self.add(device, made);
    }

    /// The chunk that a queue prefers, and of how many its best size is made.
    fn chunk(&self, device: &Device) -> Option<(u64, usize)> {
        let queue = &self.path.facts.hardware.attachments.get(&device.name)?.queue;
        let (chunk, best) = stripe_of(queue)?;
        let data = usize::try_from(best / chunk).ok()?;
        (data <= device.slaves.len()).then_some((chunk, data))
    }

    /// A device of device-mapper that is several paths to one unit.
    pub(crate) fn multipath(&mut self, device: &Device) {
        let facts = self.path.facts;
        let ways = paths_of(facts, device);
        let attachment = facts.hardware.attachments.get(&device.name);
        if let Some(attachment) = attachment.filter(|_| is_drawn(&ways)) {
            self.choice(device);
            return self.path.unit_of_array(device, &ways, attachment);
        }
        let usable = ways.iter().find(|(_, scsi)| scsi.is_usable());
        let first = usable.map(|(name, _)| name).or(device.slaves.first()).cloned();
        self.path.not_known(&device.name, "only its first path is drawn");
        let on: Vec<String> = first.into_iter().collect();
        on.iter().for_each(|name| self.need(name));
        let remark = format!("multipath over {}", device.slaves.join(", "));
        self.add(device, Made::concat(on, &remark));
    }

    /// How device-mapper chooses among the paths: by the selector of its table, and always the same
    /// one where each path is a group of its own.
    fn choice(&mut self, device: &Device) {
        let Some(Ok(targets)) = self.path.facts.tables.get(&device.name) else { return };
        let Some(layout) = targets.first().map(|target| &target.layout) else { return };
        let is_alone = layout.group == Some(1) && layout.data.len() > 1;
        let word = if is_alone { Some("fixed") } else { layout.word.as_deref() };
        self.path.policies.extend(word.map(str::to_owned));
    }
}

/// A stripe, or an array of a level, as a queue shows it.
fn dealt((chunk, level): (u64, Option<u64>), over: Vec<String>, remark: String) -> Made {
    let source = "sysfs: minimum_io_size and optimal_io_size";
    let size = |name| Property::quantity(name, &Bytes(chunk).to_string()).from(source);
    let (kind, values) = match level {
        None => ("stripe", vec![size("unit")]),
        Some(level) => {
            let level = Property::number("level", level).from("assumed");
            ("raid", vec![level, size("segment")])
        }
    };
    Made { kind, values, over, remark }
}

/// The paths of a multipath device that are SCSI disks, by name.
pub(crate) fn paths_of(facts: &Facts, device: &Device) -> Vec<(String, Scsi)> {
    let scsi = |name: &String| match &facts.hardware.attachments.get(name)?.transport {
        Transport::Scsi(scsi) => Some((name.clone(), scsi.as_ref().clone())),
        _ => None,
    };
    device.slaves.iter().filter_map(scsi).collect()
}

/// Lines with those that go on with the same device made one.
fn merged(targets: &[Target]) -> Vec<Target> {
    let mut lines: Vec<Target> = Vec::new();
    for target in targets {
        let is_single = target.layout.data.len() == 1;
        match lines.last_mut() {
            Some(last)
                if is_single && (&last.kind, &last.layout) == (&target.kind, &target.layout) =>
            {
                last.upper.end = target.upper.end;
            }
            _ => lines.push(target.clone()),
        }
    }
    lines
}

/// What a device is, in a remark.
fn noun(device: &Device) -> &'static str {
    match &device.kind {
        DeviceKind::Mapper { uuid, .. } if uuid.starts_with("CRYPT-") => "encrypted",
        _ => device.noun(),
    }
}

fn map_name(device: &Device) -> &str {
    device.map_name().unwrap_or(&device.name)
}

/// The name that a person gave, where there is one.
fn called<'a>(facts: &'a Facts, name: &'a str) -> &'a str {
    facts.devices.find(name).map_or(name, map_name)
}

/// What a kind of line is, where the noun does not say it.
fn word_for(kind: &str) -> &str {
    match kind {
        "snapshot" | "snapshot-merge" => "a snapshot",
        "snapshot-origin" => "the origin of snapshots",
        "thin" => "thin",
        "thin-pool" => "a thin pool",
        "linear" | "striped" | "raid" | "mirror" | "crypt" => "",
        other => other,
    }
}

/// What of a line lies next to its data, and takes part in its traffic.
fn left_out(kind: &str) -> Option<&'static str> {
    match kind {
        "linear" | "striped" | "multipath" => None,
        // Written when members come and go.
        "raid" => None,
        "snapshot" | "snapshot-merge" => Some("its store of changes"),
        "thin-pool" | "era" | "clone" => Some("its metadata"),
        "thin" => Some("its origin outside the pool"),
        "cache" | "writecache" => Some("its cache"),
        "mirror" => Some("its log"),
        "verity" => Some("its tree of hashes"),
        "delay" => Some("the device for writes"),
        _ => Some("its other devices"),
    }
}

/// A level as md writes it, of a type of dm-raid: `raid5_ls`, `raid10_near`, `raid0_meta`.
fn level_of(word: &str) -> &str {
    word.split('_').next().unwrap_or(word)
}

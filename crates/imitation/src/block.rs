//! Block devices, partitions and what stands on them, of imitated machines.

use crate::{Tree, last};

/// Attributes below `queue/`, with the values of a kind of device.
#[derive(Debug, Clone)]
pub struct Queue(Vec<(&'static str, String)>);

impl Queue {
    /// A data centre NVMe drive.
    pub fn nvme() -> Self {
        Self::of(&[
            ("scheduler", "[none] mq-deadline kyber"),
            ("nr_requests", "1023"),
            ("read_ahead_kb", "128"),
            ("max_sectors_kb", "1280"),
            ("max_hw_sectors_kb", "2048"),
            ("max_segments", "127"),
            ("rotational", "0"),
            ("write_cache", "write through"),
            ("fua", "0"),
            ("wbt_lat_usec", "2000"),
            ("nomerges", "0"),
            ("rq_affinity", "1"),
            ("logical_block_size", "512"),
            ("physical_block_size", "512"),
            ("minimum_io_size", "512"),
            ("optimal_io_size", "0"),
        ])
    }

    /// A disk that turns, of 512-byte sectors on 4 KiB ones.
    pub fn disk() -> Self {
        Self::nvme()
            .with("scheduler", "none [mq-deadline] kyber bfq")
            .with("nr_requests", "64")
            .with("max_hw_sectors_kb", "32767")
            .with("rotational", "1")
            .with("write_cache", "write back")
            .with("wbt_lat_usec", "75000")
            .with("physical_block_size", "4096")
            .with("minimum_io_size", "4096")
    }

    /// A device on top of others.
    pub fn virtual_device() -> Self {
        Self::of(&[
            ("read_ahead_kb", "128"),
            ("max_sectors_kb", "1280"),
            ("max_hw_sectors_kb", "2048"),
            ("rotational", "0"),
            ("logical_block_size", "512"),
            ("physical_block_size", "512"),
            ("minimum_io_size", "512"),
            ("optimal_io_size", "0"),
        ])
    }

    /// One of its values.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(found, _)| *found == name)?;
        Some(value)
    }

    fn of(values: &[(&'static str, &str)]) -> Self {
        Self(values.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
    }

    /// The same with another value.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.0.retain(|(found, _)| *found != name);
        self.0.push((name, value.to_owned()));
        self
    }
}

/// A partition: its number, where it begins and how long it is, in sectors of 512 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Partition<'a> {
    /// Counted from 1.
    pub number: u32,
    /// Major and minor number.
    pub device: &'a str,
    /// The first sector.
    pub start: u64,
    pub sectors: u64,
}

impl Tree {
    /// Writes a whole disk into `folder` (of /sys/devices, ending with its name) and links it.
    pub fn disk(&mut self, folder: &str, number: &str, sectors: u64, queue: &Queue) {
        self.device(folder, number, sectors);
        let name = last(folder);
        for (file, value) in &queue.0 {
            self.attribute(&format!("{folder}/queue"), file, value);
        }
        self.attribute(folder, "alignment_offset", "0");
        self.link(&format!("/sys/block/{name}"), folder);
    }

    /// Writes hardware queues.
    pub fn hardware_queues(&mut self, folder: &str, count: u32) {
        for number in 0..count {
            self.attribute(&format!("{folder}/mq/{number}"), "nr_tags", "1023");
        }
    }

    /// Writes a partition of the disk in `folder`; returns its folder.
    pub fn partition(&mut self, folder: &str, partition: Partition<'_>) -> String {
        let name = last(folder);
        // nvme0n1 has nvme0n1p1, sda has sda1.
        let is_digit = name.ends_with(|last: char| last.is_ascii_digit());
        let infix = if is_digit { "p" } else { "" };
        let part = format!("{folder}/{name}{infix}{}", partition.number);
        self.device(&part, partition.device, partition.sectors);
        self.attribute(&part, "partition", &partition.number.to_string());
        self.attribute(&part, "start", &partition.start.to_string());
        self.attribute(&part, "alignment_offset", "0");
        part
    }

    fn device(&mut self, folder: &str, number: &str, sectors: u64) {
        self.attribute(folder, "dev", number);
        self.attribute(folder, "size", &sectors.to_string());
        self.attribute(folder, "ro", "0");
        self.folder(&format!("{folder}/holders"));
        if !folder.rsplit('/').nth(1).is_some_and(|above| last(folder).starts_with(above)) {
            self.folder(&format!("{folder}/slaves"));
        }
        self.link(&format!("/sys/class/block/{}", last(folder)), folder);
        self.link(&format!("/sys/dev/block/{number}"), folder);
        self.file(&format!("/dev/{}", last(folder)), "");
        // Reads, merged, sectors, ms, the same of writes, in flight, ms busy, ms weighted.
        self.attribute(folder, "stat", "  4096 0 2097152 900 0 0 0 0 0 800 900");
    }

    /// A device on top of others; `lower` are their folders. Returns its folder.
    pub fn upper(&mut self, name: &str, number: &str, sectors: u64, queue: &Queue) -> String {
        let folder = format!("/sys/devices/virtual/block/{name}");
        self.disk(&folder, number, sectors, queue);
        folder
    }

    /// Links a device and those it stands on.
    pub fn stack(&mut self, upper: &str, lower: &[String]) {
        for folder in lower {
            self.link(&format!("{folder}/holders/{}", last(upper)), upper);
            self.link(&format!("{upper}/slaves/{}", last(folder)), folder);
        }
    }

    /// Names a device-mapper device.
    pub fn mapper(&mut self, folder: &str, name: &str, uuid: &str) {
        self.attribute(folder, "dm/name", name);
        self.attribute(folder, "dm/uuid", uuid);
        self.attribute(folder, "dm/suspended", "0");
        self.link(&format!("/dev/mapper/{name}"), &format!("/dev/{}", last(folder)));
    }

    /// The table of a device-mapper device, as `dmsetup table NAME` prints it to root.
    pub fn table(&mut self, name: &str, text: &str) {
        self.file(&format!("/dev/mapper/{name}.table"), &format!("{text}\n"));
    }

    /// Makes a software RAID of members (their folders), all in sync, in the order of their slots.
    pub fn array(&mut self, folder: &str, level: &str, chunk_bytes: u64, members: &[String]) {
        let md = format!("{folder}/md");
        let disks = members.len().to_string();
        self.attributes(
            &md,
            &[
                ("level", level),
                ("chunk_size", &chunk_bytes.to_string()),
                ("raid_disks", &disks),
                ("layout", if level == "raid5" { "2" } else { "0" }),
                ("array_state", "clean"),
            ],
        );
        if level != "raid0" {
            self.attributes(&md, &[("degraded", "0"), ("sync_action", "idle")]);
        }
        for (slot, member) in members.iter().enumerate() {
            let place = format!("{md}/dev-{}", last(member));
            let slot = slot.to_string();
            self.attributes(&place, &[("slot", &slot), ("state", "in_sync"), ("offset", "264192")]);
            self.link(&format!("{place}/block"), member);
            self.link(&format!("{md}/rd{slot}"), &place);
        }
        self.stack(folder, members);
    }
}

//! The block devices of the machine and how they stand on each other.
//!
//! Read from /sys/block: every disk, its partitions, `holders` (who stands on it), `slaves` (on
//! whom it stands), the file behind a loop device, device-mapper and md names, and who it is
//! (Documentation/ABI/stable/sysfs-block). Sizes there are sectors of 512 B.
//! Leaves out: devices without a number (the hidden paths of NVMe multipath), settings
//! ([`crate::environment`]), and what is mounted ([`crate::mounts`]).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use crate::counters::diskstats::DeviceNumber;
use crate::error::ReadError;
use crate::root::Root;

mod identity;
mod likeness;
mod read;

pub use identity::Identity;
pub(crate) use likeness::{Likeness, likeness};

/// One block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The kernel's name, such as `sda1` or `dm-0`.
    pub name: String,
    /// Major and minor number.
    pub number: DeviceNumber,
    pub kind: DeviceKind,
    /// Size.
    pub bytes: u64,
    /// The kernel refuses writes to it.
    pub read_only: bool,
    /// Devices that stand on this one, by name.
    pub holders: Vec<String>,
    /// Devices this one stands on, by name.
    pub slaves: Vec<String>,
    /// Names of its partitions.
    pub partitions: Vec<String>,
    /// True for a member of bcache, which shows no holder while detached from its set.
    pub is_bcache_member: bool,
    /// Serial number and the like; empty for a partition, whose disk has them.
    pub identity: Identity,
    /// Names under /dev/disk/by-id, sorted.
    pub by_id: Vec<String>,
}

/// What a block device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceKind {
    /// A whole drive, real or virtual.
    Disk,
    /// A part of another device.
    Partition {
        /// The device it is a part of.
        whole: String,
        /// The partition's number in the table.
        number: u32,
        /// Where it begins, in bytes from the start of the whole.
        start_bytes: u64,
    },
    /// A file shown as a device.
    Loop(Option<Backing>),
    /// A device-mapper device.
    Mapper {
        /// The name under /dev/mapper.
        name: String,
        /// Tells the owner by its beginning: `LVM-`, `mpath-`, `CRYPT-`, `part1-`.
        uuid: String,
    },
    /// A Linux software RAID.
    Array {
        /// Such as `raid5`; empty when not running.
        level: String,
        /// Members it is made for, spares not counted.
        disks: Option<u32>,
        /// How many of these are missing.
        missing: Option<u32>,
    },
    /// A cached device of bcache.
    Bcache,
    /// Compressed memory.
    Zram,
}

/// The file behind a loop device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backing {
    /// Its path as the kernel knows it now.
    pub file: PathBuf,
    /// Nobody can reach it by that path any more.
    pub is_deleted: bool,
    /// Where in the file the device begins.
    pub offset_bytes: u64,
    /// The most of the file the device shows; 0 when it goes to the end.
    pub limit_bytes: u64,
}

impl Device {
    /// The name of a mapping; `None` for what is none, or has none.
    pub fn map_name(&self) -> Option<&str> {
        match &self.kind {
            DeviceKind::Mapper { name, .. } if !name.is_empty() => Some(name),
            _ => None,
        }
    }

    /// Joins the paths to one unit.
    pub fn is_multipath(&self) -> bool {
        matches!(&self.kind, DeviceKind::Mapper { uuid, .. } if uuid.starts_with("mpath-"))
    }

    /// The usual node, `/dev/NAME` (`!` in a kernel name stands for a slash).
    pub fn node(&self) -> PathBuf {
        PathBuf::from(format!("/dev/{}", self.name.replace('!', "/")))
    }

    /// The bytes of its disk that a partition takes; `None` for anything else.
    pub fn range(&self) -> Option<Range<u64>> {
        match self.kind {
            DeviceKind::Partition { start_bytes, .. } => {
                Some(start_bytes..start_bytes.saturating_add(self.bytes))
            }
            _ => None,
        }
    }

    /// A word for what the device is, for people.
    pub fn noun(&self) -> &'static str {
        match &self.kind {
            DeviceKind::Disk => "disk",
            DeviceKind::Partition { .. } => "partition",
            DeviceKind::Loop(_) => "loop device",
            DeviceKind::Mapper { uuid, .. } => mapper_noun(uuid),
            DeviceKind::Array { .. } => "md array",
            DeviceKind::Bcache => "bcache device",
            DeviceKind::Zram => "zram device",
        }
    }
}

/// The owner of a device-mapper device by its UUID's prefix (convention of libdm and multipath).
fn mapper_noun(uuid: &str) -> &'static str {
    match uuid.split('-').next().unwrap_or("") {
        "LVM" => "LVM volume",
        "mpath" => "multipath device",
        "CRYPT" => "encrypted volume",
        owner if owner.starts_with("part") => "mapped partition",
        _ => "device-mapper device",
    }
}

/// All block devices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Devices {
    all: BTreeMap<String, Device>,
}

impl Devices {
    /// Reads the whole graph.
    pub fn read(root: &Root) -> Result<Self, ReadError> {
        read::read(root).map(|all| Self { all })
    }

    /// All devices by name.
    pub fn iter(&self) -> impl Iterator<Item = &Device> {
        self.all.values()
    }

    /// The device of that kernel name.
    pub fn find(&self, name: &str) -> Option<&Device> {
        self.all.get(name)
    }

    /// The device of that number.
    pub fn by_number(&self, number: DeviceNumber) -> Option<&Device> {
        self.all.values().find(|device| device.number == number)
    }

    /// Other disks with the same world-wide name: other paths to one unit.
    pub fn same_unit<'a>(&'a self, device: &'a Device) -> impl Iterator<Item = &'a Device> {
        let is_same = |other: &&Device| likeness(device, other) == Some(Likeness::WorldWideName);
        self.iter().filter(is_same)
    }

    /// The disk a partition belongs to; any other device is its own whole.
    pub fn whole_of<'a>(&'a self, name: &'a str) -> &'a str {
        match self.find(name).map(|device| &device.kind) {
            Some(DeviceKind::Partition { whole, .. }) => whole,
            _ => name,
        }
    }

    /// Everything that stands on a device, however far up; without the device itself.
    pub fn above(&self, name: &str) -> BTreeSet<String> {
        self.closure(name, |device| {
            device.holders.iter().chain(&device.partitions).cloned().collect()
        })
    }

    /// Everything a device stands on, however far down; without the device itself.
    pub fn below(&self, name: &str) -> BTreeSet<String> {
        self.closure(name, Self::directly_below)
    }

    /// The drives at the bottom: a disk is its own leaf, a loop device too.
    pub fn leaves(&self, name: &str) -> BTreeSet<String> {
        let mut all = self.below(name);
        all.insert(name.to_owned());
        all.retain(|name| {
            self.find(name).is_none_or(|device| Self::directly_below(device).is_empty())
        });
        all
    }

    /// Devices that share bytes with this one because of partitions: the whole, the parts, and
    /// sibling partitions whose ranges overlap (an extended partition and its logical ones).
    pub fn overlapping(&self, name: &str) -> BTreeSet<String> {
        let Some(device) = self.find(name) else { return BTreeSet::new() };
        let mut found: BTreeSet<String> = device.partitions.iter().cloned().collect();
        if let DeviceKind::Partition { whole, .. } = &device.kind {
            found.insert(whole.clone());
            let siblings = self.find(whole).map_or(&[][..], |whole| &whole.partitions);
            let meets =
                |other: &&String| self.find(other).is_some_and(|o| ranges_overlap(device, o));
            let overlaps = |other: &&String| *other != name && meets(other);
            found.extend(siblings.iter().filter(overlaps).cloned());
        }
        found
    }

    fn directly_below(device: &Device) -> Vec<String> {
        match &device.kind {
            DeviceKind::Partition { whole, .. } => vec![whole.clone()],
            _ => device.slaves.clone(),
        }
    }

    fn closure(&self, name: &str, next: impl Fn(&Device) -> Vec<String>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![name.to_owned()];
        while let Some(current) = open.pop() {
            let Some(device) = self.find(&current) else { continue };
            open.extend(next(device).into_iter().filter(|name| found.insert(name.clone())));
        }
        found.remove(name);
        found
    }
}

/// `virtio3` is numbered `virtio`.
pub fn is_numbered(name: &str, prefix: &str) -> bool {
    let rest = name.strip_prefix(prefix).unwrap_or("");
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
}

fn ranges_overlap(one: &Device, other: &Device) -> bool {
    match (one.range(), other.range()) {
        (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
        _ => false,
    }
}

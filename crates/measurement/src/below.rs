//! What a block device is, what it stands on, and how much of what it moves reappears there: for
//! `measure` and `watch` in one way.
//!
//! Arrays, device-mapper volumes and bcache stand on their slaves, a multipath device on its ways.
//! A partition's traffic reappears in its disk, a loop device's in the drives below its file.
//! Copies of md arrays are those of full stripes; the kernel does not say more. What a degraded
//! array leaves out is not known, so there they are not stated. Device-mapper tables are read for
//! root only: without them parts that lie one behind the other are not known as such.

use iopath_machine::counters::block_stat::{self, HiddenPath};
use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::location::device_of_file;
use iopath_machine::mapper;
use iopath_machine::{Devices, Root};
use iopath_record::{Kind, Layer};

use crate::system_sources::Named;

/// Bytes below for each byte above, in millionths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copies {
    pub read_ppm: u64,
    pub write_ppm: u64,
}

impl Copies {
    pub(crate) const ONE: Self = Self { read_ppm: 1_000_000, write_ppm: 1_000_000 };
}

/// The block devices, and the ways of native NVMe multipath, which have no number.
pub(crate) struct Stack<'a> {
    pub root: &'a Root,
    pub devices: &'a Devices,
    pub hidden: Vec<HiddenPath>,
}

impl<'a> Stack<'a> {
    pub(crate) fn read(root: &'a Root, devices: &'a Devices) -> Self {
        let hidden = block_stat::hidden_paths(root).unwrap_or_default();
        Self { root, devices, hidden }
    }

    /// The ways of an NVMe device that has several controllers.
    pub(crate) fn ways(&self, whole: &str) -> impl Iterator<Item = &HiddenPath> {
        self.hidden.iter().filter(move |one| one.whole == whole)
    }

    /// The device whose counters hold for a device: a partition of one with several ways may count
    /// nothing, as its requests are handed to the ways at once.
    pub(crate) fn counted(&self, name: &str) -> Option<&'a Device> {
        let device = self.devices.find(name)?;
        match &device.kind {
            DeviceKind::Partition { whole, .. } if self.ways(whole).next().is_some() => {
                self.devices.find(whole)
            }
            _ => Some(device),
        }
    }

    /// On what a device stands.
    pub(crate) fn below(&self, device: &Device) -> Vec<String> {
        match &device.kind {
            DeviceKind::Partition { whole, .. } => vec![whole.clone()],
            DeviceKind::Loop(Some(_)) => {
                let found = device_of_file(self.root, self.devices, &device.node());
                found.map_or_else(|_| Vec::new(), |location| location.leaves.into_iter().collect())
            }
            _ => device.slaves.clone(),
        }
    }

    /// The same where its requests go on to others as they are: a loop device's go through the
    /// page cache, and a disk moves more than one of its partitions.
    pub(crate) fn members(&self, device: &Device) -> Vec<String> {
        match &device.kind {
            DeviceKind::Partition { whole, .. } => {
                let is_stacked = |disk: &&Device| !self.members(disk).is_empty();
                let whole = self.devices.find(whole).filter(is_stacked);
                whole.map(|disk| disk.name.clone()).into_iter().collect()
            }
            DeviceKind::Mapper { .. } | DeviceKind::Array { .. } | DeviceKind::Bcache => {
                device.slaves.clone()
            }
            DeviceKind::Disk | DeviceKind::Loop(_) | DeviceKind::Zram => Vec::new(),
        }
    }

    /// As an entity.
    pub(crate) fn named(&self, device: &Device) -> Named {
        let is_multipath = |device: &Device| match &device.kind {
            DeviceKind::Mapper { uuid, .. } => uuid.starts_with("mpath-"),
            _ => self.ways(&device.name).next().is_some(),
        };
        let mut holders = device.holders.iter().filter_map(|name| self.devices.find(name));
        let (kind, layer) = match &device.kind {
            _ if is_multipath(device) => (Kind::Multipath, Layer::Lun),
            DeviceKind::Disk if holders.any(is_multipath) => (Kind::Path, Layer::Device),
            DeviceKind::Disk => (Kind::Disk, Layer::Device),
            DeviceKind::Partition { .. } => (Kind::Partition, Layer::Device),
            DeviceKind::Loop(_) => (Kind::Loop, Layer::Device),
            DeviceKind::Zram => (Kind::Zram, Layer::Device),
            _ if self.is_concat(device) => (Kind::Concat, Layer::Volume),
            DeviceKind::Array { .. } => (Kind::Array, Layer::Volume),
            DeviceKind::Mapper { .. } | DeviceKind::Bcache => (Kind::Volume, Layer::Volume),
        };
        let binding = match &device.kind {
            DeviceKind::Mapper { name, .. } if !name.is_empty() => format!("/dev/mapper/{name}"),
            _ => device.node().display().to_string(),
        };
        Named { name: device.name.clone(), kind, layer, binding: Some(binding) }
    }

    /// Whether its members lie one behind the other, so that they share no load.
    fn is_concat(&self, device: &Device) -> bool {
        match &device.kind {
            DeviceKind::Array { level, .. } => level == "linear",
            DeviceKind::Mapper { .. } if device.slaves.len() > 1 => {
                let is_linear = |piece: &mapper::Piece| piece.relation == mapper::Relation::Linear;
                let mut pieces = mapper::read(self.root, device).unwrap_or_default();
                pieces.sort_by_key(|piece| piece.upper.start);
                let apart = pieces.windows(2).all(|two| two[0].upper.end <= two[1].upper.start);
                pieces.len() > 1 && apart && pieces.iter().all(is_linear)
            }
            _ => false,
        }
    }
}

/// A way of native NVMe multipath, as an entity.
pub(crate) fn way(name: &str) -> Named {
    Named::new(name, Kind::Path, Layer::Device)
}

/// What md arrays write for each byte, where whole stripes are written.
pub(crate) fn copies(device: &Device) -> Copies {
    let DeviceKind::Array { level, disks, missing, .. } = &device.kind else { return Copies::ONE };
    let members = disks.map_or(device.slaves.len() as u64, u64::from);
    let missing = u64::from(missing.unwrap_or_default());
    // Which stripes of a degraded array of parity have lost what is not stated.
    if missing > 0 && level != "raid1" {
        return Copies::ONE;
    }
    let of = |written: u64, data: u64| Copies {
        write_ppm: (1_000_000 * written).checked_div(data).unwrap_or(1_000_000),
        ..Copies::ONE
    };
    match level.as_str() {
        "raid1" => of(members.saturating_sub(missing).max(1), 1),
        "raid10" => of(2, 1),
        "raid4" | "raid5" if members > 1 => of(members, members - 1),
        "raid6" if members > 2 => of(members, members - 2),
        _ => Copies::ONE,
    }
}

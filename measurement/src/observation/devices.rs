//! Block devices as entities: what each is, and on what it stands.
//!
//! Multipath devices are LUNs and what they stand on are paths; md, LVM and their like are volumes;
//! a partition's traffic reappears in its disk, a loop device's in the drives below its file.
//! Copies of md arrays are those of full stripes; the kernel does not tell more.

use iopath_machine::counters::block_stat::{self, HiddenPath};
use iopath_machine::counters::diskstats::DeviceNumber;
use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::location::device_of_file;
use iopath_machine::{Devices, Root};
use iopath_record::{EntityId, Layer};

use super::table::{Copies, Table};
use crate::beside::{Entities, Named, Scope};

/// A device in the kernel's table of counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disk {
    pub number: DeviceNumber,
    /// None while it has no size: a loop device without a file, a drive without a medium.
    pub entity: Option<EntityId>,
}

/// The devices that are watched.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub disks: Vec<Disk>,
    /// Paths of native NVMe multipath, which have no number.
    pub hidden: Vec<(EntityId, String)>,
}

impl Block {
    /// Puts all devices of the scope into the table.
    pub(super) fn put(table: &mut Table, root: &Root, devices: &Devices, scope: &Scope) -> Self {
        let hidden = block_stat::hidden_paths(root).unwrap_or_default();
        let watched = || devices.iter().filter(|device| scope.has_device(&device.name));
        let mut block = Self::default();
        for device in watched() {
            let entity = (device.bytes > 0).then(|| table.put(named(device, devices, &hidden)));
            block.disks.push(Disk { number: device.number, entity });
        }
        block.disks.sort_by_key(|disk| (disk.entity, disk.number));
        let id = |table: &mut Table, name: &str| {
            let device = devices.find(name).filter(|device| device.bytes > 0)?;
            scope.has_device(name).then(|| table.put(named(device, devices, &hidden)))
        };
        for device in watched() {
            let Some(upper) = id(table, &device.name) else { continue };
            let below = below(root, devices, device);
            let lower = below.iter().filter_map(|name| id(table, name)).collect();
            table.relate(upper, lower, copies(device));
            if let DeviceKind::Partition { whole, .. } = &device.kind {
                let whole = id(table, whole);
                table.describe(upper, whole, 1);
            }
        }
        for one in hidden.iter().filter(|one| scope.has_device(&one.whole)) {
            block.hidden.push((table.put(path(&one.name)), one.name.clone()));
        }
        for device in watched() {
            let paths = hidden.iter().filter(|one| one.whole == device.name);
            let paths: Vec<EntityId> = paths.map(|one| table.put(path(&one.name))).collect();
            if let Some(upper) = id(table, &device.name).filter(|_| !paths.is_empty()) {
                table.relate(upper, paths, Copies::ONE);
            }
        }
        block
    }

    /// Those with an entity, by the kernel's names.
    pub(super) fn names(&self, devices: &Devices) -> Vec<(EntityId, String)> {
        let named =
            |disk: &Disk| Some((disk.entity?, devices.by_number(disk.number)?.name.clone()));
        self.disks.iter().filter_map(named).collect()
    }
}

/// The entity of a device that has a size.
pub(super) fn entity(
    table: &mut Table,
    devices: &Devices,
    root: &Root,
    name: &str,
) -> Option<EntityId> {
    let device = devices.find(name).filter(|device| device.bytes > 0)?;
    let hidden = block_stat::hidden_paths(root).unwrap_or_default();
    Some(table.put(named(device, devices, &hidden)))
}

fn path(name: &str) -> Named {
    Named { name: name.to_owned(), kind: "path", layer: Layer::Device, binding: None }
}

fn named(device: &Device, devices: &Devices, hidden: &[HiddenPath]) -> Named {
    let is_multipath = |device: &Device| match &device.kind {
        DeviceKind::Mapper { uuid, .. } => uuid.starts_with("mpath-"),
        _ => hidden.iter().any(|one| one.whole == device.name),
    };
    let mut holders = device.holders.iter().filter_map(|name| devices.find(name));
    let (kind, layer) = match &device.kind {
        _ if is_multipath(device) => ("multipath", Layer::Lun),
        DeviceKind::Disk if holders.any(is_multipath) => ("path", Layer::Device),
        DeviceKind::Disk => ("disk", Layer::Device),
        DeviceKind::Partition { .. } => ("partition", Layer::Device),
        DeviceKind::Loop(_) => ("loop", Layer::Device),
        DeviceKind::Zram => ("zram", Layer::Device),
        DeviceKind::Array { .. } => ("array", Layer::Volume),
        DeviceKind::Mapper { .. } | DeviceKind::Bcache => ("volume", Layer::Volume),
    };
    let binding = match &device.kind {
        DeviceKind::Mapper { name, .. } if !name.is_empty() => format!("/dev/mapper/{name}"),
        _ => device.node().display().to_string(),
    };
    Named { name: device.name.clone(), kind, layer, binding: Some(binding) }
}

/// On what a device stands.
fn below(root: &Root, devices: &Devices, device: &Device) -> Vec<String> {
    match &device.kind {
        DeviceKind::Partition { whole, .. } => vec![whole.clone()],
        DeviceKind::Loop(Some(_)) => {
            let found = device_of_file(root, devices, &device.node());
            found.map_or_else(|_| Vec::new(), |location| location.leaves.into_iter().collect())
        }
        _ => device.slaves.clone(),
    }
}

/// What md arrays write for each byte, where whole stripes are written.
fn copies(device: &Device) -> Copies {
    let members = device.slaves.len() as u64;
    let of = |written: u64, data: u64| Copies {
        write_ppm: (1_000_000 * written).checked_div(data).unwrap_or(1_000_000),
        ..Copies::ONE
    };
    let DeviceKind::Array { level, .. } = &device.kind else { return Copies::ONE };
    match level.as_str() {
        "raid1" => of(members.max(1), 1),
        "raid10" => of(2, 1),
        "raid4" | "raid5" if members > 1 => of(members, members - 1),
        "raid6" if members > 2 => of(members, members - 2),
        _ => Copies::ONE,
    }
}

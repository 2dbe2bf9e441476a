//! Block devices as entities, with what they stand on ([`crate::below`]).

use iopath_machine::counters::diskstats::DeviceNumber;
use iopath_machine::devices::DeviceKind;
use iopath_machine::{Devices, Root};
use iopath_record::EntityId;

use super::table::Table;
use crate::below::{Copies, Stack, copies, way};
use crate::system_sources::{Entities, Scope};
use crate::ways::Way;

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
    pub ways: Vec<Way>,
}

impl Block {
    /// Puts all devices of the scope into the table.
    pub(super) fn put(table: &mut Table, root: &Root, devices: &Devices, scope: &Scope) -> Self {
        let stack = Stack::read(root, devices);
        let watched = || devices.iter().filter(|device| scope.has_device(&device.name));
        let mut block = Self::default();
        for device in watched() {
            let entity = (device.bytes > 0).then(|| table.put(stack.named(device)));
            block.disks.push(Disk { number: device.number, entity });
        }
        block.disks.sort_by_key(|disk| (disk.entity, disk.number));
        let id = |table: &mut Table, name: &str| {
            let device = devices.find(name).filter(|device| device.bytes > 0)?;
            scope.has_device(name).then(|| table.put(stack.named(device)))
        };
        for device in watched() {
            let Some(upper) = id(table, &device.name) else { continue };
            let below = stack.below(device);
            let lower = below.iter().filter_map(|name| id(table, name)).collect();
            table.relate(upper, lower, copies(device));
            if let DeviceKind::Partition { whole, .. } = &device.kind {
                let whole = id(table, whole);
                table.describe(upper, whole, 1);
            }
        }
        for device in watched() {
            let ways: Vec<EntityId> =
                stack.ways(&device.name).map(|one| table.put(way(&one.name))).collect();
            let Some(whole) = id(table, &device.name).filter(|_| !ways.is_empty()) else {
                continue;
            };
            let named = stack.ways(&device.name).zip(&ways);
            block.ways.extend(named.map(|(one, entity)| Way {
                entity: *entity,
                name: one.name.clone(),
                whole,
            }));
            table.relate(whole, ways, Copies::ONE);
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
    Some(table.put(Stack::read(root, devices).named(device)))
}

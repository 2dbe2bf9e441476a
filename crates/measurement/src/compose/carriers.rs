//! What carries the devices below the targets, by the path that the case describes.
//!
//! A device of the machine is a part of the path by its `bind`; a partition is the part of its
//! disk. A part that is several ways at once, as on emulated paths, is left out, because nobody
//! knows which of them goes where.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use iopath_entities::{CountedDevice, carriers};
use iopath_machine::Root;
use iopath_machine::devices::{Device, DeviceKind, Devices};
use iopath_machine::location::{Object, identify};
use iopath_path::{ComponentId, Network};
use iopath_study::case::Target;
use iopath_study::{Case, PartId, System};

use super::Table;
use crate::sampler::Disk;

/// Adds what carries these devices; nothing where the case describes no path, or one that cannot
/// be followed.
pub(super) fn add(table: &mut Table, case: &Case, root: &Root, devices: &Devices, disks: &[Disk]) {
    let parts = parts(case, |path| identify(root, devices, path).ok());
    let mut counted: BTreeMap<ComponentId, CountedDevice> = BTreeMap::new();
    for disk in disks {
        let Some(device) = devices.by_number(disk.number) else { continue };
        let own = Object::Block(device.name.clone());
        let part = parts.get(&own).or_else(|| parts.get(&own.whole(devices)?));
        let Some(component) = part.and_then(|part| u32::try_from(part.0).ok()) else { continue };
        let found = CountedDevice { entity: disk.entity, hands_on: hands_on(device) };
        counted.entry(ComponentId(component)).or_insert(found);
    }
    if counted.is_empty() {
        return;
    }
    let Ok(network) = Network::build(case, &BTreeSet::new()) else { return };
    let first = u32::try_from(table.entities.len()).unwrap_or(u32::MAX);
    let found = carriers(&network, &counted, first);
    table.entities.extend(found.entities);
    table.relations.extend(found.relations);
}

/// A loop device goes through the page cache, and one that caches need not go on.
fn hands_on(device: &Device) -> bool {
    match device.kind {
        DeviceKind::Loop(_) | DeviceKind::Bcache | DeviceKind::Zram => false,
        DeviceKind::Disk
        | DeviceKind::Partition { .. }
        | DeviceKind::Mapper { .. }
        | DeviceKind::Array { .. } => true,
    }
}

/// The parts of the path by the device that each stands for.
fn parts(case: &Case, identify: impl Fn(&Path) -> Option<Object>) -> BTreeMap<Object, PartId> {
    let mut found = BTreeMap::new();
    for target in &case.targets {
        let bound = target.below.iter();
        let single = bound.filter(|(_, bind)| bind.paths.len() == 1 && bind.copy.is_none());
        let own = target.binding.iter().map(|path| (target.part, path));
        for (part, path) in single.map(|(part, bind)| (*part, &bind.paths[0])).chain(own) {
            if part.0 < case.system.parts.len()
                && let Some(object) = identify(Path::new(path))
            {
                found.entry(object).or_insert(beneath(&case.system, target, part));
            }
        }
    }
    found
}

/// A volume of one member that is bound while its member is not: the same device by another name.
fn beneath(system: &System, target: &Target, part: PartId) -> PartId {
    match (system.kind(part), &system.part(part).members[..]) {
        ("concat", [only]) if !target.below.contains_key(only) => *only,
        _ => part,
    }
}

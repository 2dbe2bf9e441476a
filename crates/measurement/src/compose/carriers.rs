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
use iopath_study::{Case, Class, PartId, System};

use super::Table;
use crate::sampler::Disk;

/// The path below the devices.
#[derive(Clone, Copy)]
pub(crate) enum PathBelow<'a> {
    /// That of the case itself.
    OfCase(&'a Case),
    /// What one of several hosts knows of its own. Who else uses what is beyond it, and how much,
    /// it does not know: its share would look like all that a switch or an array carries.
    OfHost(&'a Case),
}

/// Adds what carries these devices; nothing where no path is described, or one that cannot be
/// followed.
pub(super) fn add(
    table: &mut Table,
    path: PathBelow<'_>,
    root: &Root,
    devices: &Devices,
    disks: &[Disk],
) {
    let (PathBelow::OfCase(case) | PathBelow::OfHost(case)) = path;
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
    let is_of_host = |id: ComponentId| {
        let up = |at: &ComponentId| network.component(*at).parent;
        let top = std::iter::successors(Some(id), up).last();
        top.is_some_and(|top| Class::of(network.component(top).kind) == Class::Host)
    };
    let wanted = |id| matches!(path, PathBelow::OfCase(_)) || is_of_host(id);
    let found = carriers(&network, &counted, &wanted, first);
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

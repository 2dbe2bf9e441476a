//! What is looked at: what the targets lie on, or everything that the machine has.
//!
//! Of a whole machine: drives with a size, what stands on them, and file systems of block devices,
//! servers and pools. Left out there: optical and floppy drives, memory disks, partitions that
//! nobody uses, and disks that are ways to a logical unit.

use std::collections::BTreeSet;

use iopath_machine::devices::{Device, DeviceKind, is_numbered};
use iopath_machine::mounts::Mount;
use iopath_machine::target::TargetKind;

use crate::fabric::is_drawn;
use crate::facts::{Facts, Target};
use crate::findings;
use crate::mapped::paths_of;
use crate::model::{Discovered, File, FileSystem, Property};
use crate::path::Growing;
use crate::volumes::{Laying, natural};

/// Concludes the path below the targets, or of the whole machine where there are none.
#[must_use]
pub fn discover(facts: &Facts) -> Discovered {
    let mut laying = Laying::new(Growing::new(facts));
    let mut found = Discovered { title: title(facts), ..Discovered::default() };
    if facts.targets.is_empty() {
        whole(&mut laying, &mut found);
    } else {
        let targets = facts.targets.iter();
        found.targets = targets.map(|target| one(&mut laying, target, &mut found)).collect();
    }
    laying.path.place_units();
    let Laying { path, volumes, .. } = laying;
    found.volumes = volumes;
    path.grown(&mut found);
    if facts.targets.is_empty() {
        found.targets = media(&found);
    }
    if found.targets.is_empty() {
        let size = Property::quantity("size", "1 GiB");
        let scratch = File { name: "scratch".to_owned(), values: vec![size], ..File::default() };
        found.targets.push(scratch.name.clone());
        found.files.push(scratch);
    }
    found.findings = findings::all(facts);
    found
}

/// What streams go to on a whole machine: drives and units; where it has none, what its file
/// systems lie on.
fn media(found: &Discovered) -> Vec<String> {
    let parts = found.path.iter().flat_map(|part| part.all());
    let media = parts.filter(|part| part.node.is_some()).map(|part| part.kernel.clone());
    let media: Vec<String> = media.collect();
    match media.is_empty() {
        true => found.file_systems.iter().flat_map(|system| system.on.clone()).collect(),
        false => media,
    }
}

fn title(facts: &Facts) -> String {
    let host = facts.host.as_deref().unwrap_or("this machine");
    let names: Vec<String> =
        facts.targets.iter().map(|target| target.path.display().to_string()).collect();
    match names.is_empty() {
        true => format!("The storage of {host}"),
        false => format!("Devices below {} on {host}", names.join(", ")),
    }
}

/// One target: its name among those of the study.
fn one(laying: &mut Laying<'_>, target: &Target, found: &mut Discovered) -> String {
    if let TargetKind::BlockDevice(name) = &target.kind {
        laying.need(name);
        return name.clone();
    }
    let (systems, place) = (&mut found.file_systems, &target.place);
    let on = place.mount.as_ref().map(|mount| laying.file_system(mount, &place.devices, systems));
    let file = laying.file(target, on);
    let mut taken: BTreeSet<String> = found.files.iter().map(|other| other.name.clone()).collect();
    let name = crate::fold::unused(&file.name, &mut taken);
    found.files.push(File { name: name.clone(), ..file });
    name
}

fn whole(laying: &mut Laying<'_>, found: &mut Discovered) {
    let facts = laying.path.facts;
    let mut devices: Vec<&Device> =
        facts.devices.iter().filter(|device| is_wanted(facts, device)).collect();
    devices.sort_by_key(|device| natural(&device.name));
    // Drives first, so that they stand in the order of their names.
    let is_drive = |device: &&Device| matches!(device.kind, DeviceKind::Disk | DeviceKind::Zram);
    let (drives, others): (Vec<&Device>, Vec<&Device>) = devices.into_iter().partition(is_drive);
    for device in drives.into_iter().chain(others) {
        laying.need(&device.name);
    }
    let mut systems: Vec<FileSystem> = Vec::new();
    let mut seen = BTreeSet::new();
    for mount in &facts.mounts {
        let Some(devices) = wanted_mount(facts, mount) else { continue };
        if seen.insert((mount.source.clone(), devices.clone())) {
            laying.file_system(mount, &devices, &mut systems);
        }
    }
    for pool in &facts.pools {
        laying.pool_volume(pool);
    }
    found.file_systems = systems;
}

fn is_wanted(facts: &Facts, device: &Device) -> bool {
    let is_other = ["sr", "fd", "ram"].iter().any(|prefix| is_numbered(&device.name, prefix));
    if device.bytes == 0 || is_other {
        return false;
    }
    match &device.kind {
        DeviceKind::Partition { .. } => false,
        DeviceKind::Loop(backing) => backing.is_some(),
        DeviceKind::Disk => !is_way(facts, device),
        DeviceKind::Zram
        | DeviceKind::Mapper { .. }
        | DeviceKind::Array { .. }
        | DeviceKind::Bcache => true,
    }
}

/// A disk that is one of several paths to a logical unit, all of which are drawn with it; or
/// another name of a unit whose other name is the one in use.
fn is_way(facts: &Facts, device: &Device) -> bool {
    let mut holders = device.holders.iter().filter_map(|holder| facts.devices.find(holder));
    let is_map = |holder: &Device| holder.is_multipath() && is_drawn(&paths_of(facts, holder));
    holders.any(is_map) || is_other_name(facts, device)
}

/// Of names that nothing joins the one in use is drawn, else the first.
fn is_other_name(facts: &Facts, device: &Device) -> bool {
    let mut others = facts.devices.same_unit(device);
    let comes_first = |other: &Device| natural(&other.name) < natural(&device.name);
    !is_used(facts, device) && others.any(|other| is_used(facts, other) || comes_first(other))
}

/// Whether anything is mounted on a device or stands on it.
fn is_used(facts: &Facts, device: &Device) -> bool {
    let above = facts.devices.above(&device.name);
    let above = above.iter().filter_map(|name| facts.devices.find(name));
    let is_mounted = |one: &Device| facts.mounts.iter().any(|mount| mount.number == one.number);
    let is_on_it =
        |one: &Device| !matches!(one.kind, DeviceKind::Partition { .. }) || is_mounted(one);
    is_mounted(device) || above.into_iter().any(is_on_it)
}

/// The devices of a mount that belongs to the picture of a machine; none of what lies in memory.
fn wanted_mount(facts: &Facts, mount: &Mount) -> Option<BTreeSet<String>> {
    if ["nfs", "nfs4", "zfs"].contains(&mount.fs_type.as_str()) {
        return Some(BTreeSet::new());
    }
    let own = facts.devices.by_number(mount.number).map(|device| device.name.clone());
    let by_source = || {
        let name = mount.source.file_name()?.to_string_lossy().into_owned();
        let is_path = mount.source.is_absolute();
        facts.devices.find(&name).filter(|_| is_path).map(|device| device.name.clone())
    };
    let name = own.or_else(by_source)?;
    Some(BTreeSet::from([name]))
}

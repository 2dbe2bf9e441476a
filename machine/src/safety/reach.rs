//! Which devices share bytes with a target.
//!
//! Upwards: partitions, holders, and loop devices on any of these. Sideways: the disk a partition
//! belongs to, and overlapping partitions; of those only the holders count, since other partitions
//! lie elsewhere. Downwards, for a loop device: the device behind it, and other loop devices on the
//! same file, also when its name was deleted (the kernel records neither as a holder). Ranges
//! within a file are not compared.

use std::collections::BTreeSet;

use super::Survey;
use crate::devices::{Device, DeviceKind};
use crate::location::Object;

/// How far to look from a device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    /// All of its bytes are shared: partitions count.
    Everywhere,
    /// Only some are shared: its partitions may lie elsewhere.
    HoldersOnly,
}

/// The devices that share bytes with the target.
pub(super) struct Reach {
    /// All of them, the target included.
    pub(super) all: BTreeSet<String>,
    /// Those the target is shown from, if it is a loop device.
    pub(super) lower: BTreeSet<String>,
}

pub(super) fn reach(survey: &Survey<'_>, target: &str) -> Reach {
    let mut open = vec![(target.to_owned(), Look::Everywhere)];
    open.extend(beside(survey, target));
    let mut seen = BTreeSet::new();
    let mut lower = BTreeSet::new();
    while let Some((name, look)) = open.pop() {
        if !seen.insert((name.clone(), look)) {
            continue;
        }
        let Some(device) = survey.devices.find(&name) else { continue };
        let upwards = |name: &String| (name.clone(), Look::Everywhere);
        open.extend(device.holders.iter().map(upwards));
        if look == Look::Everywhere {
            open.extend(device.partitions.iter().map(upwards));
        }
        open.extend(loops_on(survey, &Object::Block(name.clone())).iter().map(upwards));
        match behind(survey, &name) {
            Some(Object::Block(below)) => {
                lower.insert(below.clone());
                open.extend(beside(survey, &below));
                open.push((below, Look::Everywhere));
            }
            Some(file) => {
                let loops = loops_on(survey, &file);
                open.extend(loops.iter().filter(|other| **other != name).map(upwards));
            }
            None => open.extend(twins(survey, &name).iter().map(upwards)),
        }
    }
    Reach { all: seen.into_iter().map(|(name, _)| name).collect(), lower }
}

fn beside(survey: &Survey<'_>, name: &str) -> Vec<(String, Look)> {
    let partitions = survey.devices.find(name).map_or(&[][..], |device| &device.partitions);
    let overlapping = survey.devices.overlapping(name);
    let beside = overlapping.into_iter().filter(|other| !partitions.contains(other));
    beside.map(|other| (other, Look::HoldersOnly)).collect()
}

/// What a loop device shows: a block device or a file.
pub(super) fn behind(survey: &Survey<'_>, name: &str) -> Option<Object> {
    match &survey.devices.find(name)?.kind {
        DeviceKind::Loop(Some(backing)) if !backing.is_deleted => survey.identify(&backing.file),
        _ => None,
    }
}

/// Other loop devices on the same deleted file: it has no path by which to compare inodes, but they
/// were attached by the same name.
fn twins(survey: &Survey<'_>, name: &str) -> Vec<String> {
    let deleted = |device: &Device| match &device.kind {
        DeviceKind::Loop(Some(backing)) if backing.is_deleted => Some(backing.file.clone()),
        _ => None,
    };
    let Some(file) = survey.devices.find(name).and_then(deleted) else { return Vec::new() };
    let is_twin = |device: &&Device| device.name != name && deleted(device).as_ref() == Some(&file);
    survey.devices.iter().filter(is_twin).map(|device| device.name.clone()).collect()
}

/// Loop devices that show a block device or file.
pub(super) fn loops_on(survey: &Survey<'_>, object: &Object) -> Vec<String> {
    let shows = |name: &String| behind(survey, name).as_ref() == Some(object);
    survey.devices.iter().map(|device| device.name.clone()).filter(shows).collect()
}

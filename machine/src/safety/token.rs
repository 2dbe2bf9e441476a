//! The name by which a user gives up a device.
//!
//! It must be this device's alone, so a serial number that two drives share (cheap bridges, virtual
//! machines) is passed over.

use crate::devices::{Device, DeviceKind, Devices};

/// The name; `None` for a device sysfs does not know.
pub(super) fn token_of_device(devices: &Devices, name: &str) -> Option<String> {
    let device = devices.find(name)?;
    if let DeviceKind::Partition { whole, number, .. } = &device.kind {
        let whole = token_of_device(devices, whole)?;
        return Some(format!("{whole}-part{number}"));
    }
    let mut candidates = candidates(device);
    let is_unique = |token: &String| {
        let same = |other: &&Device| candidates_contain(other, token);
        !token.is_empty() && devices.iter().filter(same).count() == 1
    };
    let found = candidates.iter().position(is_unique);
    Some(found.map_or_else(|| device.node().display().to_string(), |at| candidates.swap_remove(at)))
}

fn candidates(device: &Device) -> Vec<String> {
    let identity = &device.identity;
    let mut all: Vec<String> = identity.serial.iter().chain(&identity.wwid).cloned().collect();
    all.extend(device.by_id.first().cloned());
    if let DeviceKind::Loop(Some(backing)) = &device.kind {
        all.push(backing.file.display().to_string());
    }
    all
}

fn candidates_contain(device: &Device, token: &String) -> bool {
    !matches!(device.kind, DeviceKind::Partition { .. }) && candidates(device).contains(token)
}

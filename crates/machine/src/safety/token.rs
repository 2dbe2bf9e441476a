//! The name by which a user gives up a device.
//!
//! It must be this device's alone, so a serial number that two drives share (cheap bridges, two
//! paths to one unit) is passed over. So is a name under /dev/disk/by-id that two devices claim,
//! since udev gives it to whichever it looked at last: by their identity, or by udev's own list
//! (/run/udev/links, one entry for each claim).

use super::units::has_double;
use crate::devices::{Device, DeviceKind, Devices};
use crate::root::Root;

/// The name; `None` for a device sysfs does not know.
pub(super) fn token_of_device(root: &Root, devices: &Devices, name: &str) -> Option<String> {
    let device = devices.find(name)?;
    if let DeviceKind::Partition { whole, number, .. } = &device.kind {
        let whole = token_of_device(root, devices, whole)?;
        return Some(format!("{whole}-part{number}"));
    }
    let mut candidates = candidates(device);
    let is_unique = |token: &String| {
        let same = |other: &&Device| candidates_contain(other, token);
        let is_link = device.by_id.contains(token);
        !token.is_empty()
            && devices.iter().filter(same).count() == 1
            && !(is_link && (has_double(devices, device) || is_claimed_twice(root, token)))
    };
    let found = candidates.iter().position(is_unique);
    Some(found.map_or_else(|| device.node().display().to_string(), |at| candidates.swap_remove(at)))
}

/// udev escapes slashes and backslashes there (`util_path_encode`).
fn is_claimed_twice(root: &Root, link: &str) -> bool {
    let link = link.replace('\\', r"\x5c");
    let claims = root.list(format!(r"/run/udev/links/\x2fdisk\x2fby-id\x2f{link}"));
    claims.is_ok_and(|claims| claims.len() > 1)
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

//! What two disks have in common that may be one unit with two names.

use super::{Device, DeviceKind};

/// What two devices have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// The world-wide name, which is believed.
    WorldWideName,
    /// Vendor, model, serial number and size, where one of them has no world-wide name.
    Serial,
}

/// What two disks have in common; `None` for the same one and for what are no disks.
pub(crate) fn likeness(one: &Device, other: &Device) -> Option<Likeness> {
    let are_disks = one.kind == DeviceKind::Disk && other.kind == DeviceKind::Disk;
    if !are_disks || one.name == other.name {
        return None;
    }
    let (first, second) = (&one.identity, &other.identity);
    if let (Some(wwid), Some(also)) = (&first.wwid, &second.wwid) {
        return (wwid == also).then_some(Likeness::WorldWideName);
    }
    let is_equal = first.serial.is_some()
        && (&first.serial, &first.vendor, &first.model)
            == (&second.serial, &second.vendor, &second.model)
        && one.bytes == other.bytes;
    is_equal.then_some(Likeness::Serial)
}

//! Other paths to the same unit: one disk that the kernel shows as two.
//!
//! Two disks are one unit when they have the same world-wide name (`wwid` in sysfs: NAA, EUI, UUID
//! of SCSI's page 83h, NVMe's namespace), or, where one of them has none, the same vendor, model,
//! serial number and size. Cheap bridges give all their drives one serial number, so bytes that
//! are shown to differ make them two after all ([`super::bytes`]); a world-wide name is believed.
//! Law: doubt makes one unit of two. Leaves out: units that show neither; and NVMe's own multipath,
//! whose paths have no node.

use super::Survey;
use super::bytes::{View, differ};
use crate::devices::{Device, Devices, Likeness, likeness};

/// Other devices that are, or may be, the same unit.
pub(super) fn other_paths<'a>(survey: &'a Survey<'_>, device: &Device) -> Vec<&'a Device> {
    let all = survey.devices.iter();
    all.filter(|other| match likeness(device, other) {
        Some(Likeness::WorldWideName) => true,
        Some(Likeness::Serial) => {
            let view = |device| View::of_device(survey.root, device, 0);
            !differ(&view(device), &view(other), device.bytes)
        }
        None => false,
    })
    .collect()
}

/// Whether another device may claim the names that udev makes of a device's identity.
pub(super) fn has_double(devices: &Devices, device: &Device) -> bool {
    devices.iter().any(|other| likeness(device, other).is_some())
}

//! Block devices: units by world-wide name, volumes and arrays by what their metadata says.
//!
//! Formats: `wwid` of SCSI and NVMe in sysfs; the UUID of a mapping is `LVM-` with the identifiers
//! of group and volume, `CRYPT-` with that of its header, or `mpath-` with what `scsi_id` prints, a
//! digit for the kind of name before it (multipath-tools); `md/uuid` since Linux 6.4, before it
//! udev's link of that name; a device with a cache by its backing device, which has the data:
//! `bcache/backing_dev_uuid` (drivers/md/bcache/sysfs.c), which old kernels do not have; images of
//! a Ceph cluster by its identifier, that of the pool and their own
//! (Documentation/ABI/testing/sysfs-bus-rbd).
//!
//! Leaves out: volumes of VxVM (`VxVM…`) and volumes on the cache of bcache alone; sysfs has no
//! identifier of them.

use std::path::Path;

use super::{Machine, Reach};
use crate::devices::{Backing, Device, DeviceKind, Identity};

/// The name in the world, if it has one.
pub(super) fn of(machine: Machine<'_>, device: &Device) -> Option<String> {
    match &device.kind {
        DeviceKind::Disk if is_way(machine, device) => None,
        DeviceKind::Disk => unit(&device.identity).or_else(|| image(machine, device)),
        DeviceKind::Partition { whole, start_bytes, .. } => {
            let whole = machine.device(whole).filter(|one| one.reach == Reach::World)?;
            Some(format!("{}@{start_bytes}+{}", whole.name, device.bytes))
        }
        DeviceKind::Mapper { uuid, .. } => mapping(machine, device, uuid),
        DeviceKind::Array { .. } => array(machine, device),
        DeviceKind::Loop(backing) => backing.as_ref().and_then(|file| shown(machine, file)),
        DeviceKind::Bcache => cached(machine, device),
        DeviceKind::Zram => None,
    }
}

/// Another device joins it with the other ways to its unit.
fn is_way(machine: Machine<'_>, device: &Device) -> bool {
    let mut holders = device.holders.iter().filter_map(|name| machine.devices.find(name));
    holders.any(Device::is_multipath)
}

/// Serial numbers shorter than this are numbers of a row, or names given by hand (chosen).
const SERIAL_LETTERS: usize = 8;

/// By world-wide name, else by maker's number. What hypervisors make up for each of their machines
/// anew is no name: all QEMU machines have a disk `QM00001`.
fn unit(identity: &Identity) -> Option<String> {
    let is_assigned = |wwid: &&String| !identity.is_virtual() || !wwid.starts_with("t10.");
    if let Some(wwid) = identity.wwid.as_ref() {
        return Some(wwid).filter(is_assigned).cloned();
    }
    let serial = identity.serial.as_ref().filter(|serial| serial.len() >= SERIAL_LETTERS)?;
    let maker = [&identity.vendor, &identity.model].map(|name| name.as_deref().unwrap_or_default());
    let [vendor, model] = maker;
    (!identity.is_virtual()).then(|| format!("serial.{vendor}.{model}.{serial}"))
}

/// An image of a Ceph cluster, or a snapshot of it. Before Linux 4.10 the cluster is not said;
/// images of format 1 have no identifier.
fn image(machine: Machine<'_>, device: &Device) -> Option<String> {
    let folder = format!("/sys/block/{}/device", device.name);
    let known = |attribute: &str| machine.root.attribute(format!("{folder}/{attribute}"));
    let (cluster, pool) = (known("cluster_fsid")?, known("pool_id")?);
    let (namespace, image) = (known("pool_ns").unwrap_or_default(), known("image_id")?);
    let snapshot = known("current_snap").unwrap_or_else(|| "-".to_owned());
    Some(format!("rbd.{cluster}/{pool}/{namespace}/{image}@{snapshot}"))
}

fn mapping(machine: Machine<'_>, device: &Device, uuid: &str) -> Option<String> {
    let Some(unit_name) = uuid.strip_prefix("mpath-") else {
        return (!uuid.is_empty()).then(|| format!("dm.{uuid}"));
    };
    let ways = device.slaves.iter().filter_map(|name| machine.devices.find(name));
    let told = ways.filter_map(|way| unit(&way.identity)).next();
    told.or_else(|| Some(assigned(unit_name)))
}

/// A name as `scsi_id` prints it, as the kernel writes it: 3 is NAA, 2 is EUI-64.
fn assigned(name: &str) -> String {
    let of = |digit: char| name.strip_prefix(digit).filter(|rest| is_hex(rest));
    match (of('3'), of('2')) {
        (Some(rest), _) => format!("naa.{rest}"),
        (None, Some(rest)) => format!("eui.{rest}"),
        (None, None) => format!("dm.mpath-{name}"),
    }
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn array(machine: Machine<'_>, device: &Device) -> Option<String> {
    let link = || device.by_id.iter().find_map(|link| link.strip_prefix("md-uuid-"));
    let told = machine.root.attribute(format!("/sys/block/{}/md/uuid", device.name));
    let uuid = told.or_else(|| link().map(str::to_owned))?;
    // The kernel writes it with dashes, udev with colons in other places.
    let digits: String = uuid.chars().filter(char::is_ascii_hexdigit).collect();
    (!digits.is_empty()).then(|| format!("md.{}", digits.to_lowercase()))
}

fn cached(machine: Machine<'_>, device: &Device) -> Option<String> {
    let attribute = format!("/sys/block/{}/bcache/backing_dev_uuid", device.name);
    machine.root.attribute(attribute).map(|uuid| format!("bcache.{uuid}"))
}

/// A loop device is the part of a file that it shows.
fn shown(machine: Machine<'_>, backing: &Backing) -> Option<String> {
    let Backing { file, is_deleted, offset_bytes, limit_bytes } = backing;
    let file: &Path = file;
    let known = machine.path(file).ok().flatten().filter(|_| !is_deleted)?;
    let is_world = known.reach == Reach::World;
    is_world.then(|| format!("loop.{}@{offset_bytes}+{limit_bytes}", known.name))
}

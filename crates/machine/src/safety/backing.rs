//! Whether a file may be the one behind a loop device, where names and numbers do not say.
//!
//! They do not say where the file is lost ([`super::loops`]): its name was deleted, leads nowhere
//! or to something of another size, or something may have been mounted over it
//! (proc_pid_mountinfo(5)), and the kernel does not give its numbers; or where one of the two lies
//! on a file system that shows another's files under numbers of its own: overlay, NFS, FUSE.
//! Law: every file that is long enough may be the one, unless its bytes differ. Leaves out: a
//! file that was cut shorter than its loop device; another namespace's path that leads to a file
//! of just the right size here; loop devices that encrypt (before Linux 5.16).

use std::fs;
use std::io;
use std::os::linux::fs::MetadataExt;
use std::path::Path;

use super::Survey;
use super::bytes::{View, differ};
use super::loops::{behind, is_attached, is_numbered, is_of_own, keeps_own};
use crate::devices::{Backing, Device};
use crate::location::{self, Object};

/// True when nothing shows that the file `target` is not behind the device.
pub(super) fn may_show(
    survey: &Survey<'_>,
    target: &Path,
    device: &Device,
    backing: &Backing,
) -> io::Result<bool> {
    let metadata = fs::metadata(survey.root.path(target))?;
    let is_long_enough = metadata.len() >= end_of(device, backing);
    let number = metadata.st_dev();
    let may_be_another_name = || match (survey.loop_file(device), behind(survey, device)) {
        (None, _) => is_lost(survey, target, device, backing),
        (_, Some(Object::Block(_) | Object::UnknownBlock(_))) => false,
        (Some(file), _) if file.device == number => !is_numbered(survey, number),
        _ => !(is_of_own(survey, device) && keeps_own(survey.root, target, number)),
    };
    let view = View::of_file(survey.root, survey.root.path(target), backing.offset_bytes);
    Ok(device.bytes != 0
        && is_long_enough
        && may_be_another_name()
        && !differ(&View::of_device(survey.root, device, 0), &view, device.bytes)
        && is_attached(survey, device))
}

/// Whether the path may lead elsewhere than to the file behind the device.
fn is_lost(survey: &Survey<'_>, target: &Path, device: &Device, backing: &Backing) -> bool {
    if backing.is_deleted {
        return true;
    }
    let is_other = match survey.identify(&backing.file) {
        Some(Object::Block(name)) => {
            let below = survey.devices.find(&name);
            return below.is_none_or(|below| below.bytes < end_of(device, backing));
        }
        Some(Object::Inode { .. }) => is_other(survey, device, backing),
        Some(Object::UnknownBlock(_)) | None => true,
    };
    is_other || is_covered(survey, target, &backing.file)
}

/// Whether the file at the path cannot be the one: it is too short, or longer and its bytes differ
/// (a file may have grown since).
fn is_other(survey: &Survey<'_>, device: &Device, backing: &Backing) -> bool {
    let place = survey.root.path(&backing.file);
    let Ok(bytes) = fs::metadata(&place).map(|metadata| metadata.len()) else { return true };
    match bytes.checked_sub(end_of(device, backing)) {
        None => true,
        // Without a limit the device shows the file to its end, but for a part of a sector.
        Some(rest) if rest < 512 && backing.limit_bytes == 0 => false,
        Some(_) => {
            let view = View::of_file(survey.root, place, backing.offset_bytes);
            differ(&View::of_device(survey.root, device, 0), &view, device.bytes)
        }
    }
}

/// Whether the path lies below a mount that may hide the target's file system: a file opened
/// before is still told by this path.
fn is_covered(survey: &Survey<'_>, target: &Path, path: &Path) -> bool {
    let mount_of =
        |path: &Path| location::mount_among(survey.root, &survey.mounts, path).ok().flatten();
    let (Some(own), Some(shown)) = (mount_of(target), mount_of(path)) else { return true };
    survey.mounts.iter().any(|mount| {
        mount.id != shown.id && mount.number == own.number && path.starts_with(&mount.mount_point)
    })
}

/// Where in the file the device ends.
fn end_of(device: &Device, backing: &Backing) -> u64 {
    backing.offset_bytes.saturating_add(device.bytes)
}

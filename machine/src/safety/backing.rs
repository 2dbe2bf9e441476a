//! Whether a file may be the one behind a loop device, where the kernel's path does not say.
//!
//! sysfs tells a path (`loop/backing_file`), made up anew at every look; device and inode number
//! would take an ioctl (LOOP_GET_STATUS64, include/uapi/linux/loop.h), and those need `unsafe`. The
//! path is lost when the name was deleted, leads nowhere or to something of another size, or when
//! something may have been mounted over it (proc_pid_mountinfo(5)).
//! Law: with a lost path every file that is long enough may be the one, until bytes tell them
//! apart. Leaves out: a file that was cut shorter than its loop device; another namespace's path
//! that leads to a file of just the right size here; loop devices that encrypt (before Linux 5.16).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::Survey;
use crate::devices::{Backing, Device};
use crate::location::{self, Object};

const PIECE_BYTES: u64 = 64 << 10;
/// Enough for every device's direct I/O.
const ALIGNMENT: usize = 4096;

/// True when nothing shows that the file `target`, open as `file`, is not behind the device.
pub(super) fn may_show(
    survey: &Survey<'_>,
    (target, file): (&Path, &File),
    (device, backing): (&Device, &Backing),
) -> io::Result<bool> {
    let is_long_enough = file.metadata()?.len() >= end_of(device, backing);
    Ok(device.bytes != 0
        && is_long_enough
        && is_lost(survey, target, (device, backing))
        && compare(survey, file, (device, backing)) != Verdict::Different
        && is_attached(survey, device))
}

/// Whether the path may lead elsewhere than to the file behind the device.
fn is_lost(survey: &Survey<'_>, target: &Path, (device, backing): (&Device, &Backing)) -> bool {
    if backing.is_deleted {
        return true;
    }
    let is_other = match survey.identify(&backing.file) {
        Some(Object::Block(name)) => {
            let below = survey.devices.find(&name);
            return below.is_none_or(|below| below.bytes < end_of(device, backing));
        }
        Some(Object::Inode { .. }) => is_other(survey, (device, backing)),
        Some(Object::UnknownBlock(_)) | None => true,
    };
    is_other || is_covered(survey, target, &backing.file)
}

/// Whether the file at the path cannot be the one: it is too short, or longer and its bytes differ
/// (a file may have grown since).
fn is_other(survey: &Survey<'_>, (device, backing): (&Device, &Backing)) -> bool {
    let place = survey.root.path(&backing.file);
    let Ok(bytes) = fs::metadata(&place).map(|metadata| metadata.len()) else { return true };
    match bytes.checked_sub(end_of(device, backing)) {
        None => true,
        // Without a limit the device shows the file to its end, but for a part of a sector.
        Some(rest) if rest < 512 && backing.limit_bytes == 0 => false,
        Some(_) => open(&place, OFlags::empty())
            .is_ok_and(|file| compare(survey, &file, (device, backing)) == Verdict::Different),
    }
}

/// Whether the path lies below a mount that may hide the target's file system: a file opened
/// before is still told by this path.
fn is_covered(survey: &Survey<'_>, target: &Path, path: &Path) -> bool {
    let mount_of = |path: &Path| location::mount_of(survey.root, path).ok().flatten();
    let (Some(own), Some(shown)) = (mount_of(target), mount_of(path)) else { return true };
    survey.mounts.iter().any(|mount| {
        mount.id != shown.id && mount.number == own.number && path.starts_with(&mount.mount_point)
    })
}

/// A device that was detached since the survey shows nothing any more.
fn is_attached(survey: &Survey<'_>, device: &Device) -> bool {
    survey.root.has(format!("/sys/block/{}/loop/backing_file", device.name))
}

/// Where in the file the device ends.
fn end_of(device: &Device, backing: &Backing) -> u64 {
    backing.offset_bytes.saturating_add(device.bytes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The bytes differ while nobody was writing to the file.
    Different,
    /// The same bytes, or they cannot be read.
    Untold,
}

/// Compares at the start, in the middle and at the end. The device is read past its cache, which
/// makes the kernel write back what only the cache knows (`blkdev_read_iter`, block/fops.c).
fn compare(survey: &Survey<'_>, file: &File, (device, backing): (&Device, &Backing)) -> Verdict {
    // An imitated device is a plain file.
    let direct = if survey.root.is_live() { OFlags::DIRECT } else { OFlags::empty() };
    let Ok(shown) = open(&survey.root.path(device.node()), direct) else { return Verdict::Untold };
    let length = PIECE_BYTES.min(device.bytes) as usize;
    let last = device.bytes - length as u64;
    let aligned = |at: u64| at / ALIGNMENT as u64 * ALIGNMENT as u64;
    let differs = |at| differs(&shown, file, (at, backing.offset_bytes), length).unwrap_or(false);
    if [0, aligned(last / 2), aligned(last)].into_iter().any(differs) {
        return Verdict::Different;
    }
    Verdict::Untold
}

/// The file is read before and after: when it changed meanwhile, nothing is told.
fn differs(shown: &File, file: &File, (at, offset): (u64, u64), length: usize) -> io::Result<bool> {
    let mut space = vec![0; length + ALIGNMENT];
    let skip = space.as_ptr().align_offset(ALIGNMENT);
    let mut pieces = [vec![0; length], vec![0; length]];
    file.read_exact_at(&mut pieces[0], offset + at)?;
    let bytes = &mut space[skip..skip + length];
    shown.read_exact_at(bytes, at)?;
    file.read_exact_at(&mut pieces[1], offset + at)?;
    Ok(pieces[0] == pieces[1] && pieces[0] != bytes)
}

fn open(place: &Path, more: OFlags) -> io::Result<File> {
    let flags = (OFlags::CLOEXEC | OFlags::NONBLOCK | more).bits();
    OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(place)
}

//! Locks that others hold on a target, and our own while it is written.
//!
//! A lock says that somebody works with the file, so it is a reason not to write. Asked are
//! flock(2) and, for POSIX and open file description locks, F_OFD_GETLK (fcntl(2)); /proc/locks
//! adds leases and names who holds it. On block devices a shared flock(2) does not count: udev
//! takes one while it looks at a device (systemd, BLOCK_DEVICE_LOCKING). Leaves out: share modes of
//! other hosts that their server does not turn into locks.

use std::fs::File;
use std::io;
use std::os::linux::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::Survey;
use super::refusal::Reason;
use crate::counters::diskstats::DeviceNumber;
use crate::location;
use crate::locks::Lock;
use crate::root::Root;

/// The kernel takes the rings of a killed process apart some time after its end, and so long its
/// locks stay (chosen: 10 looks, 20 ms apart).
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// A lock that somebody else holds on what is open as `file`.
pub(super) fn by_others(
    survey: &Survey<'_>,
    target: &Path,
    file: &File,
) -> io::Result<Option<Reason>> {
    let metadata = file.metadata()?;
    let number = DeviceNumber::from_raw(metadata.st_dev());
    let is_this = |lock: &&Lock| lock.inode == metadata.st_ino() && lock.number == number;
    let is_lease = |lock: &&Lock| ["LEASE", "DELEG"].contains(&lock.kind.as_str());
    let locked = |kind: &str, by: String| {
        let (what, kind) = (target.to_owned(), kind.to_owned());
        Ok(Some(Reason::Locked { what, kind, by }))
    };
    if let Some(lease) = survey.locks.iter().filter(is_this).find(is_lease) {
        return locked("lease", name(survey.root, lease.process));
    }
    let Some(found) = asked_again(file, metadata.is_file()) else { return Ok(None) };
    let holder = found.process.or_else(|| holder(survey, target, number, metadata.st_ino()));
    locked(found.kind, name(survey.root, holder))
}

/// What stands in the way of a lock of our own.
struct Found {
    kind: &'static str,
    process: Option<u32>,
}

fn asked_again(file: &File, is_file: bool) -> Option<Found> {
    for _ in 1..LOOKS {
        ask(file, is_file)?;
        std::thread::sleep(PAUSE);
    }
    ask(file, is_file)
}

fn ask(file: &File, is_file: bool) -> Option<Found> {
    let mut wanted = whole(libc::F_WRLCK);
    // A file system without such locks answers with an error, and then there are none.
    let asked = fcntl(file, FcntlArg::F_OFD_GETLK(&mut wanted));
    if asked.is_ok() && i32::from(wanted.l_type) != libc::F_UNLCK {
        let process = u32::try_from(wanted.l_pid).ok().filter(|process| *process > 0);
        let kind = if process.is_some() { "fcntl" } else { "fcntl, OFD" };
        return Some(Found { kind, process });
    }
    let operation = match is_file {
        true => FlockOperation::NonBlockingLockExclusive,
        false => FlockOperation::NonBlockingLockShared,
    };
    let tried = match flock(file, operation) {
        // NFS wants a file open for writing for this.
        Err(Errno::BADF) => flock(file, FlockOperation::NonBlockingLockShared),
        other => other,
    };
    match tried {
        Ok(()) => {
            let _ = flock(file, FlockOperation::Unlock);
            None
        }
        Err(error) => {
            (error == Errno::WOULDBLOCK).then_some(Found { kind: "flock", process: None })
        }
    }
}

/// Who holds a lock on the file by /proc/locks, which knows a file system by the number that its
/// mount has; that of a file on btrfs is another.
fn holder(survey: &Survey<'_>, target: &Path, number: DeviceNumber, inode: u64) -> Option<u32> {
    let locks = crate::locks::read(survey.root).ok()?;
    let mount = location::mount_among(survey.root, &survey.mounts, target).ok().flatten();
    let of_mount = mount.map(|mount| mount.number);
    let is_this = |lock: &&Lock| {
        lock.inode == inode && (lock.number == number || Some(lock.number) == of_mount)
    };
    locks.iter().filter(is_this).find_map(|lock| lock.process)
}

fn name(root: &Root, process: Option<u32>) -> String {
    let Some(process) = process else {
        return "an unknown process".to_owned();
    };
    let command = root.attribute(format!("/proc/{process}/comm"));
    command.map_or_else(|| format!("process {process}"), |it| format!("process {process} ({it})"))
}

/// Locks a file that is open for writing, by flock(2) and for fcntl(2), so that others who heed
/// locks keep away until [`release`].
///
/// # Errors
/// Somebody else has a lock.
pub fn hold(file: &File) -> io::Result<()> {
    let taken = || io::Error::new(io::ErrorKind::WouldBlock, "another process has locked it");
    if flock(file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
        return Err(taken());
    }
    let wanted = whole(libc::F_WRLCK);
    match fcntl(file, FcntlArg::F_OFD_SETLK(&wanted)) {
        Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EACCES) => Err(taken()),
        // Where a file system has no locks, no one heeds them.
        _ => Ok(()),
    }
}

/// Gives up what [`hold`] took. Closing is not enough: a ring may keep the file open for a while.
pub fn release(file: &File) {
    let _ = flock(file, FlockOperation::Unlock);
    let _ = fcntl(file, FcntlArg::F_OFD_SETLK(&whole(libc::F_UNLCK)));
}

fn whole(kind: i32) -> libc::flock {
    libc::flock {
        l_type: kind as i16,
        l_whence: libc::SEEK_SET as i16,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    }
}

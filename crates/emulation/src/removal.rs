//! Taking an emulation away: what its manifest names, in the reverse order of making, and nothing
//! else.
//!
//! Each step has a bound and is tried whatever became of the one before. What is not there is done.
//! When something is left the manifest stays, so that the next attempt knows it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use iopath_machine::processes::{self, Holder};
use iopath_machine::{Root, mounts};
use rustix::mount::{UnmountFlags, unmount};
use rustix::process::{Pid, PidfdFlags, Signal, geteuid, pidfd_open, pidfd_send_signal};

use crate::loops;
use crate::manifest::{Daemon, Life, Manifest, Role};
use crate::places::MANIFEST;
use crate::poll::until;
use crate::programs::{Program, run};
use crate::qmp::{Client, is_silence};
use crate::runtime_dir::give_back;
use crate::trouble::Trouble;

/// For others to close what they have open.
const CLOSED: Duration = Duration::from_secs(1);
/// For a daemon to finish its requests and unmount; it takes milliseconds.
const QUIT: Duration = Duration::from_secs(5);
/// For a killed process to end.
const KILLED: Duration = Duration::from_secs(10);

/// What was noticed while an emulation was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Devices that somebody had open, who has got errors since then.
    pub in_use: Vec<Holder>,
    /// Daemons that did not end when they were asked to.
    pub killed: Vec<Role>,
}

/// Removes everything of `manifest`, which is in `directory`.
pub(crate) fn remove(directory: &Path, manifest: &Manifest) -> Result<Removed, Trouble> {
    let mut left = Vec::new();
    let mut removed = Removed::default();
    if manifest.is_of_this_boot() {
        removed.in_use = in_use(manifest);
        take_away_loops(manifest, &mut left);
        for role in [Role::System, Role::Exports, Role::Media] {
            for daemon in manifest.daemons.iter().filter(|daemon| daemon.role == role) {
                match end(daemon) {
                    End::Willing => {}
                    End::Killed => removed.killed.push(role),
                    End::Not(life) => {
                        left.push(format!("the daemon of the {role} (pid {}) is there", life.pid));
                    }
                }
            }
        }
        left.extend(unmount_all(manifest));
    }
    left.extend(manifest.files.iter().filter_map(|file| remove_file(file)));
    left.extend(manifest.folders.iter().filter_map(|folder| remove_folder(folder)));
    if left.is_empty() {
        left.extend(remove_directory(directory));
    }
    if !left.is_empty() {
        return Err(Trouble::Left { directory: directory.to_owned(), what: left });
    }
    give_back(directory.parent().unwrap_or(directory), manifest.above_is_ours);
    Ok(removed)
}

/// Who still has devices open after a while.
fn in_use(manifest: &Manifest) -> Vec<Holder> {
    let nodes = manifest.loops.iter().filter_map(|entry| entry.node.as_deref());
    let paths: BTreeSet<&Path> =
        manifest.devices.iter().map(|device| device.path.as_path()).chain(nodes).collect();
    let mut last = Vec::new();
    until(CLOSED, || {
        last = processes::holders(&Root::live(), &paths).unwrap_or_default();
        last.is_empty().then_some(())
    });
    last
}

fn take_away_loops(manifest: &Manifest, left: &mut Vec<String>) {
    match loops::detach(manifest) {
        Ok(nodes) => {
            let told =
                nodes.iter().map(|node| format!("{}: another process has it open", node.display()));
            left.extend(told);
        }
        Err(trouble) => left.push(trouble.to_string()),
    }
}

enum End {
    Willing,
    Killed,
    Not(Life),
}

/// Ends a daemon: by its own way out, which unmounts what it exports, else by force.
fn end(daemon: &Daemon) -> End {
    let Some(life) = living(daemon) else { return End::Willing };
    // A live system ends by a signal.
    let asked = match daemon.role {
        Role::System => Err(ErrorKind::Unsupported.into()),
        role => Client::connect(role, &daemon.socket, QUIT).and_then(|mut client| client.quit()),
    };
    let has_ended = || (!life.is_there()).then_some(());
    if !asked.as_ref().is_err_and(is_silence) {
        if asked.is_err() {
            signal(life, Signal::TERM);
        }
        if until(QUIT, has_ended).is_some() {
            return End::Willing;
        }
    }
    signal(life, Signal::KILL);
    until(KILLED, has_ended).map_or(End::Not(life), |()| End::Killed)
}

/// The daemon's process. Its number was perhaps not noted any more: then its own file has it, and
/// its arguments show that it is the one.
pub(crate) fn living(daemon: &Daemon) -> Option<Life> {
    if let Some(life) = daemon.life {
        return life.is_there().then_some(life);
    }
    let pid = fs::read_to_string(&daemon.pid_file).ok()?.trim().parse().ok()?;
    let words = processes::arguments(&Root::live(), pid);
    words.contains(&daemon.pid_file.clone().into_os_string()).then(|| Life::of(pid))?
}

/// By a descriptor, so that no other process of this number can come between look and signal.
fn signal(life: Life, signal: Signal) {
    let pid = i32::try_from(life.pid).ok().and_then(Pid::from_raw);
    let Some(process) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return;
    };
    if life.is_there() {
        // It may end by itself at this moment; whether it did is seen by who waits for it.
        let _ = pidfd_send_signal(process, signal);
    }
}

/// Takes away mounts whose daemon did not; who has a file of them open gets errors.
fn unmount_all(manifest: &Manifest) -> Vec<String> {
    let still = match mounted(manifest) {
        Ok(still) => still,
        Err(trouble) => return vec![trouble.to_string()],
    };
    still.iter().filter_map(|path| unmount_one(path).err()).collect()
}

pub(crate) fn mounted(manifest: &Manifest) -> Result<Vec<PathBuf>, Trouble> {
    let ours: BTreeSet<&Path> = manifest.mounts.iter().map(PathBuf::as_path).collect();
    let points = mounts::read(&Root::live())?.into_iter().map(|mount| mount.mount_point);
    Ok(points.filter(|point| ours.contains(point.as_path())).collect())
}

fn unmount_one(path: &Path) -> Result<(), String> {
    let told = |why: &dyn std::fmt::Display| format!("mount {}: {why}", path.display());
    if geteuid().is_root() {
        let flags = UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
        return unmount(path, flags).map_err(|error| told(&error));
    }
    let words = [OsStr::new("-u"), OsStr::new("-z"), path.as_os_str()];
    run(Program::Fusermount, &words, path).map(drop).map_err(|trouble| told(&trouble))
}

fn remove_file(file: &Path) -> Option<String> {
    match fs::remove_file(file) {
        Ok(()) => None,
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(format!("{}: {error}", file.display())),
    }
}

/// The manifest goes last, and only when nothing of others is beside it.
fn remove_directory(directory: &Path) -> Option<String> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("{}: {error}", directory.display())),
    };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    if let Some(strange) = names.into_iter().find(|name| name != MANIFEST) {
        return Some(format!("{} does not belong to this emulation: move it", strange.display()));
    }
    remove_file(&directory.join(MANIFEST)).or_else(|| remove_folder(directory))
}

fn remove_folder(folder: &Path) -> Option<String> {
    match fs::remove_dir(folder) {
        Ok(()) => None,
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(format!("{}: {error}", folder.display())),
    }
}

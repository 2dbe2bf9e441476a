//! What must hold before anything is made: a rig that makes sense, programs, rights and limits.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::path::PathBuf;

use rustix::process::{Resource, geteuid, getrlimit};

use crate::options::Options;
use crate::programs::Program;
use crate::rig::{Device, Group, Rig};
use crate::trouble::Trouble;

/// The most devices that were brought up at a time.
const MOST_DEVICES: usize = 1000;
/// A sector, the unit of sizes of block devices.
const SECTOR: u64 = 512;
const FUSE: &str = "/dev/fuse";

/// Checks all of it; gives how many files a daemon must be able to have open.
pub(crate) fn check(rig: &Rig, options: &Options) -> Result<u64, Trouble> {
    check_rig(rig)?;
    Program::StorageDaemon.find()?;
    check_programs(options)?;
    check_fuse()?;
    let hint = if geteuid().is_root() { "" } else { " (and mount_max in /etc/fuse.conf)" };
    let devices = rig.devices.len();
    if devices > MOST_DEVICES {
        return Err(Trouble::TooMany { devices, most: MOST_DEVICES, hint });
    }
    open_files(devices)
}

fn check_rig(rig: &Rig) -> Result<(), Trouble> {
    if rig.devices.is_empty() {
        return Err(wrong("this path", "it has no devices"));
    }
    rig.groups.iter().try_for_each(check_group)?;
    let mut media: BTreeMap<usize, &Device> = BTreeMap::new();
    for device in &rig.devices {
        check_device(device, rig)?;
        let first = media.entry(device.medium).or_insert(device);
        if first.bytes != device.bytes {
            let why = format!(
                "it has {} bytes and {}, another path to its medium, has {}",
                device.bytes, first.name, first.bytes
            );
            return Err(wrong(&device.name, why));
        }
    }
    Ok(())
}

fn check_group(group: &Group) -> Result<(), Trouble> {
    let is_rate = |value: f64| value > 0.0;
    if !is_rate(group.per_sec) {
        return Err(wrong(&group.name, format!("its rate is {} /s", group.per_sec)));
    }
    match group.burst {
        Some(burst) if !is_rate(burst.tokens) || !is_rate(burst.rate) => {
            let why = format!("its burst is {} tokens at {} /s", burst.tokens, burst.rate);
            Err(wrong(&group.name, why))
        }
        _ => Ok(()),
    }
}

fn check_device(device: &Device, rig: &Rig) -> Result<(), Trouble> {
    if device.bytes == 0 || !device.bytes.is_multiple_of(SECTOR) {
        let why = format!("its {} bytes are not a multiple of 512", device.bytes);
        return Err(wrong(&device.name, why));
    }
    match device.groups.iter().find(|group| **group >= rig.groups.len()) {
        Some(group) => Err(wrong(&device.name, format!("there is no group {group}"))),
        None => Ok(()),
    }
}

fn wrong(name: &str, why: impl Into<String>) -> Trouble {
    Trouble::Rig { name: name.to_owned(), why: why.into() }
}

/// The same of a live system.
pub(crate) fn check_live(options: &Options) -> Result<(), Trouble> {
    check_programs(options)?;
    check_fuse()
}

fn check_programs(options: &Options) -> Result<(), Trouble> {
    if options.kept {
        Program::Setsid.find()?
    } else {
        Program::Setpriv.find()?
    };
    let is_root = geteuid().is_root();
    if !is_root {
        Program::Fusermount.find()?;
    }
    if options.loops {
        if !is_root {
            return Err(Trouble::NotRoot);
        }
        Program::Losetup.find()?;
    }
    Ok(())
}

fn check_fuse() -> Result<(), Trouble> {
    let opened = OpenOptions::new().read(true).write(true).open(FUSE);
    opened.map(drop).map_err(|source| Trouble::NoFuse { path: PathBuf::from(FUSE), source })
}

/// A device has four in the second daemon: a socket, a FUSE session and two of its thread; in the
/// first it has a socket and perhaps a file. Counted in version 7.2, and some more for others.
fn open_files(devices: usize) -> Result<u64, Trouble> {
    let needed = 64 + 6 * devices as u64;
    let limit = getrlimit(Resource::Nofile);
    match limit.maximum {
        Some(most) if most < needed => Err(Trouble::OpenFiles { devices, needed, most }),
        _ => Ok(needed.max(limit.current.unwrap_or(needed))),
    }
}

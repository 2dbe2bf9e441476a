//! Settings of the kernel that a trial may change, and their restoring: how far it reads ahead
//! through its page cache, and how it queues requests for a drive.
//!
//! Readahead is kept for each backing device: `queue/read_ahead_kb` of a disk, or of a file system
//! without one `/sys/class/bdi/N:M/read_ahead_kb`, as NFS and FUSE have, or
//! `/sys/fs/btrfs/UUID/bdi/read_ahead_kb`. The
//! others (`scheduler`, `max_sectors_kb`, `nr_requests`) are of each drive's queue. Some change
//! others by the way (`Setting::upsets`), which are restored with them.
//!
//! Before anything is changed a note is left in `/run/iopath`, which a restart empties as it resets
//! the settings; it goes when the setting is back. So what a killed process left, or what this one
//! could not restore, is known to whoever comes after: a guard that outlives it ([`restore_left`]),
//! or the next trial, which takes the old value from the note. A value that somebody else changed
//! meanwhile stays as it is.
//!
//! Left out: every other setting; other file systems whose backing device has no number.

mod changed;
mod note;
mod range;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use thiserror::Error;

use crate::devices::Devices;
use crate::error::ReadError;
use crate::file_systems::{self, Btrfs};
use crate::location;
use crate::root::Root;

pub use changed::{Changed, Unrestored, leftovers, restore_left};
pub use note::Leftover;
pub use range::{Range, Takes, range};

/// Why a setting cannot be changed.
#[derive(Debug, Error)]
pub enum SettingError {
    /// Nothing below this place has such a setting, or none that can be found.
    #[error(
        "{place}: {name} cannot be set: nothing below it has such a setting; remove {property}"
    )]
    None {
        /// A target.
        place: PathBuf,
        /// The kernel's name of the setting.
        name: &'static str,
        /// The property of a study that asks for it.
        property: &'static str,
    },
    /// The kernel does not let us.
    #[error("{file} cannot be changed: {source}; run as root, or remove the kernel- properties")]
    Refused {
        /// The kernel's file.
        file: PathBuf,
        /// Its answer.
        source: io::Error,
    },
    /// The device has no such value.
    #[error("{file} does not take {value}: {allowed}; choose another {property}")]
    Invalid {
        /// The kernel's file.
        file: PathBuf,
        /// What was asked for.
        value: String,
        /// What it takes.
        allowed: String,
        /// The property of a study that asks for it.
        property: &'static str,
    },
    /// No note, no change.
    #[error("{note} cannot be written, so a changed setting might not be restored: {source}")]
    Unnoted {
        note: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Another run has changed it and is still there.
    #[error("process {process} has changed {file} and not yet restored it: wait for it")]
    Busy {
        /// The kernel's file.
        file: PathBuf,
        process: u32,
    },
    /// It could not be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
}

/// A setting of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// What orders the requests of a drive. It comes first, as it resets others.
    Scheduler,
    /// The largest request that is made of a drive, in KiB.
    MaxRequest,
    /// Requests that a drive's queue has room for.
    Requests,
    /// How far is read ahead at most, in KiB.
    Readahead,
}

impl Setting {
    /// All of them, in the order in which they are set.
    pub const ALL: [Self; 4] = [Self::Scheduler, Self::MaxRequest, Self::Requests, Self::Readahead];

    /// The kernel's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheduler => "scheduler",
            Self::MaxRequest => "max_sectors_kb",
            Self::Requests => NR_REQUESTS,
            Self::Readahead => "read_ahead_kb",
        }
    }

    /// Files beside that of this setting that the kernel changes with it, and that are restored
    /// with it: another scheduler has settings of its own and resets the number of requests and the
    /// limit of writes in the background; a larger request may raise readahead.
    fn upsets(self, root: &Root, file: &Path) -> Vec<PathBuf> {
        let beside = |names: &[&str]| names.iter().map(|name| file.with_file_name(name)).collect();
        let mut all: Vec<PathBuf> = match self {
            Self::Scheduler => beside(&[Self::Requests.name(), "wbt_lat_usec"]),
            Self::MaxRequest => beside(&[Self::Readahead.name()]),
            Self::Requests | Self::Readahead => Vec::new(),
        };
        if self == Self::Scheduler {
            let own = file.with_file_name("iosched");
            let names = root.list(&own).unwrap_or_default();
            all.extend(names.iter().map(|name| own.join(name)));
        }
        // Those that cannot be read or written have nothing to restore.
        all.retain(|file| {
            current(root, file).is_ok() && access(root.path(file), Access::WRITE_OK).is_ok()
        });
        all
    }

    /// The property of a study that asks for it.
    #[must_use]
    pub fn property(self) -> &'static str {
        match self {
            Self::Scheduler => "kernel-scheduler",
            Self::MaxRequest => "kernel-max-request",
            Self::Requests => "kernel-requests",
            Self::Readahead => "kernel-readahead",
        }
    }
}

const NR_REQUESTS: &str = "nr_requests";

/// What a file of the kernel shall say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// Which setting it is.
    pub setting: Setting,
    /// The file.
    pub file: PathBuf,
    /// What it shall say.
    pub value: String,
}

/// What the kernel's files of a setting shall say, for what lies at these places.
pub fn wanted(
    root: &Root,
    devices: &Devices,
    places: impl IntoIterator<Item = impl AsRef<Path>>,
    setting: Setting,
    value: &str,
) -> Result<BTreeSet<Wanted>, SettingError> {
    let mut wanted = BTreeSet::new();
    for place in places {
        let place = place.as_ref();
        let found = match setting {
            Setting::Readahead => files_of(root, devices, place)?,
            _ => queues_of(root, devices, place, setting)?,
        };
        if found.is_empty() {
            let (place, name, property) = (place.to_owned(), setting.name(), setting.property());
            return Err(SettingError::None { place, name, property });
        }
        let of = |file| Wanted { setting, file, value: value.to_owned() };
        wanted.extend(found.into_iter().map(of));
    }
    Ok(wanted)
}

/// The files of a setting of the drives at the bottom.
fn queues_of(
    root: &Root,
    devices: &Devices,
    place: &Path,
    setting: Setting,
) -> Result<BTreeSet<PathBuf>, ReadError> {
    let location = location::device_of_file(root, devices, place)?;
    let leaves = location.devices.iter().flat_map(|name| devices.leaves(name));
    let file = |name: String| {
        let disk = devices.whole_of(&name);
        PathBuf::from(format!("/sys/block/{disk}/queue/{}", setting.name()))
    };
    Ok(leaves.map(file).filter(|file| root.has(file)).collect())
}

fn files_of(root: &Root, devices: &Devices, place: &Path) -> Result<BTreeSet<PathBuf>, ReadError> {
    let location = location::device_of_file(root, devices, place)?;
    let number = location.mount.as_ref().map(|mount| mount.number);
    let numbered = |file: &PathBuf| root.has(file);
    // A file system over several devices has a backing device of its own.
    if let Some(number) = number.filter(|number| devices.by_number(*number).is_none()) {
        let file = format!("/sys/class/bdi/{}:{}/read_ahead_kb", number.major, number.minor);
        let of_btrfs = || btrfs_file(root, &location.devices);
        let file = Some(PathBuf::from(file)).filter(numbered).or_else(of_btrfs);
        return Ok(file.into_iter().collect());
    }
    let main = number.and_then(|number| devices.by_number(number)).map(|device| &device.name);
    let names = main.map_or_else(|| location.devices.iter().collect(), |name| vec![name]);
    let queue = |name: &String| {
        let disk = devices.whole_of(name);
        PathBuf::from(format!("/sys/block/{disk}/queue/read_ahead_kb"))
    };
    Ok(names.into_iter().map(queue).filter(numbered).collect())
}

/// The file of a btrfs that is mounted from these devices.
fn btrfs_file(root: &Root, devices: &BTreeSet<String>) -> Option<PathBuf> {
    let is_of = |one: &Btrfs| one.members.iter().any(|member| devices.contains(member));
    let found = file_systems::btrfs(root).into_iter().find(is_of)?;
    let file = PathBuf::from(format!("/sys/fs/btrfs/{}/bdi/read_ahead_kb", found.uuid));
    root.has(&file).then_some(file)
}

/// Whether this process may change these files, and the devices take the values, as far as the
/// kernel tells beforehand.
pub fn may_set(root: &Root, wanted: &BTreeSet<Wanted>) -> Result<(), SettingError> {
    for one in wanted {
        let file = &one.file;
        one.check(root)?;
        access(root.path(file), Access::WRITE_OK).map_err(|errno| {
            let (file, source) = (file.clone(), errno.into());
            SettingError::Refused { file, source }
        })?;
    }
    Ok(())
}

impl Wanted {
    fn check(&self, root: &Root) -> Result<(), SettingError> {
        let allowed = match self.setting {
            Setting::Scheduler => {
                let words = range::schedulers(root, &self.file)?;
                (!words.contains(&self.value)).then(|| format!("it has {}", words.join(" ")))
            }
            Setting::MaxRequest => {
                let most = range::most_request_kib(root, &self.file);
                let is_more =
                    |most: &u64| self.value.parse().is_ok_and(|wanted: u64| wanted > *most);
                most.filter(is_more).map(|most| format!("the device takes up to {most} KiB"))
            }
            Setting::Requests | Setting::Readahead => None,
        };
        let (file, value) = (self.file.clone(), self.value.clone());
        let property = self.setting.property();
        allowed
            .map_or(Ok(()), |allowed| Err(SettingError::Invalid { file, value, allowed, property }))
    }
}

/// What a setting is; of words the one in brackets.
pub fn current(root: &Root, file: &Path) -> Result<String, ReadError> {
    let text = root.read(file)?;
    let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    Ok(chosen.map_or(text.as_str(), |(chosen, _)| chosen).trim().to_owned())
}

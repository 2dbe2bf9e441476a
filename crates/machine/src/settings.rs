//! Settings of the kernel that a trial may change, and their restoring: how far it reads ahead
//! through its page cache, and how it queues requests for a drive.
//!
//! Readahead is kept for each backing device: `queue/read_ahead_kb` of a disk, or of a file system
//! without one `/sys/class/bdi/N:M/read_ahead_kb`, as NFS and FUSE have, or
//! `/sys/fs/btrfs/UUID/bdi/read_ahead_kb`. The
//! others (`scheduler`, `max_sectors_kb`, `nr_requests`) are of each drive's queue. Another
//! scheduler resets the number of requests, so that is noted and restored with it.
//!
//! Before anything is changed a note is left in `/run/iopath`, which a restart empties as it resets
//! the settings; it goes when the setting is back. So what a killed process left, or what this one
//! could not restore, is known to whoever comes after: a guard that outlives it ([`restore_left`]),
//! or the next trial, which takes the old value from the note. A value that somebody else changed
//! meanwhile stays as it is.
//!
//! Left out: every other setting; other file systems whose backing device has no number.

mod note;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use thiserror::Error;

use crate::devices::Devices;
use crate::error::ReadError;
use crate::file_systems::{self, Btrfs};
use crate::location;
use crate::root::Root;

pub use note::Leftover;
use note::Note;

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

    /// The property of a study that asks for it.
    fn property(self) -> &'static str {
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

/// Whether this process may change these files.
pub fn may_set(root: &Root, wanted: &BTreeSet<Wanted>) -> Result<(), SettingError> {
    for Wanted { file, .. } in wanted {
        access(root.path(file), Access::WRITE_OK).map_err(|errno| {
            let (file, source) = (file.clone(), errno.into());
            SettingError::Refused { file, source }
        })?;
    }
    Ok(())
}

/// What was changed, until it is restored: at the latest when this goes.
#[derive(Debug)]
pub struct Changed {
    root: Root,
    notes: Vec<Note>,
}

/// A setting that was not restored.
#[derive(Debug, Error)]
pub enum Unrestored {
    /// Somebody else has changed it meanwhile.
    #[error(
        "{file} was changed to {found} by another process and is left so; before this trial it was \
         {before}"
    )]
    Foreign {
        /// The kernel's file.
        file: PathBuf,
        /// What it says now.
        found: String,
        /// What it said before.
        before: String,
    },
    /// The kernel does not let us.
    #[error("{file} could not be restored: {source}; `echo {before} > {file}` does it")]
    Failed {
        /// The kernel's file.
        file: PathBuf,
        /// What it said before.
        before: String,
        /// Its answer.
        source: io::Error,
    },
}

impl Changed {
    /// Writes what is wanted, in the order of the settings. Where one fails, those before are
    /// restored.
    pub fn set(root: &Root, wanted: &BTreeSet<Wanted>) -> Result<Self, SettingError> {
        let mut changed = Self { root: root.clone(), notes: Vec::new() };
        for Wanted { setting, file, value } in wanted {
            // What another scheduler resets.
            let reset = file.with_file_name(NR_REQUESTS);
            let has_reset = *setting == Setting::Scheduler && root.has(&reset);
            if has_reset && current(root, file)? != *value {
                changed.keep(&reset)?;
            }
            changed.change(file, value)?;
            if has_reset {
                changed.refresh(&reset)?;
            }
        }
        Ok(changed)
    }

    /// Notes a setting that stays as it is, for now.
    fn keep(&mut self, file: &Path) -> Result<(), SettingError> {
        let found = current(&self.root, file)?;
        let before = self.before_of(file, &found)?;
        let note = Note::new(&self.root, file, (&before, &found));
        note.write(&self.root)?;
        self.notes.push(note);
        Ok(())
    }

    /// Notes what a setting says now.
    fn refresh(&mut self, file: &Path) -> Result<(), SettingError> {
        let found = current(&self.root, file)?;
        let Some(note) = self.notes.iter_mut().find(|note| note.file == file) else {
            return Ok(());
        };
        note.ours = found;
        note.write(&self.root)
    }

    /// What a setting was before any of our processes changed it.
    fn before_of(&self, file: &Path, found: &str) -> Result<String, SettingError> {
        let left = Note::of(&self.root, file);
        if let Some(note) = left.as_ref().filter(|note| note.is_of_another(&self.root)) {
            return Err(SettingError::Busy { file: file.to_owned(), process: note.process });
        }
        // What a killed process left is not what was there before, nor is what this process could
        // not restore.
        let left = left.filter(|note| note.ours == found);
        Ok(left.map_or_else(|| found.to_owned(), |note| note.before))
    }

    fn change(&mut self, file: &Path, wanted: &str) -> Result<(), SettingError> {
        let found = current(&self.root, file)?;
        let before = self.before_of(file, &found)?;
        if before == wanted && found == wanted {
            return Ok(());
        }
        let note = Note::new(&self.root, file, (&before, wanted));
        note.write(&self.root)?;
        // From here on the drop restores it.
        self.notes.retain(|one| one.file != file);
        self.notes.push(note);
        let refused = |source| SettingError::Refused { file: file.to_owned(), source };
        fs::write(self.root.path(file), wanted).map_err(refused)?;
        // The kernel may round.
        self.refresh(file)
    }

    /// Leaves everything as it was set, for good.
    pub fn leave(mut self) {
        let notes = std::mem::take(&mut self.notes);
        notes.iter().for_each(|note| note.remove(&self.root));
    }

    /// The files that were changed, and what they said before.
    pub fn before(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.notes.iter().map(|note| (note.file.as_path(), note.before.as_str()))
    }

    /// Restores everything; tells what it could not or must not restore.
    pub fn restore(mut self) -> Vec<Unrestored> {
        self.restore_all()
    }

    fn restore_all(&mut self) -> Vec<Unrestored> {
        restored(&self.root, std::mem::take(&mut self.notes))
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        self.restore_all();
    }
}

/// Restores what notes say, schedulers first: each resets what another note restores.
fn restored(root: &Root, mut notes: Vec<Note>) -> Vec<Unrestored> {
    let is_scheduler = |note: &Note| note.file.ends_with(Setting::Scheduler.name());
    notes.sort_by_key(|note| !is_scheduler(note));
    let mut left = Vec::new();
    for at in 0..notes.len() {
        let note = notes[at].clone();
        left.extend(restore(root, &note).err());
        let reset = note.file.with_file_name(NR_REQUESTS);
        if let Some(other) =
            notes.iter_mut().find(|other| is_scheduler(&note) && other.file == reset)
            && let Ok(found) = current(root, &reset)
        {
            other.ours = found;
        }
    }
    left
}

/// Restores what processes have changed that are gone.
pub fn restore_left(root: &Root) -> Vec<Unrestored> {
    let notes = note::all(root).into_iter();
    restored(root, notes.filter(|note| !note.is_alive(root)).collect())
}

fn restore(root: &Root, note: &Note) -> Result<(), Unrestored> {
    let (file, before) = (note.file.clone(), note.before.clone());
    match current(root, &file) {
        Ok(found) if found == before => note.remove(root),
        Ok(found) if found == note.ours => {
            let failed = |source| Unrestored::Failed { file: file.clone(), before, source };
            // The note stays where this fails.
            fs::write(root.path(&file), &note.before).map_err(failed)?;
            note.remove(root);
        }
        Ok(found) => {
            note.remove(root);
            return Err(Unrestored::Foreign { file, found, before });
        }
        // The device is gone, and its setting with it.
        Err(_) => note.remove(root),
    }
    Ok(())
}

/// Settings that a killed process has changed and that are still as it left them.
pub fn leftovers(root: &Root) -> Vec<Leftover> {
    let notes = note::all(root).into_iter();
    let left = notes.filter(|note| {
        let is_ours = current(root, &note.file).is_ok_and(|found| found == note.ours);
        is_ours && note.ours != note.before && !note.is_alive(root)
    });
    left.map(|Note { file, before, ours, process, .. }| Leftover { file, before, ours, process })
        .collect()
}

/// What a setting is; of words the one in brackets.
pub fn current(root: &Root, file: &Path) -> Result<String, ReadError> {
    let text = root.read(file)?;
    let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    Ok(chosen.map_or(text.as_str(), |(chosen, _)| chosen).trim().to_owned())
}

//! A setting of the kernel that a trial may change, and its restoring: how far the kernel reads
//! ahead through its page cache.
//!
//! The kernel keeps it for each backing device: `queue/read_ahead_kb` of a disk, or
//! `/sys/class/bdi/N:M/read_ahead_kb` of a file system without one, as NFS and FUSE have. Before
//! anything is changed a note is left in `/run/iopath`, which a restart empties as it resets the
//! setting; it goes when the setting is back. So what a killed process left, or what this one could
//! not restore, is known to the next trial, which takes the old value from the note. A value that
//! somebody else changed meanwhile stays as it is.
//!
//! Left out: every other setting; btrfs and others whose backing device has no number.

mod note;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use thiserror::Error;

use crate::devices::Devices;
use crate::error::ReadError;
use crate::location;
use crate::root::Root;

pub use note::Leftover;
use note::Note;

/// Why a setting cannot be changed.
#[derive(Debug, Error)]
pub enum SettingError {
    /// Nothing below this place has such a setting, or none that can be found.
    #[error(
        "{place}: readahead cannot be set: its file system has neither a block device nor a \
         numbered backing device; remove kernel-readahead"
    )]
    None {
        /// A target.
        place: PathBuf,
    },
    /// The kernel does not let us.
    #[error("{file} cannot be changed: {source}; run as root, or remove kernel-readahead")]
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

/// The kernel's files that say how far it reads ahead of what lies at these places.
pub fn readahead_files(
    root: &Root,
    devices: &Devices,
    places: impl IntoIterator<Item = impl AsRef<Path>>,
) -> Result<BTreeSet<PathBuf>, SettingError> {
    let mut files = BTreeSet::new();
    for place in places {
        let place = place.as_ref();
        let mut found = files_of(root, devices, place)?;
        if found.is_empty() {
            return Err(SettingError::None { place: place.to_owned() });
        }
        files.append(&mut found);
    }
    Ok(files)
}

fn files_of(root: &Root, devices: &Devices, place: &Path) -> Result<BTreeSet<PathBuf>, ReadError> {
    let location = location::device_of_file(root, devices, place)?;
    let number = location.mount.as_ref().map(|mount| mount.number);
    let numbered = |file: &PathBuf| root.has(file);
    // A file system over several devices has a backing device of its own.
    if let Some(number) = number.filter(|number| devices.by_number(*number).is_none()) {
        let file = format!("/sys/class/bdi/{}:{}/read_ahead_kb", number.major, number.minor);
        return Ok(Some(PathBuf::from(file)).filter(numbered).into_iter().collect());
    }
    let main = number.and_then(|number| devices.by_number(number)).map(|device| &device.name);
    let names = main.map_or_else(|| location.devices.iter().collect(), |name| vec![name]);
    let queue = |name: &String| {
        let disk = devices.whole_of(name);
        PathBuf::from(format!("/sys/block/{disk}/queue/read_ahead_kb"))
    };
    Ok(names.into_iter().map(queue).filter(numbered).collect())
}

/// Whether this process may change these files.
pub fn may_set(root: &Root, files: &BTreeSet<PathBuf>) -> Result<(), SettingError> {
    for file in files {
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
    /// Writes a number of KiB into these files. Where one fails, those before are restored.
    pub fn set(root: &Root, files: &BTreeSet<PathBuf>, kib: u64) -> Result<Self, SettingError> {
        let mut changed = Self { root: root.clone(), notes: Vec::new() };
        for file in files {
            changed.change(file, &kib.to_string())?;
        }
        Ok(changed)
    }

    fn change(&mut self, file: &Path, wanted: &str) -> Result<(), SettingError> {
        let found = current(&self.root, file)?;
        let left = Note::of(&self.root, file);
        if let Some(note) = left.as_ref().filter(|note| note.is_of_another(&self.root)) {
            return Err(SettingError::Busy { file: file.to_owned(), process: note.process });
        }
        // What a killed process left is not what was there before, nor is what this process could
        // not restore.
        let left = left.filter(|note| note.ours == found);
        let before = left.map_or_else(|| found.clone(), |note| note.before);
        if before == wanted && found == wanted {
            return Ok(());
        }
        let mut note = Note::new(&self.root, file, (&before, wanted));
        note.write(&self.root)?;
        // From here on the drop restores it.
        self.notes.push(note.clone());
        let refused = |source| SettingError::Refused { file: file.to_owned(), source };
        fs::write(self.root.path(file), wanted).map_err(refused)?;
        // The kernel may round.
        note.ours = current(&self.root, file)?;
        note.write(&self.root)?;
        self.notes.pop();
        self.notes.push(note);
        Ok(())
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
        let notes = std::mem::take(&mut self.notes);
        notes.iter().rev().filter_map(|note| restore(&self.root, note).err()).collect()
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        self.restore_all();
    }
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

fn current(root: &Root, file: &Path) -> Result<String, ReadError> {
    root.read(file).map(|text| text.trim().to_owned())
}

//! What was changed of the kernel's settings, and how it is restored: all that was noted is looked
//! at first, so that what restoring one setting does to another is not taken for somebody else's
//! change.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::note::{self, Leftover, Note};
use super::{Setting, SettingError, Wanted, current};
use crate::root::Root;

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
        for Wanted { setting, file, .. } in wanted {
            for upset in setting.upsets(root, file) {
                changed.note(&upset)?;
            }
        }
        for Wanted { file, value, .. } in wanted {
            changed.change(file, value)?;
        }
        changed.refresh()?;
        Ok(changed)
    }

    /// Notes what a setting was before any of our processes changed it; says what it is now.
    fn note(&mut self, file: &Path) -> Result<String, SettingError> {
        let found = current(&self.root, file)?;
        let left = Note::of(&self.root, file);
        if let Some(note) = left.as_ref().filter(|note| note.is_of_another(&self.root)) {
            return Err(SettingError::Busy { file: file.to_owned(), process: note.process });
        }
        if self.notes.iter().any(|note| note.file == file) {
            return Ok(found);
        }
        // What a killed process left is not what was there before, nor is what this process could
        // not restore.
        let left = left.filter(|note| note.ours == found);
        let before = left.map_or_else(|| found.clone(), |note| note.before);
        let note = Note::new(&self.root, file, (&before, &found));
        note.write(&self.root)?;
        // From here on the drop restores it.
        self.notes.push(note);
        Ok(found)
    }

    fn change(&mut self, file: &Path, wanted: &str) -> Result<(), SettingError> {
        let found = self.note(file)?;
        if found == wanted {
            return Ok(());
        }
        if let Some(note) = self.notes.iter_mut().find(|note| note.file == file) {
            wanted.clone_into(&mut note.ours);
            note.write(&self.root)?;
        }
        let refused = |source| SettingError::Refused { file: file.to_owned(), source };
        fs::write(self.root.path(file), wanted).map_err(refused)
    }

    /// Notes what everything says now: the kernel may round, and changes one with another. What is
    /// as it was needs no note.
    fn refresh(&mut self) -> Result<(), SettingError> {
        for note in &mut self.notes {
            note.ours = current(&self.root, &note.file).unwrap_or_default();
            note.write(&self.root)?;
        }
        let (same, changed) = std::mem::take(&mut self.notes)
            .into_iter()
            .partition(|note: &Note| note.ours == note.before);
        self.notes = changed;
        same.iter().for_each(|note: &Note| note.remove(&self.root));
        Ok(())
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

/// Restores what processes have changed that are gone.
pub fn restore_left(root: &Root) -> Vec<Unrestored> {
    let notes = note::all(root).into_iter();
    restored(root, notes.filter(|note| !note.is_alive(root)).collect())
}

/// Restores what notes say, what upsets others first; all that is still as noted.
fn restored(root: &Root, notes: Vec<Note>) -> Vec<Unrestored> {
    let mut left = Vec::new();
    let mut ours = Vec::new();
    for note in notes {
        match foreign(root, &note) {
            Some(unrestored) => {
                note.remove(root);
                left.push(unrestored);
            }
            None => ours.push(note),
        }
    }
    let upsetting = [Setting::Scheduler, Setting::MaxRequest];
    let rank = |note: &Note| upsetting.iter().position(|one| note.file.ends_with(one.name()));
    ours.sort_by_key(|note| rank(note).unwrap_or(upsetting.len()));
    left.extend(ours.iter().filter_map(|note| restore(root, note).err()));
    left
}

/// Somebody else's change; a file that is not there belongs to a scheduler that is not set, or to a
/// device that is gone.
fn foreign(root: &Root, note: &Note) -> Option<Unrestored> {
    let found = current(root, &note.file).ok()?;
    let is_ours = found == note.ours || found == note.before || note.ours.is_empty();
    let Note { file, before, .. } = note.clone();
    (!is_ours).then_some(Unrestored::Foreign { file, found, before })
}

fn restore(root: &Root, note: &Note) -> Result<(), Unrestored> {
    let Note { file, before, .. } = note.clone();
    if current(root, &file).is_ok_and(|found| found != before) {
        // The note stays where this fails.
        let written = fs::write(root.path(&file), &before);
        written.map_err(|source| Unrestored::Failed { file, before, source })?;
    }
    note.remove(root);
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

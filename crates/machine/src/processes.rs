//! /proc/PID: whether a process is still the one that was meant, and who has a file open.
//!
//! Format: proc_pid_stat(5); the start time is field 22, in ticks since boot. A number is given to
//! another process after a while, a number and a start time are not, until the machine starts anew.
//! Leaves out: other name spaces' numbers, and open files of processes that may not be looked at.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::counters::process::StatFields;
use crate::error::ReadError;
use crate::line::Line;
use crate::root::Root;

/// A process, of this program or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// Its name, cut by the kernel to 15 bytes.
    pub name: String,
    /// When it was started, in ticks since boot.
    pub started_ticks: u64,
    /// It has ended, and only its parent has not asked for it yet.
    pub has_ended: bool,
}

/// Reads the process of this number; `None` when there is none.
pub fn read(root: &Root, id: u32) -> Result<Option<Process>, ReadError> {
    let file = format!("/proc/{id}/stat");
    let Some(text) = root.read_if_present(&file)? else { return Ok(None) };
    let line = Line { root, file: &file, number: 1, text: text.trim_end() };
    let fields = StatFields::cut(&line)?;
    Ok(Some(Process {
        id,
        name: fields.name.to_owned(),
        started_ticks: fields.number("starttime", 22)?,
        has_ended: matches!(fields.text(3), Some("Z" | "X" | "x")),
    }))
}

/// The arguments that the process was started with, its program's name first; empty when it has
/// ended.
pub fn arguments(root: &Root, id: u32) -> Vec<OsString> {
    let bytes = fs::read(root.path(format!("/proc/{id}/cmdline"))).unwrap_or_default();
    let words = bytes.strip_suffix(b"\0").unwrap_or(&bytes).split(|byte| *byte == 0);
    words.filter(|word| !word.is_empty()).map(|word| OsString::from_vec(word.to_vec())).collect()
}

/// A file that a process has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The file, as it was asked for.
    pub path: PathBuf,
    pub process: Process,
}

/// Who has one of `paths` open, by the names under which they were opened, as far as we may look.
pub fn holders(root: &Root, paths: &BTreeSet<&Path>) -> Result<Vec<Holder>, ReadError> {
    let mut holders = Vec::new();
    let ids = root.list("/proc")?.into_iter().filter_map(|name| name.parse().ok());
    for id in ids {
        let held = held_by(root, id, paths);
        if held.is_empty() {
            continue;
        }
        if let Some(process) = read(root, id)? {
            let of = |path| Holder { path, process: process.clone() };
            holders.extend(held.into_iter().map(of));
        }
    }
    Ok(holders)
}

fn held_by(root: &Root, id: u32, paths: &BTreeSet<&Path>) -> BTreeSet<PathBuf> {
    let Ok(entries) = fs::read_dir(root.path(format!("/proc/{id}/fd"))) else {
        return BTreeSet::new();
    };
    let targets = entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    targets.filter(|target| paths.contains(target.as_path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start_and_by_what_it_has_open() {
        let root = Root::live();
        let own = read(&root, std::process::id()).unwrap().unwrap();
        assert!(own.started_ticks > 0 && !own.has_ended);
        assert_eq!(read(&root, std::process::id()).unwrap().unwrap(), own);
        assert!(!arguments(&root, own.id).is_empty());
        let place = tempfile::tempdir().unwrap();
        let (open, closed) = (place.path().join("open"), place.path().join("closed"));
        let _file = fs::File::create(&open).unwrap();
        fs::write(&closed, "").unwrap();
        let paths = BTreeSet::from([open.as_path(), closed.as_path()]);
        let found = holders(&root, &paths).unwrap();
        assert_eq!(found, [Holder { path: open.clone(), process: own }]);
    }

    #[test]
    fn nobody_has_a_number_that_is_not_given() {
        let root = Root::live();
        assert_eq!(read(&root, u32::MAX).unwrap(), None);
        assert!(arguments(&root, u32::MAX).is_empty());
    }
}

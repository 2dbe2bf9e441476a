//! Notes about changed settings: a small file each, `name=value` a line, in `/run/iopath`.

use std::fs;
use std::path::{Path, PathBuf};

use super::SettingError;
use crate::processes;
use crate::root::Root;

const FOLDER: &str = "/run/iopath";

/// What a killed process left.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "process {process} was killed before it could restore {file}: it is {ours}, and was {before}; \
     `echo {before} > {file}` restores it"
)]
pub struct Leftover {
    /// The kernel's file.
    pub file: PathBuf,
    /// What it said before.
    pub before: String,
    /// What it says now.
    pub ours: String,
    /// Who left it so.
    pub process: u32,
}

/// What was changed, by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub file: PathBuf,
    pub before: String,
    pub ours: String,
    pub process: u32,
    /// When that process began, in the kernel's ticks: numbers of processes come again.
    started: String,
}

impl Note {
    /// A note of this process.
    pub(super) fn new(root: &Root, file: &Path, (before, ours): (&str, &str)) -> Self {
        let process = std::process::id();
        let started = started(root, process).unwrap_or_default();
        let (file, before, ours) = (file.to_owned(), before.to_owned(), ours.to_owned());
        Self { file, before, ours, process, started }
    }

    /// The note about a setting, if there is one.
    pub(super) fn of(root: &Root, file: &Path) -> Option<Self> {
        parse(&root.read(place(file)).ok()?)
    }

    pub(super) fn write(&self, root: &Root) -> Result<(), SettingError> {
        let path = root.path(place(&self.file));
        let unnoted = |source| SettingError::Unnoted { note: path.clone(), source };
        fs::create_dir_all(root.path(FOLDER)).map_err(unnoted)?;
        let Self { file, before, ours, process, started } = self;
        let file = file.display();
        let text = format!(
            "file={file}\nbefore={before}\nours={ours}\nprocess={process}\nstarted={started}\n"
        );
        // A note is whole or not there.
        let new = path.with_extension("new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).map_err(unnoted)
    }

    /// What cannot be removed is told as a leftover later, and found to be none.
    pub(super) fn remove(&self, root: &Root) {
        let _ = fs::remove_file(root.path(place(&self.file)));
        // Where it is not empty it stays.
        let _ = fs::remove_dir(root.path(FOLDER));
    }

    /// Whether the process that wrote it still runs.
    pub(super) fn is_alive(&self, root: &Root) -> bool {
        started(root, self.process).is_some_and(|started| started == self.started)
    }

    /// Whether another process wrote it that still runs. Trials of one process come one after the
    /// other: a note of this one is what an earlier trial could not restore.
    pub(super) fn is_of_another(&self, root: &Root) -> bool {
        self.process != std::process::id() && self.is_alive(root)
    }
}

/// All notes that can be read.
pub(super) fn all(root: &Root) -> Vec<Note> {
    let names = root.list(FOLDER).unwrap_or_default();
    let notes = names.iter().filter(|name| name.ends_with(".setting"));
    notes.filter_map(|name| parse(&root.read(format!("{FOLDER}/{name}")).ok()?)).collect()
}

fn place(file: &Path) -> PathBuf {
    let name = file.to_string_lossy().trim_start_matches('/').replace('/', "!");
    PathBuf::from(format!("{FOLDER}/{name}.setting"))
}

fn parse(text: &str) -> Option<Note> {
    let value = |name: &str| {
        let values = text.lines().filter_map(|line| line.split_once('='));
        values.into_iter().find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
    };
    Some(Note {
        file: PathBuf::from(value("file")?),
        before: value("before")?,
        ours: value("ours")?,
        process: value("process")?.parse().ok()?,
        started: value("started")?,
    })
}

/// When a process began that still runs. One that is dead and not waited for yet changes nothing
/// any more.
fn started(root: &Root, process: u32) -> Option<String> {
    let found = processes::read(root, process).ok()??;
    (!found.has_ended).then(|| found.started_ticks.to_string())
}

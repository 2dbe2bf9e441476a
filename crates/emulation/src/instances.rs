//! Emulations that are there: kept ones, those of other processes, and what dead ones left.

use std::fs;
use std::path::{Path, PathBuf};

use iopath_live::{Fail, Report};

use crate::create::{self, is_making};
use crate::manifest::{Daemon, Manifest, Role};
use crate::places::MANIFEST;
use crate::removal::{Removed, living, remove};
use crate::runtime_dir;
use crate::trouble::Trouble;

/// How an emulation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Another process, or this one, uses it and will take it down, or brings it up.
    Owned,
    /// It was kept, and its daemons are there.
    Kept,
    /// Nobody uses it any more, or it was kept and a daemon of it is gone.
    Dead,
}

/// An emulation that is there, as its manifest has it.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Its run directory.
    pub directory: PathBuf,
    /// Of which study.
    pub label: String,
    pub state: State,
    /// Names and paths of its devices.
    pub devices: Vec<(String, PathBuf)>,
    manifest: Manifest,
}

impl Standing {
    /// Whether it answers as a described system does, rather than at rates.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.system().is_some()
    }

    /// Has a part of a live emulation fail, at a time from now on.
    pub fn fail(&self, part: &Fail) -> Result<(), Trouble> {
        self.system().map_or(Ok(()), |daemon| Ok(iopath_live::fail(&daemon.socket, part)?))
    }

    /// The counters of a live emulation now; none of one at rates.
    pub fn moment(&self) -> Result<Option<Report>, Trouble> {
        let system = self.system();
        Ok(system.map(|daemon| iopath_live::moment(&daemon.socket)).transpose()?)
    }

    fn system(&self) -> Option<&Daemon> {
        self.manifest.daemons.iter().find(|daemon| daemon.role == Role::System)
    }
}

/// What [`sweep`] found.
#[derive(Debug, Default)]
pub struct Swept {
    /// Run directories that are gone now.
    pub removed: Vec<PathBuf>,
    /// What could not be removed, or not be read.
    pub troubles: Vec<Trouble>,
}

/// All emulations under `directory`, in the order of their names. Directories without a manifest
/// are not ours; a directory that others may change is not read.
pub fn standing(directory: &Path) -> Vec<Result<Standing, Trouble>> {
    match runtime_dir::find(directory) {
        Ok(Some(above)) => standing_in(&above),
        Ok(None) => Vec::new(),
        Err(trouble) => vec![Err(trouble)],
    }
}

fn standing_in(above: &Path) -> Vec<Result<Standing, Trouble>> {
    let Ok(entries) = fs::read_dir(above) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_one = |path: &PathBuf| !is_making(path) && path.join(MANIFEST).is_file();
    let mut paths: Vec<PathBuf> = paths.filter(is_one).collect();
    paths.sort();
    paths.into_iter().map(read).collect()
}

/// Takes an emulation down, whoever owns it.
pub fn tear_down(standing: &Standing) -> Result<Removed, Trouble> {
    remove(&standing.directory, &standing.manifest)
}

/// Removes what runs left that are dead: their process has ended and they were not kept, or the
/// machine was started anew, or they were killed before they had a manifest.
pub fn sweep(directory: &Path) -> Swept {
    let mut swept = Swept::default();
    let above = match runtime_dir::find(directory) {
        Ok(Some(above)) => above,
        Ok(None) => return swept,
        Err(trouble) => return Swept { troubles: vec![trouble], ..swept },
    };
    for removed in create::sweep(&above) {
        match removed {
            Ok(path) => swept.removed.push(path),
            Err(trouble) => swept.troubles.push(trouble),
        }
    }
    for found in standing_in(&above) {
        let removed = found.and_then(|standing| {
            let dead = !standing.manifest.is_of_this_boot()
                || (!standing.manifest.kept && !standing.manifest.has_owner());
            dead.then(|| tear_down(&standing).map(|_| standing.directory)).transpose()
        });
        match removed {
            Ok(path) => swept.removed.extend(path),
            Err(trouble) => swept.troubles.push(trouble),
        }
    }
    swept
}

fn read(directory: PathBuf) -> Result<Standing, Trouble> {
    // Its own names are without symbolic links.
    let directory = directory.canonicalize().unwrap_or(directory);
    let manifest = Manifest::read(&directory.join(MANIFEST))?;
    let devices = manifest.devices.iter().map(|named| (named.name.clone(), named.path.clone()));
    Ok(Standing {
        state: state(&manifest),
        label: manifest.label.clone(),
        devices: devices.collect(),
        directory,
        manifest,
    })
}

fn state(manifest: &Manifest) -> State {
    let is_whole = || manifest.daemons.iter().all(|daemon| living(daemon).is_some());
    if manifest.kept && manifest.is_of_this_boot() && is_whole() {
        State::Kept
    } else if manifest.has_owner() {
        State::Owned
    } else {
        State::Dead
    }
}

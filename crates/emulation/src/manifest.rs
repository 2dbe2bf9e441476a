//! What an emulation is made of, written down before it is made; only what stands here is removed.
//!
//! Format: JSON, `iopath-emulation/1`, written beside and renamed, so that it is never half a
//! manifest. A process is known by its number, start time and boot; a loop device by its file, or
//! by its sequence number, which the kernel gives once in a boot.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use iopath_machine::{Root, environment, processes};
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::places::Places;
use crate::rig::Rig;
use crate::trouble::Trouble;

const FORMAT: &str = "iopath-emulation/1";

/// What a daemon is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Has media and groups.
    Media,
    /// Has the files that others open.
    Exports,
    /// Answers as a whole system does, by files of its own.
    System,
}

impl std::fmt::Display for Role {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Media => "media",
            Self::Exports => "exports",
            Self::System => "system",
        })
    }
}

/// A process that no other is taken for, within one boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Life {
    pub(crate) pid: u32,
    pub(crate) started_ticks: u64,
}

impl Life {
    /// The life that has this number now; `None` when it has ended.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let process = processes::read(&Root::live(), pid).ok().flatten()?;
        let life = Self { pid, started_ticks: process.started_ticks };
        (!process.has_ended).then_some(life)
    }

    pub(crate) fn is_there(self) -> bool {
        Self::of(self.pid) == Some(self)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: String,
    pub(crate) label: String,
    pub(crate) kept: bool,
    /// The time since the machine was started, in which the lives and loop devices are.
    pub(crate) boot: Option<String>,
    pub(crate) owner: Option<Life>,
    pub(crate) daemons: Vec<Daemon>,
    /// Names and paths of the devices, for people.
    pub(crate) devices: Vec<Named>,
    /// What exports are mounted on.
    pub(crate) mounts: Vec<PathBuf>,
    pub(crate) loops: Vec<Loop>,
    /// Sockets too. The files that are mounted on are among them; the manifest is not.
    pub(crate) files: Vec<PathBuf>,
    /// Directories that are mounted on.
    #[serde(default)]
    pub(crate) folders: Vec<PathBuf>,
    /// The directory above is to be removed too, when it is empty.
    pub(crate) above_is_ours: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Daemon {
    pub(crate) role: Role,
    pub(crate) socket: PathBuf,
    /// Written by the daemon itself, so that it is found when its owner ended before it was noted.
    pub(crate) pid_file: PathBuf,
    pub(crate) life: Option<Life>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Loop {
    pub(crate) backing: PathBuf,
    pub(crate) node: Option<PathBuf>,
    pub(crate) sequence: Option<u64>,
}

impl Manifest {
    /// Everything that bringing up `rig` will make.
    pub(crate) fn plan(rig: &Rig, options: &Options, places: &Places) -> Self {
        let names = rig.devices.iter().map(|device| device.name.as_str());
        let mut manifest = Self::of(names, options, places, &[Role::Media, Role::Exports]);
        manifest.mounts.clone_from(&places.exports);
        manifest.files.extend(places.exports.iter().cloned());
        manifest.files.push(places.devices_socket.clone());
        manifest
    }

    /// Everything that bringing up a live system of these names will make.
    pub(crate) fn plan_live<'n>(
        names: impl Iterator<Item = &'n str>,
        options: &Options,
        places: &Places,
    ) -> Self {
        let mut manifest = Self::of(names, options, places, &[Role::System]);
        manifest.mounts.push(places.mount());
        manifest.folders.push(places.mount());
        manifest.files.push(places.setup());
        manifest
    }

    /// What all emulations have.
    fn of<'n>(
        names: impl Iterator<Item = &'n str>,
        options: &Options,
        places: &Places,
        roles: &[Role],
    ) -> Self {
        let mut files: Vec<PathBuf> = places.media.values().cloned().collect();
        for role in roles {
            files.extend([
                places.commands_socket(*role),
                places.log(*role),
                places.pid_file(*role),
            ]);
        }
        files.push(beside(&places.manifest()));
        let over =
            |backing: &PathBuf| Loop { backing: backing.clone(), node: None, sequence: None };
        let named =
            |(name, path): (&str, &PathBuf)| Named { name: name.to_owned(), path: path.clone() };
        let daemon = |role: &Role| Daemon {
            role: *role,
            socket: places.commands_socket(*role),
            pid_file: places.pid_file(*role),
            life: None,
        };
        Self {
            format: FORMAT.to_owned(),
            label: options.label.clone(),
            kept: options.kept,
            boot: environment::boot(&Root::live()),
            owner: Life::of(std::process::id()),
            daemons: roles.iter().map(daemon).collect(),
            devices: names.zip(&places.exports).map(named).collect(),
            mounts: Vec::new(),
            loops: if options.loops { places.exports.iter().map(over).collect() } else { vec![] },
            files,
            folders: Vec::new(),
            above_is_ours: places.above_is_ours,
        }
    }

    /// True when its processes and loop devices can be there at all.
    pub(crate) fn is_of_this_boot(&self) -> bool {
        self.boot == environment::boot(&Root::live())
    }

    /// True when the process that made it is there.
    pub(crate) fn has_owner(&self) -> bool {
        self.is_of_this_boot() && self.owner.is_some_and(Life::is_there)
    }

    /// Writes it to the disk, so that it is there after a loss of power too.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Trouble> {
        self.replace(path, File::sync_all)?;
        let folder = path.parent().unwrap_or(path);
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| Trouble::file("write", path, error))
    }

    /// Writes it so that it is there when this process is killed: what is noted from then on are
    /// processes and loop devices, which do not outlive a loss of power.
    pub(crate) fn note(&self, path: &Path) -> Result<(), Trouble> {
        self.replace(path, |_| Ok(()))
    }

    fn replace(
        &self,
        path: &Path,
        sync: impl FnOnce(&File) -> std::io::Result<()>,
    ) -> Result<(), Trouble> {
        let beside = beside(path);
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::other);
        let written = text.and_then(|text| {
            let mut file = File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            sync(&file)?;
            fs::rename(&beside, path)
        });
        written.map_err(|error| {
            // Half a file is of no use, and would not be found later.
            let _ = fs::remove_file(&beside);
            Trouble::file("write", path, error)
        })
    }

    /// Reads one; an error when it is not whole, of another format, names files of others, or was
    /// made by another user, who could have us signal and detach what is not ours.
    pub(crate) fn read(path: &Path) -> Result<Self, Trouble> {
        let wrong = |why: String| Trouble::Manifest { path: path.to_owned(), why };
        let folder = path.parent().unwrap_or(path);
        for made in [folder, path] {
            let facts = fs::symlink_metadata(made).map_err(|error| wrong(error.to_string()))?;
            if facts.uid() != geteuid().as_raw() {
                return Err(wrong(format!("it belongs to user {}", facts.uid())));
            }
        }
        let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let manifest: Self =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if manifest.format != FORMAT {
            return Err(wrong(format!("its format is {}, not {FORMAT}", manifest.format)));
        }
        let backings = manifest.loops.iter().map(|entry| &entry.backing);
        let made = manifest.files.iter().chain(&manifest.mounts).chain(&manifest.folders);
        let is_in_it = |file: &Path| file.parent() == Some(folder);
        // A loop device may lie on a file in a directory that is mounted on.
        let is_below = |file: &Path| file.parent().is_some_and(is_in_it);
        let strangers = made.filter(|file| !is_in_it(file));
        let mut strangers =
            strangers.chain(backings.filter(|file| !is_in_it(file) && !is_below(file)));
        strangers.next().map_or(Ok(()), |file| {
            Err(wrong(format!("{} is not in its directory", file.display())))
        })?;
        Ok(manifest)
    }
}

/// The name that it has while it is written.
pub(crate) fn beside(path: &Path) -> PathBuf {
    path.with_extension("new")
}

//! Rigs for tests, and a look at what of them is on the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use iopath_emulation::{
    Counts, Device, Group, Media, Options, Rig, Trouble, Up, bring_up as bring_up_rig,
};
use iopath_machine::{Root, loops, mounts, processes};
use iopath_path::Direction;
use iopath_units::Nanos;

use crate::not_run;

pub(crate) const MIB: u64 = 1 << 20;

/// True where emulations can be made; says so otherwise. In CI they must be possible.
pub(crate) fn is_possible() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    let must = std::env::var_os("CI").is_some_and(|value| value == "true");
    let missing = [
        ("root", is_root),
        ("/dev/fuse", Path::new("/dev/fuse").exists()),
        ("qemu-storage-daemon", Path::new("/usr/bin/qemu-storage-daemon").exists()),
    ];
    let missing = missing.iter().find(|(_, is_there)| !is_there).map(|(what, _)| *what);
    assert!(!(must && is_root) || missing.is_none(), "CI has no {}", missing.unwrap_or_default());
    if let Some(what) = missing {
        not_run(&format!("needs {what}"));
    }
    missing.is_none()
}

pub(crate) fn group(name: &str, per_sec: f64) -> Group {
    let direction = Direction::Both;
    Group { name: name.to_owned(), counts: Counts::Bytes, direction, per_sec, burst: None }
}

pub(crate) fn device(index: usize, bytes: u64, groups: &[usize]) -> Device {
    let name = format!("array[{index}].lun");
    Device { name, bytes, groups: groups.to_vec(), latency: Nanos(0), medium: index }
}

/// A place of its own for the emulations of one test.
pub(crate) struct Bench {
    place: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { place: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn directory(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap().join("emulations")
    }

    pub(crate) fn options(&self, media: Media) -> Options {
        let (directory, label) = (self.directory(), "study".to_owned());
        Options { directory, media, loops: false, kept: false, label }
    }

    /// What there is of emulations under its place: processes, mounts, loop devices and files.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let place = self.place.path().canonicalize().unwrap();
        let name = place.to_str().unwrap();
        let root = Root::live();
        let mut left: Vec<String> = daemons(name).iter().map(|pid| format!("pid {pid}")).collect();
        let mounts = mounts::read(&root).unwrap().into_iter().map(|mount| mount.mount_point);
        let loops = loops::read(&root).unwrap().into_iter().map(|found| found.backing);
        let paths = mounts.chain(loops).filter(|path| path.starts_with(&place));
        left.extend(paths.map(|path| path.display().to_string()));
        let entries = fs::read_dir(&place).unwrap();
        left.extend(entries.map(|entry| entry.unwrap().path().display().to_string()));
        left
    }
}

/// The processes with `text` among their arguments, that have not ended.
pub(crate) fn daemons(text: &str) -> Vec<u32> {
    let root = Root::live();
    let ids = root.list("/proc").unwrap();
    let ids = ids.iter().filter_map(|name| name.parse().ok());
    let is_one = |pid: &u32| {
        let words = processes::arguments(&root, *pid);
        let is_daemon = words.first().is_some_and(|word| {
            let word = word.to_string_lossy();
            word.ends_with("qemu-storage-daemon") || word.ends_with("setpriv")
        });
        is_daemon && words.iter().any(|word| word.to_string_lossy().contains(text))
    };
    ids.filter(is_one).collect()
}

pub(crate) fn bring_up(rig: &Rig, options: &Options) -> Result<Up, Trouble> {
    bring_up_rig(rig, options, &AtomicBool::new(false))
}

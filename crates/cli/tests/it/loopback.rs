//! Loop devices, file systems and mounts that a test makes as root and that vanish with it.
//!
//! What a [`Bench`] did is undone last first, also when the test panics. Declare it before the
//! [`Program`](crate::program::Program) that works on it, so that the program's directory goes
//! first.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use tempfile::TempDir;
use xxhash_rust::xxh3::Xxh3Default;

use crate::program::not_run;

pub(crate) const MIB: u64 = 1 << 20;

/// True for root, for whom a missing capability is a failure; says so otherwise.
pub(crate) fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        not_run("loop devices and mounts need root");
    }
    is_root
}

/// Runs a system program that must succeed; gives what it printed.
#[track_caller]
pub(crate) fn system<A: AsRef<OsStr>>(program: &str, arguments: impl AsRef<[A]>) -> String {
    let done = Command::new(program).args(arguments.as_ref()).output();
    let done = done.unwrap_or_else(|error| panic!("{program}: {error}"));
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program}: {error}");
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Undoes what a test did.
pub(crate) struct Bench {
    undo: Vec<Vec<String>>,
    directory: TempDir,
    /// Given back when all is undone.
    turn: OnceCell<Turn>,
}

/// A loop device that cannot be read, or lies over a file behind FUSE, may be over any file, so
/// that others are refused: who makes one works alone, all others together.
static DEVICES: RwLock<()> = RwLock::new(());

#[expect(dead_code, reason = "held until it is dropped")]
enum Turn {
    Alone(RwLockWriteGuard<'static, ()>),
    Together(RwLockReadGuard<'static, ()>),
}

impl Bench {
    pub(crate) fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("iopath-bench-").tempdir().unwrap();
        Self { undo: Vec::new(), directory, turn: OnceCell::new() }
    }

    /// Waits until no other bench has a device, and keeps them off until this one is gone. Before
    /// it has one itself.
    pub(crate) fn work_alone(&self) {
        let turn = || Turn::Alone(DEVICES.write().unwrap_or_else(PoisonError::into_inner));
        assert!(!matches!(self.turn.get_or_init(turn), Turn::Together(_)), "it has devices");
    }

    /// Waits until no other bench works alone; done with the first device, or before something that
    /// must not wait.
    pub(crate) fn work_together(&self) {
        let turn = || Turn::Together(DEVICES.read().unwrap_or_else(PoisonError::into_inner));
        self.turn.get_or_init(turn);
    }

    /// A path among this bench's files, without links in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    /// A file of zeros that takes no space.
    pub(crate) fn file(&self, name: &str, bytes: u64) -> PathBuf {
        File::create(self.path(name)).unwrap().set_len(bytes).unwrap();
        self.path(name)
    }

    /// Undone at the end by this command.
    pub(crate) fn undo_with(&mut self, command: &[&str]) {
        self.undo.push(command.iter().map(|&word| word.to_owned()).collect());
    }

    /// Attaches a file and gives the device's node; `options` are those of losetup.
    pub(crate) fn attach(&mut self, backing: &Path, options: &[&str]) -> String {
        self.work_together();
        let mut arguments = vec!["--find", "--show", "--partscan"];
        arguments.extend(options);
        arguments.push(backing.to_str().unwrap());
        let node = system("losetup", arguments);
        self.undo_with(&["losetup", "--detach", &node]);
        node
    }

    /// A loop device over a new file of zeros.
    pub(crate) fn device(&mut self, name: &str, bytes: u64) -> String {
        let file = self.file(name, bytes);
        self.attach(&file, &[])
    }

    /// Mounts something on a new directory with these options of mount.
    pub(crate) fn mount(&mut self, arguments: &[&str], name: &str) -> PathBuf {
        let at = self.path(name);
        fs::create_dir(&at).unwrap();
        let mut arguments = arguments.to_vec();
        arguments.push(at.to_str().unwrap());
        system("mount", &arguments);
        self.undo_with(&["umount", at.to_str().unwrap()]);
        at
    }

    /// An ext4 on a loop device over a new file of zeros, mounted.
    pub(crate) fn ext4(&mut self, name: &str, bytes: u64) -> (String, PathBuf) {
        let node = self.device(&format!("{name}.img"), bytes);
        // Without lazy work: nothing but the test writes to it later.
        let lazy = "lazy_itable_init=0,lazy_journal_init=0";
        system("mkfs.ext4", ["-q", "-E", lazy, &node]);
        let at = self.mount(&[&node], name);
        (node, at)
    }

    /// Undoes the last thing now.
    #[track_caller]
    pub(crate) fn undo_last(&mut self) {
        let command = self.undo.pop().unwrap();
        system(&command[0], &command[1..]);
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        while let Some(command) = self.undo.pop() {
            // Best effort: a failure here must not hide the test's own. The kernel takes a ring
            // apart some time after its process has ended, and so long its files are in use.
            for _ in 0..500 {
                let undone = Command::new(&command[0]).args(&command[1..]).output();
                let is_busy = |error: &[u8]| String::from_utf8_lossy(error).contains("busy");
                if !undone.is_ok_and(|done| is_busy(&done.stderr)) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// A number that tells whether the first `bytes` of a file have changed.
pub(crate) fn checksum(path: &Path, bytes: u64) -> u64 {
    let mut file = File::open(path).unwrap().take(bytes);
    let mut hasher = Xxh3Default::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece).unwrap() {
            0 => return hasher.digest(),
            bytes => hasher.update(&piece[..bytes]),
        }
    }
}

//! Devices whose limit is known, made as root and gone with their rig: loop devices over memory,
//! control groups of version 1, exports of `qemu-storage-daemon`.
//!
//! What was done is undone last first, also when a case fails.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

/// Longest that a daemon may take to begin, or a device to be free.
const PATIENCE: Duration = Duration::from_secs(20);

/// Devices and daemons of one case.
pub(crate) struct Rig {
    undo: Vec<Undo>,
    folder: TempDir,
}

enum Undo {
    Words(Vec<String>),
    Child(Child),
    Directory(PathBuf),
    /// What a file had.
    Setting(PathBuf, String),
}

impl Rig {
    /// An empty one, whose files are in memory so that no disk is in the way.
    pub(crate) fn new() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("iopath-limits-").tempdir_in("/dev/shm")?;
        Ok(Self { undo: Vec::new(), folder })
    }

    /// A path among its files.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file of zeros that takes no space.
    pub(crate) fn file(&self, name: &str, bytes: u64) -> Result<PathBuf> {
        let path = self.path(name);
        File::create(&path)?.set_len(bytes)?;
        Ok(path)
    }

    /// A loop device over a daemon's file, past the page cache; gives its node.
    pub(crate) fn attach(&mut self, file: &Path) -> Result<String> {
        self.attach_with(file, &["--direct-io=on"])
    }

    /// A loop device over a file; gives its node.
    pub(crate) fn attach_with(&mut self, file: &Path, options: &[&str]) -> Result<String> {
        let file = file.display().to_string();
        let node = said("losetup", &[&["--find", "--show"], options, &[file.as_str()]].concat())?;
        self.undo.push(Undo::Words(words(&["losetup", "--detach", &node])));
        self.do_not_split(&node)?;
        Ok(node)
    }

    /// Has requests as large as the device takes, whatever whoever had the node before has set: of
    /// a request that is split a control group counts the whole and each part.
    fn do_not_split(&mut self, node: &str) -> Result<()> {
        let queue =
            Path::new("/").join("sys/block").join(node.trim_start_matches("/dev/")).join("queue");
        let read = |name: &str| fs::read_to_string(queue.join(name));
        let (found, most) = (read("max_sectors_kb")?, read("max_hw_sectors_kb")?);
        if found != most {
            fs::write(queue.join("max_sectors_kb"), &most)?;
            self.undo.push(Undo::Setting(queue.join("max_sectors_kb"), found));
        }
        Ok(())
    }

    /// A loop device over a new file of zeros.
    pub(crate) fn device(&mut self, name: &str, bytes: u64) -> Result<String> {
        let file = self.file(name, bytes)?;
        self.attach_with(&file, &[])
    }

    /// Makes an ext4 on a device and mounts it; gives the mount point. Nothing is left for the
    /// kernel to do later, which would be other load.
    pub(crate) fn mount_ext4(&mut self, node: &str) -> Result<PathBuf> {
        said("mkfs.ext4", &["-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", node])?;
        self.mount(&[node])
    }

    /// Mounts what these words of `mount` say; gives the mount point.
    pub(crate) fn mount(&mut self, what: &[&str]) -> Result<PathBuf> {
        let at = self.path("mount");
        fs::create_dir_all(&at)?;
        let text = at.display().to_string();
        said("mount", &[what, &[text.as_str()]].concat())?;
        self.undo.push(Undo::Words(words(&["umount", &text])));
        Ok(at)
    }

    /// A device in compressed memory; gives its node.
    pub(crate) fn zram(&mut self, bytes: u64) -> Result<String> {
        let node = said("zramctl", &["--find", "--size", &bytes.to_string()])?;
        self.undo.push(Undo::Words(words(&["zramctl", "--reset", &node])));
        Ok(node)
    }

    /// Makes a btrfs of a profile, such as `raid0`, on some devices.
    pub(crate) fn make_btrfs(&self, nodes: &[String], profile: &str) -> Result<()> {
        let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
        let options = ["-q", "-f", "-K", "-d", profile, "-m", profile];
        said("mkfs.btrfs", &[&options[..], &nodes].concat()).map(|_| ())
    }

    /// Mounts a btrfs on some devices.
    pub(crate) fn mount_btrfs(&mut self, nodes: &[String], options: &str) -> Result<PathBuf> {
        let all: Vec<&str> = nodes.iter().map(String::as_str).collect();
        said("btrfs", &[&["device", "scan"], &all[..]].concat())?;
        self.mount(&["-t", "btrfs", "-o", options, all[0]])
    }

    /// Does some work, and undoes at once what it made.
    pub(crate) fn passing<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = self.undo.len();
        let done = work(self);
        self.undo.drain(before..).rev().for_each(Undo::undo);
        done
    }

    /// A control group that holds who is in it to a limit on a device; gives its directory.
    /// `what` is such as `read_bps`.
    pub(crate) fn group(&mut self, node: &str, what: &str, per_sec: u64) -> Result<PathBuf> {
        let at = ["--noheadings", "--output", "TARGET", "--types", "cgroup", "--options", "blkio"];
        let groups = said("findmnt", &at);
        let groups = groups.context("limits of devices need version 1 of control groups")?;
        let directory = Path::new(&groups).join(format!("iopath-{}", std::process::id()));
        fs::create_dir(&directory).with_context(|| format!("{}", directory.display()))?;
        self.undo.push(Undo::Directory(directory.clone()));
        let number = said("lsblk", &["--nodeps", "--noheadings", "--output", "MAJ:MIN", node])?;
        let file = directory.join(format!("blkio.throttle.{what}_device"));
        fs::write(&file, format!("{number} {per_sec}"))
            .with_context(|| format!("{}", file.display()))?;
        Ok(directory)
    }

    /// A daemon with these options, which exports each node as a file; gives the files.
    pub(crate) fn daemon(&mut self, options: &[String], nodes: &[String]) -> Result<Vec<PathBuf>> {
        let note = self.path("daemon.pid");
        let mut command = Command::new("qemu-storage-daemon");
        command.args(options).arg("--pidfile").arg(&note);
        let mut files = Vec::new();
        for node in nodes {
            let file = self.path(&format!("{node}.export"));
            File::create(&file)?;
            let at = file.display();
            command.args([
                "--export".to_owned(),
                format!("type=fuse,id={node},node-name={node},mountpoint={at},writable=on"),
            ]);
            files.push(file);
        }
        let child = command.stdin(Stdio::null()).spawn();
        let child = child.context("qemu-storage-daemon (Debian: qemu-system-common)")?;
        self.undo.push(Undo::Child(child));
        let begin = Instant::now();
        while !fs::read_to_string(&note).is_ok_and(|text| text.ends_with('\n')) {
            if begin.elapsed() > PATIENCE {
                bail!("qemu-storage-daemon does not begin: {options:?}");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(files)
    }

    /// The process of the newest daemon.
    pub(crate) fn daemon_id(&self) -> Option<u32> {
        self.undo.iter().rev().find_map(|undo| match undo {
            Undo::Child(child) => Some(child.id()),
            Undo::Words(_) | Undo::Directory(_) | Undo::Setting(..) => None,
        })
    }

    /// A process that never rests, on one processor.
    pub(crate) fn spinner(&mut self, processor: usize) -> Result<()> {
        let child = Command::new("taskset")
            .args(["--cpu-list", &processor.to_string(), "sh", "-c", "while :; do :; done"])
            .spawn()
            .context("taskset (Debian: util-linux)")?;
        self.undo.push(Undo::Child(child));
        Ok(())
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.undo.drain(..).rev().for_each(Undo::undo);
    }
}

impl Undo {
    fn undo(self) {
        match self {
            Self::Words(words) => patiently(|| {
                let done = Command::new(&words[0]).args(&words[1..]).output();
                done.is_ok_and(|done| done.status.success())
            }),
            Self::Child(mut child) => {
                // Asked to end, a daemon takes its mounts away; a shell just ends.
                let _ = said("kill", &[&child.id().to_string()]);
                let _ = child.wait();
            }
            Self::Setting(file, before) => drop(fs::write(file, before)),
            Self::Directory(directory) => patiently(|| fs::remove_dir(&directory).is_ok()),
        }
    }
}

/// The kernel takes things apart some time after who used them has ended.
fn patiently(is_done: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_done() && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// What a program says that must succeed.
pub(crate) fn said(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.with_context(|| format!("{program} does not start"))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("{program} {}: {}", arguments.join(" "), error.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

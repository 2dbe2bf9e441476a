//! `Host`: namespaces that stand for a machine, kept by their first process.
//!
//! Own are the name, the clock (`CLOCK_MONOTONIC` and `CLOCK_BOOTTIME`), network, processes, shared
//! memory and mounts. Processors, memory, the page cache, block devices and the wall clock are the
//! machine's. All processes of a host end with its first.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};

use super::disk::Disk;
use super::network;
use super::options::Shape;
use super::place::Place;
use crate::attack::bench::await_that;
use crate::limits::rig::said;

pub(crate) struct Host {
    pub number: u32,
    /// Its first process, as the front sees it.
    first: u32,
    keeper: Child,
    disk: Option<Disk>,
}

/// Takes in children whose parents have ended, as the first process of a machine does.
const FIRST: [&str; 3] = ["sh", "-c", "sleep infinity; :"];

impl Host {
    pub(crate) fn up(number: u32, shape: &Shape, place: &Place) -> Result<Self> {
        let ahead = u64::from(number) * u64::from(shape.skew_s);
        let keeper = Command::new("unshare")
            .args(["--uts", "--net", "--ipc", "--pid", "--mount", "--propagation", "slave"])
            .args(["--time", "--monotonic", &ahead.to_string(), "--boottime", &ahead.to_string()])
            .args(["--fork", "--kill-child", "--mount-proc", "--"])
            .args(FIRST)
            .stdin(Stdio::null())
            // It complains that it cannot die by SIGKILL as its child did.
            .stderr(Stdio::null())
            .spawn()
            .context("unshare (Debian: util-linux)")?;
        // From here on it is taken away again.
        let mut host = Self { number, first: 0, keeper, disk: None };
        host.first = host.awaited()?;
        host.furnish(shape, place)?;
        network::connect(&host, shape)?;
        Ok(host)
    }

    pub(crate) fn name(&self) -> String {
        format!("host{}", self.number)
    }

    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// The node of its own disk.
    pub(crate) fn disk(&self) -> Option<&Path> {
        self.disk.as_ref().map(Disk::node)
    }

    /// What a command says that must succeed on this host.
    pub(crate) fn said(&self, words: &[&str]) -> Result<String> {
        let first = self.first.to_string();
        said("nsenter", &[&["--target", &first, "--all", "--"], words].concat())
    }

    /// How much its clock is ahead of the front's.
    pub(crate) fn ahead_ns(&self) -> Result<i64> {
        let text = fs::read_to_string(format!("/proc/{}/timens_offsets", self.first))?;
        let row = text.lines().find_map(|line| line.strip_prefix("monotonic"));
        let mut words = row.context("no offset of CLOCK_MONOTONIC")?.split_whitespace();
        let mut next = || words.next().and_then(|word| word.parse::<i64>().ok());
        let (s, ns) = (next().context("no seconds")?, next().context("no nanoseconds")?);
        Ok(s * 1_000_000_000 + ns)
    }

    /// What runs here besides its first process and that one's `sleep`.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let own = namespace(self.first);
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let here =
            ids.filter(|id: &u32| *id != self.first && own.is_some() && namespace(*id) == own);
        let all = here.filter_map(Process::of);
        all.filter(|one| one.state != 'Z' && !(one.name == "sleep" && one.parent == self.first))
            .collect()
    }

    fn awaited(&self) -> Result<u32> {
        let parent = self.keeper.id();
        let children = format!("/proc/{parent}/task/{parent}/children");
        let first = || fs::read_to_string(&children).ok()?.trim().parse::<u32>().ok();
        let name = |id: u32| fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        await_that("a host's first process runs", || {
            first().is_some_and(|id| name(id).trim() == FIRST[0])
        })?;
        first().context("a host's first process is gone")
    }

    /// Its name, its memory and its own folder, with a disk where one is wanted.
    fn furnish(&mut self, shape: &Shape, place: &Place) -> Result<()> {
        let name = self.name();
        self.said(&["hostname", &name])?;
        self.said(&["mount", "-t", "sysfs", "sysfs", "/sys"])?;
        // Notes about settings that a killed process has changed are the host's, and go with it.
        for folder in ["/dev/shm", "/run"] {
            self.said(&["mount", "-t", "tmpfs", "own", folder])?;
        }
        let folder = place.folder(&name)?;
        if let Some(size) = &shape.disk {
            self.disk = Some(Disk::up(place, &name, size)?);
        }
        let [folder, own] = [&folder, &place.own()].map(|path: &std::path::PathBuf| text(path));
        self.said(&["mount", "--bind", &folder, &own]).map(drop)
    }
}

impl Drop for Host {
    /// Everything here is killed with the first process, for whose end the keeper waits.
    fn drop(&mut self) {
        let first = i32::try_from(self.first).ok().and_then(Pid::from_raw);
        let killed = first.map(|first| kill_process(first, Signal::KILL));
        if !matches!(killed, Some(Ok(()))) {
            let _ = self.keeper.kill();
        }
        let _ = self.keeper.wait();
    }
}

/// A process of a host.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    /// As the front sees it.
    pub id: u32,
    pub name: String,
    pub parent: u32,
    pub state: char,
}

impl Process {
    fn of(id: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name is in brackets, and may have any others within.
        let (name, rest) = text.split_once('(')?.1.rsplit_once(')')?;
        let mut words = rest.split_whitespace();
        let state = words.next()?.chars().next()?;
        Some(Self { id, name: name.to_owned(), parent: words.next()?.parse().ok()?, state })
    }
}

fn namespace(id: u32) -> Option<std::path::PathBuf> {
    fs::read_link(format!("/proc/{id}/ns/pid")).ok()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

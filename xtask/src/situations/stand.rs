//! What a situation stands on: slow disks, loop devices, file systems, all of them in memory and
//! gone with their value, the last first.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use super::slow::{Slow, Speed};
use crate::attack::faults::Mounted;
use crate::limits::rig::{Rig, said};

/// Devices, file systems and disks of one situation.
pub(crate) struct Stand {
    // Devices go before the disks that serve them.
    pub rig: Rig,
    disks: Vec<Mounted<Slow>>,
    is_begun: Arc<AtomicBool>,
}

/// Where both programs work.
pub(crate) struct Place {
    pub target: PathBuf,
    pub bytes: u64,
    /// Nodes of the devices below, as they are judged.
    pub nodes: Vec<String>,
    /// A control group that both programs join.
    pub group: Option<PathBuf>,
}

impl Place {
    /// What the kernel calls the devices.
    pub(crate) fn names(&self) -> Vec<String> {
        self.nodes.iter().map(|node| node.trim_start_matches("/dev/").to_owned()).collect()
    }
}

impl Stand {
    pub(crate) fn new() -> Result<Self> {
        let is_begun = Arc::new(AtomicBool::new(false));
        Ok(Self { rig: Rig::new()?, disks: Vec::new(), is_begun })
    }

    /// A disk of this speed under a loop device; gives the node.
    pub(crate) fn disk(&mut self, bytes: u64, speed: Speed) -> Result<String> {
        let image = self.rig.file(&format!("image{}", self.disks.len()), bytes)?;
        let file = File::options().read(true).write(true).open(&image)?;
        let disk = Slow::new(file, bytes as usize, speed, Arc::clone(&self.is_begun));
        let mounted = Mounted::new(disk)?;
        let node = self.rig.attach(&mounted.file());
        self.disks.push(mounted);
        node
    }

    pub(crate) fn disks(&mut self, bytes: u64, speeds: &[Speed]) -> Result<Vec<String>> {
        speeds.iter().map(|speed| self.disk(bytes, *speed)).collect()
    }

    /// From now on disks have their speed.
    pub(crate) fn begin(&self) {
        self.is_begun.store(true, Ordering::Relaxed);
    }

    /// A new file of noise on what is mounted there.
    pub(crate) fn filled(&self, at: &Path, bytes: u64, nodes: &[String]) -> Result<Place> {
        let target = at.join("data");
        let (file, count) = (format!("of={}", target.display()), format!("count={}", bytes >> 20));
        said("dd", &["if=/dev/urandom", &file, "bs=1M", &count, "conv=fsync"])?;
        Ok(Place { target, bytes, nodes: nodes.to_vec(), group: None })
    }

    /// The bare device.
    pub(crate) fn bare(node: String, bytes: u64) -> Place {
        Place { target: PathBuf::from(&node), bytes, nodes: vec![node], group: None }
    }
}

/// Sets how much the kernel reads ahead of a device.
pub(crate) fn read_ahead(node: &str, kib: u64) -> Result<()> {
    let sectors = (kib * 2).to_string();
    said("blockdev", &["--setra", &sectors, node]).context("util-linux has blockdev").map(|_| ())
}

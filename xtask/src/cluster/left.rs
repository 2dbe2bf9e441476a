//! What a cluster must not leave: devices over its files, and files.
//!
//! Processes cannot be left, as those of a namespace end with its first, nor interfaces, which end
//! with their namespace.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::limits::rig::said;

/// The kernel takes namespaces and devices apart some time after their last process has ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// Fails where something of a cluster in this folder is there.
pub(crate) fn nothing(place: &Path) -> Result<()> {
    let begin = Instant::now();
    loop {
        let left = things(place)?;
        if left.is_empty() {
            return Ok(());
        }
        ensure!(begin.elapsed() < PATIENCE, "left behind: {}", left.join(", "));
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn things(place: &Path) -> Result<Vec<String>> {
    let loops = said("losetup", &["--list", "--noheadings", "--output", "NAME,BACK-FILE"])?;
    let folder = place.display().to_string();
    // A file in a mount that is gone is called by its path below that mount.
    let is_ours = |line: &&str| line.contains(&folder) || line.contains(".disk");
    let devices = loops.lines().filter(is_ours).map(str::to_owned);
    let files = fs::read_dir(place)?.flatten().map(|entry| entry.path().display().to_string());
    Ok(devices.chain(files).collect())
}

//! `Disk`: a host's own loop device, over a file in memory.
//!
//! It is asked to go while this process has it open, so that the kernel takes it away with whoever
//! has it open last, also where this process is killed.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::place::Place;
use crate::limits::rig::said;

pub(crate) struct Disk {
    node: PathBuf,
    /// As long as this is open the device stays.
    _open: File,
}

impl Disk {
    /// `disk` in the host's folder is a link to its node.
    pub(crate) fn up(place: &Place, host: &str, size: &str) -> Result<Self> {
        let file = place.path(&format!("{host}.disk")).display().to_string();
        said("truncate", &["--size", size, &file])?;
        let node = said("losetup", &["--find", "--show", "--direct-io=on", &file])?;
        let open = File::open(&node).with_context(|| node.clone());
        said("losetup", &["--detach", &node])?;
        let link = place.path(host).join("disk");
        // A host of this name that was up before had one too.
        let _ = fs::remove_file(&link);
        symlink(&node, link)?;
        Ok(Self { node: PathBuf::from(node), _open: open? })
    }

    pub(crate) fn node(&self) -> &Path {
        &self.node
    }
}

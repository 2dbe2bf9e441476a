//! Loop devices on exports: block devices with counters, which files have none of.
//!
//! They read and write past the page cache, else a second reader would measure memory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use iopath_machine::{Root, loops};

use crate::manifest::{Loop, Manifest};
use crate::poll::until;
use crate::programs::{Program, run};
use crate::trouble::Trouble;

/// For a device that somebody has open to be closed.
const CLOSED: Duration = Duration::from_secs(2);

/// A loop device over `backing`.
pub(crate) fn attach(backing: &Path) -> Result<Loop, Trouble> {
    let words = ["--find", "--show", "--direct-io=on"].map(OsStr::new);
    let words = [&words[..], &[backing.as_os_str()]].concat();
    let node = PathBuf::from(run(Program::Losetup, &words, backing)?);
    let name = node.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let sequence = loops::read_one(&Root::live(), name).and_then(|found| found.sequence);
    Ok(Loop { backing: backing.to_owned(), node: Some(node), sequence })
}

/// Takes away those of the manifest; gives the nodes that are still there, because somebody has
/// them open. They go when they are closed.
pub(crate) fn detach(manifest: &Manifest) -> Result<Vec<PathBuf>, Trouble> {
    let nodes = ours(manifest)?;
    if nodes.is_empty() {
        return Ok(nodes);
    }
    let words: Vec<&OsStr> = [OsStr::new("--detach")]
        .into_iter()
        .chain(nodes.iter().map(|node| node.as_os_str()))
        .collect();
    // It names the first that it could not detach; which are left is seen below.
    let detached = run(Program::Losetup, &words, &nodes[0]);
    let gone = until(CLOSED, || ours(manifest).ok().filter(Vec::is_empty));
    match (gone, detached) {
        (Some(_), _) => Ok(Vec::new()),
        (None, Err(trouble)) => Err(trouble),
        (None, Ok(_)) => ours(manifest),
    }
}

/// The loop devices of the manifest that are there: over its files, or with its numbers where the
/// file's path is lost with its mount.
fn ours(manifest: &Manifest) -> Result<Vec<PathBuf>, Trouble> {
    if manifest.loops.is_empty() {
        return Ok(Vec::new());
    }
    let is_ours = |found: &loops::Loop| {
        manifest.loops.iter().any(|entry| {
            entry.backing == found.backing
                || (entry.sequence.is_some()
                    && entry.sequence == found.sequence
                    && entry.node.as_ref() == Some(&found.node))
        })
    };
    Ok(present()?.into_iter().filter(is_ours).map(|found| found.node).collect())
}

fn present() -> Result<Vec<loops::Loop>, Trouble> {
    Ok(loops::read(&Root::live())?)
}

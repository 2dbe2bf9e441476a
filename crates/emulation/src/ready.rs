//! Whether devices are what they should be: of their size, and not the empty files below them.
//!
//! A file of a daemon that hangs lets its caller hang, so a thread of its own asks for it. It ends
//! when the daemon is killed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use iopath_machine::{Root, mounts};

use crate::poll::until;
use crate::trouble::Trouble;

/// For all devices together; one takes less than a millisecond.
const READY: Duration = Duration::from_secs(30);

/// What a device is called, and its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'n> {
    pub name: &'n str,
    pub bytes: u64,
}

/// Whether each export of these names is mounted.
pub(crate) fn are_mounted(sizes: &[Expected<'_>], exports: &[PathBuf]) -> Result<(), Trouble> {
    let mounted = mounted()?;
    let mut missing = sizes.iter().zip(exports).filter(|(_, path)| !mounted.contains(*path));
    missing
        .next()
        .map_or(Ok(()), |(expected, path)| Err(not_ready(expected.name, path, "it is not mounted")))
}

/// Where FUSE is mounted.
pub(crate) fn mounted() -> Result<BTreeSet<PathBuf>, Trouble> {
    let mounts = mounts::read(&Root::live())?.into_iter();
    let fuse = mounts.filter(|mount| mount.fs_type.starts_with("fuse"));
    Ok(fuse.map(|mount| mount.mount_point).collect())
}

/// Waits until each export answers with its name's size.
pub(crate) fn wait(
    sizes: &[Expected<'_>],
    exports: &[PathBuf],
    interrupted: &AtomicBool,
) -> Result<(), Trouble> {
    let found = self::sizes(exports.to_vec());
    for (expected, path) in sizes.iter().zip(exports) {
        let size = until(READY, || match found.try_recv() {
            Ok(size) => Some(Some(size)),
            Err(mpsc::TryRecvError::Empty) if !interrupted.load(Ordering::Relaxed) => None,
            Err(_) => Some(None),
        });
        if interrupted.load(Ordering::Relaxed) {
            return Err(Trouble::Interrupted);
        }
        match size {
            Some(Some(size)) => check(expected, path, size)?,
            Some(None) | None => return Err(not_ready(expected.name, path, "it does not answer")),
        }
    }
    Ok(())
}

/// Asks for the sizes in a thread of its own.
fn sizes(paths: Vec<PathBuf>) -> mpsc::Receiver<std::io::Result<u64>> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        for path in paths {
            if tell.send(fs::metadata(&path).map(|facts| facts.len())).is_err() {
                return;
            }
        }
    });
    told
}

/// The same for block devices, whose drivers answer by themselves.
pub(crate) fn wait_for_nodes(sizes: &[Expected<'_>], nodes: &[PathBuf]) -> Result<(), Trouble> {
    for (expected, path) in sizes.iter().zip(nodes) {
        let size = File::open(path).and_then(|mut file| file.seek(SeekFrom::End(0)));
        check(expected, path, size)?;
    }
    Ok(())
}

fn check(expected: &Expected<'_>, path: &Path, size: std::io::Result<u64>) -> Result<(), Trouble> {
    let Expected { name, bytes } = *expected;
    match size {
        Ok(found) if found == bytes => Ok(()),
        Ok(found) => Err(not_ready(name, path, format!("it has {found} bytes, not {bytes}"))),
        Err(error) => Err(not_ready(name, path, error.to_string())),
    }
}

fn not_ready(name: &str, path: &Path, why: impl Into<String>) -> Trouble {
    Trouble::NotReady { name: name.to_owned(), path: path.to_owned(), why: why.into() }
}

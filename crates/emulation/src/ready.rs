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
use crate::rig::{Device, Rig};
use crate::trouble::Trouble;

/// For all devices together; one takes less than a millisecond.
const READY: Duration = Duration::from_secs(30);

/// Waits until each export answers with the size of its device.
pub(crate) fn wait(
    rig: &Rig,
    exports: &[PathBuf],
    interrupted: &AtomicBool,
) -> Result<(), Trouble> {
    let mounted: BTreeSet<PathBuf> = mounts::read(&Root::live())?
        .into_iter()
        .filter(|mount| mount.fs_type.starts_with("fuse"))
        .map(|mount| mount.mount_point)
        .collect();
    for (device, path) in rig.devices.iter().zip(exports) {
        if !mounted.contains(path) {
            return Err(not_ready(device, path, "it is not mounted"));
        }
    }
    let sizes = sizes(exports.to_vec());
    for (device, path) in rig.devices.iter().zip(exports) {
        let size = until(READY, || match sizes.try_recv() {
            Ok(size) => Some(Some(size)),
            Err(mpsc::TryRecvError::Empty) if !interrupted.load(Ordering::Relaxed) => None,
            Err(_) => Some(None),
        });
        if interrupted.load(Ordering::Relaxed) {
            return Err(Trouble::Interrupted);
        }
        match size {
            Some(Some(size)) => check(device, path, size)?,
            Some(None) | None => return Err(not_ready(device, path, "it does not answer")),
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
pub(crate) fn wait_for_nodes(rig: &Rig, nodes: &[PathBuf]) -> Result<(), Trouble> {
    for (device, path) in rig.devices.iter().zip(nodes) {
        let size = File::open(path).and_then(|mut file| file.seek(SeekFrom::End(0)));
        check(device, path, size)?;
    }
    Ok(())
}

fn check(device: &Device, path: &Path, size: std::io::Result<u64>) -> Result<(), Trouble> {
    match size {
        Ok(bytes) if bytes == device.bytes => Ok(()),
        Ok(bytes) => {
            let why = format!("it has {bytes} bytes, not {}", device.bytes);
            Err(not_ready(device, path, why))
        }
        Err(error) => Err(not_ready(device, path, error.to_string())),
    }
}

fn not_ready(device: &Device, path: &Path, why: impl Into<String>) -> Trouble {
    Trouble::NotReady { name: device.name.clone(), path: path.to_owned(), why: why.into() }
}

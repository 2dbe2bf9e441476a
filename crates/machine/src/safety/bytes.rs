//! Whether two views of storage show different bytes: a loop device and a file, two devices.
//!
//! Law: different only if one view showed the same bytes before and after the other was read. What
//! cannot be read, or changes meanwhile, shows nothing. A device is read past its cache, after it
//! has written back what it holds (fsync(2) of a device also flushes the file behind a loop
//! device, which NFS keeps to itself until then); a file is opened anew for each look, since NFS
//! asks its server when a file is opened (nfs(5), close-to-open). Leaves out: bytes between the
//! first, the middle and the last 64 KiB.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::OFlags;

use crate::devices::Device;
use crate::root::{Root, open_to_read};

const PIECE_BYTES: u64 = 64 << 10;
/// How often a place is read that changes meanwhile, as a superblock does now and then; chosen.
const LOOKS_MAX: u32 = 4;
/// Between two of these looks; chosen: somebody may be making a file system there.
const PAUSE: Duration = Duration::from_millis(50);
/// Enough for every device's direct I/O.
const ALIGNMENT: usize = 4096;

/// A place where bytes can be seen.
pub(super) struct View {
    place: PathBuf,
    /// Where the bytes in question begin.
    start: u64,
    /// Past the page cache, where that is possible.
    direct: bool,
}

impl View {
    /// A device from `start` on. An imitated one is a plain file.
    pub(super) fn of_device(root: &Root, device: &Device, start: u64) -> Self {
        Self { place: root.path(device.node()), start, direct: root.is_live() }
    }

    /// A file from `start` on.
    pub(super) fn of_file(root: &Root, place: PathBuf, start: u64) -> Self {
        Self { place, start, direct: root.is_live() }
    }

    fn open(&self, direct: bool) -> io::Result<File> {
        let more = if direct { OFlags::DIRECT } else { OFlags::empty() };
        open_to_read(&self.place, more)
    }

    fn read(&self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let past_cache = || self.read_by(true, at, length);
        let found = self.direct.then(past_cache).and_then(Result::ok);
        // Some file systems refuse direct I/O, and a loop device may begin at any sector.
        found.map_or_else(|| self.read_by(false, at, length), Ok)
    }

    fn read_by(&self, direct: bool, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut space = vec![0; length + ALIGNMENT];
        let skip = space.as_ptr().align_offset(ALIGNMENT);
        let bytes = &mut space[skip..skip + length];
        self.open(direct)?.read_exact_at(bytes, self.start + at)?;
        Ok(bytes.to_vec())
    }
}

/// True when the first `bytes` of a device and of another view are shown to differ.
pub(super) fn differ(device: &View, other: &View, bytes: u64) -> bool {
    let length = PIECE_BYTES.min(bytes) as usize;
    let last = bytes - length as u64;
    let aligned = |at: u64| at / ALIGNMENT as u64 * ALIGNMENT as u64;
    let differs = |at| differ_at(device, other, at, length).unwrap_or(false);
    // An imitated device has nothing to write back; where a real one cannot, nothing is shown.
    let is_flushed = || !device.direct || write_back(device).is_ok();
    length > 0 && is_flushed() && [0, aligned(last / 2), aligned(last)].into_iter().any(differs)
}

fn write_back(device: &View) -> io::Result<()> {
    Ok(rustix::fs::fsync(device.open(false)?)?)
}

fn differ_at(device: &View, other: &View, at: u64, length: usize) -> io::Result<bool> {
    let mut before = device.read(at, length)?;
    for _ in 0..LOOKS_MAX {
        let shown = other.read(at, length)?;
        let after = device.read(at, length)?;
        if before == after {
            return Ok(before != shown);
        }
        before = after;
        std::thread::sleep(PAUSE);
    }
    Ok(false)
}

//! Opening: the right flags, direct I/O or the fact that it was refused, and scratch files that
//! leave nothing behind.
//!
//! A scratch file never has a name while it holds data: `O_TMPFILE` makes it without one, and
//! where a file system cannot, it is made and unlinked before the first write. So nothing remains
//! after `kill -9`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use iopath_machine::target::{TargetFacts, TargetKind};
use iopath_machine::{Devices, location, target};
use iopath_study::Case;
use iopath_study::case::{CacheMode, Target};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::{CacheUsed, Held, OpenTarget, Targets, key};
use crate::buffers::Buffers;

/// How a case uses one of its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub reads: bool,
    pub writes: bool,
}

impl Use {
    pub(super) fn of(case: &Case, index: usize) -> Self {
        let streams = || case.streams.iter().filter(|stream| stream.target == index);
        Self {
            reads: streams().any(|stream| stream.reads.0 > 0),
            writes: streams().any(|stream| stream.reads != iopath_units::Ratio::ONE),
        }
    }
}

impl Targets {
    /// Opens a case's targets in their order.
    pub(crate) fn open(&mut self, case: &Case) -> io::Result<Vec<OpenTarget>> {
        let devices = Devices::read(&self.root).map_err(io::Error::other)?;
        let indices = 0..case.targets.len();
        indices.map(|index| self.open_one(case, index, &devices)).collect()
    }

    fn open_one(&mut self, case: &Case, index: usize, devices: &Devices) -> io::Result<OpenTarget> {
        let target = &case.targets[index];
        let usage = Use::of(case, index);
        let place = self.place(target);
        let (file, label) = match &target.binding {
            Some(path) => (self.open_named(target, &place, usage)?, path.clone()),
            None => (self.open_scratch(target, &place)?, scratch_label(&place)),
        };
        let facts = self.facts(&place, devices)?;
        let bytes = match target.size {
            Some(size) => size.0,
            None if target.binding.is_some() => facts.bytes,
            None => 0,
        };
        let cache = set_cache(&file, case.workload.cache)?;
        let below = location::device_of_file(&self.root, devices, &place);
        let below = below.map(|found| found.devices.into_iter().collect()).unwrap_or_default();
        let name = target.name.clone();
        Ok(OpenTarget { name, label, file, facts, bytes, cache, devices: below, checker: None })
    }

    fn facts(&self, place: &Path, devices: &Devices) -> io::Result<TargetFacts> {
        target::read(&self.root, devices, place)
            .map_err(io::Error::other)?
            .ok_or_else(|| io::Error::other("neither a file nor a block device"))
    }

    fn open_named(&mut self, target: &Target, path: &Path, usage: Use) -> io::Result<File> {
        let exists = path.exists();
        let mut options = OpenOptions::new();
        // A mapping that is written needs the file open for both.
        options.read(true).write(usage.writes);
        if usage.writes && !exists {
            options.create_new(true);
        }
        if usage.writes && is_block_device(path) {
            // Keeps others from mounting or claiming it while it is written.
            options.custom_flags(libc::O_EXCL);
        }
        let file = options.open(path)?;
        if usage.writes {
            self.assure_permitted(path, &file, exists)?;
        }
        let held = self.files.entry(key(target)).or_insert_with(Held::unknown);
        held.created |= !exists;
        Ok(file)
    }

    /// Between preflight and now somebody may have put another thing in the target's place.
    fn assure_permitted(&self, path: &Path, file: &File, existed: bool) -> io::Result<()> {
        let permitted = match self.permissions.get(path) {
            Some(permission) if existed => permission.is_for(file)?,
            Some(_) => true,
            None => false,
        };
        let changed = "it is not what was examined before the run; start again";
        permitted.then_some(()).ok_or_else(|| io::Error::other(changed))
    }

    fn open_scratch(&mut self, target: &Target, directory: &Path) -> io::Result<File> {
        if let Some(Held { scratch: Some(file), .. }) = self.files.get(&key(target)) {
            return file.try_clone();
        }
        let file = unnamed(directory)?;
        let scratch = Some(file.try_clone()?);
        let held = Held { scratch, created: true, ..Held::unknown() };
        self.files.insert(key(target), held);
        Ok(file)
    }
}

impl Held {
    fn unknown() -> Self {
        Self { scratch: None, filled: 0, created: false, checker: None }
    }
}

fn scratch_label(directory: &Path) -> String {
    format!("scratch file in {}", directory.display())
}

fn is_block_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|metadata| metadata.file_type().is_block_device())
}

/// A file without a name.
fn unnamed(directory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(directory) {
        Ok(file) => Ok(file),
        Err(error) if no_tmpfile(&error) => unlinked(options, directory),
        Err(error) => Err(error),
    }
}

fn no_tmpfile(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL))
}

/// For file systems without `O_TMPFILE`: made, and unlinked before anything is written.
fn unlinked(mut options: OpenOptions, directory: &Path) -> io::Result<File> {
    let path: PathBuf = directory.join(format!(".iopath-scratch-{}", std::process::id()));
    let file = options.create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// Sets or clears `O_DIRECT` on an open file; says what was reached.
fn set_cache(file: &File, asked: CacheMode) -> io::Result<CacheUsed> {
    let flags = fcntl_getfl(file)?;
    if asked != CacheMode::Direct {
        fcntl_setfl(file, flags - OFlags::DIRECT)?;
        return Ok(asked.into());
    }
    let refused = match fcntl_setfl(file, flags | OFlags::DIRECT) {
        Ok(()) => refuses_read(file)?,
        Err(rustix::io::Errno::INVAL) => true,
        Err(error) => return Err(error.into()),
    };
    if refused {
        fcntl_setfl(file, flags - OFlags::DIRECT)?;
        return Ok(CacheUsed::DirectRefused);
    }
    Ok(CacheUsed::Direct)
}

/// Some file systems accept the flag and refuse the first request. A page at the start is aligned
/// for all of them; an empty file answers with its end.
fn refuses_read(file: &File) -> io::Result<bool> {
    let mut page = Buffers::new(iopath_study::case::BufferKind::Heap, 1, crate::buffers::PAGE)?;
    let data = page.data(0, crate::buffers::PAGE as u32);
    match file.read_at(data, 0) {
        Err(error) => Ok(error.raw_os_error() == Some(libc::EINVAL)),
        Ok(_) => Ok(false),
    }
}

impl OpenTarget {
    /// Whether it is a block device.
    pub(crate) fn is_device(&self) -> bool {
        matches!(self.facts.kind, TargetKind::BlockDevice(_))
    }

    /// Whether it lives in memory, so that no device is below.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.facts.file_system.as_ref().is_some_and(|system| system.in_memory)
    }
}

//! A file system with one file, `data`, on a [`Medium`] that fails, such as a [`Disk`]: served by
//! this process through FUSE, from several threads. Nothing of it is on a disk, and it goes with
//! its value.
//!
//! Pages are cached as the kernel likes (no `direct_io`), so the program decides by `O_DIRECT`; it
//! is never read ahead, so what is read is what the program asked for.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use fuser::{
    BackgroundSession, BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem,
    FopenFlags, Generation, INodeNo, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr,
    ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, Session,
    TimeOrNow, WriteFlags,
};
use tempfile::TempDir;

use super::disk::{Disk, Refusal, UNIT};

/// The only file.
const FILE: INodeNo = INodeNo(2);
/// Threads that serve requests (chosen: as many as a small machine has processors).
const THREADS: usize = 2;
/// The kernel's largest request.
const LARGEST: u32 = 1 << 20;
/// How long the kernel may believe attributes; only it changes them.
const LASTING: Duration = Duration::from_secs(3600);

/// What a file lies on.
pub(crate) trait Medium: Send + 'static {
    /// Bytes of the file.
    fn length(&self) -> usize;
    /// Bytes that it may have.
    fn room(&self) -> usize;
    /// Sets its length; false where there is not so much room.
    fn resize(&mut self, length: usize) -> bool;
    fn read(&mut self, at: usize, bytes: usize) -> Result<Vec<u8>, Refusal>;
    fn write(&mut self, at: usize, data: &[u8]) -> Result<(), Refusal>;
    /// What was written before is to be kept when power fails.
    fn flush(&mut self);
}

/// How often unmounting is tried, and how long apart: chosen, 10 s in all.
const LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// A disk that is mounted.
pub(crate) struct Mounted<M = Disk> {
    disk: Arc<Mutex<M>>,
    session: Option<BackgroundSession>,
    at: TempDir,
}

struct Served<M> {
    disk: Arc<Mutex<M>>,
    /// How long a flush takes.
    flush: Duration,
}

impl Mounted {
    /// A disk without faults whose flushes take so long.
    pub(crate) fn flushing_in(bytes: usize, flush: Duration) -> Result<Self> {
        Self::serving(Disk::new(bytes, None), flush)
    }
}

impl<M: Medium> Mounted<M> {
    pub(crate) fn new(disk: M) -> Result<Self> {
        Self::serving(disk, Duration::ZERO)
    }

    fn serving(disk: M, flush: Duration) -> Result<Self> {
        let at = tempfile::Builder::new().prefix("iopath-attack-").tempdir()?;
        let disk = Arc::new(Mutex::new(disk));
        let mut options = Config::default();
        options.mount_options = vec![MountOption::FSName("iopath-attack".to_owned())];
        options.n_threads = Some(THREADS);
        options.clone_fd = true;
        let served = Served { disk: Arc::clone(&disk), flush };
        let session = Session::new(served, at.path(), &options).and_then(Session::spawn);
        let session = session.context("FUSE cannot be mounted (is /dev/fuse there?)")?;
        Ok(Self { disk, session: Some(session), at })
    }

    /// Its file.
    pub(crate) fn file(&self) -> PathBuf {
        self.at.path().join("data")
    }

    /// The disk, when no one uses it any more.
    pub(crate) fn disk(&self) -> MutexGuard<'_, M> {
        lock(&self.disk)
    }

    /// Unmounts it. Without this it goes when the value does. The kernel takes the rings of a
    /// killed process apart some time after its end; until then its files are open.
    pub(crate) fn end(mut self) -> Result<()> {
        let Some(session) = self.session.take() else { return Ok(()) };
        for _ in 0..LOOKS {
            let ended = Command::new("umount").arg(self.at.path()).output()?;
            if ended.status.success() {
                return session.join().context("after unmounting");
            }
            std::thread::sleep(PAUSE);
        }
        session.umount_and_join().context("unmounting")
    }
}

/// Whether this machine can mount one.
pub(crate) fn is_possible() -> bool {
    Path::new("/dev/fuse").exists() && crate::ci::must_run()
}

fn lock<M>(disk: &Mutex<M>) -> MutexGuard<'_, M> {
    disk.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<Refusal> for Errno {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Failed => Self::EIO,
            Refusal::NoSpace => Self::ENOSPC,
        }
    }
}

impl<M: Medium> Served<M> {
    fn attributes(&self, ino: INodeNo) -> FileAttr {
        let is_file = ino == FILE;
        let size = if is_file { lock(&self.disk).length() as u64 } else { 0 };
        FileAttr {
            ino,
            size,
            blocks: size / 512,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if is_file { FileType::RegularFile } else { FileType::Directory },
            perm: if is_file { 0o600 } else { 0o700 },
            nlink: if is_file { 1 } else { 2 },
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: UNIT as u32,
            flags: 0,
        }
    }
}

/// What is not here the kernel does itself, or says to the program that it is not supported.
impl<M: Medium> Filesystem for Served<M> {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // What the kernel cannot do it answers with the nearest that it can.
        let _ = config.set_max_write(LARGEST);
        let _ = config.set_max_readahead(1);
        let _ = config.set_max_background(64);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if parent == INodeNo::ROOT && name == "data" {
            reply.entry(&LASTING, &self.attributes(FILE), Generation(0));
        } else {
            reply.error(Errno::ENOENT);
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&LASTING, &self.attributes(ino));
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<std::time::SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<std::time::SystemTime>,
        _chgtime: Option<std::time::SystemTime>,
        _bkuptime: Option<std::time::SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let fits = size.is_none_or(|size| lock(&self.disk).resize(size as usize));
        if fits {
            reply.attr(&LASTING, &self.attributes(ino));
        } else {
            reply.error(Errno::ENOSPC);
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let read = lock(&self.disk).read(offset as usize, size as usize);
        match read {
            Ok(data) => reply.data(&data),
            Err(refusal) => reply.error(refusal.into()),
        }
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let written = lock(&self.disk).write(offset as usize, data);
        match written {
            Ok(()) => reply.written(data.len() as u32),
            Err(refusal) => reply.error(refusal.into()),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        std::thread::sleep(self.flush);
        lock(&self.disk).flush();
        reply.ok();
    }

    fn fallocate(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        _mode: i32,
        reply: ReplyEmpty,
    ) {
        let mut disk = lock(&self.disk);
        let end = ((offset + length) as usize).max(disk.length());
        if disk.resize(end) { reply.ok() } else { reply.error(Errno::ENOSPC) }
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let disk = lock(&self.disk);
        let blocks = |bytes: usize| (bytes / UNIT) as u64;
        let free = blocks(disk.room() - disk.length());
        reply.statfs(blocks(disk.room()), free, free, 1, 0, UNIT as u32, 255, UNIT as u32);
    }
}

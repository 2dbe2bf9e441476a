//! A journal that a run left behind, and its target after the crash.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iopath_machine::Root;
use iopath_machine::environment::boot;
use iopath_record::{AfterCrash, Progress};
use iopath_study::case::{Bind, SyncMode, Verify};
use iopath_study::{Case, Source};
use iopath_units::Ratio;
use iopath_workload::journal::Lacking;
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use thiserror::Error;

use super::header::{Header, NoHeader, OfFile, file_bytes};
use super::lock;
use super::mapped::{Mapped, TO_READ};
use crate::failure::Failure;
use crate::readback;
use crate::target::Targets;

mod judge;

/// A journal whose run has ended, or was killed.
#[derive(Debug)]
pub struct LeftJournal {
    header: Header,
    mapped: Mapped,
    root: Root,
}

/// Why nothing can be said of a target.
#[derive(Debug, Error)]
pub enum CannotUse {
    /// Its run has the lock.
    #[error("its run is still in progress; wait for it to end, or stop it")]
    InUse,
    /// Another program's file.
    #[error("it is no journal of iopath")]
    Foreign,
    /// A later version wrote it.
    #[error("a newer version of iopath wrote it; use that version")]
    Newer,
    /// It is not as it was written.
    #[error("it is damaged ({0}), so the expected contents are unknown")]
    Damaged(&'static str),
    /// The kernel's answer.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// A file or device that the target lies on.
    #[error("{path}: {what}")]
    Target {
        /// Where it was.
        path: PathBuf,
        /// What is in the way, and what to do.
        what: String,
    },
    /// The target could not be read at all.
    #[error("{0}")]
    Failed(Failure),
}

impl From<NoHeader> for CannotUse {
    fn from(why: NoHeader) -> Self {
        match why {
            NoHeader::Foreign => Self::Foreign,
            NoHeader::Newer => Self::Newer,
            NoHeader::Damaged(what) => Self::Damaged(what),
        }
    }
}

impl LeftJournal {
    /// Reads a journal whose run has ended.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn open(file: &File, root: &Root) -> Result<Self, CannotUse> {
        // The lock that the run had, so that a run which takes it now is noticed too.
        lock(file, FlockOperation::NonBlockingLockShared).map_err(|error| match error {
            Errno::WOULDBLOCK => CannotUse::InUse,
            error => CannotUse::Unreadable(error.into()),
        })?;
        let (header, front) = Header::read(file)??;
        let too_short = CannotUse::Damaged("it is shorter than its units");
        match file_bytes(front, header.units) {
            Ok(bytes) if bytes <= file.metadata()?.len() => {}
            _ => return Err(too_short),
        }
        let mapped = Mapped::new(file, TO_READ, (front, header.units))?;
        Ok(Self { header, mapped, root: root.clone() })
    }

    /// The number of its run.
    #[must_use]
    pub fn run(&self) -> u64 {
        self.header.run
    }

    /// When its run began, in ns since 1970: another store gives the same numbers.
    #[must_use]
    pub fn started_unix_ns(&self) -> u64 {
        self.header.started_unix_ns
    }

    /// Name of its target in the study.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.header.target
    }

    /// The files and devices that its target lies on.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.header.files.iter().map(|file| file.path.as_path())
    }

    /// Whether the machine has run on since, so that nothing of the journal is lost.
    #[must_use]
    pub fn is_current(&self) -> bool {
        boot(&self.root).is_some_and(|boot| boot == self.header.boot)
    }

    /// Reads what the journal knows of its target, and only reads, past the page cache.
    ///
    /// # Errors
    /// Why that is not possible.
    pub fn check(
        &self,
        interrupted: &AtomicBool,
        tell: &mut dyn FnMut(Progress),
    ) -> Result<AfterCrash, CannotUse> {
        let units = self.header.units * self.header.unit_bytes;
        // The target may have grown after its journal was begun.
        let bytes = if self.header.files.len() == 1 { units } else { 0 };
        self.header.files.iter().try_for_each(|file| examine(file, bytes))?;
        let case = self.case()?;
        let mut targets = Targets::new(self.root.clone(), self.header.directory.clone());
        let cannot = |source: io::Error| CannotUse::Target {
            path: self.files().next().unwrap_or(Path::new("")).to_owned(),
            what: format!("it cannot be opened: {source}"),
        };
        let open = targets.open(&case).map_err(cannot)?;
        let [target] = &open[..] else { return Err(CannotUse::Damaged("it has no target")) };
        let lacking = if self.is_current() { Lacking::Nothing } else { Lacking::LastEntries };
        let judge = judge::OfJournal::new(self, &target.label, lacking);
        let read = readback::read(target, &judge, interrupted, tell);
        read.map_err(CannotUse::Failed)?;
        Ok(judge.end())
    }

    /// The case with this target alone, read only.
    fn case(&self) -> Result<Case, CannotUse> {
        let damaged = || CannotUse::Damaged("its study cannot be read");
        let source = Source { name: "the journal".to_owned(), text: self.header.case.clone() };
        let study = iopath_study::parse(&source, &[]).map_err(|_| damaged())?;
        let cases = study.cases().map_err(|_| damaged())?;
        let mut case = cases.into_iter().next().ok_or_else(damaged)?;
        let is_wanted = |target: &iopath_study::case::Target| target.name == self.header.target;
        let index = case.targets.iter().position(is_wanted).ok_or_else(damaged)?;
        case.targets = vec![case.targets.swap_remove(index)];
        case.streams.retain(|stream| stream.target == index);
        for stream in &mut case.streams {
            (stream.target, stream.reads, stream.sync) = (0, Ratio::ONE, SyncMode::None);
        }
        case.workload.verify = Verify::Off;
        self.make_absolute(&mut case.targets[0]);
        Ok(case)
    }

    /// Paths that were relative to where the run was started.
    fn make_absolute(&self, target: &mut iopath_study::case::Target) {
        let absolute = |path: &String| self.header.directory.join(path).display().to_string();
        target.binding = target.binding.as_ref().map(absolute);
        let below = target.below.iter().map(|(part, Bind { paths, copy })| {
            let paths = paths.iter().map(absolute).collect();
            (*part, Bind { paths, copy: copy.as_ref().map(absolute) })
        });
        target.below = Arc::new(below.collect());
    }
}

/// Whether a file or device is still the one that the run wrote, as far as that can be known.
fn examine(file: &OfFile, bytes: u64) -> Result<(), CannotUse> {
    let had = file.bytes.max(bytes);
    let wrong = |what: String| Err(CannotUse::Target { path: file.path.clone(), what });
    let facts = match file.path.metadata() {
        Ok(facts) => facts,
        Err(error) => return wrong(format!("{error}; restore it as it was during the run")),
    };
    if file.inode.is_none() != facts.file_type().is_block_device() {
        return wrong("it is of another kind than during the run".to_owned());
    }
    if file.inode.is_some_and(|inode| inode != facts.ino()) {
        return wrong("it was replaced: another file has its name".to_owned());
    }
    let has = bytes_of(&file.path, &facts)?;
    if has < had {
        return wrong(format!("it has {has} bytes, {had} during the run"));
    }
    Ok(())
}

/// A device's length is where seeking to its end leads.
fn bytes_of(path: &Path, facts: &Metadata) -> io::Result<u64> {
    match facts.file_type().is_block_device() {
        true => io::Seek::seek(&mut File::open(path)?, io::SeekFrom::End(0)),
        false => Ok(facts.len()),
    }
}

//! What streams read and write, opened: files, block devices, and scratch files without a name.
//!
//! [`Targets`] lives as long as a run, so that what one trial wrote another can read. All that
//! can be wrong is found by [`Targets::obstacles`] before any I/O.

pub mod preflight;

mod access;
mod composed;
mod fill;
mod kernel;
mod made;
mod open;
mod tree;

pub(crate) use access::Access;
pub(crate) use kernel::advised;
pub use made::laid;
pub(crate) use tree::Tree;
use tree::ready;

pub(crate) use fill::{drop_cached, drop_pages, sync, write_back};

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use iopath_machine::Root;
use iopath_machine::safety::Permission;
use iopath_machine::target::{TargetFacts, TargetKind};
use iopath_study::case::{CacheMode, Target};

use crate::checker::Checker;
use crate::engine::volume::layout::Layout;
use crate::engine::volume::tally::Tally;
use crate::journal::Journals;

/// The targets of a run.
pub struct Targets {
    root: Root,
    working_directory: PathBuf,
    /// Paths that hold nothing which could be lost.
    own: BTreeSet<PathBuf>,
    files: BTreeMap<String, Held>,
    /// Paths that another rank of the run keeps, which locks, makes and fills what is there.
    borrowed: BTreeMap<PathBuf, Lender>,
    /// Leave to write, by path.
    permissions: BTreeMap<PathBuf, Permission>,
    /// The same of what another rank keeps on another host.
    permissions_to_borrow: BTreeMap<PathBuf, Permission>,
    /// What will be written to each file system.
    taken: Vec<preflight::room::Taken>,
    /// Block devices that will be written, by path.
    claimed: BTreeMap<PathBuf, Claim>,
    /// What named files were known by when a case of this run was done with them, by device and
    /// inode.
    left: BTreeMap<[u64; 2], String>,
    kernel: kernel::Kernel,
    /// Of verified targets; none where none are kept.
    journals: Option<Journals>,
    /// What killed runs left, as far as it was told.
    left_behind: BTreeSet<PathBuf>,
    /// Trees that could not be removed.
    remaining: usize,
}

/// Where a rank runs that keeps a target for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lender {
    /// On this kernel, so that it has examined all there is to examine.
    Here,
    /// On another host: what this one has mounted or holds only this one can see.
    Elsewhere,
}

/// A block device that a run writes. It is held to the end of the run, so that what was found of it
/// stays true, and closed after writing only once: udev looks at a device anew each time.
struct Claim {
    /// Opened exclusively when it was permitted, for reading: that changes nothing.
    _exclusive: File,
    /// Opened by the first case that writes to it.
    writer: Option<File>,
}

/// What a run knows of one of its files or devices.
#[derive(Default)]
struct Held {
    /// Kept open for scratch files, which vanish when it is closed.
    scratch: Option<File>,
    /// Bytes from the start that are known to hold data.
    filled: u64,
    /// This run has trimmed it since it was written.
    trimmed: bool,
    /// This run made what lies behind `filled`, so it fills it before anybody reads it.
    ours: bool,
    /// A case of this run opened it to write, under this name of messages.
    written: Option<String>,
    /// This case wrote to it, or filled it.
    changed: bool,
    /// Device and inode of a named file that this run made, so it may write it again.
    made: Option<[u64; 2]>,
    checker: Option<(u32, Checker)>,
    /// Of a volume: what it lies on.
    over: Vec<String>,
    /// Of a volume: how it lay on that in the case before.
    layout: Option<Layout>,
}

/// A target ready for I/O.
pub(crate) struct OpenTarget {
    /// Name in the study.
    pub name: String,
    /// What messages call it: its path, that it is scratch, or the word for a volume and its name.
    pub label: String,
    /// Bytes that streams may use.
    pub bytes: u64,
    /// Where requests end: itself, or what a volume lies on.
    pub files: Vec<Arc<OpenFile>>,
    pub volume: Option<OpenVolume>,
    /// Where it is files in directories; its file is then the directory that they lie in.
    pub tree: Option<Tree>,
    pub checker: Option<Checker>,
}

/// How a target lies on its files.
pub(crate) struct OpenVolume {
    /// Its word in the study.
    pub kind: &'static str,
    pub layout: Layout,
    pub tally: Arc<Tally>,
    /// What messages call its files.
    pub labels: Vec<String>,
}

/// A file or device ready for I/O.
pub(crate) struct OpenFile {
    /// Name in the study.
    pub name: String,
    /// What messages call it: its path, or that it is scratch.
    pub label: String,
    pub file: File,
    pub facts: TargetFacts,
    /// Bytes that may be used.
    pub bytes: u64,
    pub cache: CacheUsed,
    /// Whether the kernel can try a request without waiting.
    pub service: Service,
    /// Kernel names of the devices below.
    pub devices: Vec<String>,
    /// What the user gave up by naming the target.
    pub given_up: Vec<String>,
}

/// How the kernel serves a ring's requests to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// In the call, and by interrupt what must wait.
    Direct,
    /// By worker threads (io-wq): the file system cannot try without waiting.
    Workers,
}

/// Whether the page cache took part, as it turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum CacheUsed {
    Direct,
    Buffered,
    Drop,
    /// Direct I/O was asked for and the file system refused it.
    #[strum(to_string = "buffered (direct refused)")]
    DirectRefused,
}

impl From<CacheMode> for CacheUsed {
    fn from(asked: CacheMode) -> Self {
        match asked {
            CacheMode::Direct => Self::Direct,
            CacheMode::Buffered => Self::Buffered,
            CacheMode::Drop => Self::Drop,
        }
    }
}

impl OpenTarget {
    /// Whether the page cache takes part in any of it.
    pub(crate) fn cache(&self) -> CacheUsed {
        let refused = |file: &&Arc<OpenFile>| file.cache == CacheUsed::DirectRefused;
        let decides = self.files.iter().find(refused).or(self.files.first());
        decides.map_or(CacheUsed::Direct, |file| file.cache)
    }

    /// Bytes that can be read, which may be more than streams use.
    pub(crate) fn readable_bytes(&self) -> u64 {
        let all = match (&self.volume, &self.files[..]) {
            (Some(volume), _) => volume.layout.bytes,
            (None, [file]) => file.facts.bytes,
            (None, _) => 0,
        };
        all.max(self.bytes)
    }

    /// How a ring's requests to it are served: by workers where any of them are.
    pub(crate) fn service(&self) -> Service {
        let by_workers = self.files.iter().any(|file| file.service == Service::Workers);
        if by_workers { Service::Workers } else { Service::Direct }
    }

    /// Whether it is files in directories.
    pub(crate) fn is_tree(&self) -> bool {
        self.files.first().is_some_and(|file| file.facts.kind == TargetKind::Directory)
    }

    /// Whether all of it lives in memory, so that no device is below.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.files.iter().all(|file| file.is_in_memory())
    }
}

impl Targets {
    /// No target yet; scratch files are made in `working_directory`.
    #[must_use]
    pub fn new(root: Root, working_directory: PathBuf) -> Self {
        Self {
            root,
            working_directory,
            own: BTreeSet::new(),
            borrowed: BTreeMap::new(),
            files: BTreeMap::new(),
            permissions: BTreeMap::new(),
            permissions_to_borrow: BTreeMap::new(),
            taken: Vec::new(),
            claimed: BTreeMap::new(),
            left: BTreeMap::new(),
            kernel: kernel::Kernel::default(),
            journals: None,
            left_behind: BTreeSet::new(),
            remaining: 0,
        }
    }

    /// These paths are the caller's own, such as devices that it emulates: nothing is kept on
    /// them, so they may be written without being named, with parity too, like scratch files.
    pub fn own(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.own.extend(paths);
    }

    /// These paths are kept by another rank of the run.
    pub fn borrow(&mut self, paths: impl IntoIterator<Item = (PathBuf, Lender)>) {
        self.borrowed = paths.into_iter().collect();
    }

    /// How many directories of metadata loads could not be removed.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.remaining
    }

    /// Where a target lies: its binding, or the directory of its scratch file.
    fn place(&self, target: &Target) -> PathBuf {
        match (&target.binding, &target.directory) {
            (Some(path), _) => PathBuf::from(path),
            (None, Some(directory)) => PathBuf::from(directory),
            (None, None) => self.working_directory.clone(),
        }
    }

    /// Named files and devices that cases of this run opened to write.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.files.values().filter_map(|held| held.written.as_deref())
    }

    /// How many bytes from the start of a scratch or new file hold data by now.
    #[must_use]
    pub fn filled_bytes(&self, target: &Target) -> u64 {
        self.files.get(&key(target)).map_or(0, |held| held.filled)
    }
}

/// What identifies a target over the trials of a run.
fn key(target: &Target) -> String {
    target.binding.clone().unwrap_or_else(|| format!("scratch {}", target.name))
}

#[cfg(test)]
mod tests {
    use iopath_record::TargetFact;

    use super::*;

    #[test]
    fn readers_of_records_know_that_direct_i_o_was_refused() {
        assert_eq!(CacheUsed::DirectRefused.to_string(), TargetFact::DIRECT_REFUSED);
    }
}

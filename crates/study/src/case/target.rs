//! What streams read and write: files and devices, and what they stand for.

use std::collections::BTreeMap;
use std::sync::Arc;

use iopath_units::Bytes;

use crate::system::PartId;

/// A file or block device: the leaf that a stream's requests go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Name of the instance: `data[0]`.
    pub name: String,
    /// The part of the system that it is.
    pub part: PartId,
    /// What the study declares it to be.
    pub kind: TargetKind,
    /// The real file or device it stands for. A file without one is a scratch file that has no
    /// name and vanishes with the program.
    pub binding: Option<String>,
    /// What is real of the parts that it may lie on.
    pub below: Arc<BTreeMap<PartId, Bind>>,
    /// The bytes used, from its beginning; default: all.
    pub size: Option<Bytes>,
    /// Where a scratch file is made; the working directory where nothing is said.
    pub directory: Option<String>,
    /// What it holds where it is no range of bytes but files in directories.
    pub tree: Option<Tree>,
}

impl Target {
    /// Everything real that requests for it may reach.
    pub fn real(&self) -> impl Iterator<Item = &String> {
        let below = self.below.values().flat_map(|bind| bind.paths.iter().chain(&bind.copy));
        self.binding.iter().chain(below)
    }
}

/// Small files in directories, which a metadata load makes, looks at and removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// How many files.
    pub files: u64,
    /// How many directories they are spread over; no more than files.
    pub directories: u64,
    /// Bytes of each file.
    pub file_size: Bytes,
}

/// What a part of the system stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// Files or devices that are all ways to the same data; requests take turns over them. A study
    /// names one.
    pub paths: Vec<String>,
    /// Where each write of it goes besides, and is waited for: the cache of a partner. No study
    /// names one.
    pub copy: Option<String>,
}

/// What a target is declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A regular file; created where it is missing and will be written or read as scratch.
    File,
    /// A block device; never created.
    Device,
    /// Files in directories below one that is always made and removed again.
    Tree,
}

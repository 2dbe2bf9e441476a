//! Folders with the files that benchmarks read and write; they vanish when dropped.
//!
//! Files are filled beforehand with random bytes and written through, so that no run pays for
//! that. After kill -9 a folder `iopath-bench-…` stays behind.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use tempfile::TempDir;

/// Of the file that both tools use.
pub(crate) const FILE_BYTES: u64 = 1 << 30;

const PIECE_BYTES: usize = 1 << 20;

/// `TMPFS_MAGIC` of include/uapi/linux/magic.h.
const TMPFS: u64 = 0x0102_1994;

/// Where files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// tmpfs: no device, so the tools' own cost shows.
    Memory,
    /// Cargo's target folder.
    Disk,
}

pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// An empty folder.
    pub(crate) fn empty(below: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("iopath-bench-").tempdir_in(below);
        Ok(Self { folder: folder.with_context(|| format!("{}", below.display()))? })
    }

    /// With the file; `is_unwanted` is asked now and then whether to go on.
    pub(crate) fn filled(below: &Path, is_unwanted: &dyn Fn() -> bool) -> Result<Self> {
        let place = Self::empty(below)?;
        let path = place.file();
        fill(&path, is_unwanted).with_context(|| format!("{}", path.display()))?;
        Ok(place)
    }

    /// The file that is read and written.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// For what a run notes.
    pub(crate) fn note(&self) -> PathBuf {
        self.folder.path().join("note")
    }
}

/// Whether files below a folder are kept in memory.
pub(crate) fn is_in_memory(folder: &Path) -> Result<bool> {
    let facts = rustix::fs::statfs(folder).with_context(|| format!("{}", folder.display()))?;
    Ok(facts.f_type as u64 == TMPFS)
}

fn fill(path: &Path, is_unwanted: &dyn Fn() -> bool) -> Result<()> {
    let mut file = File::create_new(path)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(FILE_BYTES);
    let mut piece = vec![0; PIECE_BYTES];
    for _ in 0..FILE_BYTES / PIECE_BYTES as u64 {
        if is_unwanted() {
            bail!("interrupted while it was filled");
        }
        random.fill_bytes(&mut piece);
        file.write_all(&piece)?;
    }
    Ok(file.sync_all()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_remains_of_a_place_neither_after_use_nor_after_an_interruption() {
        let below = tempfile::tempdir().unwrap();
        let entries = || std::fs::read_dir(below.path()).unwrap().count();
        let place = Place::empty(below.path()).unwrap();
        std::fs::write(place.file(), "data").unwrap();
        assert_eq!(entries(), 1);
        drop(place);
        assert_eq!(entries(), 0);
        assert!(Place::filled(below.path(), &|| true).is_err());
        assert_eq!(entries(), 0);
    }
}

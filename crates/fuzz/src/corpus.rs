//! Inputs to begin with, kept as files, and those worth going on from, kept in memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::random::Random;
use crate::target::Target;

/// Longer inputs are not kept: they only make the rest slow (chosen).
const LONGEST: usize = 64 << 10;

/// As many behaviours as are kept (chosen; a few hundred are usual).
const MOST: usize = 4096;

/// Inputs and the behaviours they showed.
#[derive(Debug)]
pub(crate) struct Corpus {
    inputs: Vec<Vec<u8>>,
    seen: BTreeSet<String>,
}

/// A folder of this crate.
pub(crate) fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a folder, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let mut files = read().with_context(|| format!("cannot list {}", folder.display()))?;
    files.sort();
    Ok(files)
}

impl Corpus {
    /// The files kept for a target, in the order of their names, each in all forms it takes.
    pub(crate) fn load(target: Target) -> Result<Self> {
        let mut inputs = Vec::new();
        for folder in target.folders() {
            let files = files(&folder)?;
            if files.is_empty() {
                bail!("no inputs in {}", folder.display());
            }
            for file in files {
                let input = fs::read(&file);
                let input = input.with_context(|| format!("cannot read {}", file.display()))?;
                inputs.extend(target.forms(input));
            }
        }
        Ok(Self { inputs, seen: BTreeSet::new() })
    }

    pub(crate) fn inputs(&self) -> &[Vec<u8>] {
        &self.inputs
    }

    /// Half of the time one of the later half, where the news is.
    pub(crate) fn pick(&self, random: &mut Random) -> &[u8] {
        let half = self.inputs.len() / 2;
        let from = if random.below(2) == 0 { half } else { 0 };
        &self.inputs[from + random.below(self.inputs.len() - from)]
    }

    /// Whether the target never behaved like this before.
    pub(crate) fn is_new(&mut self, behaviour: String) -> bool {
        self.seen.len() < MOST && self.seen.insert(behaviour)
    }

    /// Keeps an input to go on from.
    pub(crate) fn keep(&mut self, input: Vec<u8>) {
        if input.len() <= LONGEST {
            self.inputs.push(input);
        }
    }

    pub(crate) fn behaviours(&self) -> usize {
        self.seen.len()
    }
}

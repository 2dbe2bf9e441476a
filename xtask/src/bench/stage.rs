//! What every benchmark stands on: the program, how often and how long, and the wish to end.
//!
//! Ctrl-C reaches the running tool too, since it is in the terminal's foreground. It ends, the
//! benchmark ends with an error, and its files vanish on the way out.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::fio::{self, Engine};
use super::options::Options;
use super::place::{self, Place, Where};
use super::programs::Source;
use super::run::{Load, Run, SHORT, Sample};
use super::{iopath, process};

/// How often iopath runs alone (chosen: what is looked for is the worst, and the spread is small).
const RUNS: usize = 3;

#[derive(Clone)]
pub(crate) struct Stage {
    /// What the programs are built from.
    pub source: Source,
    /// The program as users build it.
    pub iopath: PathBuf,
    pub pairs: usize,
    /// Whether only that a benchmark runs is of interest.
    is_smoke_test: bool,
    /// Of each run.
    pub length: Duration,
    interrupted: Arc<AtomicBool>,
}

/// Who runs a load.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tool {
    Iopath,
    Fio(Engine),
}

impl Stage {
    pub(crate) fn prepare(options: &Options) -> Result<Self> {
        let iopath = Source::Here.iopath()?;
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&interrupted))
                .context("signals cannot be watched")?;
        }
        Ok(Self {
            source: Source::Here,
            is_smoke_test: options.pairs == 1,
            iopath,
            pairs: options.pairs,
            length: options.length,
            interrupted,
        })
    }

    /// The same with programs built from elsewhere.
    pub(crate) fn with(&self, source: Source) -> Result<Self> {
        Ok(Self { iopath: source.iopath()?, source, ..self.clone() })
    }

    /// The same with one run of each tool.
    pub(crate) fn once(&self) -> Self {
        Self { pairs: 1, ..self.clone() }
    }

    pub(crate) fn is_smoke_test(&self) -> bool {
        self.is_smoke_test
    }

    /// How often iopath runs where it has no rival.
    pub(crate) fn runs(&self) -> usize {
        self.pairs.min(RUNS)
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// A folder with the file that both tools use.
    pub(crate) fn place(&self, kind: Where) -> Result<Place> {
        let folder = self.folder(kind);
        if kind == Where::Disk && place::is_in_memory(&folder)? {
            bail!("{} is kept in memory; set CARGO_TARGET_DIR to a disk", folder.display());
        }
        Place::filled(&folder, &|| self.is_interrupted())
    }

    /// Where notes lie that nobody measures.
    pub(crate) fn folder(&self, kind: Where) -> PathBuf {
        match kind {
            Where::Memory => PathBuf::from("/dev/shm"),
            Where::Disk => {
                // The program is target/release/iopath.
                let target = self.iopath.ancestors().nth(2);
                target.unwrap_or_else(|| Path::new(".")).to_owned()
            }
        }
    }

    /// A run and the short one that takes its start out of the processor time.
    pub(crate) fn sample(&self, tool: Tool, load: &Load, place: &Place) -> Result<Sample> {
        let short = self.run(tool, load, place, SHORT)?;
        Ok(Sample { short, long: self.run(tool, load, place, self.length)? })
    }

    pub(crate) fn run(
        &self,
        tool: Tool,
        load: &Load,
        place: &Place,
        length: Duration,
    ) -> Result<Run> {
        let file = place.file();
        let words = match tool {
            Tool::Iopath => iopath::words(&self.iopath, load, &file, length),
            Tool::Fio(engine) => fio::words(engine, load, &file, length),
        };
        let (stdout, cost) = self.output(&words, place)?;
        let done = match tool {
            Tool::Iopath => iopath::read(&stdout)?,
            Tool::Fio(_) => fio::read(&stdout)?,
        };
        Ok(Run { done, cost })
    }

    /// Any program's output and cost. A run that was interrupted is none.
    pub(crate) fn output(
        &self,
        words: &[String],
        place: &Place,
    ) -> Result<(Vec<u8>, process::Cost)> {
        let result = process::run(words, &place.note());
        if self.is_interrupted() {
            bail!("interrupted");
        }
        result
    }
}

/// Shows on a terminal how far a benchmark is.
pub(crate) fn tell_progress(what: &str, done: usize, all: usize) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{}", if done < all { what } else { "" });
        if done < all {
            eprint!(" {} of {all}", done + 1);
        }
    }
}

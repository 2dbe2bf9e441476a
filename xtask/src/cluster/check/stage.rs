//! `Stage`: how parts start ranks, and what they read of a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::super::front::{Cluster, Front};
use super::super::job::{Ended, Job};
use super::super::launcher::Mpi;
use super::super::options::Check;
use crate::limits::rig::said;

/// No run of a part takes longer on a busy machine, 64 ranks on two processors included. Chosen.
const MOST: Duration = Duration::from_secs(240);

pub(crate) struct Stage<'f> {
    pub front: &'f Front,
    pub check: &'f Check,
    /// Where runs are stored; ranks begin there.
    folder: PathBuf,
}

/// A pass, as far as parts read it.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    pub environment: BTreeMap<String, String>,
    pub entities: Vec<Entity>,
    pub streams: Vec<Stream>,
    pub clock: Clock,
    pub instants_ns: Vec<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Entity {
    pub name: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Clock {
    pub started_unix_ns: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Stream {
    pub entity: usize,
    pub phases: Vec<Phase>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Phase {
    pub read_bytes: u64,
    pub write_bytes: u64,
}

#[derive(Deserialize)]
struct List {
    runs: Vec<Run>,
}

/// A row of `iopath list`.
#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    run: String,
    pub state: String,
    pub passes: u64,
    pub throughput_bytes_per_sec: Option<f64>,
}

impl<'f> Stage<'f> {
    pub(crate) fn new(front: &'f Front, check: &'f Check) -> Result<Self> {
        let folder = front.place.folder("stage")?;
        Ok(Self { front, check, folder })
    }

    /// MPIs that there is a program for.
    pub(crate) fn mpis(&self) -> impl Iterator<Item = Mpi> + '_ {
        Mpi::ALL.into_iter().filter(|mpi| self.front.programs.has(*mpi))
    }

    /// Whose program is the plain one: alone it does not start its MPI.
    fn any_mpi(&self) -> Result<Mpi> {
        self.mpis().next().context("iopath was built for no MPI")
    }

    /// A study among the files of the stage.
    pub(crate) fn study(&self, name: &str, text: &str) -> Result<String> {
        let file = self.folder.join(name);
        fs::write(&file, text).with_context(|| file.display().to_string())?;
        Ok(file.display().to_string())
    }

    /// The words of `measure`, with which a run ends fast and says little.
    pub(crate) fn measure(study: &str) -> Vec<String> {
        ["measure", study, "--no-progress", "--no-report", "--no-path"].map(str::to_owned).to_vec()
    }

    /// Starts iopath on so many ranks.
    pub(crate) fn start(&self, by: By<'_>, words: &[String]) -> Result<Job> {
        let mut command = by.cluster.mpirun(by.mpi, by.ranks);
        command.arg(self.front.programs.program(by.mpi)?).args(words);
        self.in_place(&mut command);
        Job::start(command, &self.front.asked)
    }

    /// The records of a run of ranks.
    pub(crate) fn records(&self, by: By<'_>, words: &[String]) -> Result<Vec<Record>> {
        let mpi = by.mpi;
        self.said_by(by, words)?;
        self.last(mpi)
    }

    /// What a run of ranks that must succeed says.
    pub(crate) fn said_by(&self, by: By<'_>, words: &[String]) -> Result<String> {
        let ended = self.start(by, words)?.finish(MOST)?;
        succeeded(&ended)?;
        Ok(ended.stdout)
    }

    /// Of the last run, in bytes per second.
    pub(crate) fn throughput(&self, mpi: Mpi) -> Result<f64> {
        self.last_run(mpi)?.throughput_bytes_per_sec.context("a run without a figure")
    }

    /// The same by the plain program, on the front.
    pub(crate) fn alone(&self, words: &[String]) -> Result<Vec<Record>> {
        self.said_alone(words)?;
        self.last(self.any_mpi()?)
    }

    /// What the plain program says, on the front.
    pub(crate) fn said_alone(&self, words: &[String]) -> Result<String> {
        let mut command = Command::new(self.front.programs.program(self.any_mpi()?)?);
        command.args(words);
        self.in_place(&mut command);
        let ended = Job::start(command, &self.front.asked)?.finish(MOST)?;
        succeeded(&ended)?;
        Ok(ended.stdout)
    }

    /// The row of the last run.
    pub(crate) fn last_run(&self, mpi: Mpi) -> Result<Run> {
        let list: List = serde_json::from_str(&self.said(mpi, &["list", "--json"])?)?;
        newest(list.runs).context("no run is stored")
    }

    /// How many runs there are.
    pub(crate) fn runs(&self, mpi: Mpi) -> Result<usize> {
        let list: List = serde_json::from_str(&self.said(mpi, &["list", "--json"])?)?;
        Ok(list.runs.len())
    }

    /// What is in the folder besides studies and the store.
    pub(crate) fn strange_files(&self) -> Result<Vec<String>> {
        let entries = fs::read_dir(&self.folder)?.flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        Ok(names.filter(|name| !name.ends_with(".kdl") && name != "data").collect())
    }

    fn last(&self, mpi: Mpi) -> Result<Vec<Record>> {
        let text = self.said(mpi, &["export", "last"])?;
        // The first line is the run's.
        let records = text.lines().skip(1).filter(|line| line.contains("\"environment\""));
        records.map(|line| serde_json::from_str(line).context("another record")).collect()
    }

    fn said(&self, mpi: Mpi, words: &[&str]) -> Result<String> {
        let program = self.front.programs.program(mpi)?.display().to_string();
        let data = format!("XDG_DATA_HOME={}", self.data().display());
        said("env", &[&[data.as_str(), program.as_str()], words].concat())
    }

    fn in_place(&self, command: &mut Command) {
        command.current_dir(&self.folder).env("XDG_DATA_HOME", self.data());
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(crate) fn own(&self, name: &str) -> String {
        text(&self.front.place.own().join(name))
    }

    pub(crate) fn shared(&self, name: &str) -> String {
        text(&self.front.place.path("shared").join(name))
    }
}

/// Who runs something.
#[derive(Clone, Copy)]
pub(crate) struct By<'c> {
    pub cluster: &'c Cluster<'c>,
    pub mpi: Mpi,
    pub ranks: u32,
}

impl Record {
    /// What each stream moved, in all phases.
    pub(crate) fn totals(&self) -> BTreeMap<String, u64> {
        let moved = |phase: &Phase| phase.read_bytes + phase.write_bytes;
        let of = |stream: &Stream| {
            let name = self.entities[stream.entity].name.clone();
            (name, stream.phases.iter().map(moved).sum())
        };
        self.streams.iter().map(of).collect()
    }

    /// A fact that is a number.
    pub(crate) fn number(&self, fact: &str) -> Result<u64> {
        let value = self.environment.get(fact).with_context(|| format!("no fact {fact}"))?;
        value.parse().with_context(|| format!("{fact} is {value}"))
    }

    /// On the wall clock of rank 0.
    pub(crate) fn ended_unix_ns(&self) -> u64 {
        self.clock.started_unix_ns + self.instants_ns.last().copied().unwrap_or(0)
    }
}

fn newest(runs: Vec<Run>) -> Option<Run> {
    runs.into_iter().max_by_key(|run| run.run.parse::<u64>().unwrap_or(0))
}

fn succeeded(ended: &Ended) -> Result<()> {
    if !ended.status.success() {
        let last: Vec<&str> = ended.stderr.lines().take(12).collect();
        bail!("{}: {}", ended.status, last.join("\n"));
    }
    Ok(())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

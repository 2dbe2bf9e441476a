//! A live system: brought up, asked how it is, and taken away with its value.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde::Deserialize;
use tempfile::TempDir;

use super::lateness::Lateness;
use super::stage::Stage;

/// Longest that a system may take to come up: it is simulated first, and this machine measured.
const COMING: Duration = Duration::from_secs(60);
/// Longest that it may take to answer a question.
const ANSWER: Duration = Duration::from_secs(20);

/// One case of a study, as words of `simulate` and `emulate`.
#[derive(Clone, Debug)]
pub(crate) struct Study {
    pub file: PathBuf,
    /// `--case` and `--set` with their values.
    pub words: Vec<String>,
}

impl Study {
    pub(crate) fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), words: Vec::new() }
    }

    /// The words of a command.
    pub(crate) fn command(&self, name: &str, more: &[&str]) -> Vec<String> {
        let file = self.file.display().to_string();
        let more = more.iter().map(|word| (*word).to_owned());
        [name.to_owned(), file].into_iter().chain(self.words.iter().cloned()).chain(more).collect()
    }
}

/// A system that stands.
pub(crate) struct System {
    iopath: PathBuf,
    folder: TempDir,
    /// One for each target.
    pub files: Vec<PathBuf>,
    control: PathBuf,
}

/// What it says of itself.
#[derive(Deserialize)]
pub(crate) struct Report {
    pub lateness: Lateness,
    /// Bytes that were written and lost.
    pub lost_bytes: u64,
    record: String,
}

/// What is read of its record.
#[derive(Deserialize)]
struct Record {
    clock: Clock,
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Clock {
    started_unix_ns: u64,
}

#[derive(Deserialize)]
struct Event {
    what: String,
}

impl Report {
    /// When the system's time began.
    pub(crate) fn began(&self) -> Result<SystemTime> {
        Ok(UNIX_EPOCH + Duration::from_nanos(self.record()?.clock.started_unix_ns))
    }

    /// How often parts failed.
    pub(crate) fn failures(&self) -> Result<u64> {
        let record = self.record()?;
        Ok(record.events.iter().filter(|event| event.what.ends_with(" fails")).count() as u64)
    }

    fn record(&self) -> Result<Record> {
        serde_json::from_str(&self.record).context("the system's record is another")
    }
}

impl System {
    pub(crate) fn up(stage: &Stage, study: &Study, more: &[&str]) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("iopath-live-").tempdir_in("/dev/shm")?;
        let (iopath, files, control) = (stage.iopath.clone(), Vec::new(), PathBuf::new());
        // From here on all that is made is taken away again.
        let mut system = Self { iopath, folder, files, control };
        let directory = system.directory();
        let words = ["--live", "--up", "--scale", "1:1", "--no-progress", "--directory"];
        let words = study.command("emulate", &[&words[..], &[&directory], more].concat());
        stage.iopath(&words, COMING)?;
        system.find()?;
        Ok(system)
    }

    pub(crate) fn directory(&self) -> String {
        self.folder.path().join("run").display().to_string()
    }

    /// Where its files are.
    fn find(&mut self) -> Result<()> {
        let run = entries(Path::new(&self.directory()))?;
        let run = run.into_iter().next().context("no run directory")?;
        self.control = run.join("system.qmp");
        self.files = entries(&run.join("files"))?;
        // A name begins with the number of its target.
        self.files.sort_by_key(|file| number(file));
        Ok(())
    }

    pub(crate) fn report(&self) -> Result<Report> {
        self.asked("\"report\"\n")
    }

    /// Counts lateness anew from now on.
    pub(crate) fn restart(&self) -> Result<()> {
        self.asked("\"restart\"\n").map(|_| ())
    }

    fn asked(&self, question: &str) -> Result<Report> {
        let mut stream = UnixStream::connect(&self.control).context("the system is gone")?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.write_all(question.as_bytes())?;
        let mut text = String::new();
        stream.read_to_string(&mut text).context("the system does not answer")?;
        serde_json::from_str(&text).context("the system says something else")
    }
}

impl Drop for System {
    fn drop(&mut self) {
        let mut down = Command::new(&self.iopath);
        down.args(["emulate", "--down", "--directory", &self.directory()]);
        let _ = down.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let all = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    all.map(|entry| Ok(entry?.path())).collect()
}

fn number(file: &Path) -> Option<u64> {
    file.file_name()?.to_str()?.split('.').next()?.parse().ok()
}

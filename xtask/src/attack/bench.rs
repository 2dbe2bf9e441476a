//! What the attacks start: the program in a directory of its own, with a limit on its time.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// No command of an attack takes longer on a busy machine (chosen).
const PATIENCE: Duration = Duration::from_secs(120);

/// One pass of 0.1 s.
pub(crate) const SHORT: &str = "--time 100ms --warm-up 0s --passes 1 --no-progress --no-path";

/// A path for the models, and for an emulation; its name is `study.kdl`.
const PATH: &str = r#"study "two disks"
path {
    host "server" {
        hba read="12 MB/s" write="6 MB/s" { disk "disk" count=2 read="9 MB/s" size="64 MiB" }
    }
}
workload time="200 ms" { streams "reader" over="server..disk" op="read" block="64 KiB" depth=2 }
published { identity "both" throughput="12 MB/s" }
"#;

/// A scratch file, to be measured; its name is `file.kdl`.
const FILE: &str = r#"study "a file"
layout { file "data" size="4 MiB" }
workload time="200 ms" { streams "reader" over="data" op="read" block="64 KiB" }
"#;

/// A program and the directory that it is attacked in.
pub(crate) struct Bench<'p> {
    pub(crate) program: &'p Path,
    pub(crate) directory: PathBuf,
}

/// How a command ended.
pub(crate) struct Ended {
    /// None where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench<'_> {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The program with some words; its store is in the directory.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args(words.split_whitespace());
        self.in_place(&mut command);
        command
    }

    /// A shell script in which `$B` is the program.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("B", self.program);
        self.in_place(&mut command);
        command
    }

    fn in_place(&self, command: &mut Command) {
        command
            .current_dir(&self.directory)
            .env("XDG_DATA_HOME", self.path("data"))
            .env("TMPDIR", self.path("tmp"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, words: &str) -> Result<Ended> {
        finish(self.command(words).spawn().context("the program does not start")?)
    }

    /// Writes `study.kdl` and `file.kdl`.
    pub(crate) fn studies(&self) -> Result<()> {
        self.study("study.kdl", PATH)?;
        self.study("file.kdl", FILE)
    }

    /// Writes a study.
    pub(crate) fn study(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.path(name), text).context("a study cannot be written")
    }
}

/// Waits for a command to end.
pub(crate) fn finish(child: Child) -> Result<Ended> {
    let id = child.id();
    let (ended, has_ended) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let output = child.wait_with_output();
        // Without a receiver it came too late.
        let _ = ended.send(());
        output
    });
    if has_ended.recv_timeout(PATIENCE).is_err() {
        kill(id, "KILL");
        bail!("it did not end within {} s", PATIENCE.as_secs());
    }
    let output = waiter.join().ok().context("a waiting thread panicked")??;
    Ok(Ended::of(&output))
}

/// Sends a signal by its name.
pub(crate) fn kill(id: u32, signal: &str) {
    // The process may have ended.
    let _ =
        Command::new("kill").args(["-s", signal, &id.to_string()]).stderr(Stdio::null()).status();
}

/// Waits until something is so.
pub(crate) fn await_that(what: &str, mut is_so: impl FnMut() -> bool) -> Result<()> {
    let begin = Instant::now();
    while !is_so() {
        if begin.elapsed() > PATIENCE {
            bail!("not so after {} s: {what}", PATIENCE.as_secs());
        }
        sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Whether a process has a file open.
pub(crate) fn has_open(id: u32, file: &Path) -> bool {
    let Ok(entries) = fs::read_dir(format!("/proc/{id}/fd")) else { return false };
    entries.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|open| open == file))
}

impl Ended {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// That it ended with one of these codes.
    pub(crate) fn with(&self, codes: &[i32]) -> Result<()> {
        if self.code.is_some_and(|code| codes.contains(&code)) {
            return Ok(());
        }
        let said = self.stderr.lines().next().unwrap_or("nothing");
        let how = match (self.code, self.signal) {
            (Some(code), _) => format!("code {code}"),
            (None, signal) => format!("signal {}", signal.unwrap_or(0)),
        };
        bail!("{how} instead of {codes:?}; it said: {said}")
    }
}

/// Prints what became of an attack; gives whether the program held.
pub(crate) fn report(name: &str, held: &Result<()>) -> bool {
    match held {
        Ok(()) => println!("held    {name}"),
        Err(error) => println!("FAILED  {name}: {error:#}"),
    }
    held.is_ok()
}

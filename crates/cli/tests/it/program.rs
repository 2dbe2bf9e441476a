//! Runs the built program in a world of its own: a working directory, a store, no terminal.
//!
//! `Program::new()` works on the disk under the temporary directory, `Program::in_memory()` on
//! `/dev/shm`. Snapshots are taken of texts that do not vary: help, plans, stored runs.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Longest a run may take before it is killed and the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// The built program with a directory and a store of its own; both vanish at the end.
pub(crate) struct Program {
    base: TempDir,
}

impl Program {
    /// Works on the disk that has the temporary directory.
    pub(crate) fn new() -> Self {
        Self::under(&std::env::temp_dir())
    }

    /// Works in memory, which is fast and the same everywhere.
    pub(crate) fn in_memory() -> Self {
        Self::under(Path::new("/dev/shm"))
    }

    /// Works in a directory that exists.
    pub(crate) fn under(directory: &Path) -> Self {
        let base = tempfile::Builder::new().prefix("iopath-it-").tempdir_in(directory).unwrap();
        std::fs::create_dir(base.path().join("work")).unwrap();
        std::fs::create_dir(base.path().join("data")).unwrap();
        Self { base }
    }

    /// The working directory of every run: empty at first.
    pub(crate) fn directory(&self) -> PathBuf {
        self.base.path().join("work")
    }

    /// The store's file; it exists once a run was stored.
    pub(crate) fn store(&self) -> PathBuf {
        self.base.path().join("data/iopath/runs.db")
    }

    /// A path in the working directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory().join(name)
    }

    /// A file in the working directory with a text.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A file in the working directory full of bytes that are not zero.
    pub(crate) fn file(&self, name: &str, bytes: usize) -> PathBuf {
        self.write(name, vec![0xa5; bytes])
    }

    /// Names of what is in the working directory, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The command, not yet run: for other environments, users or pipes.
    pub(crate) fn command<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_iopath"));
        self.settle(&mut command);
        command.args(arguments);
        command
    }

    /// Another command in the same world, such as `setpriv` with the program behind it.
    pub(crate) fn command_of(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        self.settle(&mut command);
        command.args(&words[1..]);
        command
    }

    fn settle(&self, command: &mut Command) {
        command
            .current_dir(self.directory())
            .env("XDG_DATA_HOME", self.base.path().join("data"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// Runs to the end.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Output {
        Running::start(self, &mut self.command(arguments)).wait()
    }

    /// Runs a line of words separated by spaces.
    pub(crate) fn line(&self, line: &str) -> Output {
        self.run(line.split_whitespace())
    }

    /// Starts a line of words, to be interrupted or killed. Who starts the tests in the background
    /// of a shell has them ignore Ctrl-C, which a program inherits until it asks to be told of it.
    pub(crate) fn start(&self, line: &str) -> Running {
        let words = ["env", "--default-signal=INT,HUP", env!("CARGO_BIN_EXE_iopath")];
        let words: Vec<&str> = words.into_iter().chain(line.split_whitespace()).collect();
        let running = Running::start(self, &mut self.command_of(&words));
        // What ends the program is still ignored by `env`.
        let executable = format!("/proc/{}/exe", running.child.id());
        let is_env = |at: PathBuf| !at.ends_with("iopath");
        while std::fs::read_link(&executable).is_ok_and(is_env) {
            std::thread::yield_now();
        }
        running
    }

    /// Runs a line with `--json` and reads what it prints; the run must end well.
    pub(crate) fn json(&self, line: &str) -> Value {
        self.line(&format!("{line} --json")).done().json()
    }

    /// Waits until the newest run in the store has so many finished passes.
    #[track_caller]
    pub(crate) fn await_passes(&self, least: u64) {
        await_that("its run begins", || {
            let runs = self.json("list");
            runs["runs"][0]["passes"].as_u64().is_some_and(|passes| passes >= least)
        });
    }

    /// Runs a command made by `command` or `through`.
    pub(crate) fn run_command(&self, command: &mut Command) -> Output {
        Running::start(self, command).wait()
    }
}

/// Waits for a condition, as long as a busy machine may take.
#[track_caller]
pub(crate) fn await_that(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "not so in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A run under way.
pub(crate) struct Running {
    child: Child,
    stdout: Option<Drain>,
    stderr: Option<Drain>,
    line: String,
    shape_of: PathBuf,
}

impl Running {
    /// Starts a command whose output is piped.
    pub(crate) fn start(program: &Program, command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().map(Drain::of);
        let stderr = child.stderr.take().map(Drain::of);
        let words: Vec<OsString> = command.get_args().map(OsStr::to_os_string).collect();
        let line = words.join(OsStr::new(" ")).to_string_lossy().into_owned();
        Self { child, stdout, stderr, line, shape_of: program.base.path().to_owned() }
    }

    /// Sends SIGINT, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        // It may have ended already, which the exit code tells.
        let _ = kill_process(Pid::from_child(&self.child), signal);
    }

    /// Kills it as nothing can be caught.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Waits until it has printed so many lines.
    #[track_caller]
    pub(crate) fn await_lines(&self, least: usize) {
        await_that("it prints lines", || self.lines() >= least);
    }

    /// Lines that it has printed.
    pub(crate) fn lines(&self) -> usize {
        self.stdout.as_ref().map_or(0, |stdout| stdout.text().lines().count())
    }

    /// Waits for the end; kills what takes too long.
    pub(crate) fn wait(mut self) -> Output {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("{} does not end", self.line);
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let text = |drain: Option<Drain>| drain.map(Drain::end).unwrap_or_default();
        let (stdout, stderr) = (text(self.stdout.take()), text(self.stderr.take()));
        let line = self.line.replace(&self.shape_of.display().to_string(), "[BASE]");
        Output { status, stdout, stderr, line }
    }
}

impl Drop for Running {
    /// A test that fails leaves nothing running.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Reads a pipe to its end, so that no one who writes into it has to wait.
struct Drain {
    seen: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl Drain {
    fn of(mut pipe: impl std::io::Read + Send + 'static) -> Self {
        let seen: Arc<Mutex<Vec<u8>>> = Arc::default();
        let all = Arc::clone(&seen);
        let thread = std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(bytes @ 1..) = pipe.read(&mut piece) {
                all.lock().unwrap().extend(&piece[..bytes]);
            }
        });
        Self { seen, thread }
    }

    /// What came so far.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap()).into_owned()
    }

    fn end(self) -> String {
        self.thread.join().unwrap();
        let seen = self.seen.lock().unwrap();
        String::from_utf8_lossy(&seen).into_owned()
    }
}

/// What a run left.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    line: String,
}

impl Output {
    /// The exit code; 128 + the signal where it was killed, as shells say it.
    pub(crate) fn code(&self) -> i32 {
        self.status.code().or(self.status.signal().map(|signal| 128 + signal)).unwrap()
    }

    /// The run must have ended with this code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "iopath {}\n{}\n{}", self.line, self.stdout, self.stderr);
        self
    }

    /// The run must have ended well.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        self.ends(0)
    }

    /// Talk must contain each of these.
    #[track_caller]
    pub(crate) fn tells(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in the talk:\n{}", self.stderr);
        }
        self
    }

    /// The one JSON value on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("iopath {}: no JSON ({error}):\n{}\n{}", self.line, self.stdout, self.stderr)
        })
    }
}

/// Says that a case could not be tried here; CI greps for these words.
pub(crate) fn not_run(why: &str) {
    let _ = writeln!(std::io::stderr().lock(), "not run: {why}");
}

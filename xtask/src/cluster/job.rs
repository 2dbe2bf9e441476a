//! `Job`: an `mpirun` that runs, ended in order on a signal and by force where that takes long.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// For an interrupted run to end in order: each rank has 15 s to say something. Chosen.
const GRACE: Duration = Duration::from_secs(20);
/// Distance of looks.
const LOOK: Duration = Duration::from_millis(5);

/// Whether somebody asked this process to stop.
#[derive(Clone)]
pub(crate) struct Asked(Arc<AtomicBool>);

impl Asked {
    pub(crate) fn watch() -> Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&flag)).context("no signals")?;
        }
        Ok(Self(flag))
    }

    pub(crate) fn is_stop(&self) -> bool {
        self.0.load(Relaxed)
    }
}

pub(crate) struct Job {
    child: Child,
    output: File,
    errors: File,
    asked: Asked,
}

/// What became of a job.
pub(crate) struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Job {
    /// Starts it in a group of its own, so that Ctrl-C reaches it by way of this process only.
    /// What it says is kept.
    pub(crate) fn start(mut command: Command, asked: &Asked) -> Result<Self> {
        let (output, errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
        command.stdout(output.try_clone()?).stderr(errors.try_clone()?);
        Ok(Self { child: spawned(&mut command)?, output, errors, asked: asked.clone() })
    }

    /// Waits for its end, and ends it where it is not there within a time.
    pub(crate) fn finish(mut self, most: Duration) -> Result<Ended> {
        let begin = Instant::now();
        let status = awaited(&mut self.child, &self.asked, Some(most))?;
        if self.asked.is_stop() {
            bail!("interrupted");
        }
        let (stdout, stderr) = (content(&mut self.output)?, content(&mut self.errors)?);
        Ok(Ended { status, stdout, stderr, took: begin.elapsed() })
    }
}

/// A job whose words go where this process's go.
pub(crate) fn shown(mut command: Command, asked: &Asked) -> Result<ExitStatus> {
    awaited(&mut spawned(&mut command)?, asked, None)
}

fn spawned(command: &mut Command) -> Result<Child> {
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).process_group(0).spawn();
    child.with_context(|| format!("{name} does not start"))
}

fn awaited(child: &mut Child, asked: &Asked, most: Option<Duration>) -> Result<ExitStatus> {
    let begin = Instant::now();
    let mut asked_at = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if asked.is_stop() && asked_at.is_none() {
            asked_at = Some(Instant::now());
            let _ = kill_process(id(child)?, Signal::INT);
        }
        let late = most.is_some_and(|most| begin.elapsed() > most);
        if late || asked_at.is_some_and(|at| at.elapsed() > GRACE) {
            let _ = kill_process_group(id(child)?, Signal::KILL);
            let status = child.wait()?;
            match late {
                true => bail!("no end within {:?}", begin.elapsed()),
                false => return Ok(status),
            }
        }
        std::thread::sleep(LOOK);
    }
}

fn id(child: &Child) -> Result<Pid> {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    id.context("a process without a number")
}

fn content(file: &mut File) -> Result<String> {
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

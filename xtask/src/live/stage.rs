//! Who plays the parts: the program, the options, and whether somebody asked to stop.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::options::Options;

/// Bytes that a process of the program may have (chosen: several times what the cases need).
const MEMORY: u64 = 8 << 30;
/// Distance of looks at a program that runs.
const LOOK: Duration = Duration::from_millis(10);
/// For a program to remove what it made.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) struct Stage {
    pub iopath: PathBuf,
    pub options: Options,
    interrupted: Arc<AtomicBool>,
}

impl Stage {
    pub(crate) fn new(options: Options) -> Result<Self> {
        let iopath = crate::bench::program(options.program.clone())?;
        if let Some(keep) = &options.keep {
            fs::create_dir_all(keep).with_context(|| keep.display().to_string())?;
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&interrupted))
                .context("signals cannot be watched")?;
        }
        Ok(Self { iopath, options, interrupted })
    }

    /// What `iopath` prints. A system that takes ever more memory is not to take this machine's.
    pub(crate) fn iopath(&self, words: &[String], most: Duration) -> Result<Vec<u8>> {
        let mut command = Command::new("prlimit");
        command.arg(format!("--as={MEMORY}")).arg(&self.iopath).args(words);
        self.said(command, most)
    }

    /// What a program prints that must succeed within a time. It is ended when that is over, or
    /// when somebody asked to stop; it is in a group of its own, so that Ctrl-C is only ours.
    pub(crate) fn said(&self, mut command: Command, most: Duration) -> Result<Vec<u8>> {
        let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(errors.try_clone()?);
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.process_group(0).spawn();
        let mut child = child.with_context(|| format!("{name} does not start"))?;
        let status = self.awaited(&mut child, most).with_context(|| name.clone())?;
        if !status.success() {
            let error = content(&mut errors)?;
            bail!("{name}: {status}: {}", String::from_utf8_lossy(&error).trim());
        }
        content(&mut output)
    }

    fn awaited(&self, child: &mut Child, most: Duration) -> Result<ExitStatus> {
        let begin = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return self.go_on().map(|()| status);
            }
            let stops = self.go_on().err();
            if stops.is_some() || begin.elapsed() > most {
                end(child);
                return Err(stops.unwrap_or_else(|| anyhow::anyhow!("no end within {most:?}")));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Fails where somebody asked to stop.
    pub(crate) fn go_on(&self) -> Result<()> {
        match self.interrupted.load(Ordering::Relaxed) {
            true => bail!("interrupted"),
            false => Ok(()),
        }
    }

    /// Keeps a text, where that is wanted.
    pub(crate) fn keep(&self, name: &str, text: &[u8]) -> Result<()> {
        let Some(keep) = &self.options.keep else { return Ok(()) };
        let file: &Path = &keep.join(name);
        fs::write(file, text).with_context(|| file.display().to_string())
    }
}

/// Ends a program, which removes what it made. Who waits for a request that is never answered ends
/// when the system is taken away, so nobody waits for it for long.
fn end(child: &mut Child) {
    let begin = Instant::now();
    if let Some(id) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(id, Signal::TERM);
    }
    while begin.elapsed() < GRACE {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(LOOK);
    }
    let _ = child.kill();
}

fn content(file: &mut File) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    Ok(text)
}

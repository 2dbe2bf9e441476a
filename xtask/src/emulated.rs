//! A path that stands as devices while a step of this program needs it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// It stands until it is dropped, or until this process gets Ctrl-C.
pub(crate) struct Up {
    child: Child,
    /// What it printed when it stood.
    said: Value,
}

impl Up {
    /// Brings the study up, its files in this directory.
    pub(crate) fn of(
        iopath: &Path,
        directory: &Path,
        study: &Path,
        words: &[&str],
    ) -> Result<Self> {
        let mut command = Command::new(iopath);
        command.arg("emulate").arg(study).arg("--directory").arg(directory);
        command.args(words).args(["--json", "--no-progress"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("iopath emulate has no output")?;
        let mut text = String::new();
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            text.push_str(&line);
            if line == "}" {
                break;
            }
        }
        let Ok(said) = serde_json::from_str(&text) else {
            let said = child.wait_with_output()?.stderr;
            bail!("iopath emulate brings nothing up: {}", String::from_utf8_lossy(&said).trim());
        };
        Ok(Self { child, said })
    }

    /// The device that stands for a part of the study.
    pub(crate) fn device(&self, part: &str) -> Result<String> {
        let paths = self.said["paths"].as_array().context("no device stands")?;
        let path = paths.iter().find(|path| path["device"] == part);
        let path = path.and_then(|path| path["path"].as_str());
        path.map(str::to_owned).with_context(|| format!("{part} has no device"))
    }

    pub(crate) fn down(&mut self) -> Result<()> {
        if self.child.try_wait()?.is_none() {
            kill_process(Pid::from_child(&self.child), Signal::INT)?;
        }
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // After an error of its own this one would say nothing more.
        let _ = self.down();
    }
}

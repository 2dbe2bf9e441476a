//! What the program says of a study, and what it measures on the emulated path.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::text::TOGETHER;

/// The program, and where its runs and devices are.
pub(crate) struct Program {
    pub iopath: PathBuf,
    pub kept: PathBuf,
}

/// What was measured.
pub(crate) struct Measured {
    /// Bytes a second with everything at once.
    pub throughput: f64,
    /// What `explain` says holds it back.
    pub limit: Limit,
    /// How far LUNs alone are off their models, the worst of them.
    pub alone: f64,
    /// Divisor of rates; 1 where this machine carries the path as it is.
    pub smaller: u64,
}

pub(crate) struct Limit {
    pub cause: String,
    pub entity: String,
}

impl Program {
    /// The program's JSON, or why there is none.
    pub(crate) fn json(&self, words: &[&str]) -> Result<Value> {
        serde_json::from_str(&self.text(words)?)
            .with_context(|| format!("iopath {} prints no JSON", words.join(" ")))
    }

    pub(crate) fn text(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.iopath);
        command.args(words).current_dir(&self.kept);
        if !["predict", "check"].contains(&words[0])
            && !words.contains(&"--up")
            && !words.contains(&"--down")
        {
            command.arg("--store").arg(self.kept.join("runs.db"));
        }
        let output = command.output().with_context(|| self.iopath.display().to_string())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("iopath {}: {}", words.join(" "), said.trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Bytes a second that the bounds allow.
    pub(crate) fn predicted(&self, study: &Path) -> Result<f64> {
        let study = study.to_string_lossy();
        let value = self.json(&["predict", &study, "--case", TOGETHER, "--json"])?;
        number(&value["cases"][0]["prediction"]["throughput_bytes_per_sec"])
    }

    /// Bytes a second of the simulation, in its window.
    pub(crate) fn simulated(&self, study: &Path) -> Result<f64> {
        let study = study.to_string_lossy();
        let words =
            ["simulate", &study, "--case", TOGETHER, "--json", "--no-report", "--no-progress"];
        let value = self.json(&words)?;
        number(&value["cases"][0]["findings"]["headline"]["throughput_bytes_per_sec"])
    }

    /// Brings the path up and measures each experiment of these, then explains the first.
    pub(crate) fn measured(&self, study: &Path, more: &[&str]) -> Result<Measured> {
        let (study, devices) = (study.to_string_lossy(), self.kept.to_string_lossy());
        let mut words = vec!["emulate", &study, "--run", "--json", "--no-progress"];
        words.extend(["--directory", &devices]);
        words.extend(more);
        let value = self.json(&words)?;
        let run = value["run"].as_str().context("the emulated run has no name")?;
        let cases = value["cases"].as_array().context("no case was emulated")?;
        let (first, alone) = cases.split_first().context("no case was emulated")?;
        let off = alone.iter().filter_map(|case| case["off_percent"].as_f64());
        let whole = |value: &Value| value.as_u64().unwrap_or(1);
        Ok(Measured {
            throughput: number(&first["measured_bytes_per_sec"])?,
            limit: self.limit(run)?,
            alone: off
                .fold(0.0, |worst: f64, off| if off.abs() > worst.abs() { off } else { worst }),
            smaller: whole(&first["scale"]) * whole(&first["stretch"]),
        })
    }

    fn limit(&self, run: &str) -> Result<Limit> {
        let value = self.json(&["explain", run, "--json"])?;
        let limit = &value["trials"][0]["limit"];
        let word = |key: &str| limit[key].as_str().unwrap_or("-").to_owned();
        Ok(Limit { cause: word("cause"), entity: word("entity") })
    }
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().context("a throughput is missing")
}

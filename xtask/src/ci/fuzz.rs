//! The fuzzers, each for a short time, as the tests have built them: with the checks of arithmetic
//! and the assertions that a release build leaves out.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::bench::executable_named;
use crate::workspace::cargo;

/// Of what the tests are built from, so that nothing is built anew.
const BUILD: &str = "test --workspace --locked --no-run --message-format=json-render-diagnostics";

pub(super) fn study() -> Result<()> {
    run("study --seconds 30")
}

pub(super) fn record() -> Result<()> {
    run("record --seconds 30")
}

pub(super) fn import() -> Result<()> {
    run("import --seconds 30")
}

pub(super) fn simulation() -> Result<()> {
    run("simulation --seconds 30 --seed 1")
}

fn run(words: &str) -> Result<()> {
    let program = built()?;
    let status = Command::new(&program).args(words.split_whitespace()).status();
    let status = status.with_context(|| program.display().to_string())?;
    if !status.success() {
        bail!("iopath-fuzz {words}: {status}");
    }
    Ok(())
}

fn built() -> Result<PathBuf> {
    let mut command = Command::new(cargo());
    command.args(BUILD.split_whitespace()).stderr(Stdio::inherit());
    let output = command.output().context("cargo does not start")?;
    if !output.status.success() {
        bail!("cargo {BUILD}: {}", output.status);
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    executable_named("iopath-fuzz", &messages).context("cargo built no iopath-fuzz")
}

//! The fuzzers, each for a short time.
//!
//! Built with the program: alone, cargo would choose fewer features of what both depend on, and the
//! step that builds the program would build all of that again.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::bench::build;

const BUILD: [&str; 7] =
    ["--locked", "--package", "iopath", "--package", "iopath-fuzz", "--bin", "iopath-fuzz"];

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
    let program = build(&BUILD)?;
    let status = Command::new(&program).args(words.split_whitespace()).status();
    let status = status.with_context(|| program.display().to_string())?;
    if !status.success() {
        bail!("iopath-fuzz {words}: {status}");
    }
    Ok(())
}

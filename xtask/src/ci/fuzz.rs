//! The fuzzers, each for half a minute, as the tests have built them: with the checks of arithmetic
//! and the assertions that a release build leaves out.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::bench::executable_named;
use crate::workspace::cargo;

/// Of what the tests are built from, so that nothing is built anew.
const BUILD: &str = "test --workspace --locked --no-run --message-format=json-render-diagnostics";

/// Two at a time, as each keeps one processor busy.
const RUNS: [[&str; 2]; 2] = [
    ["study --seconds 30", "record --seconds 30"],
    ["import --seconds 30", "simulation --seconds 30 --seed 1"],
];

/// What they print when they begin, end and ask to be repeated names the target.
pub(super) fn all() -> Result<()> {
    let program = built()?;
    let mut failed = Vec::new();
    for pair in RUNS {
        let started = pair.map(|words| start(&program, words));
        // Both are waited for, so that none is left behind when the other fails.
        for (words, fuzzer) in pair.into_iter().zip(started) {
            match fuzzer.and_then(|mut fuzzer| Ok(fuzzer.wait()?)) {
                Ok(status) if status.success() => {}
                Ok(status) => failed.push(format!("iopath-fuzz {words}: {status}")),
                Err(error) => failed.push(format!("iopath-fuzz {words}: {error:#}")),
            }
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("; "));
    Ok(())
}

fn start(program: &Path, words: &str) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(words.split_whitespace());
    command.spawn().with_context(|| program.display().to_string())
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

//! The programs that are run: ours as users build them, and fio from the distribution.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::workspace::cargo;

/// Builds iopath.
pub(crate) fn iopath() -> Result<PathBuf> {
    build(&["-p", "iopath", "--bin", "iopath"])
}

/// Asks fio who it is.
pub(crate) fn fio_version() -> Result<String> {
    let output = Command::new("fio")
        .arg("--version")
        .output()
        .context("fio does not start; install the Debian package fio")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A message of `cargo build`: the last product with an executable is what was asked for.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

/// Builds one program and tells where it is.
pub(crate) fn build(what: &[&str]) -> Result<PathBuf> {
    let output = Command::new(cargo())
        .args(["build", "--release", "--message-format=json-render-diagnostics"])
        .args(what)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo does not start")?;
    if !output.status.success() {
        bail!("cargo build --release {}: {}", what.join(" "), output.status);
    }
    executable(&String::from_utf8_lossy(&output.stdout)).context("cargo built no program")
}

fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    messages.filter_map(|message| message.executable).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_what_cargo_says_it_built() {
        let messages = r#"{"reason":"compiler-artifact","executable":null,"fresh":true}
{"reason":"compiler-artifact","executable":"/t/release/iopath","fresh":false}
{"reason":"build-finished","success":true}
"#;
        assert_eq!(executable(messages), Some("/t/release/iopath".into()));
        assert_eq!(executable("{\"reason\":\"build-finished\"}\n"), None);
    }
}

//! One step of `check`: a command whose output is kept until it fails.

use std::ffi::OsString;
use std::fmt;
use std::io::{Read, Seek};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::cargo;

pub(crate) struct Task {
    pub name: &'static str,
    /// As a person would type it.
    typed: String,
    program: OsString,
    words: Vec<String>,
}

pub(crate) struct Outcome {
    pub passed: bool,
    /// Both streams, in the order in which they came.
    pub printed: String,
}

impl Task {
    /// Words without quoting: none of them holds a blank.
    pub(crate) fn cargo(name: &'static str, words: &str) -> Self {
        let typed = format!("cargo {words}");
        let words = words.split_whitespace().map(str::to_owned).collect();
        Self { name, typed, program: cargo().into(), words }
    }

    /// A command of ours, in a process of its own so that what it prints can be kept.
    pub(crate) fn own(name: &'static str, words: &[&str]) -> Result<Self> {
        let program = std::env::current_exe().context("where xtask is")?.into();
        let typed = format!("cargo xtask {}", words.join(" "));
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Ok(Self { name, typed, program, words })
    }

    pub(crate) fn run(&self) -> Result<Outcome> {
        let mut kept = tempfile::tempfile().context("no file for what a command prints")?;
        let status = Command::new(&self.program)
            .args(&self.words)
            .stdout(kept.try_clone()?)
            .stderr(kept.try_clone()?)
            .status()
            .with_context(|| format!("{} does not start", self.typed))?;
        kept.rewind()?;
        let mut printed = Vec::new();
        kept.read_to_end(&mut printed)?;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        Ok(Outcome { passed: status.success(), printed })
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Task {
        let words = vec!["-c".to_owned(), script.to_owned()];
        Task { name: "shell", typed: String::new(), program: "sh".into(), words }
    }

    #[test]
    fn both_streams_are_kept_in_their_order() {
        let outcome = shell("echo a; echo b >&2; echo c; exit 3").run().unwrap();
        assert_eq!(outcome.printed, "a\nb\nc\n");
        assert!(!outcome.passed);
        assert!(shell("true").run().unwrap().passed);
    }
}

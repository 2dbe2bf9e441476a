//! One step of `ci`: a cargo command or a function of ours, and how long it may take.

use std::fmt;
use std::io::{IsTerminal, stdout};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::packages;
use crate::workspace::cargo;

pub(crate) struct Step {
    /// How it is called on the command line.
    pub name: &'static str,
    pub budget: Budget,
    pub work: Work,
}

/// How long a step may take.
#[derive(Clone, Copy)]
pub(crate) struct Budget(Duration);

impl Budget {
    pub(crate) const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    pub(crate) const fn minutes(minutes: u64) -> Self {
        Self::seconds(60 * minutes)
    }

    pub(crate) fn is_exceeded(self, time: Duration) -> bool {
        time > self.0
    }
}

/// As CONTRIBUTING.md has it.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            seconds @ ..120 => write!(f, "{seconds} s"),
            seconds => write!(f, "{} min", seconds / 60),
        }
    }
}

pub(crate) enum Work {
    /// Words without quoting: none of them holds a blank.
    Cargo {
        words: &'static str,
        environment: &'static [(&'static str, &'static str)],
    },
    Own(fn() -> Result<()>),
}

impl Step {
    pub(crate) fn run(&self) -> Result<()> {
        match self.work {
            Work::Cargo { words, environment } => run_cargo(words, environment),
            Work::Own(function) => function(),
        }
    }
}

/// As a person would type it.
impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cargo { words, environment } => {
                for (name, value) in *environment {
                    write!(f, "{name}=\"{value}\" ")?;
                }
                write!(f, "cargo {words}")
            }
            Self::Own(_) => f.write_str("part of xtask"),
        }
    }
}

pub(super) fn run_cargo(words: &str, environment: &[(&str, &str)]) -> Result<()> {
    let status = Command::new(cargo())
        .args(words.split_whitespace())
        .envs(environment.iter().copied())
        .envs(defaults().into_iter().filter(|(name, _)| std::env::var_os(name).is_none()))
        .status()
        .context("cargo does not start")?;
    outcome(words, status)
}

fn outcome(words: &str, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("cargo {words}: {status}");
    }
    Ok(())
}

/// Settings that the caller may have made otherwise.
fn defaults() -> Vec<(&'static str, &'static str)> {
    let colour = if stdout().is_terminal() { "always" } else { "never" };
    let mut defaults = vec![("CARGO_TERM_COLOR", colour)];
    if packages::is_root() {
        defaults.push(("CI", "true"));
    }
    defaults
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_cargo_step_is_shown_as_typed() {
        let work = Work::Cargo { words: "doc --locked", environment: &[("A", "-D warnings")] };
        assert_eq!(work.to_string(), "A=\"-D warnings\" cargo doc --locked");
    }

    #[test]
    fn a_failing_command_is_a_failing_step() {
        assert!(outcome("doc", ExitStatus::from_raw(0)).is_ok());
        let error = outcome("doc", ExitStatus::from_raw(101 << 8)).expect_err("exit code 101");
        assert_eq!(error.to_string(), "cargo doc: exit status: 101");
    }
}

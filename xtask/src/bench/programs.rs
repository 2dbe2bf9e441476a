//! The programs that are run: ours as users build them, and fio from the distribution.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::git;
use crate::workspace::{Workspace, cargo};

/// Builds iopath as it is here.
pub(crate) fn iopath() -> Result<PathBuf> {
    Source::Here.iopath()
}

/// The program that was given, else that of this tree; whatever the directory.
pub(crate) fn program(given: Option<PathBuf>) -> Result<PathBuf> {
    let program = given.map_or_else(iopath, Ok)?;
    program.canonicalize().with_context(|| program.display().to_string())
}

/// What programs are built from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// This tree.
    Here,
    /// The files of a commit, unpacked with a target folder of their own.
    Commit { files: PathBuf, target: PathBuf },
}

/// Asks fio who it is.
pub(crate) fn fio_version() -> Result<String> {
    let output = Command::new("fio")
        .arg("--version")
        .output()
        .context("fio does not start; install the Debian package fio")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A message of `cargo build`.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

impl Source {
    /// A commit's files, below cargo's target folder, where what was built of another commit is
    /// found again.
    pub(crate) fn commit(name: &str) -> Result<Self> {
        let workspace = Workspace::read()?;
        let commit = git::commit(&workspace.root, name)?;
        let folder = workspace.target.join("bench-against");
        let (files, target) = (folder.join("files"), folder.join("target"));
        if files.exists() {
            fs::remove_dir_all(&files).with_context(|| format!("{}", files.display()))?;
        }
        fs::create_dir_all(&files).with_context(|| format!("{}", files.display()))?;
        git::unpack(&workspace.root, &commit, &files)?;
        Ok(Self::Commit { files, target })
    }

    pub(crate) fn iopath(&self) -> Result<PathBuf> {
        self.build("iopath", &["--bin", "iopath"])
    }

    /// An example program of a crate.
    ///
    /// Cargo chooses the features of what crates share by the packages that are asked for, so all
    /// are asked for together, `iopath` with them: what it is built from is not built anew.
    pub(crate) fn example(&self, name: &str) -> Result<PathBuf> {
        let owners = ["iopath-machine", "iopath-simulation", "iopath-store"];
        let packages = owners.iter().flat_map(|owner| ["-p", owner]);
        self.build(name, &packages.chain(["--examples"]).collect::<Vec<_>>())
    }

    /// Builds a program, and others with it, and says where it is.
    fn build(&self, name: &str, what: &[&str]) -> Result<PathBuf> {
        let mut command = Command::new(cargo());
        command.args(["build", "--release", "--message-format=json-render-diagnostics"]);
        command.args(["-p", "iopath"]).args(what);
        if let Self::Commit { files, target } = self {
            command.current_dir(files).env("CARGO_TARGET_DIR", target);
        }
        let output = command.stderr(Stdio::inherit()).output().context("cargo does not start")?;
        if !output.status.success() {
            bail!("cargo build --release {}: {}", what.join(" "), output.status);
        }
        let messages = String::from_utf8_lossy(&output.stdout);
        executable_named(name, &messages).with_context(|| format!("cargo built no {name}"))
    }
}

/// The last program that cargo says it built, of its messages.
pub(crate) fn executable(messages: &str) -> Option<PathBuf> {
    executables(messages).next_back()
}

/// The last of that name.
pub(crate) fn executable_named(name: &str, messages: &str) -> Option<PathBuf> {
    executables(messages).rfind(|file| file.file_name().is_some_and(|own| own == name))
}

fn executables(messages: &str) -> impl DoubleEndedIterator<Item = PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    messages.filter_map(|message| message.executable)
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
        assert_eq!(executable_named("iopath", messages), Some("/t/release/iopath".into()));
        assert_eq!(executable_named("iopath-fuzz", messages), None);
    }
}

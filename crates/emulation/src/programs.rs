//! The programs that an emulation needs, and the Debian packages that have them.

use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::poll::until;
use crate::trouble::Trouble;

/// For programs that take milliseconds.
const DONE: Duration = Duration::from_secs(10);

/// A user's PATH often lacks these.
const FOLDERS: [&str; 2] = ["/usr/sbin", "/sbin"];

/// A program that comes with a Debian package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    StorageDaemon,
    Fusermount,
    Losetup,
    Setpriv,
    Setsid,
}

impl Program {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::StorageDaemon => "qemu-storage-daemon",
            Self::Fusermount => "fusermount3",
            Self::Losetup => "losetup",
            Self::Setpriv => "setpriv",
            Self::Setsid => "setsid",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Self::StorageDaemon => "qemu-system-common",
            Self::Fusermount => "fuse3",
            Self::Losetup => "mount",
            Self::Setpriv | Self::Setsid => "util-linux",
        }
    }

    /// Where it is.
    pub(crate) fn find(self) -> Result<PathBuf, Trouble> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = env::split_paths(&path).chain(FOLDERS.map(PathBuf::from));
        let mut files = folders.map(|folder| folder.join(self.name()));
        let is_program = |file: &PathBuf| {
            file.metadata()
                .is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
        };
        let missing = Trouble::Missing { program: self.name(), package: self.package() };
        files.find(is_program).ok_or(missing)
    }
}

/// Runs a program that is done at once, and gives what it prints; kills it when it is not.
pub(crate) fn run(program: Program, words: &[&OsStr], about: &Path) -> Result<String, Trouble> {
    let failed =
        |says: String| Trouble::Program { program: program.name(), path: about.to_owned(), says };
    let mut command = Command::new(program.find()?);
    // In a group of its own: what a terminal's Ctrl-C ends is this program, which then cleans up.
    command.args(words).process_group(0).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| failed(error.to_string()))?;
    if until(DONE, || child.try_wait().transpose()).is_none() {
        // When it cannot be killed it is not waited for either.
        let _ = child.kill();
        return Err(failed(format!("not done after {} s", DONE.as_secs())));
    }
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

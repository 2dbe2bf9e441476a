//! A process of the program that removes what this one leaves when it is killed.
//!
//! Daemons end with their owner by themselves; files and loop devices do not. The guard waits for
//! the end of its input, a pipe that the kernel closes when its owner is killed, and then sweeps as
//! the next emulation would. An owner that ends by itself writes a byte before: nothing is left
//! then. Where it cannot be started, the next emulation sweeps.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::getppid;

use super::clear;

/// For an owner whose files are closed to end.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(5);

/// Sweeps when its owner has ended, however it did.
pub(crate) struct Guard {
    child: Child,
    /// Open for as long as its owner lives.
    alive: Option<ChildStdin>,
}

impl Guard {
    /// Guards a directory of emulations; none where no process can be started.
    pub(crate) fn of(directory: &Path) -> Option<Self> {
        let mut child = Command::new(std::env::current_exe().ok()?)
            .args(["emulate", "--sweep-at-end"])
            // A directory that is made for this emulation goes with it.
            .arg(if directory.exists() { "false" } else { "true" })
            .arg("--directory")
            .arg(directory)
            // Ctrl-C is for its owner.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let alive = child.stdin.take();
        Some(Self { child, alive })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // One that was killed itself reads nothing.
        let _ = self.alive.take().map(|mut alive| alive.write_all(b"."));
        let _ = self.child.wait();
    }
}

/// The guard's own part; `remove` also the directory, if it is empty then.
pub(crate) fn sweep_at_end(directory: &Path, remove: bool) {
    let owner = getppid();
    let ended_by_itself = io::stdin().lock().read_exact(&mut [0]).is_ok();
    if ended_by_itself {
        return;
    }
    // The kernel closes the files of a process before it counts as ended.
    let begin = Instant::now();
    while getppid() == owner && begin.elapsed() < PATIENCE {
        sleep(LOOK);
    }
    clear(directory);
    if remove {
        // Another emulation may be in it.
        let _ = fs::remove_dir(directory);
    }
}

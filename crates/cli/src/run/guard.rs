//! A process of the program that outlives this one, to clean up what it leaves when it is killed.
//!
//! The guard waits for the end of its input, a pipe that the kernel closes when its owner is
//! killed. An owner that ends by itself writes a byte before: nothing is left then. Where it cannot
//! be started, the next run cleans up.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use iopath_study::Case;
use iopath_study::case::KernelSettings;
use rustix::process::getppid;

/// For an owner whose files are closed to end.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(5);

/// Cleans up when its owner has ended, however it did.
pub(crate) struct Guard {
    child: Child,
    /// Open for as long as its owner lives.
    alive: Option<ChildStdin>,
}

impl Guard {
    /// The program with these arguments; none where no process can be started.
    pub(crate) fn start(arguments: &[&OsStr]) -> Option<Self> {
        let mut child = Command::new(std::env::current_exe().ok()?)
            .args(arguments)
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

    /// Restores what the kernel is set to for trials, should this process be killed; none where
    /// nothing is set.
    pub(crate) fn of_settings(cases: &[Case]) -> Option<Self> {
        let is_set = |case: &Case| case.workload.kernel != KernelSettings::default();
        let words = ["measure", "--restore-settings-at-end"].map(OsStr::new);
        cases.iter().any(is_set).then(|| Self::start(&words)).flatten()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // One that was killed itself reads nothing.
        let _ = self.alive.take().map(|mut alive| alive.write_all(b"."));
        let _ = self.child.wait();
    }
}

/// The guard's own part: waits for its owner's end, and says whether that was killed.
pub(crate) fn is_owner_killed() -> bool {
    let owner = getppid();
    let ended_by_itself = io::stdin().lock().read_exact(&mut [0]).is_ok();
    if ended_by_itself {
        return false;
    }
    // The kernel closes the files of a process before it counts as ended.
    let begin = Instant::now();
    while getppid() == owner && begin.elapsed() < PATIENCE {
        sleep(LOOK);
    }
    true
}

//! What a killed emulation leaves is removed by a process that outlives it: daemons end with their
//! owner by themselves; files and loop devices do not. It sweeps as the next emulation would.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::clear;
use crate::run::guard::{self, Guard};

/// Guards a directory of emulations; none where no process can be started.
pub(crate) fn start(directory: &Path) -> Option<Guard> {
    // A directory that is made for this emulation goes with it.
    let remove = if directory.exists() { "false" } else { "true" };
    let words = ["emulate", "--sweep-at-end", remove, "--directory"].map(OsStr::new);
    Guard::start(&[&words[..], &[directory.as_os_str()]].concat())
}

/// The guard's own part; `remove` also the directory, if it is empty then.
pub(crate) fn sweep_at_end(directory: &Path, remove: bool) {
    if !guard::is_owner_killed() {
        return;
    }
    clear(directory);
    if remove {
        // Another emulation may be in it.
        let _ = fs::remove_dir(directory);
    }
}

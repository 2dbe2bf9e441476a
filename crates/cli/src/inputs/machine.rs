//! The machine whose files are looked at, and targets on it.

use std::path::{Path, PathBuf};

use iopath_machine::Root;

use crate::exit_status::{ExitStatus, Problem};

/// The tree whose files are read: this machine's, or what another one's was copied to.
pub(crate) fn root(directory: Option<&Path>) -> Result<Root, Problem> {
    let Some(directory) = directory else { return Ok(Root::live()) };
    let root = Root::at(directory);
    if root.is_of_a_machine() {
        return Ok(root);
    }
    let text = "no machine found there: name a directory with its proc and sys";
    Err(Problem::mistake(format!("--root {}: {text}", directory.display())))
}

/// Refuses targets of which one is not there; `wanted` is what can be named.
pub(crate) fn assure_there(root: &Root, targets: &[PathBuf], wanted: &str) -> Result<(), Problem> {
    let gone = targets.iter().find(|target| !root.path(target).exists());
    let Some(gone) = gone else { return Ok(()) };
    let text = format!("{}: name {wanted} that exists", gone.display());
    Err(Problem::new(ExitStatus::Obstacle, text))
}

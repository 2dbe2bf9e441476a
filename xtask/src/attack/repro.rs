//! Attacks that once lost data, missed damage, panicked or hung, each as small as it can be.
//!
//! Every case makes its own files, loop devices and mounts and takes them away again. What must
//! hold is stated by exit code and by the bytes of what was attacked.

mod data;
mod ends;
mod in_use;
mod outputs;

use std::path::Path;

use anyhow::{Result, ensure};

use super::Attack;
use super::bench::{Bench, report};
use crate::limits::rig::Rig;

/// One case.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Fails where the program does.
    pub(super) try_it: fn(&Bench<'_>, &mut Rig) -> Result<()>,
}

/// Tries all of them.
pub(super) fn run(attack: &Attack) -> Result<bool> {
    let all = outputs::ALL.iter().chain(in_use::ALL).chain(data::ALL).chain(ends::ALL);
    // Every case is tried, also after one that failed.
    Ok(all.map(|case| report(case.name, &attempt(&attack.program, case))).fold(true, |a, b| a & b))
}

fn attempt(program: &Path, case: &Case) -> Result<()> {
    let mut rig = Rig::new()?;
    let directory = rig.path("");
    let bench = Bench { program, directory };
    (case.try_it)(&bench, &mut rig)
}

/// That a file holds what it held.
fn unchanged(path: &Path, before: &[u8]) -> Result<()> {
    let now = std::fs::read(path)?;
    ensure!(now == before, "{} has changed", path.display());
    Ok(())
}

//! `iopath measure` with no arguments: a study like any other, cut to the space that is free.
//!
//! The file is the smaller of a tenth of the free space and 8 GiB. A phase ends after 12 s, 2 of
//! them warm-up, or when it has moved as many bytes as the file has, whichever comes first.

use std::path::Path;

use iopath_machine::{Devices, Root, target};
use iopath_units::Bytes;

use crate::exit_status::{ExitStatus, Problem};

/// The study.
pub(crate) const STUDY: &str = include_str!("quick.kdl");

/// The largest scratch file.
const MOST: u64 = 8 << 30;
/// The least with which 16 readers of 1 MiB blocks make sense.
pub(crate) const LEAST: u64 = 32 << 20;

/// Assignments that fit the study to a directory.
pub(crate) fn sets(root: &Root, directory: &Path) -> Result<Vec<String>, Problem> {
    let size = scratch_size(root, directory)?;
    Ok(vec![format!("scratch.size={size}"), format!("workload.amount={size}")])
}

/// How large a scratch file in a directory may be: whole MiB.
pub(crate) fn scratch_size(root: &Root, directory: &Path) -> Result<Bytes, Problem> {
    let obstacle = |text: String| Problem::new(ExitStatus::Obstacle, text);
    let devices = Devices::read(root).map_err(|error| obstacle(error.to_string()))?;
    let facts = target::read(root, &devices, directory).map_err(|e| obstacle(e.to_string()))?;
    let system = facts.and_then(|facts| facts.file_system);
    let free = system.map_or(0, |system| system.free_bytes);
    let size = (free / 10).min(MOST) >> 20 << 20;
    if size < LEAST {
        let text = format!(
            "{} has only {} free; a tenth of it is used, which must be at least {}: use another \
             directory, or a --target",
            directory.display(),
            Bytes(free),
            Bytes(LEAST)
        );
        return Err(obstacle(text));
    }
    Ok(Bytes(size))
}

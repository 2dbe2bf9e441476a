//! The process that answers as a described system: started by `emulate --live`, ended by a signal.

use std::fs;
use std::path::Path;

use iopath_live::{Setup, serve as answer};

use crate::exit_status::{ExitStatus, Problem};
use crate::run::signals::{self, Pending};

/// Answers until it is told to end. The file with its number tells whose process it is, should its
/// owner end before it was noted.
pub(super) fn serve(setup: &Path, number: &Path) -> Result<ExitStatus, Problem> {
    let stop = signals::watch(Pending::Results)?;
    fs::write(number, std::process::id().to_string()).map_err(Problem::unexpected)?;
    let setup = Setup::read(setup).map_err(Problem::unexpected)?;
    answer(&setup, &stop).map_err(Problem::unexpected)?;
    Ok(ExitStatus::Done)
}

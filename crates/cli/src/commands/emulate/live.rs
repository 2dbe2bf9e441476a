//! What only a live emulation has: parts that fail, and the process that answers as a described
//! system, started by `emulate --live` and ended by a signal.

use std::fs;
use std::path::Path;

use iopath_live::{Fail, Setup, serve as answer};
use iopath_study::Case;
use iopath_units::Nanos;

use crate::arguments::Emulate;
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

/// What `--fail` names, at its time.
pub(super) fn fails(arguments: &Emulate) -> Result<Vec<Fail>, Problem> {
    let time = |option: &str, text: &str| {
        let wrong = |error| Problem::mistake(format!("{option}: {error}"));
        text.parse::<Nanos>().map(|time| time.0).map_err(wrong)
    };
    let at_ns = time("--at", &arguments.at)?;
    let lasts_ns = arguments.lasts.as_ref().map(|text| time("--for", text)).transpose()?;
    let fail = |of: &String| Fail { of: of.clone(), at_ns, lasts_ns };
    Ok(arguments.fail.iter().map(fail).collect())
}

/// A case with what fails in it besides.
pub(super) fn failing(arguments: &Emulate, case: &Case, fails: &[Fail]) -> Result<Case, Problem> {
    let mut case = case.clone();
    let failed = fails.iter().try_for_each(|fail| fail.add_to(&mut case));
    failed.map_err(|why| Problem::mistake(format!("--fail {why}")))?;
    let several = arguments.passes.is_some_and(|passes| passes > 1);
    match arguments.live && arguments.run && several && !case.failures.is_empty() {
        true => Err(Problem::mistake("what fails does so once: omit --passes")),
        false => Ok(case),
    }
}

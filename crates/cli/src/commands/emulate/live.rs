//! What only a live emulation has: parts that fail, from its beginning or while it is up, and the
//! process that answers as a described system, started by `emulate --live` and ended by a signal.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use iopath_live::{Fail, Setup, serve as answer};
use iopath_study::{Case, Scale};
use iopath_units::{Human, Nanos, System};

use crate::arguments::Emulate;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::output;
use crate::run::emulated::{Prepared, only_live};
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

/// What `--fail` names, at the time of `--at`, or at this one.
pub(super) fn fails(arguments: &Emulate, otherwise: &str) -> Result<Vec<Fail>, Problem> {
    let time = |option: &str, text: &str| {
        let wrong = |error| Problem::mistake(format!("{option}: {error}"));
        text.parse::<Nanos>().map(|time| time.0).map_err(wrong)
    };
    let at_ns = time("--at", arguments.at.as_deref().unwrap_or(otherwise))?;
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

/// Where requests are recorded: in a new file, of one path that is up.
pub(super) fn arrivals(
    arguments: &Emulate,
    prepared: &[Prepared],
) -> Result<Option<PathBuf>, Problem> {
    let Some(path) = &arguments.arrivals else { return Ok(None) };
    let wrong = |why: String| Err(Problem::mistake(format!("--arrivals: {why}")));
    if prepared.len() > 1 {
        return wrong("requests of one case are recorded: select one with --case".to_owned());
    }
    if prepared.iter().any(|one| one.scale != Scale::ONE) {
        return wrong("requests are recorded at 1:1 only: add --scale 1:1".to_owned());
    }
    if path.symlink_metadata().is_ok() {
        return wrong(format!("{} exists; name a new file", path.display()));
    }
    absolute(path).map(Some).map_err(Problem::unexpected)
}

/// Has parts of a live path fail that is up: that of the study, where one is named.
pub(super) fn fail_standing(arguments: &Emulate, directory: &Path) -> Result<ExitStatus, Problem> {
    let Emulate { run, up, loops, scale, stretch, .. } = arguments;
    if *run || *up || *loops || scale.is_some() || stretch.is_some() {
        let text = "--fail: parts of rates do not fail: add --live; or omit what brings a path up, \
                    to have a part fail of the live one that is up";
        return Err(Problem::mistake(text));
    }
    let fails = fails(arguments, "0 s")?;
    let study = arguments.study.as_ref();
    let planned = study.map(|study| studies::read_for(study, &arguments.set, &arguments.cases));
    let title = planned.transpose()?.map(|planned| planned.study.title);
    let one = only_live("--fail", directory, title.as_deref())?;
    for part in &fails {
        one.fail(part).map_err(|trouble| Problem::mistake(format!("--fail {trouble}")))?;
        output::tell(&told(part, &one.label));
    }
    Ok(ExitStatus::Done)
}

/// What will happen, in words.
fn told(part: &Fail, label: &str) -> String {
    let time = |ns: u64| Nanos(ns).human(System::Decimal);
    let when = match part.at_ns {
        0 => "now".to_owned(),
        at => format!("in {}", time(at)),
    };
    let lasts = part.lasts_ns.map_or("for good".to_owned(), |ns| format!("for {}", time(ns)));
    format!("{} of {label} fails {when}, {lasts}", part.of)
}

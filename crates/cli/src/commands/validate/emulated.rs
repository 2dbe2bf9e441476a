//! `iopath validate --emulate`: throughputs that are published and that bounds can claim, measured
//! on emulated paths.

use iopath_analysis::agreement::claimed_throughputs;
use iopath_record::Record;
use iopath_study::{Case, Study};

use super::asked::Asked;
use crate::arguments::Validate;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::run::emulated::{self, Kept, Machine, Prepared, Stage, Wanted};
use crate::run::progress::Display;
use crate::run::session;
use crate::run::signals::{self, Pending};

/// Measures what can be measured; the status tells whether it was interrupted.
pub(super) fn measure(
    arguments: &Validate,
    asked: &mut [Asked<'_>],
) -> Result<ExitStatus, Problem> {
    let length = emulated::length(&arguments.length, 1)?;
    let interrupted = signals::watch(Pending::Io)?;
    let options = emulated::passing(emulated::directory(None), "validate");
    emulated::clear(&options.directory);
    let _guard = emulated::start_guard(&options.directory);
    let mut machine = Machine::new(&options, &interrupted);
    let mut stage = Stage::new(&options, length, &interrupted);
    let mut each = asked.iter_mut();
    let measured = each.try_for_each(|asked| study(arguments, asked, &mut machine, &mut stage));
    let is_interrupted = stage.is_interrupted();
    stage.end()?;
    measured?;
    Ok(if is_interrupted { ExitStatus::Interrupted } else { ExitStatus::Done })
}

/// Whether what is asked for can be done, before anything takes long: `--case` must mean a case of
/// some study.
pub(super) fn understood(arguments: &Validate, asked: &[Asked<'_>]) -> Result<(), Problem> {
    emulated::length(&arguments.length, 1)?;
    let is_meant = |case: &Case| case.is_meant_by(&arguments.cases);
    if asked.iter().flat_map(Asked::cases).any(is_meant) {
        return Ok(());
    }
    let names = arguments.cases.join(" and ");
    Err(Problem::mistake(format!("--case: no case of any study matches {names}")))
}

fn study(
    arguments: &Validate,
    asked: &mut Asked<'_>,
    machine: &mut Machine<'_>,
    stage: &mut Stage<'_>,
) -> Result<(), Problem> {
    let study = asked.study;
    for (experiment, answers) in asked.experiments() {
        for at in claimed_throughputs(experiment, answers) {
            if stage.is_interrupted() || !answers[at].case.is_meant_by(&arguments.cases) {
                continue;
            }
            answers[at].measured = measured(study, &answers[at].case, machine, stage)?;
        }
    }
    Ok(())
}

/// A case measured on its emulated path; one that cannot be emulated is told and left out.
fn measured(
    study: &Study,
    case: &Case,
    machine: &mut Machine<'_>,
    stage: &mut Stage<'_>,
) -> Result<Option<Record>, Problem> {
    let name = session::name_of(case);
    let prepared = match Prepared::of(study, case, Wanted::Least, machine) {
        Ok(prepared) => prepared,
        Err(problem) => {
            output::tell(&format!("not emulated: {problem}"));
            return Ok(None);
        }
    };
    output::tell(&format!("{}: {name}", study.title));
    let mut display = Display::hidden();
    let mut kept = Kept { keep: &|_| Ok(()), amend: &|_| Ok(()), display: &mut display };
    match stage.measure((0, &prepared), &mut kept) {
        Ok((records, ExitStatus::Done)) => Ok(records.into_iter().next_back()),
        // A pass that was cut short says less than it looks.
        Ok(_) => Ok(None),
        Err(problem) => {
            output::tell(&format!("not emulated: {name}: {problem}"));
            Ok(None)
        }
    }
}

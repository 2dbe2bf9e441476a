//! `iopath profile`: what each component of a path carries, measured bottom up, and the path with
//! these capacities as a study.

use iopath_report::{Detail, Profile as Found, RunView, compose, day, profile_json};
use iopath_units::{Nanos, UnitError};

use crate::arguments::{Profile, ShowOptions};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::chosen::Adjust;
use crate::inputs::profiled::experiments::{self, Extent};
use crate::inputs::profiled::{self, Profiled};
use crate::inputs::studies::Planned;
use crate::output;
use crate::results::machine_profile::MachineProfile;
use crate::results::measured_path::MeasuredPath;
use crate::results::outputs::{Outputs, Replaces, is_stdout};
use crate::results::page::Left;
use crate::results::{outputs, page, place, view};
use crate::run::continued::Continued;
use crate::run::progress::{Display, Wanted};
use crate::run::session::{self, Outcome, Session};

pub(crate) fn run(arguments: &Profile) -> Result<ExitStatus, Problem> {
    outputs::assure_one_on_stdout(arguments.show.json, arguments.output.as_deref())?;
    if arguments.show.json && arguments.plan {
        return Err(Problem::mistake("--plan has no JSON"));
    }
    let profiled = profiled::choose(arguments)?;
    let planned = experiments::plan(&profiled, extent(arguments)?)?;
    if arguments.plan {
        return plan(&planned);
    }
    let targets = outputs::targets(&planned.plan.trials);
    outputs::assure_store_apart(&arguments.store, &targets)?;
    let outputs =
        Outputs::of(&arguments.allow_destroy, &arguments.store).apart_from(targets.clone());
    if let Some(file) = arguments.output.as_deref().filter(|file| !is_stdout(file)) {
        outputs.check(file, Replaces::Nothing)?;
    }
    let own = Outputs::of(&arguments.allow_destroy, &arguments.store).apart_from(targets);
    let left = Left::plan(&arguments.report, &arguments.store, own)?;
    announce(&planned);
    let outcome = measure(arguments, &profiled, planned)?;
    let (run, status) = (outcome.run, outcome.status);
    if outcome.records.is_empty() {
        return Ok(status);
    }
    let began = outcome.records.first().map_or(0, |record| record.clock.started_unix_ns);
    let view = viewed(outcome)?;
    let Some(found) = Found::of(&view.report) else {
        return Err(Problem::unexpected("the profile cannot be read back"));
    };
    let has_stdout = arguments.output.as_deref().is_some_and(is_stdout);
    if !has_stdout {
        show(&arguments.show, &found)?;
    }
    if status == ExitStatus::Interrupted {
        output::tell(&format!(
            "interrupted: {} of its experiments are in run {run}",
            found.experiments
        ));
    }
    let Profiled { case, text, found: machine, .. } = &profiled;
    let path = MeasuredPath { text, case, profile: &found, date: day(began) };
    let is_done = status == ExitStatus::Done;
    if let Some(machine) = machine.as_ref().filter(|_| is_done)
        && let Err(problem) = MachineProfile::keep(&arguments.store, machine, &path.values()?)
    {
        output::tell(&format!("this machine's profile stays as it was: {problem}"));
    }
    match &arguments.output {
        Some(file) if is_done => outputs.write(file, &path.study()?, Replaces::Nothing)?,
        // The same command goes on, and must not find it there.
        Some(file) => output::tell(&format!("{}: not written yet", file.display())),
        None => {}
    }
    if !arguments.show.json {
        session::tell_where(&arguments.store, run);
    }
    left.write(&page::name(&[run]), || compose::whole(&view, arguments.show.system()))?;
    Ok(status)
}

fn extent(arguments: &Profile) -> Result<Extent, Problem> {
    let usual = match (arguments.quick, arguments.thorough) {
        (true, _) => Extent::QUICK,
        (false, true) => Extent::THOROUGH,
        (false, false) => Extent::USUAL,
    };
    let Some(text) = &arguments.time else { return Ok(usual) };
    let wrong = |error: UnitError| Problem::mistake(format!("--time: {error}"));
    usual.lasting(text.parse().map_err(wrong)?)
}

/// The experiments with their time, one a line.
fn plan(planned: &Planned) -> Result<ExitStatus, Problem> {
    let lines = planned.plan.trials.iter().map(|trial| {
        let time = trial.case.estimated_time().unwrap_or(Nanos(0));
        format!("{:>8.1} s  {}\n", time.0 as f64 / 1e9, trial.case.experiment)
    });
    output::print(&lines.collect::<String>())?;
    announce(planned);
    Ok(ExitStatus::Done)
}

fn announce(planned: &Planned) {
    let all = planned.plan.estimated_time().known.0 as f64 / 1e9;
    let count = output::count(planned.plan.trials.len(), "experiment");
    output::tell(&format!("profile: {count}, about {all:.0} s"));
}

fn measure(arguments: &Profile, profiled: &Profiled, planned: Planned) -> Result<Outcome, Problem> {
    let store = place::store(&arguments.store)?;
    let wanted = Wanted::unless(arguments.no_progress);
    let display = Display::new(&planned.plan, wanted, arguments.show.system());
    let path_from =
        (0..planned.plan.trials.len()).map(|index| (index, profiled.from.clone())).collect();
    let allow_destroy = arguments.allow_destroy.clone();
    let adjust = Adjust::Nothing;
    let before = if arguments.fresh { None } else { Continued::find(&store, &planned)? };
    let before = before.map_or_else(Vec::new, |stopped| {
        let trials = output::count(stopped.trials, "experiment");
        let run = stopped.run;
        output::tell(&format!("{trials} of the stopped run {run} are kept (--fresh repeats them)"));
        stopped.records
    });
    Session { planned, path_from, store, allow_destroy, adjust, before, leader: None }.run(display)
}

fn viewed(outcome: Outcome) -> Result<RunView, Problem> {
    view::of(outcome.facts(), None, outcome.records)
}

/// A profile, as it was measured or from the store.
pub(crate) fn show(options: &ShowOptions, found: &Found) -> Result<(), Problem> {
    let system = options.system();
    match options.json {
        true => output::print_json(&profile_json(found)),
        false => output::print_document(&compose::profile(found, system), Detail::Brief, system),
    }
}

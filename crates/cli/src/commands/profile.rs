//! `iopath profile`: what each component of a path carries, measured bottom up, and the path with
//! these capacities as a study.

use std::collections::{BTreeMap, BTreeSet};

use iopath_report::{Detail, Profile as Found, RunView, compose, day, profile_json};
use iopath_study::case::{Target, TargetKind};
use iopath_units::{Bytes, Nanos, UnitError};

use crate::arguments::{Profile, ShowOptions};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::chosen::Adjust;
use crate::inputs::profiled::experiments::{self, Experiments, Extent};
use crate::inputs::profiled::given_up::is_same;
use crate::inputs::profiled::{self, Profiled};
use crate::output;
use crate::results::machine_profile::MachineProfile;
use crate::results::measured_path::MeasuredPath;
use crate::results::outputs::{Outputs, Replaces, is_stdout};
use crate::results::page::Left;
use crate::results::{outputs, page, place, view};
use crate::run::continued::Continued;
use crate::run::profiling::Profiling;
use crate::run::progress::{Display, Wanted};
use crate::run::session::{self, Outcome, Session};
use crate::run::signals::{self, Pending};

pub(crate) fn run(arguments: &Profile) -> Result<ExitStatus, Problem> {
    outputs::assure_one_on_stdout(arguments.show.json, arguments.output.as_deref())?;
    if arguments.show.json && arguments.plan {
        return Err(Problem::mistake("--plan has no JSON"));
    }
    let profiled = profiled::choose(arguments)?;
    assure_matched(&profiled, arguments)?;
    let wanted = extent(arguments)?;
    let experiments = experiments::plan(&profiled, wanted)?;
    if arguments.plan {
        print(&experiments)?;
    }
    announce(&experiments, &profiled, wanted);
    let targets = outputs::targets(&experiments.planned.plan.trials);
    outputs::assure_store_apart(&arguments.store, &targets)?;
    let outputs =
        Outputs::of(&arguments.allow_destroy, &arguments.store).apart_from(targets.clone());
    if let Some(file) = arguments.output.as_deref().filter(|file| !is_stdout(file)) {
        outputs.check(file, Replaces::Nothing)?;
    }
    let own = Outputs::of(&arguments.allow_destroy, &arguments.store).apart_from(targets);
    let left = Left::plan(&arguments.report, &arguments.store, own)?;
    if arguments.plan {
        return look_for_obstacles(&experiments, &arguments.allow_destroy);
    }
    let outcome = measure(arguments, &profiled, experiments)?;
    let (run, status) = (outcome.run, outcome.status);
    if outcome.records.is_empty() {
        return Ok(status);
    }
    let began = outcome.records.first().map_or(0, |record| record.clock.started_unix_ns);
    let view = viewed(outcome)?;
    let Some(found) = Found::of(&view.report) else {
        if status == ExitStatus::Interrupted {
            output::tell("interrupted: no experiment was measured");
            return Ok(status);
        }
        return Err(Problem::unexpected("the profile cannot be read back"));
    };
    let has_stdout = arguments.output.as_deref().is_some_and(is_stdout);
    if !has_stdout {
        show(&arguments.show, &found)?;
    }
    if status == ExitStatus::Interrupted {
        output::tell(&format!(
            "interrupted: {} of its experiments are in run {run}; the same command goes on within \
             an hour",
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
fn print(experiments: &Experiments) -> Result<(), Problem> {
    let lines = experiments.planned.plan.trials.iter().map(|trial| {
        let case = &trial.case;
        let time = case.estimated_time().unwrap_or(Nanos(0)).0 as f64 / 1e9;
        match experiments.courses.iter().find(|course| course.is_of(case)) {
            Some(course) if course.expected > 1 => {
                let count = course.expected;
                let time = time * count as f64;
                let more = count - 1;
                format!("{time:>8.1} s  {}, and {more} more or so\n", case.experiment)
            }
            Some(_) | None => format!("{time:>8.1} s  {}\n", case.experiment),
        }
    });
    output::print(&lines.collect::<String>())
}

/// What stands in the way of the targets, as before a run.
fn look_for_obstacles(experiments: &Experiments, named: &[String]) -> Result<ExitStatus, Problem> {
    session::look_here(&experiments.planned.cases(), named, &*signals::watch(Pending::Io)?)?;
    Ok(ExitStatus::Done)
}

fn announce(experiments: &Experiments, profiled: &Profiled, wanted: Extent) {
    let Experiments { count, courses, extent, one_by_one, .. } = experiments;
    if extent.time_ms < wanted.time_ms {
        let time = Nanos(extent.time_ms * 1_000_000);
        output::tell(&format!("--quick: passes of {time}, as there are two minutes for all"));
    }
    let all = experiments.expected_ms() as f64 / 1e3;
    let number = output::count(*count, "experiment");
    let writes = match profiled.scratch() {
        Bytes(0) if profiled.devices.iter().all(|device| !device.may_write) => {
            ", reads only".into()
        }
        Bytes(0) => String::new(),
        bytes => format!(", after {bytes} of scratch files are written"),
    };
    if courses.is_empty() {
        return output::tell(&format!("profile: {number}, about {all:.0} s{writes}"));
    }
    let each = (*one_by_one as u64 * extent.each_ms()) as f64 / 1e3;
    output::tell(&format!(
        "profile: about {number}, {all:.0} s or more{writes}: devices that do not slow each other \
         down are measured at once (one by one: {one_by_one}, {each:.0} s)"
    ));
}

/// Refuses names of what may be destroyed that are neither a target's nor an output's: without
/// them the targets would be read only, and that is known after minutes.
fn assure_matched(profiled: &Profiled, arguments: &Profile) -> Result<(), Problem> {
    let outputs = [arguments.output.as_ref(), arguments.report.report.as_ref()];
    let is_output = |name: &&String| {
        outputs.iter().flatten().any(|file| is_same(name, &file.display().to_string()))
    };
    let unmatched = profiled.unmatched.iter().filter(|name| !is_output(name));
    let wrong: Vec<String> = unmatched
        .map(|name| format!("--allow-destroy {name}: no target of this profile has this name"))
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    // Of a target that is composed, what it is made of.
    let names = |target: &'_ Target| -> Vec<String> {
        match (&target.binding, target.kind) {
            (Some(own), _) => vec![own.clone()],
            (None, TargetKind::Device) => target.real().cloned().collect(),
            (None, TargetKind::File | TargetKind::Tree) => Vec::new(),
        }
    };
    let targets: BTreeSet<String> = profiled.case.targets.iter().flat_map(names).collect();
    Err(Problem::mistake(match targets.is_empty() {
        true => format!("{}; leave it out: scratch files need none", wrong.join("\n")),
        false => {
            let targets = targets.into_iter().collect::<Vec<_>>().join(", ");
            format!("{}; targets: {targets}", wrong.join("\n"))
        }
    }))
}

fn measure(
    arguments: &Profile,
    profiled: &Profiled,
    mut experiments: Experiments,
) -> Result<Outcome, Problem> {
    let store = place::store(&arguments.store)?;
    let wanted = Wanted::unless(arguments.no_progress);
    let system = arguments.show.system();
    let display = Display::lasting(experiments.expected_ms(), wanted, system);
    let mut trials = Profiling::of(profiled, &mut experiments);
    let planned = experiments.planned;
    let allow_destroy = arguments.allow_destroy.clone();
    let adjust = Adjust::Nothing;
    let before = if arguments.fresh { None } else { Continued::find(&store, &planned)? };
    let before = before.map_or_else(Vec::new, |stopped| {
        let trials = output::count(stopped.trials, "experiment");
        let run = stopped.run;
        output::tell(&format!("{trials} of the stopped run {run} are kept (--fresh repeats them)"));
        stopped.records
    });
    let path_from = BTreeMap::new();
    Session { planned, path_from, store, allow_destroy, adjust, before, leader: None }
        .run_trials(&mut trials, display)
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

//! `iopath runbook`: the steps of a procedure on real storage, each with what to expect of it.
//!
//! A step with an obstacle (no such device, data that would be lost, a setting that needs root) is
//! not run and says why; the others are.

use std::collections::BTreeMap;

use iopath_report::{Detail, PlannedStep, RunView, Runbook as Steps, compose, runbook_json};
use iopath_store::RunId;
use iopath_study::{Step, Trial};
use iopath_units::System;

use crate::arguments::Runbook;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::chosen::Adjust;
use crate::inputs::runbook::{self, Chosen};
use crate::inputs::studies::Planned;
use crate::output;
use crate::results::described::Described;
use crate::results::machine_profile::MachineProfile;
use crate::results::outputs::{Outputs, Replaces};
use crate::results::page::Left;
use crate::results::{outputs, page, place, view};
use crate::run::progress::{Display, Wanted};
use crate::run::session::{self, Outcome, Session};
use crate::run::signals::{self, Pending};

pub(crate) fn run(arguments: &Runbook) -> Result<ExitStatus, Problem> {
    outputs::assure_one_on_stdout(arguments.show.json, arguments.output.as_deref())?;
    if arguments.show.json && arguments.plan {
        return Err(Problem::mistake("--plan has no JSON; -o writes the steps as a study"));
    }
    if arguments.compare.is_some() && (arguments.show.json || arguments.plan) {
        return Err(Problem::mistake("--compare goes with neither --json nor --plan"));
    }
    let machine = MachineProfile::read(&arguments.store);
    let chosen = runbook::choose(arguments, &|found| machine.put_into(found))?;
    let before = before(arguments)?;
    let (planned, text) = possible(&chosen, arguments)?;
    if let Some(file) = &arguments.output {
        outputs(arguments, &planned).write(file, &text, Replaces::Nothing)?;
    }
    if arguments.plan {
        show_plan(&planned, arguments.show.system())?;
        return Ok(ExitStatus::Done);
    }
    outputs::assure_store_apart(&arguments.store, &outputs::targets(&planned.plan.trials))?;
    let left = Left::plan(&arguments.report, &arguments.store, outputs(arguments, &planned))?;
    let study = planned.study.clone();
    announce(&planned);
    let outcome = measure(arguments, &chosen, planned)?;
    let (run, status) = (outcome.run, outcome.status);
    if outcome.records.is_empty() {
        return Ok(status);
    }
    let view = view::of(outcome.facts(), Some(&study), outcome.records)?;
    show(arguments, &view, before.as_ref(), run)?;
    left.write(&page::name(&[run]), || compose::whole(&view, arguments.show.system()))?;
    Ok(status)
}

/// Files that the command writes, apart from what it measures.
fn outputs(arguments: &Runbook, planned: &Planned) -> Outputs {
    let targets = outputs::targets(&planned.plan.trials);
    Outputs::of(&arguments.allow_destroy, &arguments.store).apart_from(targets)
}

/// The steps of the run to compare with, before anything is measured.
fn before(arguments: &Runbook) -> Result<Option<Steps>, Problem> {
    let Some(name) = &arguments.compare else { return Ok(None) };
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(name).map_err(place::problem)?;
    match view::read(&store, id)?.runbook {
        Some(steps) => Ok(Some(steps)),
        None => Err(Problem::mistake(format!("--compare: run {id} is of no runbook"))),
    }
}

/// The study with a reason in place of each experiment that has an obstacle, and the text of the
/// one without: what is in the way now may be gone next time.
fn possible(chosen: &Chosen, arguments: &Runbook) -> Result<(Planned, String), Problem> {
    let unfit = chosen.unfit()?;
    let whole = chosen.planned(&[], unfit.clone())?;
    chosen.check(&arguments.step, &whole.study.steps)?;
    let wanted = match arguments.step.is_empty() {
        true => whole,
        false => chosen.planned(&arguments.step, unfit.clone())?,
    };
    let mut blocked = blocked(&wanted.plan.trials, &arguments.allow_destroy)?;
    let text = wanted.text.clone();
    if blocked.is_empty() {
        return Ok((wanted, text));
    }
    blocked.extend(unfit);
    Ok((chosen.planned(&arguments.step, blocked)?, text))
}

/// What is in the way of each experiment, by its title.
fn blocked(trials: &[Trial], named: &[String]) -> Result<BTreeMap<String, String>, Problem> {
    let interrupted = signals::watch(Pending::Io)?;
    let mut blocked = BTreeMap::new();
    for trial in trials {
        let case = std::slice::from_ref(&trial.case);
        match session::look_here(case, named, &interrupted) {
            Ok(()) => {}
            Err(problem) if problem.status() == ExitStatus::Interrupted => return Err(problem),
            Err(problem) => {
                let title = trial.case.experiment.clone();
                blocked.entry(title).or_insert_with(|| reason(&problem.to_string()));
            }
        }
    }
    Ok(blocked)
}

/// What is in the way, its first reason, and how to allow it; `measure` says all of them.
fn reason(obstacle: &str) -> String {
    let lines: Vec<&str> =
        obstacle.lines().map(|line| line.trim().trim_start_matches("- ")).collect();
    let allow = lines.iter().skip(2).find(|line| line.contains("--allow-destroy"));
    let said: Vec<&str> = lines.iter().take(2).chain(allow).copied().collect();
    format!("this to be resolved: {}", said.join(" "))
}

fn announce(planned: &Planned) {
    let all = planned.plan.estimated_time().known.0 as f64 / 1e9;
    let steps = &planned.study.steps;
    let count = output::count(steps.len(), "step");
    let run = steps.iter().filter(|step| step.needs.is_none()).count();
    output::tell(&format!("runbook: {count}, {run} to run, about {all:.0} s"));
}

/// The steps with their time and what to expect.
fn show_plan(planned: &Planned, system: System) -> Result<(), Problem> {
    let steps = planned.study.steps.iter().map(|step| planned_step(step, &planned.plan.trials));
    let document = compose::runbook_plan(&steps.collect::<Vec<_>>(), system);
    output::print_document(&document, Detail::Brief, system)?;
    announce(planned);
    Ok(())
}

fn planned_step(step: &Step, trials: &[Trial]) -> PlannedStep {
    let own = || trials.iter().filter(|one| one.case.experiment == step.title);
    let bound = |trial: &Trial| {
        let path = Described::of_case(&trial.case)?.path();
        let size = trial.case.streams.first()?.block.0 as f64;
        Some([path.expected?.throughput_bytes_per_sec, size])
    };
    let bound = own().filter_map(bound).max_by(|a, b| a[0].total_cmp(&b[0]));
    let time_ns = own().map(|one| one.case.estimated_time().map(|time| time.0)).sum();
    PlannedStep { step: step.clone(), time_ns, bound }
}

fn measure(arguments: &Runbook, chosen: &Chosen, planned: Planned) -> Result<Outcome, Problem> {
    let store = place::store(&arguments.store)?;
    let wanted = Wanted::unless(arguments.no_progress);
    let display = Display::new(&planned.plan, wanted, arguments.show.system());
    let each = 0..planned.plan.trials.len();
    let path_from = chosen.from.iter().flat_map(|from| each.clone().map(|at| (at, from.clone())));
    let path_from = path_from.collect();
    let (allow_destroy, adjust) = (arguments.allow_destroy.clone(), Adjust::Nothing);
    let (before, leader) = (Vec::new(), None);
    Session { planned, path_from, store, allow_destroy, adjust, before, leader }.run(display)
}

fn show(
    arguments: &Runbook,
    view: &RunView,
    before: Option<&Steps>,
    run: RunId,
) -> Result<(), Problem> {
    let system = arguments.show.system();
    let Some(steps) = &view.runbook else {
        return Err(Problem::unexpected("the steps of the run cannot be read back"));
    };
    if arguments.show.json {
        return output::print_json(&runbook_json(Some(&run.to_string()), steps));
    }
    let document = compose::runbook(steps, before, system);
    output::print_document(&document, Detail::Brief, system)?;
    session::tell_where(&arguments.store, run);
    Ok(())
}

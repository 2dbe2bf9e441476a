//! `iopath layout STUDY --for MANAGER`: the commands that build the study's volumes and file
//! systems, as a script; touches nothing and runs nothing.

use std::path::Path;

use iopath_layout::{Asked, Build, Devices, Unbuildable};
use iopath_report::{Detail, LayoutView, compose, layout_json};
use iopath_study::source::Span;
use iopath_study::{Case, Study, Trial};
use iopath_units::System;

use crate::arguments::Layout;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::again::quoted;
use crate::inputs::studies;
use crate::output;
use crate::results::outputs::{self, Outputs, Replaces};
use crate::run::session;

/// As many cases as a message tells before it counts the rest: chosen, a few lines.
const TOLD: usize = 6;

pub(crate) fn run(arguments: &Layout) -> Result<ExitStatus, Problem> {
    let file = arguments.output.as_deref();
    outputs::assure_one_on_stdout(arguments.json, file)?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store).with_new(file)?;
    let file = file.filter(|file| !outputs::is_stdout(file));
    let planned = studies::read_for(&arguments.study, &arguments.set, &arguments.cases)?;
    let trials = planned.trials();
    let asked = Asked {
        tool: arguments.tool,
        file_system: arguments.file_system,
        devices: devices(&arguments.devices)?,
        on: arguments.on.clone(),
    };
    let build = only(&planned.study, &trials, &asked)?;
    let view = LayoutView::of(build, file.map(|file| quoted(&file.display().to_string())));
    if let Some(file) = file {
        outputs.write(file, &view.script, Replaces::Nothing)?;
    }
    show(arguments, &view)?;
    Ok(ExitStatus::Done)
}

/// With a file for the script its steps are shown, else the script itself.
fn show(arguments: &Layout, view: &LayoutView) -> Result<(), Problem> {
    if arguments.json {
        return output::print_json(&layout_json(view));
    }
    match view.written {
        None => output::print_file(&view.script),
        Some(_) => output::print_document(&compose::layout(view), Detail::Brief, System::Decimal),
    }
}

/// The build that all of these cases have. Those that cannot be built are left out where others
/// can.
fn only(study: &Study, trials: &[&Trial], asked: &Asked) -> Result<Build, Problem> {
    let mut builds: Vec<(Build, &Trial)> = Vec::new();
    let mut failed: Vec<(&Trial, Vec<Unbuildable>)> = Vec::new();
    for trial in trials {
        match iopath_layout::build(&trial.case, asked) {
            Ok(build) if builds.iter().any(|(other, _)| *other == build) => {}
            Ok(build) => builds.push((build, *trial)),
            Err(why) => failed.push((*trial, why)),
        }
    }
    match (&builds[..], failed.first()) {
        ([], Some((_, why))) => Err(told(study, why)),
        ([(build, _)], _) => {
            failed.iter().for_each(|(trial, why)| left_out(trial, why));
            Ok(build.clone())
        }
        (several, _) => {
            let all: Vec<&Trial> = several.iter().map(|(_, trial)| *trial).collect();
            Err(Problem::mistake(different(&all)))
        }
    }
}

fn left_out(trial: &Trial, why: &[Unbuildable]) {
    let texts: Vec<&str> = why.iter().map(|one| one.text.as_str()).collect();
    output::tell(&format!("left out: {}: {}", session::name_of(&trial.case), texts.join("; ")));
}

/// How to choose one of cases that have different layouts, as it is typed.
fn different(trials: &[&Trial]) -> String {
    let mut choices: Vec<String> = trials.iter().map(|trial| choice(trial, trials)).collect();
    choices.dedup();
    let shown = choices.iter().take(TOLD).map(|one| format!("\n  {one}")).collect::<String>();
    let more = choices.len().saturating_sub(TOLD);
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    format!("the cases have {} different layouts: choose one{shown}{more}", trials.len())
}

/// What tells a case from the others: its experiment, and levels that are not those of all.
fn choice(trial: &Trial, others: &[&Trial]) -> String {
    let case = &trial.case;
    let differs = |of: &dyn Fn(&Case) -> Option<String>| {
        others.iter().any(|other| of(&other.case) != of(case))
    };
    let mut words = Vec::new();
    if differs(&|case| Some(case.experiment.clone())) {
        words.push(case.experiment.clone());
    }
    for chosen in &case.levels {
        let level = |case: &Case| {
            let found = case.levels.iter().find(|one| one.factor == chosen.factor);
            found.map(|one| one.level.clone())
        };
        if differs(&level) {
            words.push(format!("{}={}", chosen.factor, chosen.level));
        }
    }
    words.iter().map(|word| format!("--case {}", quoted(word))).collect::<Vec<_>>().join(" ")
}

fn told(study: &Study, why: &[Unbuildable]) -> Problem {
    // Of equal parts of one declaration the first stands for all.
    let mut seen: Vec<Span> = Vec::new();
    let firsts = why.iter().filter(|one| match one.span {
        Some(span) if seen.contains(&span) => false,
        span => {
            seen.extend(span);
            true
        }
    });
    let one = |one: &Unbuildable| {
        let hint = Some(one.hint.as_str()).filter(|hint| !hint.is_empty());
        match (one.span, hint) {
            (Some(span), hint) => study.remark(span, &one.text, hint).to_string(),
            (None, Some(hint)) => format!("{}: {hint}", one.text),
            (None, None) => one.text.clone(),
        }
    };
    Problem::mistake(firsts.map(one).collect::<Vec<_>>().join("\n\n"))
}

/// Pairs, or files of them.
fn devices(texts: &[String]) -> Result<Devices, Problem> {
    let mut all = Devices::default();
    for text in texts {
        let added = match text.contains('=') {
            true => all.add_pairs(text),
            false => {
                let lines = studies::source(Path::new(text))?.text;
                all.add_lines(&lines).map_err(|why| format!("{text}: {why}"))
            }
        };
        added.map_err(|why| Problem::mistake(format!("--devices: {why}")))?;
    }
    Ok(all)
}

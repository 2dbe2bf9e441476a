//! `iopath layout STUDY --for MANAGER`: the commands that build the study's volumes and file
//! systems, as a script; touches nothing and runs nothing.

use std::path::Path;

use iopath_layout::{Asked, Build, Devices, Unbuildable};
use iopath_report::{Detail, LayoutView, compose, layout_json};
use iopath_study::{Study, Trial};
use iopath_units::System;

use crate::arguments::Layout;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::again::quoted;
use crate::inputs::{filter, studies};
use crate::output;
use crate::results::outputs::{self, Outputs, Replaces};

/// As many cases as a message tells before it counts the rest: chosen, a few lines.
const TOLD: usize = 6;

pub(crate) fn run(arguments: &Layout) -> Result<ExitStatus, Problem> {
    let file = arguments.output.as_deref();
    outputs::assure_one_on_stdout(arguments.json, file)?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store);
    let file = file.filter(|file| !outputs::is_stdout(file));
    if let Some(file) = file {
        outputs.check(file, Replaces::Nothing)?;
    }
    let planned = studies::read_for(&arguments.study, &arguments.set, &arguments.cases)?;
    let trials = filter::wanted(&planned.plan.trials, &arguments.cases)?;
    let asked = Asked {
        tool: arguments.tool,
        file_system: arguments.file_system,
        devices: devices(&arguments.devices)?,
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

/// The build that all of these cases have.
fn only(study: &Study, trials: &[&Trial], asked: &Asked) -> Result<Build, Problem> {
    let mut builds: Vec<(Build, String)> = Vec::new();
    for trial in trials {
        let build = iopath_layout::build(&trial.case, asked).map_err(|why| told(study, &why))?;
        if !builds.iter().any(|(other, _)| *other == build) {
            builds.push((build, named(trial)));
        }
    }
    match &builds[..] {
        [(build, _)] => Ok(build.clone()),
        several => {
            let names: Vec<&str> =
                several.iter().take(TOLD).map(|(_, name)| name.as_str()).collect();
            let more = several.len() - names.len();
            let more = if more > 0 { format!("; {more} more") } else { String::new() };
            let text = format!(
                "the cases have {} different layouts: choose one with --case: {}{more}",
                several.len(),
                names.join("; ")
            );
            Err(Problem::mistake(text))
        }
    }
}

fn named(trial: &Trial) -> String {
    let levels = trial.case.levels.iter();
    let levels = levels.map(|chosen| format!(" {}={}", chosen.factor, chosen.level));
    format!("{}{}", trial.case.experiment, levels.collect::<String>())
}

fn told(study: &Study, why: &[Unbuildable]) -> Problem {
    let one = |one: &Unbuildable| {
        let hint = Some(one.hint.as_str()).filter(|hint| !hint.is_empty());
        match (one.span, hint) {
            (Some(span), hint) => study.remark(span, &one.text, hint).to_string(),
            (None, Some(hint)) => format!("{}: {hint}", one.text),
            (None, None) => one.text.clone(),
        }
    };
    Problem::mistake(why.iter().map(one).collect::<Vec<_>>().join("\n\n"))
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

//! `iopath discover`: the path below files and devices, or of the whole machine, as a study on
//! stdout; what is wrong with it, and what could not be read, is said on stderr.
//!
//! With `--tree` a person reads the path instead, with `--json` a program. Nothing is ever written
//! to what is looked at.

mod json;

use std::io;
use std::path::{self, PathBuf};

use iopath_discovery::{Discovered, Facts, Finding, discover};
use iopath_path::tree;
use iopath_report::{NamedTree, render_trees};
use iopath_study::Case;
use iopath_units::System;

use crate::arguments::Discover;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::{machine, studies};
use crate::output;
use crate::results::machine_profile::MachineProfile;
use crate::results::outputs::{Outputs, Replaces, is_stdout};

pub(crate) fn run(arguments: &Discover) -> Result<ExitStatus, Problem> {
    let root = machine::root(arguments.root.as_deref())?;
    let wanted = "a file, a directory or a device";
    machine::assure_there(&root, &arguments.targets, wanted)?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store)
        .apart_from(arguments.targets.iter().cloned());
    if let Some(path) = arguments.output.as_deref().filter(|path| !is_stdout(path)) {
        outputs.check(path, Replaces::Nothing)?;
    }
    let targets = targets(arguments).map_err(|error| Problem::new(ExitStatus::Obstacle, error))?;
    let facts =
        Facts::read(&root, &targets).map_err(|error| Problem::new(ExitStatus::Obstacle, error))?;
    let known = MachineProfile::read(&arguments.store);
    let found = match arguments.root {
        Some(_) => discover(&facts),
        None => known.put_into(discover(&facts)),
    };
    let text = found.study();
    let file = arguments.output.as_deref().filter(|path| !is_stdout(path));
    if let Some(path) = file {
        outputs.write(path, &text, Replaces::Nothing)?;
        output::tell(&format!("study written to {}", path.display()));
    }
    if arguments.json {
        output::print_json(&json::of(&found, &text, &tree(&case(&text)?)))?;
    } else if arguments.tree {
        output::print(&drawn(&text)?)?;
        output::print(&told(&found))?;
    } else {
        if file.is_none() {
            output::print(&text)?;
        }
        output::tell(&told(&found));
    }
    Ok(ExitStatus::Done)
}

/// Of this machine from its root: the study may be used from another directory.
fn targets(arguments: &Discover) -> io::Result<Vec<PathBuf>> {
    let targets = arguments.targets.iter();
    match arguments.root {
        Some(_) => Ok(targets.cloned().collect()),
        None => targets.map(path::absolute).collect(),
    }
}

/// The only case of a discovered study.
fn case(text: &str) -> Result<Case, Problem> {
    let planned = studies::plan("(discovered)", text.to_owned(), &[])
        .map_err(|problem| Problem::unexpected(format!("the study is invalid: {problem}")))?;
    let trial = planned.plan.trials.into_iter().next();
    trial.map(|trial| trial.case).ok_or_else(|| Problem::unexpected("the study has no case"))
}

fn drawn(text: &str) -> Result<String, Problem> {
    let tree = NamedTree { experiment: String::new(), tree: tree(&case(text)?) };
    Ok(render_trees(&[tree], &output::look(System::Decimal)))
}

/// Findings, then what is not known and what was assumed, for people.
fn told(found: &Discovered) -> String {
    let mut lines: Vec<String> = found.findings.iter().map(told_finding).collect();
    lines.extend(found.unread.iter().map(|text| format!("not known: {text}")));
    lines.extend(found.assumed.iter().map(|text| format!("assumed: {text}")));
    if lines.is_empty() {
        lines.push("no findings; all sources were readable".to_owned());
    }
    lines.join("\n")
}

fn told_finding(finding: &Finding) -> String {
    let Finding { rule, weight, parts, text, hint } = finding;
    let parts = parts.join(", ");
    format!("{}: {parts}: {text}\n = hint: {hint}\n = rule: {rule}", weight.word())
}

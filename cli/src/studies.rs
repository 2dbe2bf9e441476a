//! Study files from disk, with all their mistakes told at once.

use std::fs;
use std::path::Path;

use iopath_study::{Assignment, Order, Plan, Source, Study, parse};

use crate::ending::{Ending, Problem};

/// A study and its plan.
pub(crate) struct Planned {
    pub study: Study,
    pub plan: Plan,
    /// The study as it was written.
    pub text: String,
}

/// Reads a file as a study.
pub(crate) fn read(path: &Path, sets: &[String]) -> Result<Planned, Problem> {
    let text = fs::read_to_string(path).map_err(|error| {
        let text = format!("cannot read the study {}: {error}", path.display());
        Problem::new(Ending::Obstacle, text)
    })?;
    plan(&path.display().to_string(), text, sets)
}

/// Understands a text as a study.
pub(crate) fn plan(name: &str, text: String, sets: &[String]) -> Result<Planned, Problem> {
    let sets = assignments(sets)?;
    let source = Source { name: name.to_owned(), text };
    let study = parse(&source, &sets).map_err(Problem::mistake)?;
    let plan = study.plan(Order::Listed).map_err(Problem::mistake)?;
    Ok(Planned { study, plan, text: source.text })
}

fn assignments(sets: &[String]) -> Result<Vec<Assignment>, Problem> {
    let (good, bad): (Vec<_>, Vec<_>) =
        sets.iter().map(|set| Assignment::parse(set)).partition(Result::is_ok);
    if bad.is_empty() {
        return Ok(good.into_iter().flatten().collect());
    }
    let texts: Vec<_> = bad.into_iter().filter_map(Result::err).map(|m| m.to_string()).collect();
    Err(Problem::mistake(texts.join("\n\n")))
}

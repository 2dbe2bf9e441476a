//! The experiment of a study whose factors are what a command may choose.

use iopath_study::Study;
use iopath_study::experiment::Experiment;

use crate::exit_status::Problem;

/// The experiment that is asked for, with the levels that are allowed; `hint` is what to write
/// where it has no factor.
pub(crate) fn chosen(study: &Study, names: &[String], hint: &str) -> Result<Experiment, Problem> {
    let mut fitting = study.experiments.iter().filter_map(|one| one.with_levels(names));
    let titles = || {
        let titles = study.experiments.iter().map(|one| format!("\"{}\"", one.title));
        titles.collect::<Vec<_>>().join(", ")
    };
    let quoted =
        || names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" and ");
    let first = fitting.next().ok_or_else(|| {
        Problem::mistake(format!("no experiment has {}; there are {}", quoted(), titles()))
    })?;
    if fitting.next().is_some() {
        let text = format!("choose an experiment with --case: {}", titles());
        return Err(Problem::mistake(text));
    }
    if first.factors.is_empty() {
        let text = format!(
            "there is nothing to choose: the experiment has no factor. Add vary {{ {hint} }}"
        );
        return Err(Problem::mistake(text));
    }
    Ok(first)
}

//! The experiment of a template that is asked for (`--case`).

use iopath_study::Study;
use iopath_study::experiment::Experiment;

use super::filter;
use crate::exit_status::Problem;

/// The only experiment that has all these names, with only those of its levels that are named.
pub(crate) fn chosen(study: &Study, names: &[String]) -> Result<Experiment, Problem> {
    let mut fitting = study.experiments.iter().filter_map(|one| one.with_levels(names));
    let titles = || {
        let titles = study.experiments.iter().map(|one| format!("\"{}\"", one.title));
        titles.collect::<Vec<_>>().join(", ")
    };
    let first = fitting.next().ok_or_else(|| filter::none(study, names))?;
    match fitting.next() {
        Some(_) => Err(Problem::mistake(format!("choose an experiment with --case: {}", titles()))),
        None => Ok(first),
    }
}

/// The same, which must have factors; `hint` is what to write where it has none.
pub(crate) fn with_factors(
    study: &Study,
    names: &[String],
    hint: &str,
) -> Result<Experiment, Problem> {
    let experiment = chosen(study, names)?;
    if experiment.factors.is_empty() {
        let text = "there is nothing to choose: the experiment has no factor";
        return Err(Problem::mistake(format!("{text}. Add vary {{ {hint} }}")));
    }
    Ok(experiment)
}

//! Which cases of a study are meant: by the title of their experiment, or by a level.

use std::collections::BTreeSet;

use iopath_study::{Plan, Study, Trial};

use crate::exit_status::Problem;

/// The trials that every name means.
pub(crate) fn wanted<'a>(
    study: &Study,
    plan: &'a Plan,
    names: &[String],
) -> Result<Vec<&'a Trial>, Problem> {
    let trials = plan.trials.iter().filter(|trial| trial.case.is_meant_by(names));
    let trials: Vec<&Trial> = trials.collect();
    if trials.is_empty() { Err(none(study, names)) } else { Ok(trials) }
}

/// Refuses names that no case of a study has.
pub(crate) fn known(study: &Study, names: &[String]) -> Result<(), Problem> {
    if study.has_case(names) { Ok(()) } else { Err(none(study, names)) }
}

/// As many names as a message tells before it counts the rest: chosen, a few lines.
const TOLD: usize = 12;

fn none(study: &Study, names: &[String]) -> Problem {
    let quoted = |name: &str| format!("\"{name}\"");
    let mut known: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for experiment in &study.experiments {
        let factors = experiment.factors.iter();
        let levels = factors.flat_map(|factor| {
            factor.levels.iter().map(move |level| format!("{}={}", factor.name, level.title()))
        });
        for name in std::iter::once(experiment.title.clone()).chain(levels) {
            if seen.insert(name.clone()) {
                known.push(name);
            }
        }
    }
    let mut shown: Vec<String> =
        of_wrong_levels(study, names, known).iter().map(|name| quoted(name)).collect();
    if shown.len() > TOLD {
        let rest = shown.split_off(TOLD).len();
        shown.push(format!("{rest} more"));
    }
    let asked: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    Problem::mistake(format!(
        "no case matches {}; available: {}",
        asked.join(" and "),
        shown.join(", ")
    ))
}

/// The levels of the factors of which one was asked for that is not there; all names where
/// something else is wrong.
fn of_wrong_levels(study: &Study, names: &[String], known: Vec<String>) -> Vec<String> {
    let is_wrong = |name: &&String| !study.has_case(std::slice::from_ref(*name));
    let factor = |name: &String| {
        let (factor, _) = name.split_once('=')?;
        let factor = format!("{factor}=");
        known.iter().any(|known| known.starts_with(&factor)).then_some(factor)
    };
    let factors: Option<Vec<String>> = names.iter().filter(is_wrong).map(factor).collect();
    match factors {
        Some(factors) if !factors.is_empty() => {
            let is_of = |name: &String| factors.iter().any(|factor| name.starts_with(factor));
            known.into_iter().filter(is_of).collect()
        }
        _ => known,
    }
}

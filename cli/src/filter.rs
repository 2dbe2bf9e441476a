//! Which cases of a study are meant: by the title of their experiment, or by a level.

use std::collections::BTreeSet;

use iopath_study::{Case, Trial};

use crate::ending::Problem;

/// The trials that every name means.
pub(crate) fn wanted<'a>(trials: &'a [Trial], names: &[String]) -> Result<Vec<&'a Trial>, Problem> {
    let is_meant = |trial: &&Trial| names.iter().all(|name| means(name, &trial.case));
    let kept: Vec<&Trial> = trials.iter().filter(is_meant).collect();
    if kept.is_empty() { Err(none(trials, names)) } else { Ok(kept) }
}

fn means(name: &str, case: &Case) -> bool {
    let is_level = || names_of_levels(case).any(|level| level == name);
    name == case.experiment || is_level()
}

/// `factor=level` and, shorter, the level alone.
fn names_of_levels(case: &Case) -> impl Iterator<Item = String> {
    let levels = case.levels.iter();
    levels.flat_map(|chosen| [format!("{}={}", chosen.factor, chosen.level), chosen.level.clone()])
}

fn none(trials: &[Trial], names: &[String]) -> Problem {
    let quoted = |name: &str| format!("\"{name}\"");
    let mut known: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for case in trials.iter().map(|trial| &trial.case) {
        let levels = case.levels.iter().map(|chosen| format!("{}={}", chosen.factor, chosen.level));
        for name in std::iter::once(case.experiment.clone()).chain(levels) {
            if seen.insert(name.clone()) {
                known.push(quoted(&name));
            }
        }
    }
    let asked: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    Problem::mistake(format!(
        "no case is meant by {}; there are {}",
        asked.join(" and "),
        known.join(", ")
    ))
}

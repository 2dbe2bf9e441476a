//! Which cases of a study are meant: by the title of their experiment, or by a level.

use std::collections::BTreeSet;

use iopath_study::Trial;

use crate::exit_status::Problem;

/// The trials that every name means.
pub(crate) fn wanted<'a>(trials: &'a [Trial], names: &[String]) -> Result<Vec<&'a Trial>, Problem> {
    let is_meant = |trial: &&Trial| trial.case.is_meant_by(names);
    let kept: Vec<&Trial> = trials.iter().filter(is_meant).collect();
    if kept.is_empty() { Err(none(trials, names)) } else { Ok(kept) }
}

/// As many names as a message tells before it counts the rest: chosen, a few lines.
const TOLD: usize = 12;

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
    if known.len() > TOLD {
        let rest = known.split_off(TOLD).len();
        known.push(format!("{rest} more"));
    }
    let asked: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    Problem::mistake(format!(
        "no case matches {}; available: {}",
        asked.join(" and "),
        known.join(", ")
    ))
}

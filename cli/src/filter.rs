//! Which cases of a study are meant: by the title of their experiment, or by a level.

use std::collections::BTreeSet;

use iopath_study::case::ChosenLevel;
use iopath_study::{Case, Trial};

use crate::ending::Problem;

/// The trials that every name means.
pub(crate) fn wanted<'a>(trials: &'a [Trial], names: &[String]) -> Result<Vec<&'a Trial>, Problem> {
    let is_meant = |trial: &&Trial| means_all(names, &trial.case);
    let kept: Vec<&Trial> = trials.iter().filter(is_meant).collect();
    if kept.is_empty() { Err(none(trials, names)) } else { Ok(kept) }
}

/// Whether every name means a case.
pub(crate) fn means_all(names: &[String], case: &Case) -> bool {
    names.iter().all(|name| means(name, case))
}

fn means(name: &str, case: &Case) -> bool {
    name == case.experiment || case.levels.iter().any(|chosen| is_level(name, chosen))
}

/// `factor=level` and, shorter, the level alone.
fn is_level(name: &str, chosen: &ChosenLevel) -> bool {
    let behind = name.strip_prefix(&chosen.factor).and_then(|rest| rest.strip_prefix('='));
    is_same(name, &chosen.level) || behind.is_some_and(|level| is_same(level, &chosen.level))
}

/// Numbers are compared by value: 0.1 is 0.10.
fn is_same(name: &str, level: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    name == level || matches!((number(name), number(level)), (Some(a), Some(b)) if a == b)
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
        "no case is meant by {}; there are {}",
        asked.join(" and "),
        known.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        for (name, level, expected) in [
            ("0.1", "0.10", true),
            ("1e1", "10", true),
            ("0.1", "0.2", false),
            ("64 KiB", "64 KiB", true),
            ("64", "64 KiB", false),
        ] {
            assert_eq!(is_same(name, level), expected, "{name} {level}");
        }
    }
}

//! Which cases of a study are meant: by the title of their experiment, or by a level.

use std::collections::BTreeSet;

use iopath_study::vary::Factor;
use iopath_study::{Order, Plan, Study};

use crate::exit_status::Problem;

/// The plan of a study that was read for cases of these names; why not, where it has none.
pub(crate) fn plan(study: &Study, names: &[String]) -> Result<Plan, Problem> {
    let plan = study.plan(Order::Listed).map_err(Problem::mistake)?;
    if plan.trials.is_empty() { Err(none(study, names)) } else { Ok(plan) }
}

/// What to know of names that are levels of several factors of the cases that they choose.
pub(super) fn ambiguous(plan: &Plan, names: &[String]) -> Vec<String> {
    let of = |name: &String| {
        let cases = plan.trials.iter().map(|trial| &trial.case.levels);
        let chosen = cases.flatten().filter(|chosen| chosen.level == *name);
        let factors: BTreeSet<&str> = chosen.map(|chosen| &*chosen.factor).collect();
        let factors: Vec<&str> = factors.into_iter().collect();
        let [first, _, ..] = factors[..] else { return None };
        Some(format!(
            "--case {name} is a level of {}: cases with any of them are chosen; --case \
             \"{first}={name}\" names one",
            factors.join(" and ")
        ))
    };
    names.iter().filter_map(of).collect()
}

/// Why no case has all these names, and which there are.
pub(super) fn none(study: &Study, names: &[String]) -> Problem {
    let is_wrong = |name: &&String| !study.has_case(std::slice::from_ref(*name));
    let wrong: Vec<&String> = names.iter().filter(is_wrong).collect();
    Problem::mistake(match &wrong[..] {
        [] => format!("no case matches {} together; each matches some", listed(names.iter())),
        _ => {
            let known = known(study, &wrong).join("; ");
            format!("no case matches {}; available: {known}", listed(wrong.into_iter()))
        }
    })
}

fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(|name| quoted(name)).collect::<Vec<_>>().join(" and ")
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// What can be chosen: the levels of the factors that were named; where something else is wrong,
/// every experiment and factor.
fn known(study: &Study, wrong: &[&String]) -> Vec<String> {
    let experiments = &study.experiments;
    let titles: Vec<String> = experiments.iter().map(|one| quoted(&one.title)).collect();
    let factors = || experiments.iter().flat_map(|experiment| &experiment.factors);
    let is_named = |factor: &&Factor| wrong.iter().any(|name| is_of(name, factor));
    let is_any = |name: &&String| factors().any(|factor| is_of(name, factor));
    let mut known: Vec<String> = match wrong.iter().all(is_any) {
        true => factors().filter(is_named).map(levels).collect(),
        false => std::iter::once(some(&titles)).chain(factors().map(levels)).collect(),
    };
    let mut seen = BTreeSet::new();
    known.retain(|one| seen.insert(one.clone()));
    known
}

/// Whether a name is one of `factor=…`.
fn is_of(name: &str, factor: &Factor) -> bool {
    name.split_once('=').is_some_and(|(of, _)| of == factor.name)
}

/// `drives=1, 2, 3, …, 32`.
fn levels(factor: &Factor) -> String {
    let levels: Vec<String> = factor.levels.iter().map(|one| one.title().to_owned()).collect();
    format!("{}={}", factor.name, some(&levels))
}

/// All of a few, else the first of them and the last.
fn some(all: &[String]) -> String {
    match all {
        [first @ .., last] if all.len() > SHOWN => {
            format!("{}, …, {last}", first[..SHOWN - 1].join(", "))
        }
        _ => all.join(", "),
    }
}

/// As many names as a message shows of one kind: chosen, a line or two.
const SHOWN: usize = 8;

//! Cases whose highest load is searched for: each once, whatever loads its study states, and as a
//! case of its own at every load that is tried.

use std::collections::{BTreeMap, BTreeSet};

use iopath_analysis::find_max::{Outcome, Wanted, judge, wanted_per_sec};
use iopath_analysis::prediction::GroupShare;
use iopath_analysis::{Prediction, analyse, predict};
use iopath_analytic::evaluate_rated;
use iopath_record::Record;
use iopath_study::{CannotOpen, Case, Study, Trial, unindexed};
use iopath_units::OperationRate;

use crate::arguments::find_max::Sought;
use crate::exit_status::Problem;
use crate::run::models::{self, Without};
use crate::run::session;

pub(crate) mod measured;

/// A case with what each of its declarations of streams has of the load.
pub(crate) struct Searched {
    case: Case,
    /// Shares of the requests, by declaration; their sum is 1.
    shares: BTreeMap<String, f64>,
    pub wanted: Wanted,
}

/// What is known of a case before it is searched.
pub(crate) struct Guess {
    /// Requests a second by declaration of streams.
    pub done: BTreeMap<String, f64>,
    /// Requests a second that use its path up.
    pub saturated_per_sec: f64,
}

/// The cases that differ in more than the load that the study states, none of which is held up by
/// rule.
pub(crate) fn distinct<'a>(study: &Study, trials: &[&'a Trial]) -> Result<Vec<&'a Trial>, Problem> {
    let (mut seen, mut kept, mut wrong) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    for trial in trials {
        match trial.case.closed_loop() {
            Ok(closed) if seen.insert(closed.text.clone()) => kept.push(*trial),
            Ok(_) => {}
            Err(why) => {
                wrong.insert(format!("{}: --find-max needs an open loop: {why}", study.title));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(kept),
        false => Err(Problem::mistake(Vec::from_iter(wrong).join("\n"))),
    }
}

impl Searched {
    /// A case whose streams share its load as the study states, else as they did.
    pub(crate) fn of(case: &Case, sought: Sought, guess: &Guess) -> Self {
        let Guess { done, saturated_per_sec } = guess;
        let Sought { limit, precision } = sought;
        Self {
            case: case.clone(),
            shares: shares_of_load(case, done),
            wanted: Wanted { limit, precision, saturated_per_sec: *saturated_per_sec },
        }
    }

    /// What the passes of one load came to.
    pub(crate) fn judged(&self, passes: &[Record]) -> Result<Outcome, Problem> {
        let findings = analyse(passes).map_err(Problem::unexpected)?;
        let rate = passes.first().and_then(|record| wanted_per_sec(&record.case));
        let rate = rate.unwrap_or_default();
        Ok(judge::judge(passes, &findings, self.wanted.limit, rate).outcome)
    }

    /// The case at a load, in requests a second.
    pub(crate) fn at(&self, per_sec: f64) -> Result<Case, Problem> {
        at_load(&self.case, &self.shares, per_sec).map_err(Problem::unexpected)
    }
}

/// What each declaration of streams has of the load, by name: their sum is 1. By the rates that the
/// study states, else by what they did.
pub(crate) fn shares_of_load(case: &Case, done: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let stated = case.stated_rates();
    let all: Option<BTreeMap<String, f64>> =
        stated.iter().map(|(name, rate)| Some((name.clone(), (*rate)?))).collect();
    let rates = all.unwrap_or_else(|| {
        let of = |name: &String| done.get(name).copied().unwrap_or_default();
        stated.keys().map(|name| (name.clone(), of(name))).collect()
    });
    let sum: f64 = rates.values().sum();
    let equal = 1.0 / rates.len().max(1) as f64;
    let share = |rate: f64| if sum > 0.0 { rate / sum } else { equal };
    rates.into_iter().map(|(name, rate)| (name, share(rate))).collect()
}

/// A case at a load, in requests a second.
pub(crate) fn at_load(
    case: &Case,
    shares: &BTreeMap<String, f64>,
    per_sec: f64,
) -> Result<Case, CannotOpen> {
    let milli = |share: f64| OperationRate(((per_sec * share * 1e3).round() as u64).max(1));
    let rates: BTreeMap<String, OperationRate> =
        shares.iter().map(|(name, share)| (name.clone(), milli(*share))).collect();
    case.at_rates(&rates)
}

/// A case as bounds know it: how its streams share, and what uses its path up.
pub(crate) fn by_bounds(
    study: &Study,
    trial: &Trial,
    without: &Without,
    sought: Sought,
) -> Result<Searched, Problem> {
    let bounds = |trial: &Trial| -> Result<_, Problem> {
        let built = models::build(study, &[trial], without)?;
        let record = built.first().and_then(|built| built.left(without, &evaluate_rated));
        Ok(predict(&record.ok_or_else(|| nothing_left(trial))?))
    };
    let own = bounds(trial)?;
    let closed =
        Trial { index: trial.index, case: trial.case.closed_loop().map_err(Problem::mistake)? };
    let closed = bounds(&closed)?;
    if closed.bounds.is_empty() {
        return Err(Problem::mistake(format!(
            "the path has no rated component, so no load is too much: {}; describe the path, or \
             use `iopath measure`",
            session::name_of(&trial.case)
        )));
    }
    let by_curve = own.curve.last().map(|point| point.operations_per_sec / point.load);
    let saturated = by_curve.unwrap_or(f64::INFINITY).min(closed.operations_per_sec);
    let guess = Guess { done: shares(&own), saturated_per_sec: saturated };
    Ok(Searched::of(&trial.case, sought, &guess))
}

/// Requests a second that each declaration of streams does.
pub(crate) fn shares(of: &Prediction) -> BTreeMap<String, f64> {
    let share = |one: &GroupShare| (unindexed(&one.name), one.operations_per_sec);
    of.shares.iter().map(share).collect()
}

fn nothing_left(trial: &Trial) -> Problem {
    let name = session::name_of(&trial.case);
    Problem::mistake(format!("{name}: every stream stops without what is removed"))
}

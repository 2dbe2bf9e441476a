//! A runbook in words: what a step comes to, and what all come to.

use iopath_study::Step;
use iopath_units::System;

use super::evidence::cause;
use crate::numbers::{UNKNOWN, is_small, operations, rate};
use crate::view::runbook::{Outcome, PlannedStep, Runbook, StepCase, StepFound};

/// What an outcome is called.
pub(crate) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::AsExpected => "as expected",
        Outcome::NothingExpected => "no expectation",
        Outcome::Above => "above",
        Outcome::Unfair => "unfair",
        Outcome::Below => "below",
        Outcome::NotReached => "not reached",
        Outcome::NotRun => "not run",
    }
}

/// A throughput: of small requests their rate.
pub(crate) fn amount(bytes_per_sec: f64, request_bytes: f64, system: System) -> String {
    match request_bytes > 0.0 && is_small(request_bytes, 1.0) {
        true => operations(bytes_per_sec / request_bytes, system),
        false => rate(bytes_per_sec, system),
    }
}

/// The share of an earlier step that is expected.
pub(crate) fn share_of(step: &Step, like: &str) -> String {
    match (step.ratio.as_f64() * 100.0).round() {
        100.0 => like.to_owned(),
        share => format!("{share:.0} % of {like}"),
    }
}

/// What is expected of a step before anything is measured.
pub(crate) fn planned(one: &PlannedStep, system: System) -> String {
    let PlannedStep { step, bound, .. } = one;
    if step.needs.is_some() {
        return UNKNOWN.to_owned();
    }
    let bound = bound.map(|[most, size]| amount(most, size, system));
    let like = step.like.as_ref().map(|like| share_of(step, like));
    let tolerance = format!("± {:.0} %", step.tolerance.as_f64() * 100.0);
    match (like, bound) {
        (None, None) => UNKNOWN.to_owned(),
        (Some(one), None) | (None, Some(one)) => format!("{one}, {tolerance}"),
        (Some(like), Some(bound)) => format!("{like}, at most {bound}, {tolerance}"),
    }
}

/// How many steps came out how.
pub(crate) fn sentence(runbook: &Runbook) -> String {
    let all = runbook.steps.len();
    let run = all - runbook.count(Outcome::NotRun) - runbook.count(Outcome::NotReached);
    let others = [
        Outcome::Below,
        Outcome::Unfair,
        Outcome::Above,
        Outcome::NothingExpected,
        Outcome::NotReached,
        Outcome::NotRun,
    ];
    let counted = others.into_iter().map(|one| (runbook.count(one), one));
    let counted = counted.filter(|(count, _)| *count > 0);
    let rest = counted.map(|(count, one)| format!("; {count} {}", outcome(one)));
    let fine = runbook.count(Outcome::AsExpected);
    format!("{fine} of {run} steps as expected{}", rest.collect::<String>())
}

/// What there is to say of a step besides its figures; none where it came out as expected.
pub(crate) fn remark(found: &StepFound, system: System) -> Option<String> {
    let title = &found.step.title;
    let worst = found.worst()?;
    let case = match found.cases.len() {
        1 => String::new(),
        _ => format!(" ({})", worst.levels),
    };
    let said = match found.outcome {
        Outcome::Below => {
            format!("{}; limit: {}", of_expected(worst, system)?, cause(&worst.limit))
        }
        Outcome::Above => format!(
            "{}; a cache served part of it, or what was expected is too low",
            of_expected(worst, system)?
        ),
        Outcome::Unfair => {
            let also = of_expected(worst, system).map(|also| format!("; {also}"));
            let (jain, fair) = (worst.jain?, found.step.fair?.as_f64());
            let also = also.unwrap_or_default();
            format!("Jain index {jain:.3}, expected {fair:.3} or more{also}")
        }
        Outcome::AsExpected | Outcome::NothingExpected | Outcome::NotReached | Outcome::NotRun => {
            return None;
        }
    };
    Some(format!("{title}{case}: {said}"))
}

/// What steps need that were not run, those with the same need together.
pub(crate) fn needs<'a>(steps: impl Iterator<Item = &'a Step>) -> Vec<String> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for step in steps {
        let (Some(needs), title) = (step.needs.as_deref(), step.title.as_str()) else { continue };
        match all.iter_mut().find(|(other, _)| *other == needs) {
            Some((_, titles)) => titles.push(title),
            None => all.push((needs, vec![title])),
        }
    }
    let line = |(needs, titles): (&str, Vec<&str>)| {
        let verb = if titles.len() == 1 { "needs" } else { "need" };
        format!("not run: {}: {verb} {needs}", titles.join("; "))
    };
    all.into_iter().map(line).collect()
}

/// Why nothing is expected of some steps.
pub(crate) fn unexpected(runbook: &Runbook) -> Vec<String> {
    let said = |is_like: bool, why: &str| {
        let is_it = |one: &&StepFound| {
            one.outcome == Outcome::NothingExpected && one.step.like.is_some() == is_like
        };
        let titles = runbook.steps.iter().filter(is_it).map(|one| one.step.title.as_str());
        let titles: Vec<&str> = titles.collect();
        (!titles.is_empty()).then(|| format!("{}: {why}", titles.join("; ")))
    };
    let unrated = "nothing on the path is rated or measured yet (`iopath profile` measures it)";
    let unlike = "what it is compared with moved no data or was not run";
    [said(false, unrated), said(true, unlike)].into_iter().flatten().collect()
}

fn of_expected(case: &StepCase, system: System) -> Option<String> {
    let expected = case.expected.as_ref()?;
    let [is, should] = [case.bytes_per_sec, expected.bytes_per_sec]
        .map(|one| amount(one, case.request_bytes, system));
    let off = 100.0 * (case.bytes_per_sec / expected.bytes_per_sec - 1.0);
    Some(format!("{is} of {should}, {off:+.0} %"))
}

//! Whether a load is within a limit: by the interval of the figure over passes.
//!
//! Each pass gives one value of the figure, of all requests of the window, from their intended
//! start. Their mean has a 95 % interval by Student's t: a load is within the limit where all of
//! the interval is, beyond it where none of it is, and else undecided. Of the slowest request the
//! slowest of all passes counts. A single pass has no interval, so its value decides. A load that
//! is not achieved, or under which requests take longer and longer, is beyond any limit: its
//! response time depends on how long one waits.
//! Of bounds the estimated mean decides.
//! It leaves out what deciding after each of several passes costs in significance.

use iopath_record::{Histogram, Latency, Record, Technique};
use serde::Serialize;

use super::limit::{LatencyLimit, Metric};
use super::search::{Outcome, Reason};
use crate::findings::Findings;
use crate::prediction::predict;
use crate::statistics::{confidence, mean};
use crate::thresholds::find_max::{ACHIEVED_SHARE, GROWTH_PASSES, GROWTH_RATIO, MISSED_ERRORS};
use crate::thresholds::limits::RATE_REACHED_SHARE;
use crate::thresholds::reports::WANTED_RATE_SHARE;
use crate::usage::counters::Span;
use crate::usage::pass::{Part, Pass};

/// The figure that is limited, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Mean over passes; of the slowest request the slowest.
    pub ns: f64,
    /// Lower end of the interval.
    pub low_ns: f64,
    /// Upper end of the interval.
    pub high_ns: f64,
}

/// What a load came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The verdict.
    pub outcome: Outcome,
    /// The figure; none where nothing completed.
    pub figure: Option<Figure>,
}

/// Judges the passes of one trial, whose findings these are, at a load.
#[must_use]
pub fn judge(
    passes: &[Record],
    findings: &Findings,
    limit: LatencyLimit,
    wanted_per_sec: f64,
) -> Judged {
    let passes: Vec<Pass<'_>> = passes.iter().map(Pass::of).collect();
    let values = passes.iter().filter_map(|pass| value(pass, limit.metric));
    let values: Vec<f64> = values.collect();
    let figure = figure(&values, limit.metric);
    let by_figure = figure.map(|figure| decide(figure, limit.within_ns as f64));
    let outcome = match by_figure {
        _ if !is_achieved(findings, wanted_per_sec, reached(&passes)) => {
            Outcome::Beyond(Reason::NotAchieved)
        }
        None => Outcome::Beyond(Reason::NotAchieved),
        Some(Outcome::Within | Outcome::Undecided) if is_growing(&passes) => {
            Outcome::Beyond(Reason::Growing)
        }
        Some(outcome) => outcome,
    };
    Judged { outcome, figure }
}

/// A figure of the response times of one pass: from the intended start in an open loop, else from
/// issue; none where nothing completed.
#[must_use]
pub fn response_ns(pass: &Record, metric: Metric) -> Option<f64> {
    let pass = Pass::of(pass);
    let part = if pass.window.is_some() { Part::Window } else { Part::Counted };
    let issued = || metric.of(&pass.latency(part, Latency::Total, None));
    value(&pass, metric).or_else(issued)
}

/// Requests a second that completed while every stream was active: the drain after a load is no
/// part of it.
pub(super) fn achieved_per_sec(findings: &Findings) -> f64 {
    findings.deskewed_operations_per_sec.unwrap_or(findings.headline.operations_per_sec)
}

/// Whether as many requests completed as were to come, but for chance: counts of a Poisson process
/// spread by their square root.
fn is_achieved(findings: &Findings, wanted_per_sec: f64, reached: f64) -> bool {
    let achieved = achieved_per_sec(findings) / wanted_per_sec;
    let chance = MISSED_ERRORS / (findings.requests as f64).sqrt();
    1.0 - achieved <= chance.clamp(1.0 - reached, 1.0 - ACHIEVED_SHARE)
}

/// The share from which on a rate is reached where nothing is left to chance.
fn reached(passes: &[Pass<'_>]) -> f64 {
    let is_measured =
        |pass: &Pass<'_>| matches!(pass.record.technique, Technique::Measurement { .. });
    if passes.iter().any(is_measured) { RATE_REACHED_SHARE } else { WANTED_RATE_SHARE }
}

/// The figure of several passes; none of none.
fn figure(values: &[f64], metric: Metric) -> Option<Figure> {
    if metric == Metric::Max {
        let ns = values.iter().copied().reduce(f64::max)?;
        return Some(Figure { ns, low_ns: ns, high_ns: ns });
    }
    let ns = mean(values)?;
    let half = confidence(values).map_or(0.0, |known| ns * known.half_width_percent / 100.0);
    Some(Figure { ns, low_ns: ns - half, high_ns: ns + half })
}

fn decide(figure: Figure, within_ns: f64) -> Outcome {
    match figure {
        Figure { high_ns, .. } if high_ns <= within_ns => Outcome::Within,
        Figure { low_ns, .. } if low_ns > within_ns => Outcome::Beyond(Reason::Latency),
        _ => Outcome::Undecided,
    }
}

/// The figure of one pass. Bounds estimate a mean and have no distribution.
fn value(pass: &Pass<'_>, metric: Metric) -> Option<f64> {
    match (pass.record.technique.is_exact(), metric) {
        (true, Metric::Mean) => predict(pass.record).response_ns,
        (true, _) => None,
        (false, metric) => metric.of(&intended(pass)),
    }
}

/// Response times of all requests of the window, of all that count where there was none.
fn intended(pass: &Pass<'_>) -> Histogram {
    let part = if pass.window.is_some() { Part::Window } else { Part::Counted };
    pass.latency(part, Latency::Intended, None)
}

/// Whether requests take longer at the end of the window than at its beginning, by more than
/// chance over passes.
fn is_growing(passes: &[Pass<'_>]) -> bool {
    let ratios: Vec<f64> = passes.iter().filter_map(growth).collect();
    if ratios.len() < GROWTH_PASSES {
        return false;
    }
    confidence(&ratios).is_some_and(|known| {
        let low = known.mean * (1.0 - known.half_width_percent / 100.0);
        known.mean >= GROWTH_RATIO && low > 1.0
    })
}

/// Mean time of a request in the last third of the window over that in the first.
fn growth(pass: &Pass<'_>) -> Option<f64> {
    let Span { from_ns: from, to_ns: to } = pass.window.as_ref()?.hull();
    let third = (to - from) / 3;
    let within = |from: u64, to: u64| {
        let mut all = Histogram::default();
        let pairs = pass.record.instants_ns.windows(2).zip(&pass.record.heat);
        let inside = pairs.filter(|(pair, _)| pair[0] >= from && pair[1] <= to);
        inside.for_each(|(_, heat)| all.merge(heat));
        all.mean_ns()
    };
    let first = within(from, from + third)?;
    Some(within(to - third, to)? / first)
}

#[cfg(test)]
mod tests;

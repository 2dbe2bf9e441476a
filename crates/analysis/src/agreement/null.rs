//! Null models: predictions of a figure without a model, so that a mean error has another one to be
//! compared with.
//!
//! * The nearest given figure: of those that state the same metric of the same streams, the one of
//!   the same experiment before others, whose levels differ in the fewest factors; the first of
//!   several. It leaves out ratios, which no given figure repeats.
//! * Capacities alone: the freest bound, which knows no layout, no request in flight and no queue.

use iopath_record::{BoundKind, Record};
use iopath_study::experiment::Experiment;
use iopath_study::published::{Expectation, Figure, Sort};
use serde::Serialize;

use super::edges::Edges;
use super::metric;

/// The errors of null models, signed, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Null {
    /// Of the nearest given figure.
    pub nearest_given_percent: Option<f64>,
    /// Of the capacities alone.
    pub capacities_percent: Option<f64>,
}

/// How far the nearest given figure lies from what is expected.
pub(super) fn nearest_given(
    experiments: &[Experiment],
    own: &Experiment,
    figure: &Figure,
    expected: &Expectation,
) -> Option<f64> {
    // Nothing is any share of 0 off.
    middle(expected).filter(|published| *published != 0.0)?;
    let mut nearest: Option<((bool, usize), f64)> = None;
    for experiment in experiments {
        let figures = experiment.published.figures.iter();
        for given in figures.filter(|given| given.sort == Sort::Given) {
            let same = |one: &&Expectation| {
                (&one.streams, one.metric) == (&expected.streams, expected.metric)
            };
            let Some(value) = given.expects.iter().find(same).and_then(middle) else { continue };
            let differing = figure.chosen.iter().filter(|choice| !given.chosen.contains(choice));
            let distance = (experiment.title != own.title, differing.count());
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, value));
            }
        }
    }
    let (_, value) = nearest?;
    Some(Edges::of(expected).error(value)? * 100.0)
}

/// What a figure states; of a range its middle.
fn middle(of: &Expectation) -> Option<f64> {
    let end = |value: &Option<_>| value.as_ref().and_then(metric::number);
    match (end(&of.least), end(&of.most)) {
        (Some(least), Some(most)) => Some(f64::midpoint(least, most)),
        (one, other) => one.or(other),
    }
}

/// How far capacities alone lie from what is expected.
pub(super) fn capacities(record: &Record, expected: &Expectation) -> Option<f64> {
    let free = record.bounds.iter().find(|bound| bound.kind == BoundKind::FreeSplit)?;
    let says = match (expected.metric, &expected.streams) {
        ("throughput", None) => free.bytes_per_sec as f64,
        ("operations", None) => free.operations_milli_per_sec as f64 / 1e3,
        _ => return None,
    };
    Some(Edges::of(expected).error(says)? * 100.0)
}

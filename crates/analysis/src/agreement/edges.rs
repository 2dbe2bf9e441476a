//! The ends of a published figure, how far a number is from them, and whether that holds.

use iopath_study::published::Expectation;
use iopath_study::value::Value;

use super::{Judged, Note, Outcome, metric};
use crate::thresholds::validation::IDENTITY_TOLERANCE;

/// The ends of what is published.
pub(super) struct Edges {
    pub least: Option<f64>,
    pub most: Option<f64>,
    /// `>` and `<`: the edge itself is not meant.
    is_strict: bool,
}

impl Edges {
    pub(super) fn of(expected: &Expectation) -> Self {
        let end = |value: &Option<Value>| value.as_ref().and_then(metric::number);
        let text = expected.text.value.trim();
        let is_strict = text.starts_with(['<', '>']) && text.as_bytes().get(1) != Some(&b'=');
        Self { least: end(&expected.least), most: end(&expected.most), is_strict }
    }

    /// A number, within a tolerance.
    pub(super) fn judge(&self, number: f64, tolerance: f64) -> Judged {
        let error = self.error(number);
        let is_met = |error: f64| error.abs() <= tolerance && !self.excludes(Some(number));
        let outcome = match error {
            Some(error) if is_met(error) => Outcome::Met,
            Some(_) => Outcome::Missed,
            None => Outcome::Open,
        };
        Judged { error_percent: error.map(|error| error * 100.0), outcome }
    }

    /// Whether a number lies on an edge that is not meant, but for rounding.
    fn excludes(&self, number: Option<f64>) -> bool {
        let on = |edge: Option<f64>| {
            let distance = |(number, edge): (f64, f64)| {
                (number - edge).abs() <= edge.abs() * IDENTITY_TOLERANCE
            };
            number.zip(edge).is_some_and(distance)
        };
        self.is_strict && (on(self.least) || on(self.most))
    }

    pub(super) fn is_single(&self) -> bool {
        self.least.is_some() && self.least == self.most
    }

    /// The distance to the nearer edge, relative to it; 0 inside.
    pub(super) fn error(&self, number: f64) -> Option<f64> {
        let relative = |edge: f64| match edge == 0.0 {
            true => number - edge,
            false => (number - edge) / edge,
        };
        match (self.least, self.most) {
            (Some(least), _) if number < least => Some(relative(least)),
            (_, Some(most)) if number > most => Some(relative(most)),
            (None, None) => None,
            _ => Some(0.0),
        }
    }

    /// By how much the edges of a range are kept.
    pub(super) fn room(&self, number: Option<f64>) -> Option<Note> {
        let number = number?;
        let inside = |edge: f64| 100.0 * (number - edge).abs() / edge.abs().max(f64::MIN_POSITIVE);
        match (self.least, self.most) {
            _ if self.is_single() || self.error(number)? != 0.0 => None,
            (Some(least), None) => Some(Note::AboveEdge(inside(least))),
            (None, Some(most)) => Some(Note::BelowEdge(inside(most))),
            (Some(least), Some(most)) => Some(Note::Inside(inside(least).min(inside(most)))),
            (None, None) => None,
        }
    }
}

//! What the loss of parts costs: before and after, what goes on with less, what stops.

use iopath_analysis::{Findings, Headline, Prediction};
use iopath_units::System;
use serde::Serialize;

use super::words::{self, figure};
use crate::document::{Block, Section};

/// What was taken out of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Removal {
    /// As the user named it.
    pub removed: Vec<String>,
    /// What there was with everything in place.
    pub before: Carried,
    /// What became of volumes and streams.
    pub lost: Vec<Lost>,
}

/// What all streams together get through.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Carried {
    /// Bytes per second.
    pub throughput_bytes_per_sec: f64,
    /// Requests per second.
    pub operations_per_sec: f64,
}

impl Carried {
    /// As bounds say it.
    #[must_use]
    pub fn predicted(prediction: &Prediction) -> Self {
        let Prediction { throughput_bytes_per_sec, operations_per_sec, .. } = *prediction;
        Self { throughput_bytes_per_sec, operations_per_sec }
    }

    /// As it was found: the headline figure.
    #[must_use]
    pub fn found(findings: &Findings) -> Self {
        let Headline { throughput_bytes_per_sec, operations_per_sec, .. } = findings.headline;
        Self { throughput_bytes_per_sec, operations_per_sec }
    }

    fn text(self, system: System) -> String {
        figure(self.throughput_bytes_per_sec, self.operations_per_sec, system)
    }
}

/// What became of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// `moved`, `reserve`, `degraded`, `gone` or `stopped`.
    pub kind: &'static str,
    /// Which volume or stream.
    pub name: String,
    /// In words.
    pub text: String,
}

impl Removal {
    /// "with fastt[0] 18.65 GB/s, without 18.31 GB/s: 98.2 % are left"; none where every stream
    /// stops. `what` is the figure: a bound, a throughput.
    pub(crate) fn sentence(&self, after: Option<Carried>, system: System, what: &str) -> String {
        let removed = self.removed.join(", ");
        let before = self.before.text(system);
        let without = after.map_or_else(|| "nothing".to_owned(), |after| after.text(system));
        let share = self.share(after);
        match self.ratio(after) {
            Some(_) if share == words::percent(1.0) => {
                format!("with and without {removed} {before}: the {what} stays the same")
            }
            Some(ratio) if ratio > 1.0 => {
                format!("with {removed} {before}, without {without}: {share} of it")
            }
            _ => format!("with {removed} {before}, without {without}: {share} are left"),
        }
    }

    /// How much of the throughput is left.
    pub(crate) fn share(&self, after: Option<Carried>) -> String {
        self.ratio(after).map_or_else(|| crate::numbers::UNKNOWN.to_owned(), words::percent)
    }

    fn ratio(&self, after: Option<Carried>) -> Option<f64> {
        let of = |of: fn(&Carried) -> f64| (of(&self.before), after.as_ref().map_or(0.0, of));
        let pairs = [of(|all| all.throughput_bytes_per_sec), of(|all| all.operations_per_sec)];
        let known = pairs.into_iter().find(|(before, _)| *before > 0.0);
        known.map(|(before, after)| after / before)
    }

    /// Lines about everything that lost something; equal words for many things are one line.
    pub(crate) fn losses(&self) -> Option<Section> {
        let mut kept: Vec<(String, Vec<&str>)> = Vec::new();
        for lost in &self.lost {
            let text = format!("{}: {}", lost.kind, lost.text);
            match kept.iter_mut().find(|(seen, _)| *seen == text) {
                Some((_, names)) => names.push(&lost.name),
                None => kept.push((text, vec![&lost.name])),
            }
        }
        let lines = kept.iter().map(|(text, names)| format!("{}: {text}", some(names))).collect();
        Section::of("lost", "what is lost", Block::lines(lines).into_iter().collect())
    }
}

/// Names, the rest counted.
fn some(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    words::list(&names)
}

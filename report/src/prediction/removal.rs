//! What the loss of parts costs: before and after, what goes on with less, what stops.

use iopath_analysis::Prediction;
use iopath_units::System;
use serde::Serialize;

use super::words::{figure, nothing_left};
use crate::look::Look;
use crate::wrap::wrap;

/// What was taken out of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// As the user named it.
    pub removed: Vec<String>,
    /// What there was with everything in place.
    pub before: Prediction,
    /// What became of volumes and streams.
    pub lost: Vec<Lost>,
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
    /// "with fastt[0] 18.65 GB/s, without 18.31 GB/s: 98.2 % are left".
    pub(super) fn sentence(&self, after: &Prediction, system: System) -> String {
        let of = |p: &Prediction| figure(p.throughput_bytes_per_sec, p.operations_per_sec, system);
        let without = match nothing_left(after) {
            Some(_) => "nothing".to_owned(),
            None => of(after),
        };
        format!(
            "with {} {}, without {without}: {} are left",
            self.removed.join(", "),
            of(&self.before),
            self.share(after)
        )
    }

    /// How much of the throughput is left.
    pub(super) fn share(&self, after: &Prediction) -> String {
        let pairs = [
            (self.before.throughput_bytes_per_sec, after.throughput_bytes_per_sec),
            (self.before.operations_per_sec, after.operations_per_sec),
        ];
        let known = pairs.into_iter().find(|(before, _)| *before > 0.0);
        let share = known.map(|(before, after)| super::words::percent(after / before));
        share.unwrap_or_else(|| crate::numbers::UNKNOWN.to_owned())
    }

    /// Lines about everything that lost something; equal words for many things are one line.
    pub(super) fn losses(&self, look: &Look) -> String {
        let mut kept: Vec<(String, Vec<&str>)> = Vec::new();
        for lost in &self.lost {
            let text = format!("{}: {}", lost.kind, lost.text);
            match kept.iter_mut().find(|(seen, _)| *seen == text) {
                Some((_, names)) => names.push(&lost.name),
                None => kept.push((text, vec![&lost.name])),
            }
        }
        let line = |(text, names): &(String, Vec<&str>)| {
            wrap(&format!("{}: {text}", some(names)), 2, look.width)
        };
        super::section("what is lost", &kept.iter().map(line).collect::<Vec<_>>())
    }
}

/// Names, the rest counted.
fn some(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    super::words::list(&names)
}

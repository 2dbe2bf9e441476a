//! What a comparison says of a figure, in words.

use iopath_analysis::compare::{Figure, MeasureComparison, Verdict};
use iopath_units::System;

use crate::numbers::{operations, rate, time};

/// What a figure says about the second run.
pub(crate) fn said(measure: &MeasureComparison) -> String {
    let within = measure.same_within_percent;
    let within = within.map_or_else(String::new, |percent| format!(" within {percent} %"));
    format!("{}{within}", verdict(measure.verdict))
}

pub(crate) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "the same",
        Verdict::CannotTell => "cannot tell",
        Verdict::NoConfidence => "no confidence",
    }
}

/// The name of a figure.
pub(crate) fn title(figure: Figure) -> String {
    match figure {
        Figure::Throughput => "throughput".to_owned(),
        Figure::Operations => "requests".to_owned(),
        Figure::LatencyMean => "mean latency".to_owned(),
        Figure::LatencyP99 => "p99 latency".to_owned(),
        Figure::Commits => "commits".to_owned(),
        Figure::CommitLatencyP99 => "p99 latency, commit".to_owned(),
        Figure::ActionOperations(action) => format!("requests, {action}"),
        Figure::ActionLatencyP99(action) => format!("p99 latency, {action}"),
    }
}

/// A value of a figure in its unit.
pub(crate) fn value(figure: Figure, value: f64, system: System) -> String {
    match figure {
        Figure::Throughput => rate(value, system),
        Figure::Operations | Figure::Commits | Figure::ActionOperations(_) => {
            operations(value, system)
        }
        Figure::LatencyMean
        | Figure::LatencyP99
        | Figure::CommitLatencyP99
        | Figure::ActionLatencyP99(_) => time(value, system),
    }
}

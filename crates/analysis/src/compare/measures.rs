//! The figures that are compared, and which way is good. One that neither run has makes no row.

use std::fmt;

use iopath_units::Action;
use serde::{Serialize, Serializer};

use crate::findings::{ActionFindings, Findings};

/// A figure that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Bytes a second.
    Throughput,
    /// Requests a second.
    Operations,
    /// Mean latency.
    LatencyMean,
    /// p99 of latency.
    LatencyP99,
    /// Commits a second.
    Commits,
    /// p99 of the latency of commits.
    CommitLatencyP99,
    /// Requests a second that do this, where streams do several things.
    ActionOperations(Action),
    /// p99 of the latency of those.
    ActionLatencyP99(Action),
}

impl fmt::Display for Figure {
    /// Its name in the findings, with its unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Throughput => f.write_str("throughput_bytes_per_sec"),
            Self::Operations => f.write_str("operations_per_sec"),
            Self::LatencyMean => f.write_str("latency_ns_mean"),
            Self::LatencyP99 => f.write_str("latency_ns_p99"),
            Self::Commits => f.write_str("commits_per_sec"),
            Self::CommitLatencyP99 => f.write_str("commit_latency_ns_p99"),
            Self::ActionOperations(action) => write!(f, "{action}_operations_per_sec"),
            Self::ActionLatencyP99(action) => write!(f, "{action}_latency_ns_p99"),
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A figure, and how it is compared.
pub(super) struct Measure {
    pub figure: Figure,
    pub is_better_high: bool,
    /// Whether it is a rate, of which a simulation knows its own interval.
    pub is_rate: bool,
    /// How far a value may lie from the true one, as a share of it.
    pub error: f64,
    pub of: Box<Value>,
}

/// What a figure is in a trial; none where it has no such.
type Value = dyn Fn(&Findings) -> Option<f64>;

/// Half a bucket of the histogram, which has 64 an octave.
const BUCKET: f64 = 1.0 / 128.0;

/// All of them; the first that a trial has stands for it.
pub(super) fn all() -> Vec<Measure> {
    let mut all = vec![
        rate(Figure::Throughput, throughput),
        rate(Figure::Operations, |found| Some(found.headline.operations_per_sec)),
        latency(Figure::LatencyMean, 0.0, |found| found.latency_ns_mean),
        latency(Figure::LatencyP99, BUCKET, |found| found.latency_ns_p99.map(|ns| ns as f64)),
        rate(Figure::Commits, |found| found.flush.as_ref()?.commits_per_sec),
        latency(Figure::CommitLatencyP99, BUCKET, |found| {
            found.flush.as_ref()?.commit_latency_ns?.p99.map(|ns| ns as f64)
        }),
    ];
    for action in Action::OTHERS {
        all.push(rate(Figure::ActionOperations(action), move |found| {
            Some(one_of_several(found, action)?.operations_per_sec)
        }));
        all.push(latency(Figure::ActionLatencyP99(action), BUCKET, move |found| {
            one_of_several(found, action)?.latency_ns.p99.map(|ns| ns as f64)
        }));
    }
    all
}

/// None of a trial in which nothing moved data.
fn throughput(found: &Findings) -> Option<f64> {
    let has_moved = found.bytes > 0 || found.actions.is_empty();
    has_moved.then_some(found.headline.throughput_bytes_per_sec)
}

/// What an action came to where others did something else; alone it is the trial itself.
fn one_of_several(found: &Findings, action: Action) -> Option<&ActionFindings> {
    let mut all = found.actions.iter();
    all.find(|one| one.action == action && one.requests < found.requests)
}

fn rate(figure: Figure, of: impl Fn(&Findings) -> Option<f64> + 'static) -> Measure {
    Measure { figure, is_better_high: true, is_rate: true, error: 0.0, of: Box::new(of) }
}

fn latency(figure: Figure, error: f64, of: impl Fn(&Findings) -> Option<f64> + 'static) -> Measure {
    Measure { figure, is_better_high: false, is_rate: false, error, of: Box::new(of) }
}

//! Streams that have a rate of their own: how much they want, and whether they get it.

use iopath_analysis::prediction::{Binding, GroupShare, LimitFinding, Prediction};
use iopath_analysis::thresholds::reports::WANTED_RATE_SHARE;
use iopath_record::{Measure, Origin};

/// What all streams together want.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Bytes over time, where a declaration states bytes.
    pub bytes_per_sec: Option<f64>,
    /// Requests over time, where a declaration states requests.
    pub operations_per_sec: Option<f64>,
    /// Whether every declaration of streams gets what it wants.
    pub reached: bool,
}

/// None where a stream has no rate of its own: it takes what it gets.
pub(super) fn of(prediction: &Prediction) -> Option<Wanted> {
    let mut wanted = Wanted { bytes_per_sec: None, operations_per_sec: None, reached: true };
    for group in &prediction.shares {
        let limit = group.limits.iter().find(|limit| is_rate(limit))?;
        let amount = limit.per_sec as f64 * group.streams as f64;
        // The rate of a stream is kept in whole units.
        let least = (limit.per_sec as f64 - 0.5) * group.streams as f64;
        let is_bytes = limit.measure == Measure::Bytes;
        let sum = if is_bytes { &mut wanted.bytes_per_sec } else { &mut wanted.operations_per_sec };
        *sum.get_or_insert(0.0) += amount;
        wanted.reached &= got(group, is_bytes) >= WANTED_RATE_SHARE * least;
    }
    (!prediction.shares.is_empty()).then_some(wanted)
}

fn got(group: &GroupShare, is_bytes: bool) -> f64 {
    if is_bytes { group.throughput_bytes_per_sec } else { group.operations_per_sec }
}

/// A rate that the study asks for.
fn is_rate(limit: &LimitFinding) -> bool {
    limit.tokens.is_none() && limit.origin == Origin::Study
}

/// What binds besides the rates that are asked for.
pub(super) fn besides(bottlenecks: &[Binding]) -> Vec<Binding> {
    bottlenecks.iter().filter(|binding| !is_rate(&binding.limits.limit)).cloned().collect()
}

//! Streams that have a rate of their own: how much they want, and whether they get it.

use iopath_analysis::prediction::{Binding, GroupShare, LimitFinding, Prediction};
use iopath_analysis::thresholds::reports::WANTED_RATE_SHARE;
use iopath_record::{Measure, Origin};
use iopath_units::System;

use crate::numbers::{operations, rate};

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
        let own = Own::of(group)?;
        let sum =
            if own.is_bytes { &mut wanted.bytes_per_sec } else { &mut wanted.operations_per_sec };
        *sum.get_or_insert(0.0) += own.wanted;
        wanted.reached &= own.reached;
    }
    (!prediction.shares.is_empty()).then_some(wanted)
}

/// ", oltp 9625 /s of the 60.00 k/s it wants" for each declaration that misses its own rate.
pub(super) fn missed(prediction: &Prediction, system: System) -> String {
    let each = prediction.shares.iter().filter_map(|group| {
        let own = Own::of(group).filter(|own| !own.reached)?;
        let amount = if own.is_bytes { rate } else { operations };
        let [got, wanted] = [own.got, own.wanted].map(|all| amount(all, system));
        Some(format!(", {} {got} of the {wanted} it wants", group.name))
    });
    each.collect()
}

/// What the streams of a declaration want and get, where they have a rate of their own.
struct Own {
    is_bytes: bool,
    wanted: f64,
    got: f64,
    reached: bool,
}

impl Own {
    fn of(group: &GroupShare) -> Option<Self> {
        let limit = group.limits.iter().find(|limit| is_rate(limit))?;
        let is_bytes = limit.measure == Measure::Bytes;
        let got = match is_bytes {
            true => group.throughput_bytes_per_sec,
            false => group.operations_per_sec,
        };
        // The rate of a stream is kept in whole units.
        let least = (limit.per_sec as f64 - 0.5) * group.streams as f64;
        let wanted = limit.per_sec as f64 * group.streams as f64;
        Some(Self { is_bytes, wanted, got, reached: got >= WANTED_RATE_SHARE * least })
    }
}

/// A rate that the study asks for.
fn is_rate(limit: &LimitFinding) -> bool {
    limit.tokens.is_none() && limit.origin == Origin::Study
}

/// What binds besides the rates that are asked for.
pub(super) fn besides(bottlenecks: &[Binding]) -> Vec<Binding> {
    bottlenecks.iter().filter(|binding| !is_rate(&binding.limits.limit)).cloned().collect()
}

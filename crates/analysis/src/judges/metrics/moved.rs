//! Total traffic of a path of which only counters were watched: of what counts its load.
//!
//! Each counts once, over the measured parts. A missing counter adds nothing to the total,
//! and the mean time is of the requests with a known time. It leaves out
//! what caches above devices served.

use crate::usage::loaded::carriers;
use crate::usage::pass::{Part, Pass};
use crate::usage::{Requests, Usage};

/// Requests of one kind.
pub(crate) struct Moved {
    pub bytes: f64,
    pub operations: f64,
    /// Of the measured parts.
    pub seconds: f64,
    pub ns_mean: Option<f64>,
}

impl Moved {
    pub(crate) fn of(passes: &[Pass<'_>], kind: fn(&Usage) -> Requests) -> Self {
        let (mut bytes, mut operations, mut timed, mut spent_ns) = (0.0, 0.0, 0.0, 0.0);
        for pass in passes {
            let seconds = pass.measured.length_ns() as f64 / 1e9;
            for (id, _) in carriers(pass.record) {
                let done = kind(&Usage::of_entity(pass, id, &pass.measured));
                let count = done.operations_per_sec.unwrap_or_default() * seconds;
                bytes += done.bytes_per_sec.unwrap_or_default() * seconds;
                operations += count;
                timed += done.ns_mean.map_or(0.0, |_| count);
                spent_ns += done.ns_mean.map_or(0.0, |ns| ns * count);
            }
        }
        let ns_mean = (spent_ns > 0.0).then(|| spent_ns / timed);
        Self { bytes, operations, seconds: super::seconds(passes, Part::Counted), ns_mean }
    }

    pub(crate) fn operations_per_sec(&self) -> f64 {
        self.operations / self.seconds
    }
}

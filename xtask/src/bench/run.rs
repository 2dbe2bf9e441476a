//! One run of a tool: what it did by its own word, and what that cost as seen from outside.

use std::time::Duration;

use super::process::Cost;

/// What is asked of both tools.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub op: Op,
    pub order: Order,
    /// Of one request.
    pub block_kib: u64,
    /// Requests in flight in each stream.
    pub depth: u32,
    pub streams: u32,
    pub storage: Storage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Read,
    Write,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Sequential,
    Random,
}

/// Whether requests reach storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Real,
    /// Real, and iopath is told to use a ring where it would take blocking calls.
    ByRing,
    /// Requests complete at once; the tool itself is what is measured.
    None,
}

/// What a tool says that it did.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Done {
    pub requests: f64,
    pub operations_per_sec: f64,
    pub bytes_per_sec: f64,
    /// Kinds of warnings that the tool gave.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub done: Done,
    pub cost: Cost,
}

/// A run and a very short one, which costs the same before and after its requests.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub long: Run,
    pub short: Run,
}

/// How long the short run is.
pub(crate) const SHORT: Duration = Duration::from_millis(100);

/// A figure that both tools have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    Operations,
    Throughput,
    UserTime,
    ProcessorTime,
}

impl Figure {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Operations => "operations/s",
            Self::Throughput => "bytes/s",
            Self::UserTime => "user ns/request",
            Self::ProcessorTime => "user+system ns/request",
        }
    }
}

impl Sample {
    pub(crate) fn value(&self, figure: Figure) -> f64 {
        match figure {
            Figure::Operations => self.long.done.operations_per_sec,
            Figure::Throughput => self.long.done.bytes_per_sec,
            Figure::UserTime => self.ns_per_request(|cost| cost.user_sec),
            Figure::ProcessorTime => self.ns_per_request(|cost| cost.user_sec + cost.system_sec),
        }
    }

    /// The difference of both runs: start, calibration and end fall out of it.
    fn ns_per_request(&self, seconds: impl Fn(&Cost) -> f64) -> f64 {
        let spent = seconds(&self.long.cost) - seconds(&self.short.cost);
        1e9 * spent / (self.long.done.requests - self.short.done.requests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(requests: f64, user_sec: f64, system_sec: f64) -> Run {
        let done = Done {
            requests,
            operations_per_sec: requests / 5.0,
            bytes_per_sec: requests * 4096.0 / 5.0,
            warnings: Vec::new(),
        };
        Run { done, cost: Cost { user_sec, system_sec, peak_bytes: 0.0 } }
    }

    #[test]
    fn what_a_start_costs_is_in_no_request() {
        // 0.1 s of user time before the first request; then 100 ns user and 400 ns system each.
        let sample = Sample { long: run(10e6, 1.1, 4.0), short: run(1e6, 0.2, 0.4) };
        assert!((sample.value(Figure::UserTime) - 100.0).abs() < 1e-9);
        assert!((sample.value(Figure::ProcessorTime) - 500.0).abs() < 1e-9);
        assert_eq!(sample.value(Figure::Operations), 2e6);
    }
}

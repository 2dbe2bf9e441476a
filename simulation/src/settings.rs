//! How long to simulate.

use iopath_units::Nanos;

/// How long to simulate, and by which seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Root of all randomness.
    pub seed: u64,
    /// Simulated time after warm-up, at least.
    pub least: Nanos,
    /// The 95 % confidence half-width of throughput at which it is enough, as a share of the mean.
    pub precision: f64,
    /// Events after which it ends in any case.
    pub most_events: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, least: Nanos(20_000_000_000), precision: 0.01, most_events: 5_000_000 }
    }
}

//! How long to simulate: until throughput is known well enough, but no longer than a pass of the
//! study takes.

use iopath_study::Case;
use iopath_units::Nanos;
use serde::{Deserialize, Serialize};

/// Samples where parts fail: chosen, some for each second of a minute or two.
const SAMPLES_OF_FAILURES: usize = 240;

/// How long to simulate, and by which seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Root of all randomness.
    pub seed: u64,
    /// Simulated time after warm-up, at least.
    pub least: Nanos,
    /// Simulated time after warm-up, at most.
    pub longest: Nanos,
    /// The 95 % confidence half-width of throughput at which it is enough, as a share of the mean.
    pub precision: f64,
    /// Events after which it ends in any case.
    pub most_events: u64,
    /// Distance of the starts of two closed streams: about what it takes to start a thread
    /// (assumed). Where streams that start together stay together, it decides how they meet.
    pub stagger: Nanos,
    /// Samples of all counters that are kept, at most, besides those at the edges of phases; at
    /// the study's distance or further apart. Each holds every component.
    pub samples: usize,
}

impl Settings {
    /// The same for a case: where its time is shorter than what is simulated at least, that is
    /// enough; where parts fail at their times, all of it is simulated, however well the
    /// throughput is known before. Amounts end measurements only.
    pub(crate) fn of(&self, case: &Case) -> Self {
        let time = case.workload.until.time;
        if !case.failures.is_empty() {
            let lasts = time.unwrap_or(self.longest);
            let samples = self.samples.max(SAMPLES_OF_FAILURES);
            return Self { least: lasts, longest: lasts, samples, ..*self };
        }
        let least = time.map_or(self.least, |time| self.least.min(time));
        Self { least, longest: time.unwrap_or(Nanos(u64::MAX)).min(self.longest), ..*self }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            least: Nanos(20_000_000_000),
            longest: Nanos(160_000_000_000),
            precision: 0.01,
            most_events: 5_000_000,
            stagger: Nanos(500_000),
            samples: 32,
        }
    }
}

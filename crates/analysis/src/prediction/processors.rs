//! Whether a bound needs more requests a second than processors usually give, where a study says
//! nothing of processors.

use super::{GroupShare, Prediction};
use crate::thresholds::reports::{PROCESSOR_REQUESTS, USUAL_PROCESSORS};

/// The mechanism that a bound leaves out there.
pub const PROCESSOR_TIME: &str = "processor-time";

/// Requests that nobody says processors for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BeyondProcessors {
    /// More of each stream than its thread usually issues.
    Thread {
        /// Requests of one stream.
        operations_per_sec: f64,
        /// What a thread usually issues.
        usual_per_sec: f64,
    },
    /// More of all streams than a server usually handles.
    Server {
        /// Requests of all streams.
        operations_per_sec: f64,
        /// Processors that a server usually has.
        processors: u64,
        /// What these usually handle.
        usual_per_sec: f64,
    },
}

impl Prediction {
    /// What it needs of processors that are not described, where that is more than usual.
    #[must_use]
    pub fn beyond_processors(&self) -> Option<BeyondProcessors> {
        let is_unpriced = |group: &&GroupShare| {
            let of = |text: &str| text.split_whitespace().next() == Some(group.name.as_str());
            self.leaves_out
                .iter()
                .any(|left_out| left_out.kind == PROCESSOR_TIME && of(&left_out.text))
        };
        let groups: Vec<&GroupShare> = self.shares.iter().filter(is_unpriced).collect();
        let each = groups.iter().map(|group| group.operations_per_sec / group.streams as f64);
        let of_one = each.fold(0.0, f64::max);
        let of_all: f64 = groups.iter().map(|group| group.operations_per_sec).sum();
        let usual = PROCESSOR_REQUESTS * USUAL_PROCESSORS as f64;
        if of_all > usual {
            return Some(BeyondProcessors::Server {
                operations_per_sec: of_all,
                processors: USUAL_PROCESSORS,
                usual_per_sec: usual,
            });
        }
        (of_one > PROCESSOR_REQUESTS).then_some(BeyondProcessors::Thread {
            operations_per_sec: of_one,
            usual_per_sec: PROCESSOR_REQUESTS,
        })
    }
}

#[cfg(test)]
mod tests {
    use iopath_study::catalogue_part;

    use super::*;

    #[test]
    fn a_usual_processor_is_that_of_the_catalogue() {
        let part = catalogue_part("linux-io_uring").unwrap();
        let request = &part.iter().find(|(property, _)| *property == "request").unwrap().1;
        let ns: f64 = request.trim_matches('"').strip_suffix(" ns").unwrap().parse().unwrap();
        assert!((PROCESSOR_REQUESTS * ns / 1e9 - 1.0).abs() < 0.001, "{ns}");
    }
}

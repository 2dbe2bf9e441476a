//! Requests that were recorded, at their times once more.
//!
//! The same world gives each the same answer at the same time; another one shows what they would
//! have found there. They come when they came, however long their answers take: a program that
//! would have waited does not (an open loop).

use iopath_path::Network;
use iopath_record::Record;
use iopath_study::Case;
use iopath_units::Nanos;

use crate::arrivals::{Answer, Arrival};
use crate::live::live;
use crate::settings::Settings;

/// What came of recorded requests.
#[derive(Debug)]
pub struct Replayed {
    pub record: Record,
    /// In the order of their times.
    pub answers: Vec<Answer>,
}

/// Has requests arrive at their times, which do not fall, until all are answered that can be. What
/// fails in the case does so at its time.
#[must_use]
pub fn replay(
    case: &Case,
    network: &Network,
    settings: &Settings,
    arrivals: &[(Nanos, Arrival)],
) -> Replayed {
    live(case, network, settings, |system| {
        system.let_fail();
        let mut answers = Vec::with_capacity(arrivals.len());
        for (at, arrival) in arrivals {
            system.advance(*at, &mut answers);
            system.arrive(*arrival);
        }
        let mut left = settings.most_events;
        while answers.len() < arrivals.len()
            && left > 0
            && let Some(next) = system.next_at()
        {
            system.advance(next, &mut answers);
            left -= 1;
        }
        Replayed { record: system.record(), answers }
    })
}

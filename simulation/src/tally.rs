//! What components did so far: requests that are done, by plan and way.
//!
//! A request counts for every component on its way and for its end when it is done, so no counter
//! runs ahead of what happened. Busy time is that of the stations.

use crate::core::Ps;
use crate::plan::PlanId;

/// Requests of all plans.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub plans: Vec<Vec<Done>>,
}

/// Requests of one plan on one way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub requests: u64,
    /// Time from beginning to end, summed over requests, in microseconds.
    pub spent_us: u64,
}

impl Tally {
    #[inline]
    pub(crate) fn done(&mut self, (plan, way): (PlanId, u16), spent: Ps) {
        let at = plan.0 as usize;
        if self.plans.len() <= at {
            self.plans.resize(at + 1, Vec::new());
        }
        let ways = &mut self.plans[at];
        if ways.len() <= way as usize {
            ways.resize(way as usize + 1, Done::default());
        }
        let done = &mut ways[way as usize];
        done.requests += 1;
        done.spent_us += spent.0 / 1_000_000;
    }
}

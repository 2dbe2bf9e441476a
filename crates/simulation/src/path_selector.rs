//! Which of several ways a request takes: the study's `multipath` policy while it runs.
//!
//! Requests from one place to one end share their turns, whatever they do and however large they
//! are, since what chooses knows of nothing else.
//!
//! * In turn (`round-robin`, `owner`; `fixed` has one way left): each way its share, evenly spread
//!   (stride scheduling: Waldspurger, Weihl: Stride scheduling, MIT/LCS/TM-528, 1995).
//! * `queue-length`: the way with the fewest requests in flight; of several the one that was not
//!   taken for the longest time (Linux dm-queue-length).
//! * `service-time`: the way with the least expected wait, which is its bytes in flight and the
//!   request's over its relative throughput (Linux dm-service-time). Relative throughputs are those
//!   that the crate `path` rates ways by.
//!
//! Which ways are used at all, and whether those in reserve are, is `path`'s to say. Where switches
//! have several equally short ways for one that a host sees, all of them are chosen among alike
//! (assumed; a host does not see them). Left out: how long a round robin stays on a way (1 request
//! is what Linux does), and that a policy takes some time to notice a completion.

use iopath_path::Way;
use iopath_study::system::Policy;

/// The ways from places to ends, by number.
#[derive(Debug, Default)]
pub(crate) struct PathSelector {
    policy: Policy,
    groups: Vec<Vec<Taken>>,
    /// How often a way was chosen.
    chosen: u64,
}

/// One way, and what it has taken.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// Its share, in [`WHOLE`]s.
    share: u64,
    /// Requests so far over its share.
    pass: u64,
    requests: u32,
    bytes: u64,
    /// When it was chosen last.
    last: u64,
}

/// One. Shares below a millionth count as one.
const WHOLE: u64 = 1_000_000;

impl PathSelector {
    pub(crate) fn new(policy: Policy) -> Self {
        Self { policy, ..Self::default() }
    }

    /// The number of these ways.
    pub(crate) fn add(&mut self, ways: &[Way]) -> u32 {
        let taken = |way: &Way| {
            let share = ((way.share * WHOLE as f64).round() as u64).clamp(1, WHOLE);
            Taken { share, pass: 0, requests: 0, bytes: 0, last: 0 }
        };
        self.groups.push(ways.iter().map(taken).collect());
        (self.groups.len() - 1) as u32
    }

    /// Which way the next request takes, of so many bytes.
    pub(crate) fn take(&mut self, ways: u32, bytes: u64) -> u16 {
        let ways = &mut self.groups[ways as usize];
        let load = |one: &Taken| match self.policy {
            Policy::RoundRobin | Policy::Owner | Policy::Fixed => (u128::from(one.pass), 0),
            Policy::QueueLength => (u128::from(one.requests), one.last),
            Policy::ServiceTime => {
                let waiting = u128::from(one.bytes) + u128::from(bytes);
                (waiting * u128::from(WHOLE) / u128::from(one.share), one.last)
            }
        };
        let best = (0..ways.len()).min_by_key(|at| load(&ways[*at])).unwrap_or(0);
        self.chosen += 1;
        let one = &mut ways[best];
        one.pass += WHOLE * WHOLE / one.share;
        one.requests += 1;
        one.bytes += bytes;
        one.last = self.chosen;
        best as u16
    }

    /// A request that took a way is done.
    pub(crate) fn give_back(&mut self, ways: u32, way: u16, bytes: u64) {
        let one = &mut self.groups[ways as usize][way as usize];
        one.requests -= 1;
        one.bytes -= bytes;
    }
}

#[cfg(test)]
mod tests {
    use iopath_path::RouteId;

    use super::*;

    fn turns(policy: Policy, shares: &[f64]) -> PathSelector {
        let mut turns = PathSelector::new(policy);
        let way = |share: &f64| Way { route: RouteId(0), share: *share };
        let ways: Vec<Way> = shares.iter().map(way).collect();
        assert_eq!(turns.add(&ways), 0);
        turns
    }

    #[test]
    fn equal_ways_take_turns_whatever_the_size() {
        let mut turns = turns(Policy::RoundRobin, &[0.25; 4]);
        let taken: Vec<u16> = (0..8).map(|at| turns.take(0, 1 << at)).collect();
        assert_eq!(taken, [0, 1, 2, 3, 0, 1, 2, 3]);
    }

    #[test]
    fn each_way_has_its_share_of_any_stretch() {
        let mut turns = turns(Policy::Owner, &[0.5, 0.25, 0.25]);
        let taken: Vec<u16> = (0..400).map(|_| turns.take(0, 1)).collect();
        for stretch in taken.windows(40) {
            let count = |way| stretch.iter().filter(|at| **at == way).count();
            assert!(count(0).abs_diff(20) <= 1 && count(1).abs_diff(10) <= 1, "{stretch:?}");
        }
    }

    #[test]
    fn a_way_that_is_slow_to_answer_gets_less() {
        // The first way never gives anything back.
        let mut turns = turns(Policy::QueueLength, &[0.5; 2]);
        for _ in 0..100 {
            let way = turns.take(0, 4096);
            if way == 1 {
                turns.give_back(0, way, 4096);
            }
        }
        assert_eq!(turns.groups[0].map_requests(), [1, 0]);
    }

    #[test]
    fn bytes_in_flight_are_in_proportion_to_throughput() {
        let mut turns = turns(Policy::ServiceTime, &[0.75, 0.25]);
        for _ in 0..40 {
            turns.take(0, 1000);
        }
        assert_eq!(turns.groups[0].map_requests(), [30, 10]);
        // One that is as large as all of the slower way has takes the faster one.
        assert_eq!(turns.take(0, 10_000), 0);
    }

    trait Requests {
        fn map_requests(&self) -> Vec<u32>;
    }

    impl Requests for Vec<Taken> {
        fn map_requests(&self) -> Vec<u32> {
            self.iter().map(|one| one.requests).collect()
        }
    }
}

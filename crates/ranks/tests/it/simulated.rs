//! Clocks and messages without real time: whole nanoseconds of true time, and what clocks that
//! drift show then.

use iopath_ranks::clock::{Batch, Exchange, Offset};
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;

/// A clock that was set when true time began and has changed its rate every five seconds since.
#[derive(Debug, Clone)]
pub(crate) struct Drifting {
    pub start_ns: u64,
    /// By how much it gains in each stretch of five seconds; the last one goes on.
    pub gains_ppb: Vec<i64>,
}

impl Drifting {
    pub(crate) fn shows(&self, true_ns: u64) -> u64 {
        let mut rest = true_ns;
        let mut gained = 0_i128;
        for (index, ppb) in self.gains_ppb.iter().enumerate() {
            let is_last = index + 1 == self.gains_ppb.len();
            let stretch = if is_last { rest } else { rest.min(5 * SECOND) };
            gained += i128::from(stretch) * i128::from(*ppb);
            rest -= stretch;
        }
        let shown = i128::from(self.start_ns + true_ns) + gained.div_euclid(1_000_000_000);
        u64::try_from(shown).expect("a clock that began at zero")
    }
}

/// The clocks of the root and of one follower.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub root: Drifting,
    pub follower: Drifting,
}

impl Pair {
    /// What the root's shows more than the follower's.
    pub(crate) fn offset_ns(&self, true_ns: u64) -> i64 {
        let (root, follower) = (self.root.shows(true_ns), self.follower.shows(true_ns));
        root.checked_signed_diff(follower).expect("days apart at most")
    }

    /// A batch of exchanges, one after the other, from this true time on.
    pub(crate) fn batch(&self, start_ns: u64, ways: &[Ways]) -> Batch {
        let mut batch = Batch::default();
        let mut time = start_ns;
        for way in ways {
            let arrived = time + way.forward_ns;
            let answered = arrived + way.answering_ns;
            let back = answered + way.backward_ns;
            batch.add(Exchange {
                t1_ns: self.follower.shows(time),
                t2_ns: self.root.shows(arrived),
                t3_ns: self.root.shows(answered),
                t4_ns: self.follower.shows(back),
            });
            time = back + way.pause_ns;
        }
        batch
    }
}

/// How long the parts of one exchange took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ways {
    pub forward_ns: u64,
    pub answering_ns: u64,
    pub backward_ns: u64,
    pub pause_ns: u64,
}

/// A way that is short, or as long as a turn of the scheduler.
fn delay() -> impl Strategy<Value = u64> {
    prop_oneof![5 => 500_u64..20_000, 3 => 500_000_u64..1_500_000, 1 => 0_u64..20_000_000]
}

pub(crate) fn ways() -> impl Strategy<Value = Vec<Ways>> {
    let way = (delay(), 0..5_000_u64, delay(), 0..100_000_u64);
    let way = way.prop_map(|(forward_ns, answering_ns, backward_ns, pause_ns)| Ways {
        forward_ns,
        answering_ns,
        backward_ns,
        pause_ns,
    });
    vec(way, 1..40)
}

/// Up for up to thirty days, within `ppm` of true time.
fn clock(ppm: i64) -> impl Strategy<Value = Drifting> {
    let limit = ppm * 1_000;
    (DAY..30 * DAY, vec(-limit..=limit, 1..8))
        .prop_map(|(start_ns, gains_ppb)| Drifting { start_ns, gains_ppb })
}

pub(crate) fn pair(ppm: i64) -> impl Strategy<Value = Pair> {
    (clock(ppm), clock(ppm)).prop_map(|(root, follower)| Pair { root, follower })
}

/// Whether the truth is inside, but for the rounding of two timestamps.
pub(crate) fn holds(offset: &Offset, truth_ns: i64) -> bool {
    (offset.low_ns - 1..=offset.high_ns + 1).contains(&truth_ns)
}

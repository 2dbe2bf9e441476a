//! The interval of one batch: it holds the truth, and is as narrow as the two shortest ways.

use iopath_ranks::clock::{Batch, Effort, Exchange, Offset, drift_ns};
use proptest::prelude::*;

use crate::simulated::{Drifting, Ways, holds, pair, ways};

/// The true time at which the follower's clock shows this: both go forward, so by halving.
fn when(clock: &Drifting, shown_ns: u64) -> u64 {
    let (mut early, mut late) = (0, 1 << 50);
    while early < late {
        let middle = early + (late - early) / 2;
        if clock.shows(middle) < shown_ns { early = middle + 1 } else { late = middle }
    }
    early
}

fn least(ways: &[Ways], part: fn(&Ways) -> u64) -> i64 {
    i64::try_from(ways.iter().map(part).min().unwrap()).unwrap()
}

proptest! {
    #[test]
    fn the_interval_holds_the_truth_whatever_delays_and_drift(
        pair in pair(500), ways in ways(), start_ns in 0..30_000_000_000_u64,
    ) {
        let offset = pair.batch(start_ns, &ways).offset().unwrap();
        let truth = pair.offset_ns(when(&pair.follower, offset.at_ns));
        prop_assert!(holds(&offset, truth), "{offset:?} {truth}");
    }

    #[test]
    fn the_width_is_the_least_of_each_way_where_clocks_do_not_drift(
        pair in pair(0), ways in ways(),
    ) {
        let batch = pair.batch(0, &ways);
        let offset = batch.offset().unwrap();
        let width = offset.high_ns - offset.low_ns;
        let shortest = least(&ways, |way| way.forward_ns) + least(&ways, |way| way.backward_ns);
        let whole: u64 = ways.iter()
            .map(|way| way.forward_ns + way.answering_ns + way.backward_ns + way.pause_ns)
            .sum();
        prop_assert!(width >= shortest + 2);
        prop_assert!(width <= shortest + 2 + 2 * drift_ns(whole));
    }

    #[test]
    fn the_middle_is_within_the_bound_of_the_truth(pair in pair(200), ways in ways()) {
        let offset = pair.batch(0, &ways).offset().unwrap();
        let truth = pair.offset_ns(when(&pair.follower, offset.at_ns));
        prop_assert!(offset.middle_ns().abs_diff(truth) <= offset.bound_ns() + 1);
    }
}

#[test]
fn an_empty_batch_says_nothing() {
    assert!(Batch::default().is_empty());
    assert_eq!(Batch::default().offset(), None);
}

/// Clocks that stand still between exchanges: only ways matter.
#[test]
fn each_way_has_its_own_shortest_exchange() {
    let mut batch = Batch::default();
    batch.add(Exchange { t1_ns: 1_000, t2_ns: 5_010, t3_ns: 5_010, t4_ns: 2_000 });
    batch.add(Exchange { t1_ns: 1_000, t2_ns: 5_900, t3_ns: 5_900, t4_ns: 1_920 });
    let Offset { at_ns, low_ns, high_ns } = batch.offset().unwrap();
    assert_eq!(at_ns, 1_460);
    // 4010 forward, 3980 backward; of each a nanosecond for rounding, one for drift in 460 ns.
    assert_eq!((low_ns, high_ns), (3_978, 4_012));
}

#[test]
fn a_batch_ends_when_it_grows_no_narrower_and_not_before_its_least() {
    let effort = Effort { least: 10, most: 50, idle: 5, patience_ns: 0 };
    let exchange = |width: u64| Exchange { t1_ns: 0, t2_ns: width, t3_ns: width, t4_ns: 2 * width };
    let lengths = |widths: &dyn Fn(u64) -> u64| {
        let mut batch = Batch::default();
        for number in 0.. {
            if batch.is_enough(&effort) {
                break;
            }
            batch.add(exchange(widths(number)));
        }
        batch.len()
    };
    assert_eq!(lengths(&|_| 1_000), 10);
    assert_eq!(lengths(&|number| 1_000 - number.min(9) * 50), 15);
    assert_eq!(lengths(&|number| 1_000_000 >> number.min(19)), 25);
    assert_eq!(lengths(&|number| 1 << (60 - number)), 50);
}

//! The offset over a run: its bound is true between, before and after batches, for every clock
//! within the limit of the rate.

use iopath_ranks::clock::{Course, Offset};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::simulated::{Drifting, Pair, SECOND, Ways, holds, pair, ways};

fn course(pair: &Pair, batches: &[(u64, Vec<Ways>)]) -> Course {
    let offsets = batches.iter().map(|(at, ways)| pair.batch(*at, ways).offset().unwrap());
    let mut offsets = offsets.collect::<Vec<_>>().into_iter();
    let mut course = Course::new(offsets.next().unwrap()).expect("clocks within the limit");
    for offset in offsets {
        course.add(offset).expect("clocks within the limit");
    }
    course
}

proptest! {
    #[test]
    fn the_bound_is_true_at_every_time(
        pair in pair(500),
        batches in vec((0..40 * SECOND, ways()), 1..6),
        times in vec(0..50 * SECOND, 20),
    ) {
        let course = course(&pair, &batches);
        for time in times {
            let local = pair.follower.shows(time);
            let truth = pair.offset_ns(time);
            prop_assert!(holds(&course.range(local), truth));
            let error = course.to_root(local).abs_diff(pair.root.shows(time).cast_signed());
            prop_assert!(error <= course.bound_ns(local) + 1);
        }
    }

    /// The line from one instant to another, and no further off than an edge of the interval is.
    #[test]
    fn a_line_is_within_its_bound(
        pair in pair(500),
        batches in vec((0..40 * SECOND, ways()), 1..6),
        span in (0..25 * SECOND, 25 * SECOND..50 * SECOND),
    ) {
        let course = course(&pair, &batches);
        let [from, to] = [span.0, span.1].map(|time| pair.follower.shows(time));
        let bound = course.bound_of_line_ns(from, to);
        let [begin, end] = [from, to].map(|local| course.to_root(local));
        let mut furthest = 0;
        for step in 0..=1000 {
            let local = from + (to - from) * step / 1000;
            let drawn = i128::from(begin)
                + i128::from(end - begin) * i128::from(local - from) / i128::from(to - from);
            let range = course.range(local);
            for edge in [range.low_ns, range.high_ns] {
                let edge = i128::from(local) + i128::from(edge);
                furthest = furthest.max((edge - drawn).unsigned_abs());
            }
        }
        prop_assert!(furthest <= u128::from(bound) + 1, "{furthest} > {bound}");
        // A thousandth of 50 s later an edge is as much further off as the rate allows.
        prop_assert!(u128::from(bound) <= furthest + 110_000, "{bound} >> {furthest}");
    }

    #[test]
    fn the_order_in_which_batches_come_in_is_no_matter(
        pair in pair(500), batches in vec((0..40 * SECOND, ways()), 1..6),
    ) {
        let mut reversed = batches.clone();
        reversed.reverse();
        let (one, other) = (course(&pair, &batches), course(&pair, &reversed));
        let times = (0..50).map(|second| pair.follower.shows(second * SECOND));
        for local in times {
            prop_assert_eq!(one.range(local), other.range(local));
        }
    }

    #[test]
    fn there_and_back_is_the_same_time(
        pair in pair(200), batches in vec((0..40 * SECOND, ways()), 1..6), time in 0..50 * SECOND,
    ) {
        let course = course(&pair, &batches);
        let local = pair.follower.shows(time);
        let back = course.to_local(course.to_root(local));
        let again = course.to_root(u64::try_from(back).unwrap());
        prop_assert!(again.abs_diff(course.to_root(local)) <= 2);
    }
}

const SHORT: Ways = Ways { forward_ns: 5_000, answering_ns: 0, backward_ns: 5_000, pause_ns: 0 };

fn steady(ppm: i64) -> Pair {
    let root = Drifting { start_ns: 90_000 * SECOND, gains_ppb: vec![0] };
    Pair { root, follower: Drifting { start_ns: SECOND, gains_ppb: vec![ppm * 1_000] } }
}

#[test]
fn the_root_is_not_apart_from_itself() {
    let root = Course::of_root();
    assert_eq!((root.to_root(17), root.to_local(17), root.bound_ns(17)), (17, 17, 0));
    assert_eq!(root.drift_ppb(), None);
}

#[test]
fn a_steady_drift_is_found_and_followed() {
    for ppm in [-200, -20, 20, 200] {
        let pair = steady(ppm);
        let course = course(&pair, &[(0, vec![SHORT]), (30 * SECOND, vec![SHORT])]);
        let drift = course.drift_ppb().expect("30 s are enough");
        assert!(drift.abs_diff(ppm * 1_000) < 400, "{drift}");
        for second in [10, 29, 60] {
            let local = pair.follower.shows(second * SECOND);
            let truth = pair.root.shows(second * SECOND).cast_signed();
            assert!(course.to_root(local).abs_diff(truth) < 30_000, "{ppm} {second}");
        }
    }
}

/// Answers that take a poll's time on one way only would draw the estimate off by half of that.
#[test]
fn a_wide_batch_does_not_draw_the_estimate() {
    let pair = steady(50);
    let slow = Ways { forward_ns: 2_000_000, ..SHORT };
    let ends = [(0, vec![SHORT]), (20 * SECOND, vec![SHORT])];
    let during = [ends[0].clone(), (10 * SECOND, vec![slow]), ends[1].clone()];
    let (without, with) = (course(&pair, &ends), course(&pair, &during));
    let local = pair.follower.shows(10 * SECOND);
    assert_eq!(with.to_root(local), without.to_root(local));
    assert!(with.bound_ns(local) < without.bound_ns(local) / 4);
}

#[test]
fn a_clock_that_was_stepped_is_a_contradiction() {
    let before = Offset { at_ns: SECOND, low_ns: 0, high_ns: 10_000 };
    let after = Offset { at_ns: 2 * SECOND, low_ns: 5_000_000, high_ns: 5_010_000 };
    let mut course = Course::new(before).unwrap();
    let refused = course.add(after).expect_err("5 ms in a second");
    // 5 ms less the 10 µs of the first interval and the 1.001 ms that a second allows.
    assert_eq!(refused.apart_ns, 5_000_000 - 10_000 - 1_001_000);
    assert_eq!(Ok(course), Course::new(before));
}

#[test]
fn a_batch_during_which_a_clock_was_stepped_contradicts_itself() {
    let crossed = Offset { at_ns: SECOND, low_ns: 17, high_ns: 10 };
    assert_eq!(Course::new(crossed).expect_err("empty").apart_ns, 7);
}

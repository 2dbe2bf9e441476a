//! Requests at times of their own.

use iopath_study::case::{Arrivals, Rate};
use iopath_units::OperationRate;

use super::*;
use crate::engine::scripted::What;

/// A request every `gap_ns`, the first at 0.
fn every(gap_ns: u64, depth: u32, left: u64) -> Bench<'static> {
    let mut bench = Bench::reads(depth, left);
    let rate = Rate::Operations(OperationRate(1_000_000_000_000 / gap_ns));
    bench.stream.pacing = Pacing::Open { rate, streams: 1, arrivals: Arrivals::Constant };
    bench.world.clock.reading_ns = 50;
    bench
}

#[test]
fn nothing_is_issued_before_it_is_due_and_idle_time_is_counted() {
    let bench = every(1_000_000, 4, 20);
    bench.run(|_, _| What::Whole.after(100_000)).unwrap();
    let asked = bench.asked();
    assert_eq!(asked.len(), 20);
    for (due_ns, asked) in (0..).step_by(1_000_000).zip(&asked) {
        // A reading of the clock at most: the wait ends by looking at it.
        assert!((due_ns..due_ns + 200).contains(&asked.at_ns), "{due_ns} {}", asked.at_ns);
    }
    let all = bench.all();
    assert_eq!(all.pool_wait_ns, 0, "a slot was always free");
    let expected_ns = 19 * 900_000;
    assert!(all.idle_ns.abs_diff(expected_ns) < 19 * 300, "{}", all.idle_ns);
    let [total, intended] = [Latency::Total, Latency::Intended].map(|what| bench.latencies(what));
    assert_eq!((total.count(), intended.count()), (20, 20));
    assert!(total.max_ns < 100_300 && intended.max_ns < 100_500, "{total:?} {intended:?}");
}

#[test]
fn latency_from_the_intended_start_grows_while_slots_are_full() {
    // Five times as fast as one slot can serve: request k starts 4 ms · k late.
    let bench = every(1_000_000, 1, 10);
    bench.run(|_, _| What::Whole.after(5_000_000)).unwrap();
    let [total, intended] = [Latency::Total, Latency::Intended].map(|what| bench.latencies(what));
    assert!(total.max_ns < 5_000_200, "{}", total.max_ns);
    let late_ns: u64 = (0..10).map(|k| k * 4_000_000).sum();
    assert!(intended.sum_ns.abs_diff(total.sum_ns + late_ns) < 10_000, "{}", intended.sum_ns);
    let all = bench.all();
    assert!(all.pool_wait_ns.abs_diff(late_ns) < 10_000, "{} {late_ns}", all.pool_wait_ns);
    assert_eq!(all.idle_ns, 0, "there was always something in flight");
}

#[test]
fn requests_in_flight_are_reaped_while_the_next_is_not_due() {
    let bench = every(10_000_000, 4, 3);
    bench.run(|_, _| What::Whole.after(1_000_000)).unwrap();
    let latencies = bench.latencies(Latency::Total);
    assert!(latencies.max_ns < 1_000_200, "seen when it was done, not when the next was due");
}

#[test]
fn a_request_that_is_due_is_not_held_up_by_one_that_takes_long() {
    let bench = every(100_000, 8, 40);
    let script = |_: &Io, before| match before {
        0 => What::Whole.after(3_000_000),
        _ => What::Whole.after(20_000),
    };
    bench.run(script).unwrap();
    for (due_ns, asked) in (0..).step_by(100_000).zip(&bench.asked()) {
        assert!(asked.at_ns < due_ns + 200, "{due_ns} {}", asked.at_ns);
    }
}

#[test]
fn a_stop_ends_the_wait_for_a_request_far_away() {
    let mut bench = every(1_000_000_000_000, 1, 0);
    bench.left = None;
    bench.edges.stop_at(50_000_000);
    bench.run(|_, _| What::Whole.after(10)).unwrap();
    assert_eq!(bench.all().submitted, 1);
    let at_ns = bench.world.clock.stands_at();
    assert!((50_000_000..=71_000_000).contains(&at_ns), "{at_ns}");
}

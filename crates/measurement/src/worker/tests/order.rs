//! Completions in any order and any batches lose nothing.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::engine::scripted::What;

proptest! {
    #[test]
    fn reordering_loses_nothing(
        delays in prop::collection::vec(1..5_000_u64, 200),
        less in prop::collection::vec(0..4_096_u32, 200),
        (depth, batch) in (1..=32_u32, 1..40_usize),
    ) {
        let mut bench = Bench::reads(depth, BLOCKS);
        bench.batch = batch;
        // Every fourth is done in two pieces.
        let what = |io: &Io, before: usize| match io.bytes == BLOCK && before.is_multiple_of(4) {
            true => What::Short(less[before % 200]),
            false => What::Whole,
        };
        bench.run(|io, before| what(io, before).after(delays[before % 200])).unwrap();
        let all = bench.all();
        prop_assert_eq!((all.submitted, all.completed, all.failed), (BLOCKS, BLOCKS, 0));
        prop_assert_eq!(all.read_bytes, BLOCKS * u64::from(BLOCK));
        prop_assert_eq!(all.operations_ppm, BLOCKS * 1_000_000);
        let latencies = bench.latencies(Latency::Total);
        prop_assert_eq!(latencies.count(), BLOCKS);
        prop_assert_eq!(latencies.sum_ns, all.in_flight_ns);
        let mut covered = BTreeMap::new();
        for (offset, bytes) in bench.asked_for() {
            let end = offset + u64::from(bytes);
            *covered.entry(end).or_insert(0_u32) += 1;
        }
        // Each block was asked for to its end: once, and once more where it came in two pieces.
        prop_assert_eq!(covered.len() as u64, BLOCKS);
        prop_assert!(covered.values().all(|times| (1..=2).contains(times)));
    }
}

#[test]
fn the_last_issued_may_be_the_first_done() {
    let bench = Bench::reads(32, 32);
    bench.run(|_, before| What::Whole.after(3_200 - 100 * before as u64)).unwrap();
    let latencies = bench.latencies(Latency::Total);
    assert_eq!((latencies.min_ns, latencies.max_ns), (100, 3_200));
    assert_eq!(latencies.sum_ns, (1..=32).map(|index| index * 100).sum::<u64>());
}

#[test]
fn a_free_slot_is_filled_at_once_and_the_depth_is_never_exceeded() {
    let bench = Bench::reads(4, 64);
    let most = std::cell::Cell::new(0);
    let script = |_: &Io, before: usize| {
        most.set(most.get().max(bench.world.in_flight.get() + 1));
        What::Whole.after(100 + 37 * (before as u64 % 5))
    };
    bench.run(script).unwrap();
    assert_eq!(most.get(), 4);
    let asked = bench.asked();
    let mut ends: Vec<_> =
        (0_u64..).zip(&asked).map(|(n, a)| a.at_ns + 100 + 37 * (n % 5)).collect();
    ends.sort_unstable();
    // Request k + 4 is issued at the instant at which the k-th completion comes.
    for (end, next) in ends.iter().zip(&asked[4..]) {
        assert_eq!(*end, next.at_ns);
    }
}

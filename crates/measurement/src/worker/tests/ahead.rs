//! A worker that is read ahead of: the right data, few and large requests, and all of it at home.

use iopath_units::{Bytes, Nanos};
use iopath_workload::readahead::{Growth, Settings};
use proptest::prelude::*;

use super::*;
use crate::counters::{AheadCounters, Cell};
use crate::engine::scripted::What;

const UNIT: u32 = 4 * BLOCK;
const END: u64 = BLOCKS * BLOCK as u64;

fn settings(streams: u32) -> Settings {
    let growth = Growth::Doubling { start: 2, patience: None };
    Settings { unit: Bytes(u64::from(UNIT)), streams, trigger: 2, growth }
}

fn ahead(depth: u32, left: u64, streams: u32) -> Bench<'static> {
    let mut bench = Bench::reads(depth, left);
    bench.ahead = Some(settings(streams));
    bench.counters.ahead = Some(AheadCounters::default());
    bench
}

/// Every block of the target holds its stamp.
fn stamped(mut bench: Bench<'static>) -> Bench<'static> {
    let checker = Checker::new("/data", END, BLOCK, 7);
    {
        let mut bytes = bench.world.bytes.borrow_mut();
        let units = bytes.chunks_exact_mut(BLOCK as usize).zip((0..).step_by(BLOCK as usize));
        units.for_each(|(unit, offset)| checker.stamp(unit, offset, 0));
    }
    bench.checker = Some(checker);
    bench
}

/// Units requested, bytes hit and missed, time waited.
fn counts(bench: &Bench<'_>) -> [u64; 4] {
    let counters = bench.counters.ahead.as_ref().unwrap();
    [&counters.requested, &counters.hit_bytes, &counters.missed_bytes, &counters.wait_ns]
        .map(Cell::value)
}

#[test]
fn a_sequential_reader_asks_in_units_and_every_byte_once() {
    let bench = stamped(ahead(1, BLOCKS, 4));
    bench.run(|_, _| What::Whole.after(1_000)).unwrap();
    let asked = bench.asked_for();
    // The first read goes alone, the second starts with what is left of its unit.
    assert_eq!(asked[..3], [(0, BLOCK), (4_096, 3 * BLOCK), (16_384, UNIT)]);
    assert_eq!(asked.len(), 1 + BLOCKS as usize / 4);
    assert_eq!(asked.iter().map(|(_, bytes)| u64::from(*bytes)).sum::<u64>(), END);
    let all = bench.all();
    assert_eq!((all.completed, all.read_bytes), (BLOCKS, END));
    let [requested, hit_bytes, missed_bytes, wait_ns] = counts(&bench);
    assert_eq!((requested, hit_bytes + missed_bytes), (BLOCKS / 4, END));
    // It waits for the rest of the first unit; then the second is there, as it came with it.
    assert!(missed_bytes >= 2 * u64::from(BLOCK) && wait_ns >= 1_000, "{missed_bytes} {wait_ns}");
}

#[test]
fn with_one_unit_at_a_time_each_of_them_is_waited_for() {
    let bench = ahead(1, BLOCKS, 1);
    bench.run(|_, _| What::Whole.after(1_000)).unwrap();
    let waits = BLOCKS / 4;
    assert_eq!(bench.world.clock.stands_at(), 1_000 * (1 + waits));
    assert_eq!(counts(&bench)[3], 1_000 * waits);
}

#[test]
fn a_random_reader_goes_its_own_way() {
    let mut bench = stamped(ahead(4, 200, 8));
    bench.stream.pattern = Pattern::Strided { stride: Bytes(3 * u64::from(BLOCK)) };
    bench.run(|_, _| What::Whole.after(1_000)).unwrap();
    assert!(bench.asked_for().iter().all(|(_, bytes)| *bytes == BLOCK));
    assert_eq!(counts(&bench)[..2], [0, 0]);
}

#[test]
fn the_second_round_begins_anew_at_the_start() {
    let bench = stamped(ahead(1, 2 * BLOCKS, 4));
    bench.run(|_, _| What::Whole.after(1_000)).unwrap();
    let asked = bench.asked_for();
    assert!(asked.iter().all(|(offset, bytes)| offset + u64::from(*bytes) <= END), "{asked:?}");
    assert_eq!(asked.iter().filter(|(offset, _)| *offset == 0).count(), 2);
    assert_eq!(asked.len(), 2 * (1 + BLOCKS as usize / 4));
}

#[test]
fn a_failed_unit_fails_who_waits_for_it_and_nobody_else() {
    let bench = ahead(1, BLOCKS, 4);
    let script = |io: &Io, _: usize| match io.offset {
        32_768 => What::Error(libc::EIO).after(1_000),
        _ => What::Whole.after(1_000),
    };
    let failure = bench.run(script).unwrap_err();
    let Failure::Request { offset, what, .. } = failure else { panic!("{failure}") };
    assert_eq!((offset, what.as_str()), (32_768, "read"));
    assert_eq!((bench.all().completed, bench.all().failed), (8, 1));
}

#[test]
fn what_nobody_reads_may_fail() {
    let bench = ahead(1, 6, 4);
    let script = |io: &Io, _: usize| match io.offset {
        32_768.. => What::Error(libc::EIO).after(1_000),
        _ => What::Whole.after(1_000),
    };
    bench.run(script).unwrap();
    assert!(bench.asked_for().iter().any(|(offset, _)| *offset >= 32_768));
}

#[test]
fn the_end_of_a_target_that_shrank_is_told_where_it_is() {
    let bench = ahead(1, BLOCKS, 4);
    let end = 10 * u64::from(BLOCK) + 512;
    let script = |io: &Io, _: usize| match end.saturating_sub(io.offset) as u32 {
        0 => What::End.after(1_000),
        left if left < io.bytes => What::Short(io.bytes - left).after(1_000),
        _ => What::Whole.after(1_000),
    };
    let failure = bench.run(script).unwrap_err();
    let Failure::Ended { offset, .. } = failure else { panic!("{failure}") };
    assert_eq!(offset, end);
    assert_eq!(bench.all().completed, 10);
}

#[test]
fn an_engine_that_fails_leaves_the_units_to_the_kernel() {
    let bench = ahead(1, BLOCKS, 4);
    bench.world.broken_at.set(Some(3));
    let failure = bench.run(|_, _| What::Whole.after(1_000)).unwrap_err();
    assert!(matches!(failure, Failure::Engine { .. }), "{failure}");
}

proptest! {
    #[test]
    fn whatever_comes_when_and_in_pieces_the_data_is_right(
        delays in prop::collection::vec(1..5_000_u64, 100),
        less in prop::collection::vec(0..4_096_u32, 100),
        (depth, batch) in (1..=16_u32, 1..40_usize),
        (streams, unit, trigger) in (1..6_u32, 1..7_u32, 1..4_u32),
        reads in prop_oneof![Just(Ratio::ONE), (0..=1_000_000_u64).prop_map(Ratio)],
        pattern in prop_oneof![
            Just(Pattern::Sequential),
            Just(Pattern::Random),
            Just(Pattern::Walk { step: Bytes(u64::from(2 * BLOCK)) }),
        ],
        patience in prop::option::of(1..5_000_u64),
    ) {
        let mut bench = stamped(ahead(depth, 300, streams));
        bench.batch = batch;
        (bench.stream.reads, bench.stream.pattern) = (reads, pattern);
        let growth = Growth::Doubling { start: 1, patience: patience.map(Nanos) };
        let unit = Bytes(u64::from(unit * BLOCK / 2));
        bench.ahead = Some(Settings { unit, streams, trigger, growth });
        let script = |io: &Io, before: usize| match before.is_multiple_of(3) {
            true => What::Short(less[before % 100].min(io.bytes - 1)).after(delays[before % 100]),
            false => What::Whole.after(delays[before % 100]),
        };
        let ran = bench.run(script);
        prop_assert!(ran.is_ok(), "{:?}", ran);
        prop_assert_eq!(bench.all().completed, 300);
        let [_, hit_bytes, missed_bytes, _] = counts(&bench);
        prop_assert_eq!(hit_bytes + missed_bytes, bench.all().read_bytes);
    }
}

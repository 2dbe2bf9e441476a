//! Stamped data: no false alarm, no damage missed, nothing lost where requests meet.

use iopath_units::Op;
use proptest::prelude::*;

use super::*;
use crate::engine::scripted::What;

/// Half reads, half writes over a small target, checked; what is read was written before.
fn mixed(depth: u32, left: u64) -> Bench<'static> {
    let mut bench = Bench::reads(depth, left);
    bench.stream.reads = Ratio(500_000);
    bench.stream.pattern = Pattern::Random;
    let checker = Checker::new("/data", BLOCKS * u64::from(BLOCK), BLOCK, 7);
    {
        let mut bytes = bench.world.bytes.borrow_mut();
        let units = bytes.chunks_exact_mut(BLOCK as usize).zip((0..).step_by(BLOCK as usize));
        units.for_each(|(unit, offset)| checker.stamp(unit, offset, 0));
    }
    bench.checker = Some(checker);
    bench
}

proptest! {
    #[test]
    fn pieces_and_reordering_raise_no_alarm(
        delays in prop::collection::vec(1..5_000_u64, 100),
        less in prop::collection::vec(0..4_096_u32, 100),
        (depth, batch) in (1..=32_u32, 1..40_usize),
    ) {
        let mut bench = mixed(depth, 300);
        bench.batch = batch;
        let script = |io: &Io, before: usize| match io.bytes == BLOCK && before.is_multiple_of(3) {
            true => What::Short(less[before % 100]).after(delays[before % 100]),
            false => What::Whole.after(delays[before % 100]),
        };
        let ran = bench.run(script);
        prop_assert!(ran.is_ok(), "{:?}", ran);
        prop_assert_eq!(bench.all().completed, 300);
    }
}

#[test]
fn requests_that_meet_wait_for_one_another_and_none_is_lost() {
    let mut bench = mixed(16, 200);
    // Two blocks for sixteen requests: almost every one meets another.
    bench.stream.region.count = BLOCKS as u32 / 2;
    bench.stream.reads = Ratio(100_000);
    let in_flight = std::cell::RefCell::new(Vec::<(u64, u64, Op)>::new());
    let script = |io: &Io, _: usize| {
        let now_ns = bench.world.clock.stands_at();
        let mut in_flight = in_flight.borrow_mut();
        in_flight.retain(|(end_ns, ..)| *end_ns > now_ns);
        let meets = |(_, offset, op): &(u64, u64, Op)| {
            *offset == io.offset && (*op == Op::Write || io.op == Op::Write)
        };
        assert!(!in_flight.iter().any(meets), "{io:?} meets one of {in_flight:?}");
        in_flight.push((now_ns + 500, io.offset, io.op));
        What::Whole.after(500)
    };
    bench.run(script).unwrap();
    assert_eq!(bench.all().completed, 200);
}

#[test]
fn a_worker_waits_for_units_that_another_worker_holds() {
    let mut bench = Bench::reads(1, 3);
    let checker = Checker::new("/data", BLOCKS * u64::from(BLOCK), BLOCK, 7);
    bench.checker = Some(checker.clone());
    bench.stream.reads = Ratio(0);
    bench.world.clock.reading_ns = 50;
    // Another worker reads the second block until 1 ms have passed.
    let held = Request { op: Op::Read, offset: u64::from(BLOCK), bytes: BLOCK, sub: 0 };
    assert_eq!(checker.claim(&held), Some(0));
    let slot = Slot { generation: 0, ..slot_of(&held) };
    bench.world.clock.at(1_000_000, move || checker.abandon(&slot));
    bench.run(|_, _| What::Whole.after(100)).unwrap();
    let asked = bench.asked();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].at_ns < 100 && asked[1].at_ns >= 1_000_000, "{asked:?}");
    assert_eq!(bench.asked_for(), [(0, BLOCK), (4_096, BLOCK), (8_192, BLOCK)]);
}

#[test]
fn a_stop_ends_the_wait_for_units_that_nobody_gives_back() {
    let mut bench = Bench::reads(1, 3);
    let checker = Checker::new("/data", BLOCKS * u64::from(BLOCK), BLOCK, 7);
    bench.checker = Some(checker.clone());
    bench.stream.reads = Ratio(0);
    bench.world.clock.reading_ns = 50;
    assert!(
        checker.claim(&Request { op: Op::Read, offset: 4_096, bytes: BLOCK, sub: 0 }).is_some()
    );
    bench.edges.stop_at(100_000);
    bench.run(|_, _| What::Whole.after(100)).unwrap();
    assert_eq!(bench.all().completed, 1);
}

#[test]
fn changed_bytes_are_all_found_and_the_pass_goes_on() {
    let mut bench = mixed(8, 200);
    bench.stream.reads = Ratio::ONE;
    bench.stream.pattern = Pattern::Sequential;
    let script = |_: &Io, before| match before {
        // Read again in the second round: each block is counted once.
        20 | 30 | 84 => What::Damaged.after(100),
        _ => What::Whole.after(100),
    };
    bench.run(script).unwrap();
    let found = bench.checker.as_ref().unwrap().take_found();
    assert_eq!(found.to_string(), "2 bad blocks (2 corrupt)");
    let places: Vec<u64> = found.listed.iter().map(|block| block.offset_bytes).collect();
    assert_eq!(places, [20 * u64::from(BLOCK), 30 * u64::from(BLOCK)]);
    assert_eq!(found.listed[0].target, "/data");
    assert_eq!((bench.all().failed, bench.all().completed), (3, 197));
}

#[test]
fn a_failed_write_leaves_its_units_unknown_and_free() {
    let mut bench = mixed(1, 1);
    bench.stream.reads = Ratio(0);
    bench.stream.pattern = Pattern::Sequential;
    bench.run(|_, _| What::Error(libc::EIO).after(1)).unwrap_err();
    let checker = bench.checker.clone().unwrap();
    assert!(checker.check(0, &vec![0; BLOCK as usize]), "anything may be there");
    assert!(checker.claim(&Request { op: Op::Write, offset: 0, bytes: BLOCK, sub: 0 }).is_some());
}

fn slot_of(request: &Request) -> Slot {
    let Request { op, offset, bytes, .. } = *request;
    let (done_bytes, generation, sub) = (0, 0, 0);
    let (issue_ns, intended_ns) = (0, 0);
    Slot { op, offset, bytes, done_bytes, issue_ns, intended_ns, generation, sub }
}

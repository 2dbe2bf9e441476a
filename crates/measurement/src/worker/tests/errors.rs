//! What fails ends the pass, is named, and leaves the counts whole.

use super::*;
use crate::engine::scripted::What;

#[test]
fn an_error_names_its_request_and_everything_comes_home() {
    for code in [libc::EIO, libc::ENOSPC] {
        let bench = Bench::reads(8, 64);
        let script = |io: &Io, _| match io.offset / u64::from(BLOCK) {
            10 => What::Error(code).after(100),
            block => What::Whole.after(100 + block),
        };
        let failure = bench.run(script).unwrap_err();
        let text = failure.to_string();
        let said = text.contains("read of 4096 bytes at 40960 of /data failed");
        assert!(said, "{text}");
        assert_eq!(text.contains("full"), code == libc::ENOSPC, "{text}");
        let Failure::Request { target, what, offset, bytes, source } = failure else { panic!() };
        assert_eq!(
            (target.as_str(), what.as_str(), offset, bytes),
            ("/data", "read", 40_960, BLOCK)
        );
        assert_eq!(source.raw_os_error(), Some(code));
        let all = bench.all();
        assert_eq!(all.failed, 1);
        assert!((10..30).contains(&all.completed), "it went on after the error: {all:?}");
        assert_eq!(all.read_bytes, all.completed * u64::from(BLOCK), "failed bytes do not count");
        assert_eq!(bench.latencies(Latency::Total).count(), all.completed);
    }
}

#[test]
fn other_workers_stop_at_a_failure() {
    let bench = Bench::reads(2, 4);
    bench.run(|_, _| What::Error(libc::EIO).after(50)).unwrap_err();
    assert_eq!(bench.edges.stop_ns(), 50);
    let other = Bench { edges: bench.edges, world: bench.world, ..Bench::reads(2, 4) };
    let before = other.asked().len();
    other.run_in(&mut other.buffers(), |_, _| What::Whole.after(1)).unwrap();
    assert_eq!(other.asked().len(), before, "nothing is issued after the stop");
}

#[test]
fn the_first_of_several_failures_is_told_and_all_are_counted() {
    let bench = Bench::reads(4, 64);
    let codes = [libc::ENODEV, libc::EIO, libc::EIO, libc::EIO];
    let failure = bench.run(|_, before| What::Error(codes[before]).after(10)).unwrap_err();
    let Failure::Request { source, .. } = failure else { panic!("{failure}") };
    assert_eq!(source.raw_os_error(), Some(libc::ENODEV));
    assert_eq!((bench.all().submitted, bench.all().failed), (4, 4));
}

#[test]
fn the_end_of_the_target_is_told_with_its_place() {
    let bench = Bench::reads(1, 8);
    let answers = [What::Whole, What::Short(1_096), What::End];
    let failure = bench.run(|_, before| answers[before].after(10)).unwrap_err();
    let Failure::Ended { target, offset } = failure else { panic!("{failure}") };
    assert_eq!((target.as_str(), offset), ("/data", 4_096 + 3_000));
    assert_eq!((bench.all().completed, bench.all().failed), (1, 1));
}

#[test]
fn pieces_in_flight_are_finished_after_a_failure() {
    let bench = Bench::reads(2, 64);
    let answers = [What::Error(libc::EIO).after(10), What::Short(4_000).after(20)];
    let script = |_: &Io, before: usize| *answers.get(before).unwrap_or(&What::Whole.after(10));
    bench.run(script).unwrap_err();
    let all = bench.all();
    assert_eq!((all.submitted, all.completed, all.failed), (2, 1, 1));
    assert_eq!(all.read_bytes, u64::from(BLOCK));
}

#[test]
fn an_engine_that_fails_ends_the_pass_and_loses_no_count() {
    let mut bench = Bench::reads(4, 64);
    let checker = Checker::new("/data", BLOCKS * u64::from(BLOCK), BLOCK, 7);
    bench.checker = Some(checker.clone());
    bench.stream.reads = Ratio(0);
    bench.world.broken_at.set(Some(3));
    let failure = bench.run(|_, before| What::Whole.after(100 + before as u64)).unwrap_err();
    let Failure::Engine { stream, source } = &failure else { panic!("{failure}") };
    assert_eq!((stream.as_str(), source.raw_os_error()), ("reader", Some(libc::EBADFD)));
    assert!(bench.edges.stop_ns() < 1_000, "others are told to stop");
    assert_eq!(bench.all().failed, 4, "what was in flight is lost");
    // The next trial of the run may use the target: no unit is claimed for ever.
    for block in 0..BLOCKS {
        let (op, offset) = (iopath_units::Op::Write, block * u64::from(BLOCK));
        assert!(
            checker.claim(&Request { op, offset, bytes: BLOCK, sub: 0 }).is_some(),
            "block {block}"
        );
    }
}

//! Requests that the kernel does in pieces, or not yet.

use super::*;
use crate::engine::scripted::What;
use crate::worker::failing::RETRY_NS;

#[test]
fn whole_requests_are_counted_once_with_exact_latencies() {
    let bench = Bench::reads(1, 10);
    bench.run(|_, before| What::Whole.after(1_000 + before as u64)).unwrap();
    let all = bench.all();
    assert_eq!((all.submitted, all.completed, all.failed), (10, 10, 0));
    assert_eq!((all.read_bytes, all.write_bytes), (10 * u64::from(BLOCK), 0));
    assert_eq!(all.operations_ppm, 10_000_000);
    assert_eq!(all.in_flight_ns, 10 * 1_000 + 45);
    let latencies = bench.latencies(Latency::Total);
    assert_eq!((latencies.count(), latencies.sum_ns), (10, 10_045));
    assert_eq!((latencies.min_ns, latencies.max_ns), (1_000, 1_009));
}

#[test]
fn a_short_read_goes_on_where_it_ended() {
    let bench = Bench::reads(2, 2);
    let mut buffers = bench.buffers();
    let addresses = [buffers.address(0), buffers.address(1)];
    // The first request comes in three pieces of 512, 1,536 and 2,048 B.
    let answers = [What::Short(3_584), What::Whole, What::Short(2_048), What::Whole];
    bench.run_in(&mut buffers, |_, before| answers[before].after(100)).unwrap();
    let asked = bench.asked_for();
    assert_eq!(asked, [(0, 4_096), (4_096, 4_096), (512, 3_584), (2_048, 2_048)]);
    let first = bench.asked().iter().map(|asked| asked.io.address).collect::<Vec<_>>();
    let pieces = [0, 512, 2_048].map(|done| addresses[0].wrapping_add(done));
    assert_eq!(first, [pieces[0], addresses[1], pieces[1], pieces[2]]);
    let all = bench.all();
    assert_eq!((all.submitted, all.completed), (2, 2));
    assert_eq!(all.read_bytes, 2 * u64::from(BLOCK));
    let latencies = bench.latencies(Latency::Total);
    assert_eq!((latencies.count(), latencies.sum_ns), (2, 300 + 100), "once, over all pieces");
}

#[test]
fn pieces_carry_the_right_bytes_whatever_their_sizes() {
    let bench = Bench::reads(4, 16);
    for (index, byte) in bench.world.bytes.borrow_mut().iter_mut().enumerate() {
        *byte = (index / 3) as u8;
    }
    let mut buffers = bench.buffers();
    bench
        .run_in(&mut buffers, |io, before| match io.bytes {
            1..16 => What::Whole.after(5),
            bytes => What::Short(bytes * 2 / 3 - before as u32 % 7).after(9 - before as u64 % 5),
        })
        .unwrap();
    assert_eq!(bench.all().read_bytes, 16 * u64::from(BLOCK));
    // The last four requests are still in the four buffers.
    let held: Vec<_> = (0..4).map(|slot| buffers.data(slot, BLOCK).to_vec()).collect();
    let bytes = bench.world.bytes.borrow();
    for block in bytes.chunks_exact(BLOCK as usize).skip(12).take(4) {
        assert!(held.iter().any(|data| data == block));
    }
}

#[test]
fn interruptions_are_tried_again_and_counted_once() {
    for code in [libc::EINTR, libc::EAGAIN] {
        let bench = Bench::reads(2, 3);
        let script = |_: &Io, before| match before {
            1 | 2 => What::Error(code).after(200),
            _ => What::Whole.after(1_000),
        };
        bench.run(script).unwrap();
        let all = bench.all();
        assert_eq!((all.submitted, all.completed, all.failed), (3, 3, 0));
        let second = bench.asked_for().iter().filter(|asked| **asked == (4_096, 4_096)).count();
        assert_eq!(second, 3, "twice refused, then done");
        let longest = bench.latencies(Latency::Total).max_ns;
        assert_eq!(longest, 1_400, "the refusals are part of its latency");
    }
}

#[test]
fn a_piece_that_is_refused_is_asked_for_again_from_its_own_start() {
    let bench = Bench::reads(1, 1);
    let answers = [What::Short(96), What::Error(libc::EAGAIN), What::Whole];
    bench.run(|_, before| answers[before].after(10)).unwrap();
    assert_eq!(bench.asked_for(), [(0, 4_096), (4_000, 96), (4_000, 96)]);
}

#[test]
fn what_is_refused_for_ever_fails_after_a_time_even_with_requests_that_succeed() {
    for depth in [1, 8] {
        let mut bench = Bench::reads(depth, 0);
        bench.left = None;
        bench.edges.stop_at(4 * RETRY_NS);
        // The others of the worker go on for ever.
        let script = |io: &Io, _| match io.slot == depth - 1 {
            true => What::Error(libc::EAGAIN).after(100_000_000),
            false => What::Whole.after(100_000_000),
        };
        let stuck = u64::from((depth - 1) * BLOCK);
        let failure = bench.run(script).unwrap_err();
        let Failure::Request { offset, source, .. } = failure else { panic!("{failure}") };
        assert_eq!((offset, source.raw_os_error()), (stuck, Some(libc::EAGAIN)));
        let at_ns = bench.world.clock.stands_at();
        assert!((RETRY_NS..2 * RETRY_NS).contains(&at_ns), "depth {depth}: {at_ns} ns");
    }
}

#[test]
fn what_is_refused_when_the_pass_stops_is_not_issued_again() {
    let mut bench = Bench::reads(4, 0);
    bench.left = None;
    bench.edges.stop_at(1_000);
    bench.run(|_, _| What::Error(libc::EAGAIN).after(300)).unwrap();
    let last_ns = bench.asked().iter().map(|asked| asked.at_ns).max().unwrap();
    assert!(last_ns < 1_000, "issued at {last_ns} ns");
    let all = bench.all();
    assert_eq!((all.submitted, all.completed, all.failed), (4, 0, 4));
}

//! Volumes over a scripted storage: any nesting, any order of completions, pieces and errors,
//! against a map of every byte that knows nothing of splitting.

mod bench;
mod model;

use iopath_units::Op;
use proptest::prelude::*;

use crate::engine::scripted::What;
use bench::{Bench, Step};
use model::{Tree, raid5, trees};

/// What becomes of parts: mostly all is well, at any time.
fn fates() -> impl Strategy<Value = Vec<(u64, u8)>> {
    prop::collection::vec((0_u64..50, 0_u8..8), 1..20)
}

fn what((_, kind): (u64, u8), bytes: u32) -> What {
    match kind {
        0 => What::Error(libc::EAGAIN),
        1 | 2 if bytes > 1 => What::Short(bytes / 2),
        _ => What::Whole,
    }
}

#[test]
fn a_flush_reaches_every_file_once_and_ends_with_the_last() {
    let bench = Bench::new(&raid5(4, 16));
    let mut turn = 0;
    let ended = bench.flush(&mut |_| {
        turn += 1;
        What::Whole.after(turn * 10)
    });
    assert_eq!(ended, (0, None));
    let mut members: Vec<u16> = bench.asked().iter().map(|io| io.member).collect();
    members.sort_unstable();
    assert_eq!(members, (0..bench.files() as u16).collect::<Vec<_>>());
    assert_eq!(bench.world.clock.stands_at(), 10 * bench.files() as u64);
    assert_eq!(bench.counted(), (0, 0), "a flush is no request");
}

#[test]
fn a_flush_that_one_file_fails_names_it() {
    let bench = Bench::new(&raid5(4, 16));
    let mut refused = false;
    let ended = bench.flush(&mut |io| {
        let again = io.member == 1 && !std::mem::replace(&mut refused, true);
        match io.member {
            1 if again => What::Error(libc::EINTR).after(1),
            2 => What::Error(libc::EIO).after(5),
            _ => What::Whole.after(9),
        }
    });
    assert_eq!(ended, (-libc::EIO, Some(2)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_lies_where_a_map_of_every_byte_says(
        tree in trees(), from in 0_u64..9000, lengths in prop::collection::vec(1_u32..150, 1..5),
        fates in fates(),
    ) {
        let bench = Bench::new(&tree);
        let mut steps = Vec::new();
        let mut offset = from % (bench.layout.bytes - 750);
        for (seed, bytes) in (1..).zip(lengths) {
            steps.push(Step::write(offset, bytes, seed));
            offset += u64::from(bytes);
        }
        let mut turn = 0;
        let mut script = |bytes| {
            turn += 1;
            // Sooner or later all goes well.
            let fate = fates.get(turn % (fates.len() + 1)).copied().unwrap_or((1, 9));
            what(fate, bytes).after(fate.0)
        };
        for (step, result) in steps.iter().zip(bench.run(&steps, &mut script)) {
            prop_assert_eq!(result, Ok(step.data()));
        }
        for step in &steps {
            for (at, byte) in (step.offset..).zip(step.data()) {
                for (leaf, place) in tree.places(at) {
                    prop_assert_eq!(bench.byte(leaf, place), byte, "byte {}", at);
                }
            }
        }
        let reads: Vec<Step> = steps.iter().map(|step| Step { op: Op::Read, ..*step }).collect();
        for (step, result) in steps.iter().zip(bench.run(&reads, &mut script)) {
            prop_assert_eq!(result, Ok(step.data()), "what was written is read");
        }
    }

    #[test]
    fn a_failed_part_fails_its_request_when_all_parts_are_home(
        tree in trees(), from in 0_u64..9000, bytes in 1_u32..150, bad in 0_usize..5,
        delays in prop::collection::vec(0_u64..50, 1..20),
    ) {
        let bench = Bench::new(&tree);
        let offset = from % (bench.layout.bytes - 150);
        let mut parts = 0;
        let result = bench.run(&[Step::write(offset, bytes, 1)], &mut |_| {
            parts += 1;
            let what = if parts == bad + 1 { What::Error(libc::EIO) } else { What::Whole };
            what.after(delays[parts % delays.len()])
        });
        let Some(place) = bench.asked().get(bad).copied() else {
            prop_assert!(result[0].is_ok());
            return Ok(());
        };
        prop_assert_eq!(&result[0], &Err((-libc::EIO, Some((place.member, place.offset)))));
    }
}

#[test]
fn a_full_stripe_writes_each_member_once_and_a_small_write_reads_before() {
    let bench = Bench::new(&raid5(4, 64));
    let all = &mut |_| What::Whole.after(1);
    assert!(bench.run(&[Step::write(0, 192, 1)], all)[0].is_ok());
    assert_eq!(bench.counted(), (0, 4), "three of data and one of parity");
    assert!(bench.run(&[Step::write(200, 16, 2)], all)[0].is_ok());
    assert_eq!(bench.counted(), (2, 6), "old data and parity, then both anew");
    let asked = bench.asked();
    let ops: Vec<Op> = asked[4..].iter().map(|io| io.op).collect();
    assert_eq!(ops, [Op::Read, Op::Read, Op::Write, Op::Write]);
    assert!(bench.run(&[Step::write(384, 128, 3)], all)[0].is_ok());
    assert_eq!(bench.counted(), (3, 9), "the rest of the row is less to read");
}

#[test]
fn the_writes_of_a_small_write_wait_for_its_reads() {
    let bench = Bench::new(&raid5(4, 64));
    let mut spans = vec![70, 10, 5, 5].into_iter();
    let script = &mut |_| What::Whole.after(spans.next().unwrap());
    assert!(bench.run(&[Step::write(0, 16, 1)], script)[0].is_ok());
    let at: Vec<u64> = bench.world.asked.borrow().iter().map(|asked| asked.at_ns).collect();
    assert_eq!(at, [0, 0, 70, 70]);
    assert_eq!(bench.tally.join_wait_ns(), 60, "one read waited for the other");
}

#[test]
fn what_is_refused_for_ever_is_busy() {
    let bench = Bench::new(&Tree::leaf(0));
    let result = bench.run(&[Step::write(0, 16, 1)], &mut |_| What::Error(libc::EAGAIN).after(1));
    assert_eq!(result[0], Err((-libc::EBUSY, Some((0, 0)))));
}

#[test]
fn ways_take_turns_and_copies_get_what_is_written() {
    let mut bench = Bench::new(&Tree::leaf(0));
    bench.several_ways();
    let all = &mut |_| What::Whole.after(1);
    let steps: Vec<Step> = (0..4).map(|n| Step::write(n * 16, 16, n as u8 + 1)).collect();
    assert!(bench.run(&steps, all).iter().all(Result::is_ok));
    let members: Vec<u16> = bench.asked().iter().map(|io| io.member).collect();
    assert_eq!(members, [0, 2, 1, 2, 0, 2, 1, 2]);
    let copied: Vec<u64> =
        bench.asked().iter().filter(|io| io.member == 2).map(|io| io.offset).collect();
    assert_eq!(copied, [0, 16, 32, 0], "its room of 48 bytes comes round");
    assert!(bench.run(&[Step { op: Op::Read, ..steps[0] }], all)[0].is_ok());
    assert_eq!(bench.asked().len(), 9, "nothing is copied of what is read");
}

#[test]
fn more_parts_than_fit_wait_their_turn() {
    let bench = Bench::new(&Tree::leaf(0));
    let steps: Vec<Step> = (0..4500).map(|n| Step::write(n, 1, n as u8)).collect();
    let results = bench.run(&steps, &mut |_| What::Whole.after(1));
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(bench.most_in_flight.get(), 4096);
}

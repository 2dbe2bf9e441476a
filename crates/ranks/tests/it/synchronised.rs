//! Real exchanges between threads whose clocks are set apart: the law holds on a busy machine too.

use std::thread;

use iopath_ranks::clock::{
    Asking, Course, Effort, Offset, Unsynchronised, answer, follow, is_clock_message, is_turn,
    lead, take_turn,
};
use iopath_ranks::{Delays, Inbox, Link, Span, Threads};

use crate::threads::now;

const DAY: u64 = 86_400_000_000_000;

/// A rank's own clock: days ahead of the root's, and gaining.
#[derive(Debug, Clone, Copy)]
struct Door {
    ahead_ns: u64,
    gain_ppm: u64,
}

impl Door {
    fn of(rank: u32) -> Self {
        let rank = u64::from(rank);
        Self { ahead_ns: 3 * DAY * rank, gain_ppm: if rank == 0 { 0 } else { 50 * rank } }
    }

    fn now(self) -> u64 {
        let time = now();
        self.ahead_ns + time + time * self.gain_ppm / 1_000_000
    }

    /// The offset when this clock shows `at_ns`.
    fn truth_ns(self, at_ns: u64) -> i64 {
        let shown = u128::from(at_ns - self.ahead_ns);
        let time = shown * 1_000_000 / u128::from(1_000_000 + self.gain_ppm);
        i64::try_from(time).unwrap() - at_ns.cast_signed()
    }
}

fn assert_holds(rank: u32, offset: &Offset) {
    let truth = Door::of(rank).truth_ns(offset.at_ns);
    // A nanosecond for the rounding of the door.
    let error = offset.middle_ns().abs_diff(truth);
    assert!(error <= offset.bound_ns() + 1, "rank {rank}: {offset:?}, in truth {truth}");
}

fn inbox(link: Threads) -> Inbox {
    Inbox::new(Box::new(link))
}

fn everyone_holds(world: Vec<Threads>) -> Vec<Offset> {
    let mut links = world.into_iter();
    let mut root = inbox(links.next().unwrap());
    thread::scope(|scope| {
        for link in links {
            scope.spawn(move || {
                let mut inbox = inbox(link);
                let door = Door::of(inbox.rank());
                let offset = follow(&mut inbox, &|| door.now(), &Effort::BETWEEN_PASSES);
                assert_holds(inbox.rank(), &offset.unwrap());
            });
        }
        let reported = lead(&mut root, &now, &Effort::BETWEEN_PASSES).unwrap();
        let ranks = reported.iter().map(|reported| reported.rank);
        assert!(ranks.eq(1..root.size()));
        for reported in &reported {
            assert_holds(reported.rank, &reported.offset);
        }
        reported.iter().map(|reported| reported.offset).collect()
    })
}

fn pass_ms(ms: u64) {
    let end = now() + ms * 1_000_000;
    while now() < end {
        thread::yield_now();
    }
}

fn span(least_us: u64, most_us: u64) -> Span {
    Span { least_ns: least_us * 1_000, most_ns: most_us * 1_000 }
}

#[test]
fn every_rank_and_the_root_learn_an_offset_that_is_true() {
    assert_eq!(everyone_holds(Threads::world(5)).len(), 4);
}

#[test]
fn offsets_are_true_where_messages_take_a_millisecond() {
    let way = span(500, 1_500);
    everyone_holds(Threads::delayed(2, Delays { to_root: way, from_root: way, seed: 3 }, now));
}

#[test]
fn offsets_are_true_where_the_two_ways_are_unequal() {
    let delays = Delays { to_root: span(2_000, 2_500), from_root: span(0, 100), seed: 4 };
    let offsets = everyone_holds(Threads::delayed(2, delays, now));
    assert!(offsets[0].bound_ns() >= 1_000_000);
}

#[test]
fn other_messages_that_come_meanwhile_are_kept_in_order() {
    let [root, follower] = Threads::world(2).try_into().unwrap();
    let (mut root, mut follower) = (inbox(root), follower);
    root.send(1, b"first").unwrap();
    root.send(1, b"second").unwrap();
    follower.send(0, b"to the root").unwrap();
    let effort = Effort::BETWEEN_PASSES;
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut follower = inbox(follower);
            follow(&mut follower, &now, &effort).unwrap();
            assert_eq!(follower.try_receive(), Ok(Some((0, b"first".to_vec()))));
            assert_eq!(follower.try_receive(), Ok(Some((0, b"second".to_vec()))));
        });
        lead(&mut root, &now, &effort).unwrap();
    });
    assert_eq!(root.try_receive(), Ok(Some((1, b"to the root".to_vec()))));
}

#[test]
fn a_follower_that_polls_for_other_messages_too_can_take_its_turn() {
    let [root, follower] = Threads::world(2).try_into().unwrap();
    let mut root = inbox(root);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut follower = inbox(follower);
            loop {
                match follower.try_receive().unwrap() {
                    Some((_, message)) if is_turn(&message) => break,
                    Some(_) | None => thread::yield_now(),
                }
            }
            take_turn(&mut follower, &now, &Effort::BETWEEN_PASSES).unwrap();
        });
        assert_eq!(lead(&mut root, &now, &Effort::BETWEEN_PASSES).unwrap().len(), 1);
    });
}

#[test]
fn a_rank_that_hangs_is_named() {
    let [root, _follower] = Threads::world(2).try_into().unwrap();
    let mut root = inbox(root);
    let effort = Effort { patience_ns: 20_000_000, ..Effort::BETWEEN_PASSES };
    let silent = Err(Unsynchronised::Silent { rank: 1, seconds: 0 });
    assert_eq!(lead(&mut root, &now, &effort), silent);
}

/// The root looks at its link every 2 ms, as during a pass.
#[test]
fn offsets_are_true_where_the_root_polls_slowly() {
    let [mut root, mut follower] = Threads::world(2).try_into().unwrap();
    let door = Door::of(1);
    thread::scope(|scope| {
        scope.spawn(move || {
            let own = || door.now();
            let mut asking = Asking::start(&mut follower, &own, Effort::DURING_A_PASS).unwrap();
            let offset = loop {
                let Some((_, message)) = follower.try_receive().unwrap() else {
                    thread::yield_now();
                    continue;
                };
                assert!(is_clock_message(&message));
                if let Some(offset) = asking.take(&mut follower, &own, &message).unwrap() {
                    break offset;
                }
            };
            assert_holds(1, &offset);
        });
        let told = loop {
            pass_ms(2);
            let Some((from, message)) = root.try_receive().unwrap() else { continue };
            if let Some(offset) = answer(&mut root, &now, from, &message).unwrap() {
                break offset;
            }
        };
        assert_holds(1, &told);
        assert!(Course::new(told).unwrap().bound_ns(told.at_ns) >= told.bound_ns());
    });
}

/// `--nocapture` shows how well it goes here and now; a busy machine makes it worse, never wrong.
#[test]
#[expect(clippy::print_stdout, reason = "printing is what it is for")]
fn many_comparisons_are_all_true() {
    let direct = (0..200).flat_map(|_| everyone_holds(Threads::world(2))).collect::<Vec<_>>();
    println!("direct: {}", figures(&direct));
    let way = span(500, 1_500);
    let delays = |seed| Delays { to_root: way, from_root: way, seed };
    let delayed = (0..10).flat_map(|seed| everyone_holds(Threads::delayed(2, delays(seed), now)));
    println!("1 ms ± 0.5 ms: {}", figures(&delayed.collect::<Vec<_>>()));
}

fn figures(offsets: &[Offset]) -> String {
    let truth = |offset: &Offset| Door::of(1).truth_ns(offset.at_ns);
    let errors = offsets.iter().map(|offset| offset.middle_ns().abs_diff(truth(offset)));
    let bounds = offsets.iter().map(Offset::bound_ns);
    format!("error {}, bound {}, {} batches", spread(errors), spread(bounds), offsets.len())
}

fn spread(ns: impl Iterator<Item = u64>) -> String {
    let mut ns = ns.collect::<Vec<_>>();
    ns.sort_unstable();
    let at_us = |share: usize| ns[(ns.len() - 1) * share / 100] / 1_000;
    format!("p50 {} p99 {} µs", at_us(50), at_us(99))
}

//! Messages between threads: whole, in order, not early, and an end when everybody has left.

use std::sync::OnceLock;
use std::time::Instant;

use iopath_ranks::{Delays, Link, Lost, Span, Threads};

const MILLISECOND: u64 = 1_000_000;

pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).expect("a short test")
}

fn ends<const N: usize>(ends: Vec<Threads>) -> [Threads; N] {
    ends.try_into().expect("as many as were asked for")
}

fn received(link: &mut Threads) -> (u32, Vec<u8>) {
    loop {
        if let Some(received) = link.try_receive().expect("the others are there") {
            return received;
        }
        std::thread::yield_now();
    }
}

#[test]
fn messages_of_one_sender_arrive_in_order_and_say_who_sent_them() {
    let [mut root, mut first, mut second] = ends(Threads::world(3));
    assert_eq!((root.rank(), first.rank(), second.rank(), root.size()), (0, 1, 2, 3));
    assert_eq!(root.try_receive(), Ok(None));
    first.send(0, b"a").unwrap();
    first.send(0, b"b").unwrap();
    assert_eq!(received(&mut root), (1, b"a".to_vec()));
    second.send(0, b"").unwrap();
    let mut rest = [received(&mut root), received(&mut root)];
    rest.sort();
    assert_eq!(rest, [(1, b"b".to_vec()), (2, Vec::new())]);
    assert_eq!(root.try_receive(), Ok(None));
}

#[test]
fn a_message_to_oneself_arrives() {
    let [mut alone] = ends(Threads::world(1));
    alone.send(0, b"note").unwrap();
    assert_eq!(alone.try_receive(), Ok(Some((0, b"note".to_vec()))));
    assert_eq!(alone.try_receive(), Ok(None));
}

#[test]
fn a_rank_that_left_or_never_was_is_named() {
    let [mut root, first] = ends(Threads::world(2));
    assert_eq!(root.send(2, b""), Err(Lost::NoSuchRank { rank: 2, size: 2 }));
    drop(first);
    assert_eq!(root.send(1, b""), Err(Lost::Rank(1)));
}

#[test]
fn what_was_sent_before_everybody_left_still_arrives() {
    let [mut root, mut first] = ends(Threads::world(2));
    first.send(0, b"last words").unwrap();
    drop(first);
    assert_eq!(root.try_receive(), Ok(Some((1, b"last words".to_vec()))));
    assert_eq!(root.try_receive(), Err(Lost::Everyone));
}

#[test]
fn a_delayed_message_is_never_early_and_stays_behind_its_predecessor() {
    let slow = Span { least_ns: MILLISECOND, most_ns: 3 * MILLISECOND };
    let fast = Span { least_ns: 0, most_ns: 0 };
    let delays = Delays { to_root: slow, from_root: fast, seed: 1 };
    let [mut root, mut first] = ends(Threads::delayed(2, delays, now));
    for number in 0..20 {
        let sent_at = now();
        first.send(0, &[number, 0]).unwrap();
        first.send(0, &[number, 1]).unwrap();
        assert_eq!(received(&mut root), (1, vec![number, 0]));
        assert!(now() - sent_at >= MILLISECOND);
        assert_eq!(received(&mut root), (1, vec![number, 1]));
    }
    root.send(1, b"at once").unwrap();
    assert_eq!(first.try_receive(), Ok(Some((0, b"at once".to_vec()))));
}

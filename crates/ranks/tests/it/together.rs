//! Ranks that go through a pass together: threads with a link between them, one clock each.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use iopath_ranks::{Begin, Communicator, Here, Threads};

/// Nanoseconds since the machine started, nearly: what all ranks here read, each from its own zero.
fn clock(ahead_ns: u64) -> Box<dyn Fn() -> u64> {
    let begin = Instant::now();
    Box::new(move || ahead_ns + begin.elapsed().as_nanos() as u64)
}

const DAY_NS: u64 = 86_400_000_000_000;

fn over<T: Send>(ranks: u32, work: impl Fn(Communicator) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let (links, work) = (Threads::world(ranks), &work);
        let threads: Vec<_> = (0u64..)
            .zip(links)
            .map(|(rank, link)| {
                scope.spawn(move || work(Communicator::new(Box::new(link), clock(rank * DAY_NS))))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn never() -> bool {
    false
}

#[test]
fn data_come_to_whom_they_are_for_while_clocks_are_compared() {
    let heard = over(4, |mut ranks| {
        if ranks.is_root() {
            ranks.synchronise().unwrap();
            let mut heard: Vec<(u32, Vec<u8>)> = (1..4)
                .map(|_| ranks.receive(Duration::from_secs(60), &|| true).unwrap().unwrap())
                .collect();
            heard.sort();
            (1..4).for_each(|to| ranks.send(to, b"all").unwrap());
            return heard;
        }
        let word = vec![ranks.rank() as u8; 3];
        ranks.send(0, &word).unwrap();
        vec![ranks.receive(Duration::from_secs(60), &|| true).unwrap().unwrap()]
    });
    assert_eq!(heard[0], [(1, vec![1; 3]), (2, vec![2; 3]), (3, vec![3; 3])]);
    assert!(heard[1..].iter().all(|heard| *heard == [(0, b"all".to_vec())]));
}

/// Each is given the instant on its own clock, a day from that of the rank before.
#[test]
fn streams_begin_at_one_instant_of_all_clocks() {
    let begins = over(3, |mut ranks| {
        if ranks.is_root() {
            ranks.synchronise().unwrap();
        }
        let Begin::At(at_ns) = ranks.begin(&never).unwrap() else { panic!("cancelled") };
        ranks.begin_axis(at_ns);
        let days = at_ns / DAY_NS;
        let mut there = ranks.exchange(Here { done: true, ..Here::default() }).unwrap();
        while !there.all_done {
            there = ranks.exchange(Here { done: true, ..Here::default() }).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        // The others may be gone by now.
        drop(ranks.end_pass());
        days
    });
    assert_eq!(begins, [0, 1, 2]);
}

#[test]
fn nobody_begins_where_one_cannot() {
    // No link goes before all know.
    let all_know = Barrier::new(3);
    let begins = over(3, |mut ranks| {
        let begin = match ranks.rank() {
            2 => ranks.give_up().map(|()| Begin::Cancelled),
            _ => ranks.begin(&never),
        };
        all_know.wait();
        begin.unwrap()
    });
    assert_eq!(begins, [Begin::Cancelled; 3]);
}

/// Who waits for streams that will not begin need not wait for their end.
#[test]
fn a_pass_that_nobody_begins_has_ended() {
    let all_know = Barrier::new(2);
    let ended = over(2, |mut ranks| {
        let begin = match ranks.rank() {
            1 => ranks.give_up().map(|()| Begin::Cancelled),
            _ => ranks.begin(&never),
        };
        assert_eq!(begin, Ok(Begin::Cancelled));
        let ended = ranks.is_root().then(|| ranks.exchange(Here::default()).unwrap().all_done);
        all_know.wait();
        ended
    });
    assert_eq!(ended[0], Some(true));
}

/// At the end of a run nobody waits for a rank that says nothing.
#[test]
fn who_says_nothing_at_the_end_is_given_up() {
    let is_given_up = Barrier::new(2);
    let silent = over(2, |mut ranks| {
        ranks.hurry();
        let began = Instant::now();
        while ranks.is_root() && ranks.silent().is_empty() {
            assert!(began.elapsed() < Duration::from_secs(60), "it is waited for");
            assert_eq!(ranks.receive(Duration::from_millis(50), &|| true).unwrap(), None);
        }
        is_given_up.wait();
        ranks.silent().iter().map(|silent| silent.rank).collect::<Vec<_>>()
    });
    assert_eq!(silent[0], [1]);
}

/// For how long a rank is waited for that says this and then nothing, by the root's clock.
fn waited_for(say: impl Fn(&mut Communicator) + Sync) -> Duration {
    let (clock_s, has_said) = (Arc::new(AtomicU64::new(1)), Barrier::new(2));
    std::thread::scope(|scope| {
        let mut links = Threads::world(2).into_iter();
        let (root, other) = (links.next().unwrap(), links.next().unwrap());
        let (say, has_said) = (&say, &has_said);
        scope.spawn(move || {
            let mut ranks = Communicator::new(Box::new(other), clock(0));
            say(&mut ranks);
            has_said.wait();
            // The link stays until the root has given this rank up.
            has_said.wait();
        });
        let its_clock_s = Arc::clone(&clock_s);
        let now_ns = move || its_clock_s.load(Relaxed) * 1_000_000_000;
        let mut ranks = Communicator::new(Box::new(root), Box::new(now_ns));
        has_said.wait();
        ranks.look_after().unwrap();
        while ranks.silent().is_empty() {
            clock_s.fetch_add(1, Relaxed);
            ranks.look_after().unwrap();
        }
        has_said.wait();
        Duration::from_secs(clock_s.load(Relaxed) - 2)
    })
}

#[test]
fn a_rank_that_says_nothing_is_given_up_after_what_it_does_may_take() {
    let seconds = |say: fn(&mut Communicator)| waited_for(say).as_secs();
    assert_eq!(seconds(|_| {}), 3600, "it opens and fills its targets");
    assert_eq!(seconds(|ranks| drop(ranks.begin(&|| true))), 30, "its streams are over");
    let flushes = |ranks: &mut Communicator| {
        drop(ranks.begin(&|| true));
        ranks.prepare().unwrap();
    };
    assert_eq!(seconds(flushes), 3600);
}

/// What a rank that was given up would have to say is not awaited in any later pass.
#[test]
fn a_rank_that_was_given_up_is_not_awaited_again() {
    let has_ended = Barrier::new(2);
    over(2, |mut ranks| {
        if ranks.is_root() {
            ranks.hurry();
            for _ in 0..2 {
                assert_eq!(ranks.begin(&never), Ok(Begin::Cancelled));
                ranks.end_pass().unwrap();
            }
            assert_eq!(ranks.silent().len(), 1);
        }
        has_ended.wait();
    });
}

/// A pass lasts until clocks have been compared in it.
#[test]
fn clocks_are_compared_during_a_long_pass() {
    over(2, |mut ranks| {
        if ranks.is_root() {
            ranks.synchronise().unwrap();
        }
        let Begin::At(at_ns) = ranks.begin(&never).unwrap() else { panic!("cancelled") };
        ranks.begin_axis(at_ns);
        let (before, began) = (ranks.course(1).clone(), Instant::now());
        loop {
            let done = !ranks.is_root() || *ranks.course(1) != before;
            assert!(began.elapsed() < Duration::from_secs(60), "not compared");
            if ranks.exchange(Here { done, ..Here::default() }).unwrap().all_done {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        drop(ranks.end_pass());
    });
}

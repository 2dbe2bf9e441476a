//! Ranks that go through a pass together: threads with a link between them, one clock each.

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
    let begins = over(3, |mut ranks| {
        if ranks.rank() == 2 {
            ranks.give_up().unwrap();
            // Its link stays until the others know.
            drop(ranks.receive(Duration::from_millis(200), &|| true));
            return Begin::Cancelled;
        }
        let begin = ranks.begin(&never).unwrap();
        drop(ranks.receive(Duration::from_millis(200), &|| true));
        begin
    });
    assert_eq!(begins, [Begin::Cancelled; 3]);
}

/// At the end of a run nobody waits for a rank that says nothing.
#[test]
fn who_says_nothing_at_the_end_is_given_up() {
    let silent = over(2, |mut ranks| {
        if !ranks.is_root() {
            std::thread::sleep(Duration::from_millis(900));
            return Vec::new();
        }
        ranks.hurry();
        let wait = ranks.receive(Duration::from_millis(600), &|| true);
        assert_eq!(wait.unwrap(), None);
        ranks.silent().iter().map(|silent| silent.rank).collect()
    });
    assert_eq!(silent[0], [1]);
}

/// A clock that goes so many times as fast, so that a long pass takes little time.
fn fast(ahead_ns: u64, times: u64) -> Box<dyn Fn() -> u64> {
    let begin = Instant::now();
    Box::new(move || ahead_ns + times * begin.elapsed().as_nanos() as u64)
}

/// During a pass of twenty seconds clocks are compared too, so the bound stays narrow at its end.
#[test]
fn clocks_are_compared_during_a_long_pass() {
    let bounds = std::thread::scope(|scope| {
        let threads: Vec<_> = Threads::world(2)
            .into_iter()
            .map(|link| {
                scope.spawn(move || {
                    let mut ranks = Communicator::new(Box::new(link), fast(DAY_NS, 20));
                    long_pass(&mut ranks)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<u64>>()
    });
    // Twenty seconds after the comparison before it, the bound would be 20 ms and more.
    assert!(bounds[1] < 16_000_000, "{bounds:?}");
}

/// The bound of the rank's clock at the end of the pass.
fn long_pass(ranks: &mut Communicator) -> u64 {
    if ranks.is_root() {
        ranks.synchronise().unwrap();
    }
    let Begin::At(at_ns) = ranks.begin(&never).unwrap() else { panic!("cancelled") };
    ranks.begin_axis(at_ns);
    loop {
        let done = ranks.now_ns() > at_ns + 20_000_000_000;
        let there = ranks.exchange(Here { done, ..Here::default() }).unwrap();
        if there.all_done {
            break;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    let bound_ns = ranks.course(ranks.rank()).bound_ns(at_ns + 20_000_000_000);
    drop(ranks.end_pass());
    bound_ns
}

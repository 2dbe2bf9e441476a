//! What the ranks do in each case. A rank that finds something wrong panics, which ends the world.

use std::thread;
use std::time::Duration;

use iopath_mpi::{NoWorld, World};
use iopath_ranks::clock::{Effort, Offset, follow, lead};
use iopath_ranks::{Inbox, Link, Lost, ROOT, launched};
use rustix::time::{ClockId, clock_gettime};

pub(crate) fn run(name: &str) {
    if name == "other-launcher" {
        return refused();
    }
    let mut world = World::start().expect("mpirun started this");
    let rank = world.rank();
    match name {
        "ring" | "over-tcp" => ring(&mut world),
        "large" => large(&mut world),
        "clocks" | "clocks-of-eight" => clocks(world, 0),
        "namespaces" => clocks(world, 1_000),
        "abort" if rank == 2 => World::abort(7),
        "panic" if rank == 2 => panic!("as this case asks"),
        "abort" | "panic" => wait_for_ever(&mut world),
        _ => panic!("no case is called {name}"),
    }
    println!("rank {rank} ok");
}

/// Four processes that MPI takes for four worlds.
fn refused() {
    let launched = launched().expect("mpirun started this");
    let refused = World::start().err().expect("a world of one is not what was asked for");
    assert!(matches!(refused, NoWorld::Alone { started: 4, .. }), "{refused}");
    println!("rank {} ok", launched.rank);
}

/// A message that goes round, and grows by a byte at each rank; three of them keep their order.
fn ring(world: &mut World) {
    let (rank, size) = (world.rank(), world.size());
    assert_eq!(world.send(size, b""), Err(Lost::NoSuchRank { rank: size, size }));
    let next = (rank + 1) % size;
    let before = (rank + size - 1) % size;
    if rank == ROOT {
        // Nobody sends before the root has.
        assert_eq!(world.try_receive(), Ok(None));
        for number in 0..3 {
            world.send(next, &[number]).unwrap();
        }
    }
    for number in 0..3 {
        let (from, mut message) = received(world);
        let hops = if rank == ROOT { size } else { rank };
        assert_eq!((from, message[0], message.len()), (before, number, hops as usize));
        message.push(0);
        if rank != ROOT {
            world.send(next, &message).unwrap();
        }
    }
}

/// Everybody sends 4 MiB to everybody, itself too, before anybody receives.
fn large(world: &mut World) {
    let (rank, size) = (world.rank(), world.size());
    let message = |from: u32| vec![u8::try_from(from).unwrap(); 4 << 20];
    for to in 0..size {
        world.send(to, &message(rank)).unwrap();
    }
    let mut senders: Vec<u32> = Vec::new();
    for _ in 0..size {
        let (from, bytes) = received(world);
        assert!(bytes == message(from), "{} bytes of rank {from}", bytes.len());
        senders.push(from);
    }
    senders.sort_unstable();
    assert!(senders.into_iter().eq(0..size));
}

/// Compares clocks a hundred times, where those of rank r are known to be this much ahead for each
/// r. The machine has one clock, so all else is error.
fn clocks(world: World, ahead_s: i64) {
    let rank = world.rank();
    let mut inbox = Inbox::new(Box::new(world));
    let truth = |rank: u32| -i64::from(rank) * ahead_s * 1_000_000_000;
    let mut errors = Vec::new();
    let mut bounds = Vec::new();
    let mut judge = |rank: u32, offset: Offset| {
        let error = offset.middle_ns().abs_diff(truth(rank));
        assert!(error <= offset.bound_ns(), "rank {rank}: {offset:?}, in truth {}", truth(rank));
        errors.push(error);
        bounds.push(offset.bound_ns());
    };
    for _ in 0..100 {
        if rank == ROOT {
            let reported = lead(&mut inbox, &now, &Effort::BETWEEN_PASSES).unwrap();
            reported.iter().for_each(|reported| judge(reported.rank, reported.offset));
        } else {
            judge(rank, follow(&mut inbox, &now, &Effort::BETWEEN_PASSES).unwrap());
        }
    }
    if rank == ROOT {
        println!("error {}, bound {}", spread(errors), spread(bounds));
    }
}

fn spread(mut ns: Vec<u64>) -> String {
    ns.sort_unstable();
    let at = |share: usize| ns[(ns.len() - 1) * share / 100] / 100;
    let us = |share| format!("{}.{}", at(share) / 10, at(share) % 10);
    format!("p50 {} p99 {} most {} µs", us(50), us(99), us(100))
}

fn wait_for_ever(world: &mut World) {
    loop {
        assert_eq!(world.try_receive(), Ok(None));
        thread::sleep(Duration::from_millis(5));
    }
}

fn received(world: &mut World) -> (u32, Vec<u8>) {
    loop {
        match world.try_receive().unwrap() {
            Some(received) => return received,
            None => thread::yield_now(),
        }
    }
}

fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

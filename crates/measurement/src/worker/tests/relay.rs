//! A worker that is held by a partner, which is played by the script.

use std::sync::Arc;

use iopath_workload::behind::{Lag, Relay, Side};

use super::*;
use crate::engine::scripted::What;
use crate::relay::{RelaySide, RelaySource, Shared};

const MS: u64 = 1_000_000;

/// A relay of one follower with blocks as large as the worker's.
fn relay(lag: Lag, depth: u32) -> Arc<Shared> {
    let block = u64::from(BLOCK);
    Arc::new(Shared::new(Relay::new(BLOCKS * block, (block, depth), &[((block, depth), lag)])))
}

/// Runs the worker of the follower while the writer moves by script.
fn follow(bench: &Bench<'_>, shared: &Arc<Shared>, service_ns: u64) {
    let source = bench.source();
    let relay_side = RelaySide::new(Arc::clone(shared), Side::Follower(0));
    let relay_source = RelaySource::workers(source, relay_side, 1).pop().unwrap();
    let mut buffers = bench.buffers();
    let supply = RequestSource::Relay(Box::new(relay_source));
    bench.run_on(&mut buffers, supply, |_, _| What::Whole.after(service_ns)).unwrap();
}

/// The writer's k-th block is published at an instant.
fn publish(bench: &Bench<'_>, shared: &Arc<Shared>, instants: impl Iterator<Item = u64>) {
    for (block, at_ns) in (0..).zip(instants) {
        let shared = Arc::clone(shared);
        bench.world.clock.at(at_ns, move || {
            shared.change(|relay| {
                relay.issued(Side::Writer, block * u64::from(BLOCK));
                relay.completed(Side::Writer, block * u64::from(BLOCK), at_ns);
            });
        });
    }
}

#[test]
fn a_follower_issues_what_is_published_and_the_wait_is_counted() {
    let bench = Bench::reads(4, 10);
    let shared = relay(Lag::Follow, 4);
    publish(&bench, &shared, (1..=10).map(|k| k * 10 * MS));
    follow(&bench, &shared, MS);
    let asked = bench.asked();
    assert_eq!(asked.len(), 10);
    for (k, asked) in (1..).zip(&asked) {
        assert_eq!(asked.at_ns, k * 10 * MS, "as soon as it is there, and no earlier");
    }
    let all = bench.all();
    // There was a free slot all the time, also while the request before was in flight.
    assert_eq!((all.pool_wait_ns, all.idle_ns), (100 * MS, 0), "{all:?}");
    assert_eq!(bench.latencies(Latency::Total).max_ns, MS, "a held request is not issued yet");
}

#[test]
fn a_follower_with_requests_in_flight_notices_what_comes() {
    let bench = Bench::reads(4, 4);
    let shared = relay(Lag::Follow, 4);
    publish(&bench, &shared, (1..=4).map(|k| k * 2 * MS));
    follow(&bench, &shared, 500 * MS);
    for (k, asked) in (1..).zip(&bench.asked()) {
        // It looks as often as the writer has published before.
        let due_ns = k * 2 * MS;
        assert!((due_ns..=due_ns + 2 * MS).contains(&asked.at_ns), "{k}: {}", asked.at_ns);
    }
}

#[test]
fn a_stop_ends_a_wait_that_nobody_ends() {
    for stop_ns in [3 * MS, 47 * MS] {
        let mut bench = Bench::reads(2, 0);
        bench.left = None;
        bench.edges.stop_at(stop_ns);
        follow(&bench, &relay(Lag::Record, 1), MS);
        assert_eq!(bench.asked().len(), 0);
        assert_eq!(bench.world.clock.stands_at(), stop_ns, "at that very instant");
    }
}

#[test]
fn a_follower_ends_when_the_writer_has() {
    let bench = Bench::reads(2, 10);
    let shared = relay(Lag::Record, 1);
    publish(&bench, &shared, [MS].into_iter());
    let writer = RelaySide::new(Arc::clone(&shared), Side::Writer);
    bench.world.clock.at(30 * MS, move || drop(writer));
    follow(&bench, &shared, MS);
    assert_eq!(bench.asked().len(), 1, "what was published is read");
    let starts = bench.edges.starts();
    assert_eq!(starts.phase_at(40 * MS), 3, "its work is done, so this is the tail");
}

//! Stations against queues that are kept as lists, and a bucket against its closed form.

use iopath_simulation::core::{Bucket, Ps, Served, Server, Servers, Station};
use proptest::collection::vec;
use proptest::prelude::*;

/// Arrivals in order of time with their service times.
fn arrivals() -> impl Strategy<Value = Vec<(Ps, Ps)>> {
    vec((0..30u64, 0..100u64), 1..80).prop_map(|gaps| {
        let mut now = 0;
        let arrival = |(gap, service)| {
            now += gap;
            (Ps(now), Ps(service))
        };
        gaps.into_iter().map(arrival).collect()
    })
}

/// What lies before `now` of all that is served.
fn busy(served: &[Served], now: Ps) -> Ps {
    served.iter().map(|one| one.end.min(now) - one.start.min(now)).sum()
}

/// Step by step: at each picosecond those servers that are free take those who wait.
fn plain(arrivals: &[(Ps, Ps)], servers: usize) -> Vec<Served> {
    let mut free_at = vec![0; servers];
    let mut served = Vec::new();
    let mut now = 0;
    while let Some((arrived, service)) = arrivals.get(served.len()) {
        let free = free_at.iter_mut().find(|free_at| **free_at <= now);
        match free.filter(|_| arrived.0 <= now) {
            Some(free) => {
                *free = now + service.0;
                served.push(Served { start: Ps(now), end: Ps(*free) });
            }
            None => now += 1,
        }
    }
    served
}

fn check(station: &mut Station, arrivals: &[(Ps, Ps)], expected: &[Served]) {
    for (at, (now, service)) in arrivals.iter().enumerate() {
        assert_eq!(station.serve(*now, *service), expected[at]);
        assert_eq!(station.busy_until(*now), busy(&expected[..=at], *now));
        assert_eq!(station.busy_until(Ps::MAX), busy(&expected[..=at], Ps::MAX));
    }
}

proptest! {
    #[test]
    fn stations_start_and_end_as_a_list_of_waiters_would(
        arrivals in arrivals(),
        count in 1..12u32,
    ) {
        let expected = plain(&arrivals, count as usize);
        check(&mut Station::of(count), &arrivals, &expected);
        check(&mut Station::Many(Servers::new(count)), &arrivals, &expected);
    }

    /// However requests are cut, the same amount passes in the same time: within a rounding each.
    #[test]
    fn a_full_bucket_passes_an_amount_in_the_time_of_the_closed_form(
        pieces in vec(1..5_000_000u64, 1..40),
        tokens in 1..100_000_000u64,
        factor in 1.0..8.0f64,
    ) {
        let sustained = 1e9;
        let (rate, tokens) = (sustained * factor, tokens as f64);
        let mut bucket = Bucket::new(tokens, rate, sustained);
        let bytes = pieces.iter().sum::<u64>() as f64;
        let mut end = Ps::ZERO;
        for piece in &pieces {
            end = bucket.serve(Ps::ZERO, Ps::from_secs_f64(*piece as f64 / sustained)).end;
        }
        // It lasts for tokens / (rate − sustained), and lets through `rate` times that.
        let fast = if factor > 1.0 { rate * tokens / (rate - sustained) } else { f64::INFINITY };
        let seconds = if bytes <= fast {
            bytes / rate
        } else {
            fast / rate + (bytes - fast) / sustained
        };
        let off = end.0.abs_diff(Ps::from_secs_f64(seconds).0);
        prop_assert!(off <= 2 + pieces.len() as u64, "{off} ps off {seconds} s");
    }
}

#[test]
fn behind_a_bucket_the_sustained_rate_is_what_passes_in_the_long_run() {
    let (sustained, bytes) = (1e9, 4096.0);
    let mut bucket = Bucket::new(1e6, 4e9, sustained);
    let service = Ps::from_secs_f64(bytes / sustained);
    let requests = 1_000_000;
    let end = (0..requests).map(|_| bucket.serve(Ps::ZERO, service).end).last().unwrap();
    // The bucket is ahead by what it held, once.
    let expected = (f64::from(requests) * bytes - 1e6) / sustained;
    assert!((end.as_secs_f64() - expected).abs() < 1e-6 * expected, "{end:?}");
}

#[test]
fn a_bucket_is_as_full_as_it_was_left_alone() {
    // 1 MB beside 1 GB/s: 1 ms deep; twice as fast while it lasts.
    let mut bucket = Bucket::new(1e6, 2e9, 1e9);
    let ms = |ms: f64| Ps::from_secs_f64(ms / 1e3);
    assert_eq!(bucket.serve(ms(0.0), ms(2.0)).end, ms(1.0), "the bucket lasts for 1 ms");
    assert_eq!(bucket.serve(ms(1.0), ms(1.0)).end, ms(2.0), "then it is empty");
    // Half a millisecond of rest fills half of it.
    assert_eq!(bucket.serve(ms(2.5), ms(2.0)).end, ms(4.0));
    // More than it holds does not flow back.
    assert_eq!(bucket.serve(ms(100.0), ms(3.0)).end, ms(102.0));
    assert_eq!(bucket.busy_until(ms(101.0)), ms(1.0 + 1.0 + 1.5 + 1.0));
}

#[test]
fn a_burst_below_the_sustained_rate_changes_nothing() {
    let mut bucket = Bucket::new(1e6, 0.5e9, 1e9);
    let mut server = Server::default();
    for now in [0, 1, 5_000_000] {
        assert_eq!(bucket.serve(Ps(now), Ps(4096)), server.serve(Ps(now), Ps(4096)));
    }
}

#[test]
fn an_empty_bucket_fills_while_it_is_left_alone() {
    let mut bucket = Bucket::empty(1e6, 2e9, 1e9);
    let service = Ps::from_secs_f64(1e-3);
    assert_eq!(bucket.serve(Ps::ZERO, service).end, service, "nothing to hurry with");
    let later = service + service;
    let hurried = bucket.serve(later, service);
    assert_eq!(hurried.end - later, Ps(service.0 / 2), "a millisecond of rest is half a service");
}

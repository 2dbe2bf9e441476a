//! The load like that of SPC-1 against its published figures: fixed seeds, 4 standard deviations.

use iopath_study::case::{Arrivals, Pacing, Pattern, Rate, Sharing, Stream};
use iopath_study::spc1::{LEAST_BLOCKS, MIX, MIXED, STREAMS, Way};
use iopath_units::{Op, OperationRate};
use iopath_workload::{ArrivalTimes, Request, Requests, Span};
use proptest::prelude::*;

use crate::{KIB, alone, requests, stream};

const DRAWS: usize = 400_000;
/// 4 GiB in blocks of 4 KiB.
const BLOCKS: u64 = 1 << 20;

/// The load at a rate, in requests a second.
fn open(per_sec: u64) -> Stream {
    let rate = Rate::Operations(OperationRate(per_sec * 1000));
    let pacing = Pacing::Open { rate, streams: 1, arrivals: Arrivals::Constant };
    Stream { pacing, ..alone(Pattern::Spc1Like) }
}

fn drawn(stream: &Stream, seed: u64) -> Vec<Request> {
    let mut requests = requests(stream, BLOCKS, seed);
    (0..DRAWS).map(|_| requests.next_request()).collect()
}

/// Fails where the share of `all` that is `kept` is more than 4 standard deviations off.
fn assert_share(all: &[Request], share: f64, what: &str, kept: impl Fn(&Request) -> bool) {
    let count = all.iter().filter(|request| kept(request)).count() as f64;
    let draws = all.len() as f64;
    let allowed = 4.0 * (draws * share * (1.0 - share)).sqrt();
    assert!((count - draws * share).abs() <= allowed, "{what}: {count} of {draws} for {share}");
}

fn is_mixed(request: &Request) -> bool {
    STREAMS[usize::from(request.sub)].way.is_mixed()
}

#[test]
fn the_mix_is_the_published_one() {
    for (seed, per_sec) in [(1, 50), (2, 1_000), (3, 20_000)] {
        let all = drawn(&open(per_sec), seed);
        let read = |r: &Request| r.op == Op::Read;
        assert_share(&all, 0.3944, "reads", read);
        assert_share(&all, 0.2894, "random reads", |r| read(r) && !is_mixed(r));
        assert_share(&all, 0.3246, "random writes", |r| !read(r) && !is_mixed(r));
        assert_share(&all, 0.105, "sequential reads", |r| read(r) && is_mixed(r));
        assert_share(&all, 0.281, "sequential writes", |r| !read(r) && is_mixed(r));
        for (index, one) in STREAMS.iter().enumerate() {
            let mine = |r: &Request| usize::from(r.sub) == index;
            assert_share(&all, one.share.as_f64(), one.name, mine);
            let own: Vec<Request> = all.iter().copied().filter(mine).collect();
            assert_share(&own, one.reads.as_f64(), one.name, read);
        }
        for (space, share) in [(0, 0.596), (1, 0.123), (2, 0.281)] {
            let of = |r: &Request| STREAMS[usize::from(r.sub)].space == space;
            assert_share(&all, share, "an address space", of);
        }
    }
}

#[test]
fn sizes_are_the_published_ones() {
    let all = drawn(&open(1_000), 5);
    let mixed: Vec<Request> = all.iter().copied().filter(is_mixed).collect();
    for (blocks, count) in MIX {
        let share = count as f64 / MIXED as f64;
        assert_share(&mixed, share, "a size", |r| r.bytes == blocks * 4096);
    }
    assert!(all.iter().filter(|r| !is_mixed(r)).all(|r| r.bytes == 4096));
    // 8.01 KB; a size has a standard deviation of 10.5 KiB, so the mean has 0.017.
    let mean = all.iter().map(|r| f64::from(r.bytes)).sum::<f64>() / all.len() as f64;
    assert!((mean / 1024.0 - 8.0104).abs() < 0.07, "{mean}");
}

#[test]
fn each_sub_stream_arrives_as_a_poisson_process() {
    let one = open(10_000);
    let mut times = ArrivalTimes::of(&one, 7).unwrap();
    let mut arrivals: Vec<Vec<u64>> = vec![Vec::new(); 8];
    for request in drawn(&one, 7) {
        arrivals[usize::from(request.sub)].push(times.next_ns());
    }
    for (one, arrivals) in STREAMS.iter().zip(arrivals) {
        let mean = 1e9 / (10_000.0 * one.share.as_f64());
        let mut gaps: Vec<f64> = arrivals.windows(2).map(|w| (w[1] - w[0]) as f64 / mean).collect();
        gaps.sort_unstable_by(f64::total_cmp);
        // Kolmogorov and Smirnov, level 0.001: the greatest distance of the distributions.
        let count = gaps.len() as f64;
        let far =
            |(rank, gap): (usize, &f64)| ((rank + 1) as f64 / count - 1.0 + (-gap).exp()).abs();
        let distance = gaps.iter().enumerate().map(far).fold(0.0, f64::max);
        assert!(distance < 1.95 / count.sqrt() + 1.0 / count, "{}: {distance}", one.name);
    }
}

#[test]
fn a_closed_loop_has_the_same_mix_and_a_seed_the_same_requests() {
    let closed = alone(Pattern::Spc1Like);
    let all = drawn(&closed, 3);
    assert_share(&all, 0.3944, "reads", |r| r.op == Op::Read);
    assert!(ArrivalTimes::of(&closed, 3).is_none());
    assert_eq!(all, drawn(&closed, 3));
    assert_ne!(all[..1000], drawn(&closed, 4)[..1000]);
}

#[test]
fn each_unit_reads_and_writes_runs_of_its_own() {
    // 200 requests a second are 4 units; writes of one ascend without a gap to the end of a run.
    let all = drawn(&open(200), 11);
    let mut ends: Vec<u64> = Vec::new();
    let (mut followed, mut begun) = (0, 0);
    for request in all.iter().filter(|r| r.sub == 7) {
        let end = request.offset + u64::from(request.bytes);
        match ends.iter_mut().find(|known| **known == request.offset) {
            Some(known) => {
                *known = end;
                followed += 1;
            }
            None => {
                ends.push(end);
                begun += 1;
            }
        }
    }
    // A run is 30 % of 10 % of 2^20 blocks, at 3.6 blocks a request 8,738 requests.
    assert!(followed > 1000 * begun, "{followed} {begun}");
    assert!((4..=4 + 2 * 112_400 / 8_738).contains(&begun), "{begun}");
}

#[test]
fn the_rate_in_bytes_counts_whole_requests() {
    let rate = Rate::Bytes("10 MB/s".parse().unwrap());
    let pacing = Pacing::Open { rate, streams: 1, arrivals: Arrivals::Poisson };
    let one = Stream { pacing, ..alone(Pattern::Spc1Like) };
    let mut times = ArrivalTimes::of(&one, 1).unwrap();
    let bytes: u64 = drawn(&one, 1).iter().map(|r| u64::from(r.bytes)).sum();
    let last_ns = (0..DRAWS).map(|_| times.next_ns()).last().unwrap();
    let reached = bytes as f64 * 1e9 / last_ns as f64;
    assert!((reached / 10e6 - 1.0).abs() < 0.02, "{reached}");
}

#[test]
fn a_region_without_room_for_the_walks_is_refused() {
    let one = alone(Pattern::Spc1Like);
    let of = |blocks: u64| Requests::new(&one, Span { offset: 0, bytes: blocks * 4 * KIB }, 1);
    assert!(of(LEAST_BLOCKS).is_ok());
    let refused = of(LEAST_BLOCKS - 1).unwrap_err();
    assert!(refused.to_string().contains("spc1-like needs a region of"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_request_lies_in_its_place(
        blocks in 2 * LEAST_BLOCKS..4 * LEAST_BLOCKS, index in 0u32..2, per_sec in 1u64..100_000,
        seed: u64,
    ) {
        let one = stream(Pattern::Spc1Like, Sharing::Own, (index, 2));
        let one = Stream { pacing: open(per_sec).pacing, ..one };
        let span = Span::of(&one, blocks * one.block.0).unwrap();
        let mut requests = Requests::new(&one, span, seed).unwrap();
        let region = (span.bytes / one.block.0) as f64;
        for _ in 0..500 {
            let request = requests.next_request();
            prop_assert_eq!(request.offset % one.block.0, 0);
            prop_assert_eq!(u64::from(request.bytes) % one.block.0, 0);
            let sub = &STREAMS[usize::from(request.sub)];
            let (begin, size) = [(0.0, 0.45), (0.45, 0.45), (0.90, 0.10)][sub.space];
            let (from, to) = match sub.way {
                Way::Uniform => (0.0, 1.0),
                Way::Walk { from } => (from as f64 / 100.0, from as f64 / 100.0 + 0.05),
                Way::Sequence { from, within, length } => {
                    (from as f64 / 100.0, (from + within + length) as f64 / 100.0)
                }
            };
            let first = (request.offset - span.offset) as f64 / one.block.0 as f64;
            let end = first + f64::from(request.bytes) / one.block.0 as f64;
            // Places are cut at whole blocks, each twice rounded down.
            prop_assert!(first >= (begin + size * from) * region - 3.0);
            prop_assert!(end <= (begin + size * to) * region + 1.0);
        }
    }
}

//! Intended start times of open loops.

use iopath_study::case::{Arrivals, Pacing, Pattern, Rate, Stream};
use iopath_units::{ByteRate, OperationRate};
use iopath_workload::ArrivalTimes;
use proptest::prelude::*;

use crate::alone;

const NANOS_PER_SEC: u64 = 1_000_000_000;

fn open(rate: Rate, streams: u32, arrivals: Arrivals) -> Stream {
    let pacing = Pacing::Open { rate, streams, arrivals };
    Stream { pacing, ..alone(Pattern::Sequential) }
}

fn times(stream: &Stream, ordinal: u32, count: usize) -> Vec<u64> {
    let stream = Stream { ordinal, ..stream.clone() };
    let mut times = ArrivalTimes::of(&stream, 1).unwrap();
    (0..count).map(|_| times.next_ns()).collect()
}

#[test]
fn closed_loops_have_no_times() {
    assert!(ArrivalTimes::of(&alone(Pattern::Sequential), 1).is_none());
}

#[test]
fn constant_arrivals_do_not_drift() {
    // 3 per second do not fit into nanoseconds: after 10^7 of them not one is lost.
    let mut times =
        ArrivalTimes::of(&open(Rate::Operations(OperationRate(3_000)), 1, Arrivals::Constant), 1)
            .unwrap();
    for index in 0..=10_000_000u64 {
        let now = times.next_ns();
        assert_eq!(now, index * NANOS_PER_SEC / 3, "arrival {index}");
    }
}

#[test]
fn bytes_per_second_are_blocks_per_second() {
    let one = open(Rate::Bytes(ByteRate(4_096_000)), 1, Arrivals::Constant);
    assert_eq!(times(&one, 0, 3), [0, 1_000_000, 2_000_000]);
}

#[test]
fn a_rate_of_nothing_never_comes() {
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        let one = open(Rate::Bytes(ByteRate(0)), 1, arrivals);
        assert_eq!(times(&one, 0, 2), [u64::MAX, u64::MAX]);
    }
}

proptest! {
    #[test]
    fn streams_take_turns_at_the_whole_rate(rate in 1u64..u64::MAX, streams in 1u32..9) {
        let one = open(Rate::Operations(OperationRate(rate)), streams, Arrivals::Constant);
        let mut all: Vec<u64> = (0..streams).flat_map(|i| times(&one, i, 20)).collect();
        all.sort_unstable();
        let exact = |index: u128| u64::try_from(index * 1_000_000_000_000 / u128::from(rate));
        let wanted = (0..u128::from(streams) * 20).map(|index| exact(index).unwrap_or(u64::MAX));
        prop_assert!(all.into_iter().eq(wanted));
    }

    #[test]
    fn times_never_go_back(rate in 1u64..1_000_000_000_000, seed: u64) {
        let one = open(Rate::Operations(OperationRate(rate)), 1, Arrivals::Poisson);
        let mut times = ArrivalTimes::of(&one, seed).unwrap();
        let all: Vec<u64> = (0..100).map(|_| times.next_ns()).collect();
        prop_assert!(all.is_sorted());
    }
}

/// Largest distance between the observed distribution of gaps and the exponential one.
fn kolmogorov_smirnov(gaps: &[f64], mean: f64) -> f64 {
    let mut sorted = gaps.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let distance = |(index, gap): (usize, &f64)| {
        let theory = 1.0 - (-gap / mean).exp();
        (theory - index as f64 / count).abs().max((index as f64 + 1.0) / count - theory)
    };
    sorted.iter().enumerate().map(distance).fold(0.0, f64::max)
}

#[test]
fn poisson_gaps_are_exponential_at_the_given_rate() {
    const COUNT: usize = 100_000;
    // 4 streams share 4000 /s: each has one in a millisecond.
    let one = open(Rate::Operations(OperationRate(4_000_000)), 4, Arrivals::Poisson);
    let all = times(&one, 2, COUNT);
    let from_start = std::iter::once(0).chain(all.iter().copied());
    let gaps: Vec<f64> = all.iter().zip(from_start).map(|(to, from)| (to - from) as f64).collect();
    let root = (COUNT as f64).sqrt();
    // Mean and standard deviation are both 1 ms; 4 standard errors are allowed. The standard
    // error of an exponential's variance is sqrt(8/n) of it.
    let mean = gaps.iter().sum::<f64>() / COUNT as f64 / 1e6;
    let variance = gaps.iter().map(|gap| (gap / 1e6 - mean).powi(2)).sum::<f64>() / COUNT as f64;
    assert!((mean - 1.0).abs() < 4.0 / root, "{mean}");
    assert!((variance - 1.0).abs() < 4.0 * 8f64.sqrt() / root, "{variance}");
    // The 0.001 critical value of the one-sample test for many draws is 1.949 / sqrt(n)
    // (Smirnov: Table for estimating the goodness of fit, Ann. Math. Stat. 19, 1948).
    let distance = kolmogorov_smirnov(&gaps, 1e6);
    assert!(distance < 1.949 / root, "{distance}");
}

#[test]
fn poisson_arrivals_keep_their_rate_where_gaps_are_a_few_nanoseconds() {
    const COUNT: usize = 1_000_000;
    // 200 M/s; the standard error of the mean is a thousandth of it, half a nanosecond a tenth.
    let one = open(Rate::Operations(OperationRate(200_000_000_000)), 1, Arrivals::Poisson);
    let mean = *times(&one, 0, COUNT).last().unwrap() as f64 / COUNT as f64;
    assert!((mean / 5.0 - 1.0).abs() < 0.004, "{mean}");
}

#[test]
fn poisson_streams_of_one_declaration_are_independent() {
    let rate = Rate::Operations(OperationRate(1_000_000));
    let one = open(rate, 2, Arrivals::Poisson);
    let other = Stream { name: "reader[1]".into(), ..one.clone() };
    assert_ne!(times(&one, 0, 5), times(&other, 1, 5));
}

//! How often each block and operation comes: fixed seeds against theory.
//!
//! Chi-squared statistics are held against the 0.999 quantile (NIST/SEMATECH e-Handbook of
//! Statistical Methods, table 1.3.6.7.4), shares against 4 standard deviations of the binomial.

use iopath_study::case::{Pattern, Stream};
use iopath_units::{Bytes, Op, Ratio};

use crate::{KIB, alone, blocks_of, requests};

const DRAWS: u64 = 200_000;
/// 0.999 quantile of chi-squared with 99 degrees of freedom.
const LIMIT_99: f64 = 148.230;
/// The same with 9.
const LIMIT_9: f64 = 27.877;

fn frequencies(stream: &Stream, blocks: u64, seed: u64) -> Vec<u64> {
    let mut counts = vec![0; blocks as usize];
    for block in blocks_of(stream, &mut requests(stream, blocks, seed), DRAWS) {
        counts[block as usize] += 1;
    }
    counts
}

fn chi_squared(counts: &[u64], shares: impl IntoIterator<Item = f64>) -> f64 {
    let draws = counts.iter().sum::<u64>() as f64;
    let term = |(count, share): (&u64, f64)| (*count as f64 - draws * share).powi(2) / share;
    counts.iter().zip(shares).map(term).sum::<f64>() / draws
}

/// Fails where `count` of [`DRAWS`] is more than 4 standard deviations off.
fn assert_share(count: u64, share: f64) {
    let draws = DRAWS as f64;
    let allowed = 4.0 * (draws * share * (1.0 - share)).sqrt();
    assert!((count as f64 - draws * share).abs() <= allowed, "{count} of {draws} for {share}");
}

#[test]
fn random_blocks_are_equally_likely() {
    for seed in 0..5 {
        let counts = frequencies(&alone(Pattern::Random), 100, seed);
        let statistic = chi_squared(&counts, [0.01; 100]);
        assert!(statistic < LIMIT_99, "seed {seed}: {statistic}");
    }
}

#[test]
fn random_blocks_do_not_depend_on_the_ones_before() {
    let one = alone(Pattern::Random);
    let order = blocks_of(&one, &mut requests(&one, 10, 3), DRAWS);
    let mut pairs = vec![0; 100];
    for pair in order.chunks_exact(2) {
        pairs[(pair[0] * 10 + pair[1]) as usize] += 1;
    }
    let statistic = chi_squared(&pairs, [0.01; 100]);
    assert!(statistic < LIMIT_99, "{statistic}");
}

#[test]
fn zipf_ranks_follow_the_law() {
    for theta in [0.0, 0.5, 0.99, 1.0, 1.000_001, 1.2, 3.0] {
        let one = alone(Pattern::Zipf { theta: Ratio((theta * 1e6) as u64) });
        let mut counts = frequencies(&one, 10, 11);
        // Which block has which rank is free: the most frequent one is the first.
        counts.sort_unstable_by_key(|count| u64::MAX - count);
        let weights: Vec<f64> = (1..=10).map(|rank| f64::from(rank).powf(-theta)).collect();
        let sum: f64 = weights.iter().sum();
        let statistic = chi_squared(&counts, weights.iter().map(|weight| weight / sum));
        assert!(statistic < LIMIT_9, "theta {theta}: {statistic} for {counts:?}");
    }
}

#[test]
fn zipf_reaches_over_large_regions() {
    // 2^32 blocks of 4 KiB; the first 100 ranks have this share of them by the harmonic numbers
    // H(100) = 5.187_378 and H(2^32) = ln 2^32 + 0.577_216 = 22.757_926.
    let one = alone(Pattern::Zipf { theta: Ratio(1_000_000) });
    let mut order = blocks_of(&one, &mut requests(&one, 1 << 32, 5), DRAWS);
    order.sort_unstable();
    let mut runs: Vec<u64> =
        order.chunk_by(|left, right| left == right).map(|run| run.len() as u64).collect();
    runs.sort_unstable_by_key(|run| u64::MAX - run);
    assert_share(runs[0], 1.0 / 22.757_926);
    // The 100 most frequent are not exactly ranks 1 to 100, where neighbours change places.
    let first_100: u64 = runs[..100].iter().sum();
    let share = first_100 as f64 / DRAWS as f64;
    assert!((share - 5.187_378 / 22.757_926).abs() < 0.005, "{share}");
}

#[test]
fn a_hot_band_gets_its_share_and_spreads_it() {
    let hot = Pattern::Hot { share: Ratio(800_000), band: Ratio(100_000) };
    let counts = frequencies(&alone(hot), 100, 7);
    assert_share(counts[..10].iter().sum(), 0.8);
    let shares = (0..100).map(|block| if block < 10 { 0.08 } else { 0.2 / 90.0 });
    let statistic = chi_squared(&counts, shares);
    assert!(statistic < LIMIT_99, "{statistic}");
}

#[test]
fn a_resident_set_gets_its_hits_and_spreads_them() {
    let hits = Ratio(300_000);
    let resident = Pattern::Resident { hits, write_hits: hits, set: Bytes(40 * KIB) };
    let counts = frequencies(&alone(resident), 100, 7);
    assert_share(counts[..10].iter().sum(), 0.3);
    let statistic = chi_squared(&counts[..10], [0.1; 10]);
    assert!(statistic < LIMIT_9, "{statistic}");
}

#[test]
fn a_walk_prefers_no_block_in_the_long_run() {
    let counts = frequencies(&alone(Pattern::Walk { step: Bytes(16 * KIB) }), 20, 9);
    // Neighbouring draws depend on one another, so chi-squared does not apply.
    assert!(counts.iter().all(|count| count.abs_diff(DRAWS / 20) < DRAWS / 200), "{counts:?}");
}

#[test]
fn reads_have_their_share() {
    for reads in [0, 10_000, 300_000, 700_000, 999_000, 1_000_000] {
        let mut one = alone(Pattern::Sequential);
        one.reads = Ratio(reads);
        let mut requests = requests(&one, 1000, 13);
        let is_read = |_: &u64| requests.next_request().op == Op::Read;
        assert_share((0..DRAWS).filter(is_read).count() as u64, Ratio(reads).as_f64());
    }
}

#[test]
fn the_mix_leaves_the_offsets_as_they_are() {
    let offsets = |reads| {
        let mut one = alone(Pattern::Random);
        one.reads = Ratio(reads);
        blocks_of(&one, &mut requests(&one, 1000, 1), 100)
    };
    assert_eq!(offsets(1_000_000), offsets(300_000));
}

#[test]
fn the_pattern_leaves_the_mix_as_it_is() {
    let operations = |pattern| {
        let mut one = alone(pattern);
        one.reads = Ratio(500_000);
        let mut requests = requests(&one, 1000, 1);
        (0..100).map(|_| requests.next_request().op).collect::<Vec<_>>()
    };
    assert_eq!(operations(Pattern::Sequential), operations(Pattern::Random));
}

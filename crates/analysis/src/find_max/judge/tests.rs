//! Loads are judged by the interval of the figure over passes.

use super::*;
use crate::findings::analyse::analyse;
use crate::sample::Sample;

const LIMIT: LatencyLimit = LatencyLimit { metric: Metric::Mean, within_ns: 10_000_000 };

/// Passes at 1,000 requests a second, each with a depth and so a response time of its own.
fn passes(depths: &[u64]) -> Vec<Record> {
    let pass = |(pass, depth): (u32, &u64)| {
        let sample = Sample { pass, streams: 1, depth: *depth, ..Sample::new() };
        Sample { wanted_per_sec: Some(1_000), ..sample }.record()
    };
    (0..).zip(depths).map(pass).collect()
}

fn outcome(passes: &[Record], limit: LatencyLimit, wanted: f64) -> Outcome {
    judge(passes, &analyse(passes).unwrap(), limit, wanted).outcome
}

#[test]
fn the_whole_interval_decides() {
    let beyond = Outcome::Beyond(Reason::Latency);
    for (depths, expected) in [
        (&[2, 2, 2][..], Outcome::Within),
        (&[40, 40, 41], beyond),
        (&[2, 10, 18], Outcome::Undecided),
        (&[2], Outcome::Within),
        (&[40], beyond),
    ] {
        assert_eq!(outcome(&passes(depths), LIMIT, 1_000.0), expected, "{depths:?}");
    }
}

#[test]
fn of_the_slowest_request_the_slowest_pass_decides() {
    let limit = LatencyLimit { metric: Metric::Max, ..LIMIT };
    assert_eq!(outcome(&passes(&[2, 2, 2]), limit, 1_000.0), Outcome::Within);
    let one_slow = outcome(&passes(&[2, 2, 40]), limit, 1_000.0);
    assert_eq!(one_slow, Outcome::Beyond(Reason::Latency));
}

#[test]
fn a_load_that_is_not_achieved_is_beyond_any_limit() {
    let beyond = Outcome::Beyond(Reason::NotAchieved);
    assert_eq!(outcome(&passes(&[2, 2]), LIMIT, 1_100.0), beyond);
    assert_eq!(outcome(&passes(&[2, 2]), LIMIT, 1_040.0), beyond, "more than chance");
    assert_eq!(outcome(&passes(&[2, 2]), LIMIT, 1_010.0), Outcome::Within);
}

#[test]
fn requests_that_take_longer_and_longer_are_beyond() {
    let mut growing = passes(&[2, 2, 2]);
    for record in &mut growing {
        let ends = record.instants_ns[1..].to_vec();
        for (heat, at) in record.heat.iter_mut().zip(ends) {
            *heat = crate::sample::equal(at / 10_000, 1_000);
        }
    }
    assert_eq!(outcome(&growing, LIMIT, 1_000.0), Outcome::Beyond(Reason::Growing));
    assert_eq!(outcome(&growing[..1], LIMIT, 1_000.0), Outcome::Within, "one may be chance");
}

/// 200 searches on M/M/1 whose mean is seen with a spread of 10 % over passes, which are added
/// until it is decided: the two loads must enclose the highest one nearly always.
#[test]
fn noise_of_known_spread_rarely_misleads_a_search() {
    use super::super::search::{Answer, Search, Step};
    let (server, within) = (1_000.0, 0.005e9);
    let highest = server - 1e9 / within;
    let mut enclosed = 0;
    let mut random = 88_172_645_463_325_252_u64;
    let mut uniform = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) as f64 / (1u64 << 53) as f64
    };
    for _ in 0..200 {
        let mut search = Search::new(server, 0.02);
        let answer = loop {
            let rate = match search.next() {
                Step::Try(rate) => rate,
                Step::Done(answer) => break answer,
            };
            let mut values = Vec::new();
            let mut outcome = Outcome::Beyond(Reason::NotAchieved);
            for passes in [2, 4, 8, 12].into_iter().filter(|_| rate < server) {
                // The sum of twelve uniform numbers is nearly normal, with a deviation of 1.
                values.resize_with(passes, || {
                    let normal = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
                    1e9 / (server - rate) * (1.0 + 0.1 * normal)
                });
                outcome = decide(figure(&values, Metric::Mean).unwrap(), within);
                if outcome != Outcome::Undecided {
                    break;
                }
            }
            search.observe(rate, outcome);
        };
        let Answer::Between { within_per_sec, beyond_per_sec, .. } = answer else {
            panic!("{answer:?}")
        };
        enclosed += usize::from((within_per_sec..=beyond_per_sec).contains(&highest));
    }
    assert!(enclosed >= 170, "{enclosed} of 200");
}

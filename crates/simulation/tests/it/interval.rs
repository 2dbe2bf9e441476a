//! Intervals of means that are known.

use iopath_simulation::core::{Interval, Ps, Service, interval};
use iopath_workload::{Purpose, Source};

const MEAN: f64 = 1e6;
const RUNS: u32 = 400;

/// A first-order autoregression about `MEAN` with the standard deviation `MEAN`/20, begun in the
/// middle of it.
fn output(correlation: f64, length: usize, seed: u32) -> Vec<u64> {
    let mut source = Source::of(u64::from(seed), "output", Purpose::Service);
    let noise = Service::gamma(0.5);
    let mut draw = || (noise.draw(Ps(1_000_000), &mut source).0 as f64 / 1e6 - 1.0) / 0.5;
    let mut at = draw();
    let mut next = || {
        at = correlation * at + (1.0 - correlation * correlation).sqrt() * draw();
        (MEAN * (1.0 + at / 20.0)).round() as u64
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn nineteen_of_twenty_intervals_hold_the_mean() {
    // What is counted has the standard error √(0.95 × 0.05 / 400) = 0.011.
    let least = 0.95 - 3.0 * (0.95 * 0.05 / f64::from(RUNS)).sqrt();
    for correlation in [0.0, 0.3, 0.6, 0.9] {
        let holds = |seed| {
            let found = interval(&output(correlation, 1600, seed)).expect("1,600 are enough");
            (found.mean - MEAN).abs() <= found.half_width * found.mean
        };
        let share =
            f64::from((0..RUNS).filter(|seed| holds(*seed)).count() as u32) / f64::from(RUNS);
        assert!(share >= least, "correlation {correlation}: {share}");
    }
}

#[test]
fn an_interval_is_hardly_wider_than_it_must_be() {
    for correlation in [0.0, 0.6] {
        let wide = |seed| interval(&output(correlation, 1600, seed)).unwrap().half_width;
        let found = (0..RUNS).map(wide).sum::<f64>() / f64::from(RUNS);
        // Of the mean of an autoregression: σ √((1 + φ) / (1 − φ) / n), known exactly.
        let known = 1.96 * 0.05 * ((1.0 + correlation) / (1.0 - correlation) / 1600.0_f64).sqrt();
        assert!(found < 1.25 * known, "correlation {correlation}: {found} and {known}");
    }
}

#[test]
fn an_empty_start_is_cut_off() {
    for start in [20, 80, 150] {
        let mut totals: Vec<u64> =
            (0..start).map(|at| (MEAN * f64::from(at) / f64::from(start)) as u64).collect();
        totals.extend(output(0.3, 600, 3));
        let found = interval(&totals).unwrap();
        // The last tenth of the ramp hides in the deviations of what follows.
        assert!(found.cut as f64 >= 0.9 * f64::from(start), "{start}: {found:?}");
        assert!((found.mean - MEAN).abs() <= found.half_width * found.mean, "{start}: {found:?}");
    }
}

#[test]
fn what_does_not_vary_is_known_exactly() {
    let known = Interval { mean: 7.0, half_width: 0.0, cut: 0 };
    assert_eq!(interval(&[7; 100]), Some(known));
}

#[test]
fn too_little_tells_nothing() {
    assert_eq!(interval(&[]), None);
    assert_eq!(interval(&[7; 99]), None);
    assert_eq!(interval(&[0; 1000]), None, "there is no share of 0");
    let ramp: Vec<u64> = (0..1000).collect();
    assert_eq!(interval(&ramp), None, "the start is not over");
}

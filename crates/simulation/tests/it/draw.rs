//! Drawn service times against the moments of their distributions.

use iopath_simulation::core::{Ps, Service};
use iopath_workload::{Purpose, Source};

const DRAWS: usize = 100_000;
const MEAN: Ps = Ps(1_000_000_000);

/// In units of the mean.
fn draws(service: Service, seed: u64) -> Vec<f64> {
    let mut source = Source::of(seed, "disk[0]", Purpose::Service);
    (0..DRAWS).map(|_| service.draw(MEAN, &mut source).0 as f64 / MEAN.0 as f64).collect()
}

/// Mean and variance.
fn moments(draws: &[f64]) -> (f64, f64) {
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    (mean, draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// Within three standard errors: of the mean √(variance/n), of the variance about
/// variance × √((kurtosis − 1)/n).
fn check(service: Service, cv: f64, kurtosis: f64) {
    let (mean, variance) = moments(&draws(service, 7));
    let n = DRAWS as f64;
    let expected = cv * cv;
    assert!((mean - 1.0).abs() < 3.0 * cv / n.sqrt(), "cv {cv}: the mean is {mean}");
    let error = expected * ((kurtosis - 1.0) / n).sqrt();
    assert!((variance - expected).abs() < 3.0 * error, "cv {cv}: the variance is {variance}");
}

#[test]
fn gamma_has_the_mean_and_the_variation_that_are_asked_for() {
    for cv in [0.1, 0.25, 0.5, 1.0, 1.5, 2.0] {
        // A gamma distribution of shape k has kurtosis 3 + 6/k.
        check(Service::gamma(cv), cv, 3.0 + 6.0 * cv * cv);
    }
}

#[test]
fn uniform_has_the_mean_and_the_variation_that_are_asked_for() {
    for cv in [0.1, 0.3, 1.0 / 3.0_f64.sqrt()] {
        check(Service::uniform(cv), cv, 1.8);
    }
}

#[test]
fn uniform_reaches_from_end_to_end_and_never_below_zero() {
    let draws = draws(Service::uniform(5.0), 7);
    assert!(draws.iter().all(|draw| (0.0..=2.0).contains(draw)));
    assert!(draws.iter().any(|draw| *draw < 0.01) && draws.iter().any(|draw| *draw > 1.99));
    check(Service::uniform(5.0), 1.0 / 3.0_f64.sqrt(), 1.8);
}

#[test]
fn a_variation_of_one_is_exponential() {
    // Kolmogorov and Smirnov: the largest distance to 1 − e^−x; 1.63/√n is passed once in 100.
    let mut draws = draws(Service::gamma(1.0), 7);
    draws.sort_by(f64::total_cmp);
    let distance = |(rank, draw): (usize, &f64)| {
        let below = 1.0 - (-draw).exp();
        let ranks = [rank as f64 / DRAWS as f64, (rank + 1) as f64 / DRAWS as f64];
        ranks.map(|rank| (rank - below).abs()).into_iter().fold(0.0, f64::max)
    };
    let largest = draws.iter().enumerate().map(distance).fold(0.0, f64::max);
    assert!(largest < 1.63 / (DRAWS as f64).sqrt(), "{largest}");
}

#[test]
fn the_same_seed_draws_the_same_and_another_does_not() {
    for service in [Service::gamma(0.5), Service::gamma(1.0), Service::uniform(0.3)] {
        assert_eq!(draws(service, 1), draws(service, 1));
        assert_ne!(draws(service, 1), draws(service, 2));
    }
}

//! The normal distribution, and what a trial may gain by it.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::surrogate::Expected;

/// The chance that a standard normal variable is at most so much.
pub(crate) fn below(value: f64) -> f64 {
    0.5 * libm::erfc(-value * FRAC_1_SQRT_2)
}

/// The chance that something is at least 0.
pub(crate) fn kept(expected: Expected) -> f64 {
    match expected.deviation > 0.0 {
        true => below(expected.mean / expected.deviation),
        false => f64::from(u8::from(expected.mean >= 0.0)),
    }
}

/// By how much something exceeds the best so far, on average, where it does not count when it is
/// less (Jones, Schonlau, Welch 1998, equation 15).
pub(crate) fn improvement(expected: Expected, best: f64) -> f64 {
    let Expected { mean, deviation } = expected;
    if deviation <= 0.0 {
        return (mean - best).max(0.0);
    }
    let by = (mean - best) / deviation;
    let density = (-0.5 * by * by).exp() / (2.0 * PI).sqrt();
    (mean - best) * below(by) + deviation * density
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (at, share) in [(0.0, 0.5), (1.0, 0.841_345), (1.96, 0.975_002), (-3.0, 0.001_350)] {
            assert!((below(at) - share).abs() < 1e-6);
        }
    }

    #[test]
    fn what_is_expected_to_gain_is_the_integral() {
        let expected = Expected { mean: 1.0, deviation: 0.5 };
        let step = 1e-4;
        let slow: f64 = (0..100_000)
            .map(|at| {
                let value = -4.0 + f64::from(at) * step;
                let by = (value - 1.0) / 0.5;
                let density = (-0.5 * by * by).exp() / (0.5 * (2.0 * PI).sqrt());
                (value - 1.2).max(0.0) * density * step
            })
            .sum();
        assert!((improvement(expected, 1.2) - slow).abs() < 1e-4);
    }
}

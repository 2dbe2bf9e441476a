//! How long the slowest of several equal servers takes.
//!
//! The greatest of n independent times with distribution F has the distribution F^n (David and
//! Nagaraja, Order Statistics, 2003, section 2.1), so its mean is the integral of the time over
//! dF^n. Service times are taken as lognormal: it has no other parameters than mean and
//! variability, and the long tail of storage. Written as functions of a normal variable, times are
//! integrated by the trapezoid rule, which converges faster than any power of its step on a smooth
//! integrand that dies out at both ends. It leaves out that servers may be slow together.

use std::f64::consts::PI;

/// Step and ends of the integral, in standard deviations: beyond, less is left than rounding.
const STEP: f64 = 1.0 / 32.0;
const ENDS: i32 = 14 * 32;

/// The mean of the greatest of `n` independent times of mean 1 and this coefficient of variation;
/// `n` need not be whole.
pub(crate) fn greatest(n: f64, variation: f64) -> f64 {
    if variation <= 0.0 || n <= 1.0 {
        return 1.0;
    }
    // A lognormal of mean 1: its logarithm has the variance s² = ln(1 + c²) and the mean −s²/2.
    let variance = (variation * variation).ln_1p();
    let deviation = variance.sqrt();
    greatest_of(n, |z| (deviation * z - variance / 2.0).exp())
}

/// The mean of the greatest of `n` times, each a growing function of a standard normal variable.
fn greatest_of(n: f64, time: impl Fn(f64) -> f64) -> f64 {
    let weighed = |step: i32| {
        let z = f64::from(step) * STEP;
        let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
        time(z) * n * density * distribution(z).powf(n - 1.0)
    };
    (-ENDS..=ENDS).map(weighed).sum::<f64>() * STEP
}

/// The distribution of the standard normal, by its power series (Marsaglia, Evaluating the normal
/// distribution, Journal of Statistical Software 11(4), 2004); beyond 8 deviations it is 0 or 1
/// but for 10^-15.
fn distribution(z: f64) -> f64 {
    if z.abs() > 8.0 {
        return if z < 0.0 { 0.0 } else { 1.0 };
    }
    let (mut sum, mut term, mut at) = (z, z, 1.0);
    while term.abs() > 1e-18 * sum.abs() {
        at += 2.0;
        term *= z * z / at;
        sum += term;
    }
    (0.5 + sum * (-0.5 * z * z).exp() / (2.0 * PI).sqrt()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(value: f64, expected: f64, relative: f64) -> bool {
        (value / expected - 1.0).abs() < relative
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        let table = [(0.0, 0.5), (1.0, 0.841_344_746_068_543), (-2.0, 0.022_750_131_948_179)];
        for (z, expected) in table {
            assert!(is_near(distribution(z), expected, 1e-13), "{z}: {}", distribution(z));
        }
    }

    #[test]
    fn the_slowest_of_exponential_times_is_the_harmonic_number() {
        for n in [1, 2, 8, 24, 96] {
            let harmonic: f64 = (1..=n).map(|k| 1.0 / f64::from(k)).sum();
            let found = greatest_of(f64::from(n), |z| -distribution(-z).max(1e-300).ln());
            assert!(is_near(found, harmonic, 1e-9), "{n}: {found}, not {harmonic}");
        }
    }

    #[test]
    fn two_lognormal_times_have_a_closed_form() {
        // E max(X, Y) = 2 Φ(s/√2) for equal independent lognormals of mean 1.
        for variation in [0.1, 0.5, 1.0, 3.0_f64] {
            let deviation = (variation * variation).ln_1p().sqrt();
            let expected = 2.0 * distribution(deviation / 2.0_f64.sqrt());
            assert!(is_near(greatest(2.0, variation), expected, 1e-9), "{variation}");
        }
    }

    #[test]
    fn the_slowest_of_one_or_of_constant_times_takes_as_long() {
        assert_eq!([greatest(1.0, 0.5), greatest(24.0, 0.0)], [1.0, 1.0]);
    }
}

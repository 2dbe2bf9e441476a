//! How well the mean of a simulation's output is known, by batch means.
//!
//! The output is given as totals over equal times. What the empty start distorts is cut off where
//! that makes the standard error of what remains least (MSER-5: White: An effective truncation
//! heuristic for bias reduction in simulation output, Simulation 69, 1997; in means of five, and
//! not in the second half). The rest is cut into batches of five. Neighbours are merged as long as
//! each batch resembles the one before it: as long as their correlation is above what independent
//! batches reach once in twenty times. Fewer than 20 batches are too few (Schmeiser: Batch size
//! effects in the analysis of simulation output, OR 30, 1982). For the likeness that remains the
//! interval is widened as for a first-order autoregression (Tafazzoli, Wilson, Lada, Steiger:
//! Performance of Skart, INFORMS J. Computing 23, 2011).
//!
//! An interval of few totals that resemble one another is too narrow. It leaves out cycles that
//! are longer than what was seen.

/// A mean and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Of a total, in its unit.
    pub mean: f64,
    /// Half the width of the 95 % interval / the mean.
    pub half_width: f64,
    /// How many totals at the beginning are left out.
    pub cut: usize,
}

/// Means of so many are what the start is cut off by (White).
const FIVE: usize = 5;
const LEAST_BATCHES: usize = 20;
/// One-sided 5 % point of the normal distribution.
const ONCE_IN_TWENTY: f64 = 1.645;

/// The mean of totals over equal times, without those of the start. `None` as long as that is less
/// than 20 batches of five totals, where the mean is 0, or where the start does not seem to be
/// over.
#[must_use]
pub fn interval(totals: &[u64]) -> Option<Interval> {
    let totals: Vec<f64> = totals.iter().map(|total| *total as f64).collect();
    let mut batches = means(&totals, FIVE);
    let cut = cut(&batches)?;
    batches.drain(..cut);
    if batches.len() < LEAST_BATCHES {
        return None;
    }
    while batches.len() >= 2 * LEAST_BATCHES && resembles(&batches) {
        // An odd one goes at the front: it is the nearest to the start.
        batches = means(&batches[batches.len() % 2..], 2);
    }
    let n = batches.len() as f64;
    let mean = mean(&batches);
    let likeness = correlation(&batches).clamp(0.0, 0.99);
    let widened = (1.0 + likeness) / (1.0 - likeness);
    let error = (squares(&batches) / (n - 1.0) / n * widened).sqrt();
    let half_width = student_95(n - 1.0) * error / mean;
    (mean > 0.0).then_some(Interval { mean, half_width, cut: cut * FIVE })
}

/// Means of so many neighbours; those at the end that are fewer are left out.
fn means(values: &[f64], of: usize) -> Vec<f64> {
    values.chunks_exact(of).map(mean).collect()
}

/// At how many values the start is over: where the squared standard error of the rest is least.
/// None where that is the half, since then it may well be later.
fn cut(values: &[f64]) -> Option<usize> {
    let n = values.len();
    let mut best = (f64::INFINITY, 0);
    let (mut sum, mut sum_of_squares) = (0.0, 0.0);
    // About the last value, lest large numbers hide small differences.
    let origin = *values.last()?;
    for (at, value) in values.iter().enumerate().rev() {
        sum += value - origin;
        sum_of_squares += (value - origin).powi(2);
        let rest = (n - at) as f64;
        let error = (sum_of_squares - sum * sum / rest).max(0.0) / (rest * rest);
        if at <= n / 2 && error <= best.0 {
            best = (error, at);
        }
    }
    (best.1 < n / 2).then_some(best.1)
}

fn resembles(batches: &[f64]) -> bool {
    correlation(batches) > ONCE_IN_TWENTY / (batches.len() as f64).sqrt()
}

/// Of each value with the one before it; 0 where all are equal.
fn correlation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares = squares(values);
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of the distances to the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// The two-sided 95 % point of Student's t, from the normal distribution's by the expansion
/// 26.7.5 of Abramowitz and Stegun (Handbook of Mathematical Functions, 1964): from 19 degrees of
/// freedom on right to four digits.
fn student_95(freedom: f64) -> f64 {
    const X: f64 = 1.959_964;
    let (x3, x5, x7) = (X.powi(3), X.powi(5), X.powi(7));
    X + (x3 + X) / (4.0 * freedom)
        + (5.0 * x5 + 16.0 * x3 + 3.0 * X) / (96.0 * freedom.powi(2))
        + (3.0 * x7 + 19.0 * x5 + 17.0 * x3 - 15.0 * X) / (384.0 * freedom.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_meets_the_table() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
        for (freedom, t) in [(19.0, 2.093), (24.0, 2.064), (39.0, 2.023), (99.0, 1.984)] {
            assert!((student_95(freedom) - t).abs() < 0.000_5, "{freedom}");
        }
    }

    #[test]
    fn the_start_ends_where_the_error_of_the_rest_is_least() {
        let mut values = vec![0.0, 40.0, 80.0];
        values.extend((0..40).map(|at| 100.0 + f64::from(at % 3)));
        let error = |at: usize| squares(&values[at..]) / (values.len() - at).pow(2) as f64;
        let least = (0..20).min_by(|a, b| error(*a).total_cmp(&error(*b)));
        assert_eq!((cut(&values), least), (Some(3), Some(3)));
        // Nothing but a start.
        let ramp: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!(cut(&ramp), None);
        assert_eq!(cut(&[]), None);
    }
}

//! Means with their confidence, and fairness.
//!
//! Confidence of a mean: Student's t ("The probable error of a mean", Biometrika 6, 1908).
//! Difference of two means with unequal spread: Welch (Biometrika 34, 1947), with the degrees of
//! freedom of Welch and Satterthwaite. Fairness: Jain, Chiu, Hawe (DEC-TR-301, 1984).
//! It leaves out the shape of the distribution: few passes do not tell it.

use serde::Serialize;

/// A mean over passes and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Confidence {
    /// Mean over passes, in the unit of what was averaged.
    pub mean: f64,
    /// Half the width of the 95 % interval, in percent of the mean.
    pub half_width_percent: f64,
    /// How many passes.
    pub passes: usize,
}

/// The 95 % interval of a mean; none for fewer than two values or a mean of 0.
#[must_use]
pub fn confidence(values: &[f64]) -> Option<Confidence> {
    let mean = mean(values)?;
    let error = (variance(values)? / values.len() as f64).sqrt();
    let half_width = student_95(values.len() as f64 - 1.0) * error;
    let half_width_percent = 100.0 * half_width / mean;
    (mean > 0.0).then_some(Confidence { mean, half_width_percent, passes: values.len() })
}

/// An interval around a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Mean of the second less mean of the first.
    pub mean: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// A mean and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    mean: f64,
    /// Square of its standard error.
    variance: f64,
    /// Degrees of freedom of that.
    freedom: f64,
}

impl Estimate {
    /// From a sample; none for fewer than two values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let (mean, variance) = (mean(values)?, variance(values)? / count);
        Some(Self { mean, variance, freedom: count - 1.0 })
    }

    /// Of which half the width of the 95 % interval is known from elsewhere.
    #[must_use]
    pub fn known(mean: f64, half_width: f64) -> Self {
        let variance = (half_width / student_95(f64::INFINITY)).powi(2);
        Self { mean, variance, freedom: f64::INFINITY }
    }
}

/// How far `b` lies above `a`, by Welch's t.
#[must_use]
pub fn welch(a: Estimate, b: Estimate) -> Difference {
    let mean = b.mean - a.mean;
    let both = a.variance + b.variance;
    let freedom = both.powi(2) / (a.variance.powi(2) / a.freedom + b.variance.powi(2) / b.freedom);
    // Without any spread the degrees of freedom are 0/0, and the interval has no width.
    let half = if freedom.is_nan() { 0.0 } else { student_95(freedom) * both.sqrt() };
    Difference { mean, low: mean - half, high: mean + half }
}

/// Jain's index: 1 when all shares are equal, 1/n when one has everything. None without shares
/// or where all are 0.
#[must_use]
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// The arithmetic mean.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle one; of an even number the mean of the two.
#[must_use]
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        even if even % 2 == 0 => Some(f64::midpoint(values[middle - 1], values[middle])),
        _ => Some(values[middle]),
    }
}

/// Spread over mean (coefficient of variation), as a number.
pub(crate) fn variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|mean| *mean > 0.0)?;
    Some(variance(values)?.sqrt() / mean)
}

fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(squares / (values.len() as f64 - 1.0))
}

/// Two-sided 95 % points of Student's t by degrees of freedom, from any table of it.
const STUDENT: [(f64, f64); 17] = [
    (1.0, 12.706),
    (2.0, 4.303),
    (3.0, 3.182),
    (4.0, 2.776),
    (5.0, 2.571),
    (6.0, 2.447),
    (7.0, 2.365),
    (8.0, 2.306),
    (9.0, 2.262),
    (10.0, 2.228),
    (12.0, 2.179),
    (15.0, 2.131),
    (20.0, 2.086),
    (30.0, 2.042),
    (60.0, 2.000),
    (120.0, 1.980),
    (f64::INFINITY, 1.960),
];

/// Between two entries of the table a straight line over 1/freedom; the curve is convex there,
/// so the interval comes out a little too wide, never too narrow.
fn student_95(freedom: f64) -> f64 {
    let above = STUDENT.iter().position(|(entry, _)| *entry >= freedom).unwrap_or(16).max(1);
    let ((left, high), (right, low)) = (STUDENT[above - 1], STUDENT[above]);
    let share = (1.0 / freedom.max(1.0) - 1.0 / right) / (1.0 / left - 1.0 / right);
    low + (high - low) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-3
    }

    #[test]
    fn the_interval_of_three_passes_is_the_textbook_one() {
        // Mean 10, standard deviation 1, t(2) = 4.303: 4.303 / sqrt(3) = 2.484.
        let known = confidence(&[9.0, 10.0, 11.0]).unwrap();
        assert!(near(known.mean, 10.0) && near(known.half_width_percent, 24.843));
        assert_eq!(confidence(&[9.0]), None);
        assert_eq!(confidence(&[0.0, 0.0]), None);
    }

    #[test]
    fn student_meets_the_table_and_its_limits() {
        for (freedom, t) in [(1.0, 12.706), (2.0, 4.303), (10.0, 2.228), (1e12, 1.960)] {
            assert!(near(student_95(freedom), t), "{freedom}");
        }
        // Exact values of the distribution between entries: 3.558 at 2.5 and 2.201 at 11.
        assert!((3.558..3.70).contains(&student_95(2.5)));
        assert!((2.201..2.21).contains(&student_95(11.0)));
    }

    #[test]
    fn equal_spread_makes_welch_the_plain_t() {
        // Variances 1 and 1, three values each: 4 degrees of freedom, error sqrt(2/3).
        let of = |values: &[f64]| Estimate::of(values).unwrap();
        let found = welch(of(&[9.0, 10.0, 11.0]), of(&[14.0, 15.0, 16.0]));
        assert!(near(found.mean, 5.0));
        assert!(near(found.high - found.mean, 2.776 * (2.0f64 / 3.0).sqrt()));
        let still = welch(of(&[1.0, 1.0]), of(&[2.0, 2.0]));
        assert_eq!((still.low, still.high), (1.0, 1.0));
        assert_eq!(Estimate::of(&[1.0]), None);
    }

    #[test]
    fn what_is_known_beside_a_sample_leaves_it_its_own_interval() {
        let sample = Estimate::of(&[9.0, 10.0, 11.0]).unwrap();
        let exact = welch(Estimate::known(8.0, 0.0), sample);
        assert!(near(exact.high - exact.mean, 2.484), "Student's, with two degrees of freedom");
        let both = welch(Estimate::known(1.0, 0.3), Estimate::known(2.0, 0.4));
        assert!(near(both.high - both.mean, 0.5), "errors add by their squares");
        let still = welch(Estimate::known(1.0, 0.0), Estimate::known(2.0, 0.0));
        assert_eq!((still.low, still.high), (1.0, 1.0));
    }

    #[test]
    fn jain_knows_equal_shares_and_a_hog() {
        assert_eq!(jain(&[3.0; 8]), Some(1.0));
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[]), None);
        assert_eq!(jain(&[0.0]), None);
    }
}

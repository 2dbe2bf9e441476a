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

/// How far `b` lies above `a`, by Welch's t; none where either has fewer than two values.
#[must_use]
pub fn welch(a: &[f64], b: &[f64]) -> Option<Difference> {
    let mean = mean(b)? - mean(a)?;
    let (in_a, in_b) = (variance(a)? / a.len() as f64, variance(b)? / b.len() as f64);
    let freedom = (in_a + in_b).powi(2)
        / (in_a.powi(2) / (a.len() as f64 - 1.0) + in_b.powi(2) / (b.len() as f64 - 1.0));
    // Without any spread the degrees of freedom are 0/0, and the interval has no width.
    let half = if freedom.is_nan() { 0.0 } else { student_95(freedom) * (in_a + in_b).sqrt() };
    Some(Difference { mean, low: mean - half, high: mean + half })
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
        let found = welch(&[9.0, 10.0, 11.0], &[14.0, 15.0, 16.0]).unwrap();
        assert!(near(found.mean, 5.0));
        assert!(near(found.high - found.mean, 2.776 * (2.0f64 / 3.0).sqrt()));
        let still = welch(&[1.0, 1.0], &[2.0, 2.0]).unwrap();
        assert_eq!((still.low, still.high), (1.0, 1.0));
        assert_eq!(welch(&[1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn jain_knows_equal_shares_and_a_hog() {
        assert_eq!(jain(&[3.0; 8]), Some(1.0));
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[]), None);
        assert_eq!(jain(&[0.0]), None);
    }
}

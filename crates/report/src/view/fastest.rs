//! Which trials stand for a run of several: the fastest and the slowest by their headline figures,
//! of equal ones the first. Headline, pictures, charts and text take them from here, so that all
//! of them show the same case.

use super::run::TrialReport;

/// Positions of two trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    pub fastest: usize,
    pub slowest: usize,
}

/// The ends of the trials; none where there is no trial.
pub(crate) fn ends(trials: &[TrialReport]) -> Option<Ends> {
    of_speeds(&trials.iter().map(speed).collect::<Vec<_>>())
}

pub(crate) fn speed(trial: &TrialReport) -> f64 {
    trial.carried().throughput_bytes_per_sec
}

/// The same of bare rates.
pub(crate) fn of_speeds(speeds: &[f64]) -> Option<Ends> {
    let by_speed = |a: &usize, b: &usize| speeds[*a].total_cmp(&speeds[*b]);
    let fastest = (0..speeds.len()).rev().max_by(by_speed)?;
    let slowest = (0..speeds.len()).min_by(by_speed)?;
    Some(Ends { fastest, slowest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_trials_the_first_is_each_end() {
        let ends = |speeds: &[f64]| of_speeds(speeds).map(|ends| (ends.fastest, ends.slowest));
        assert_eq!(ends(&[2.0, 3.0, 1.0, 3.0, 1.0]), Some((1, 2)));
        assert_eq!(ends(&[5.0, 5.0]), Some((0, 0)));
        assert_eq!(ends(&[]), None);
    }
}

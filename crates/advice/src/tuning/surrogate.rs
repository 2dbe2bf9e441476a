//! What to expect of settings that were not tried: a Gaussian process through those that were.
//!
//! The law is that of ordinary kriging (Rasmussen and Williams, Gaussian Processes for Machine
//! Learning, 2006, chapters 2 and 5): a Matérn 5/2 covariance with a length of its own for each
//! knob, and noise of a single pass. Lengths and noise are those of a small grid that make the
//! values most likely, where a length near half of the range is the most plausible. Where something is expected beforehand, as a bound, a linear trend in that
//! is part of it. It leaves out noise that differs from setting to setting.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::space::{Setting, Space};

/// Lengths that are tried, in ranges of a knob: chosen.
const LENGTHS: [f64; 5] = [0.2, 0.4, 0.8, 1.6, 4.0];
/// The most plausible length: chosen.
const USUAL_LENGTH: f64 = 0.5;
/// Variances of a pass, in those of the values: chosen.
const NOISES: [f64; 4] = [1e-6, 1e-4, 1e-2, 1e-1];
/// How often the grid is walked, one length after the other.
const ROUNDS: usize = 2;
/// Values that differ by less are taken to be equal: a ten-thousandth.
const LEAST_SPREAD: f64 = 1e-4;

/// A setting that was tried.
#[derive(Clone, Debug)]
pub(crate) struct Tried<'a> {
    pub setting: &'a Setting,
    /// What is expected beforehand; 0 where nothing is.
    pub prior: f64,
    /// Mean of its passes.
    pub value: f64,
    pub passes: usize,
}

/// What to expect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation, without the noise of a pass.
    pub deviation: f64,
}

/// What was tried, with the covariance that suits it.
pub(crate) struct Surrogate<'a> {
    space: &'a Space,
    tried: Vec<Tried<'a>>,
    shape: Shape,
    solved: Solved,
    values: Standard,
    priors: Standard,
}

/// What is fitted.
#[derive(Clone, Debug)]
struct Shape {
    lengths: Vec<f64>,
    noise: f64,
}

impl Shape {
    /// The logarithm of how plausible the lengths are by themselves: a few values would make every
    /// length likely, and a long one says that nothing is left to try.
    fn plausible(&self) -> f64 {
        let off = |length: &f64| -0.5 * (length / USUAL_LENGTH).ln().powi(2);
        self.lengths.iter().map(off).sum()
    }
}

/// How values become numbers around 0.
#[derive(Clone, Copy, Debug)]
struct Standard {
    mean: f64,
    spread: f64,
}

/// The covariance of what was tried, factored, and what follows for the values.
struct Solved {
    factor: Cholesky<f64, Dyn>,
    weights: DVector<f64>,
    likelihood: f64,
}

impl<'a> Surrogate<'a> {
    /// Fits what was tried; none where that is nothing.
    pub(crate) fn fit(space: &'a Space, tried: Vec<Tried<'a>>) -> Option<Self> {
        let values = Standard::of(tried.iter().map(|one| one.value))?;
        let priors = Standard::of(tried.iter().map(|one| one.prior))?;
        let shape = Shape { lengths: vec![0.8; space.knobs().len()], noise: NOISES[1] };
        let problem = Problem { space, tried: &tried, values, priors };
        let solved = problem.solve(&shape)?;
        let (shape, solved) = problem.improve(shape, solved);
        Some(Self { space, tried, shape, solved, values, priors })
    }

    /// What to expect of a setting of which this is expected beforehand.
    pub(crate) fn expected(&self, setting: &[usize], prior: f64) -> Expected {
        let of = |tried: &Tried<'_>| {
            let alike = covariance(self.space, &self.shape, setting, tried.setting);
            alike + self.priors.of_one(prior) * self.priors.of_one(tried.prior)
        };
        let to = DVector::from_iterator(self.tried.len(), self.tried.iter().map(of));
        let mean = to.dot(&self.solved.weights);
        let explained = to.dot(&self.solved.factor.solve(&to));
        let own = 1.0 + self.priors.of_one(prior).powi(2);
        Expected {
            mean: self.values.mean + self.values.spread * mean,
            deviation: self.values.spread * (own - explained).max(0.0).sqrt(),
        }
    }
}

impl Standard {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let count = values.clone().count();
        if count == 0 {
            return None;
        }
        let mean = values.clone().sum::<f64>() / count as f64;
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64;
        Some(Self { mean, spread: variance.sqrt().max(LEAST_SPREAD) })
    }

    fn of_one(self, value: f64) -> f64 {
        (value - self.mean) / self.spread
    }
}

/// What is to be fitted.
struct Problem<'a> {
    space: &'a Space,
    tried: &'a [Tried<'a>],
    values: Standard,
    priors: Standard,
}

impl Problem<'_> {
    fn solve(&self, shape: &Shape) -> Option<Solved> {
        let count = self.tried.len();
        let matrix = DMatrix::from_fn(count, count, |row, column| {
            let (one, other) = (&self.tried[row], &self.tried[column]);
            let alike = covariance(self.space, shape, one.setting, other.setting);
            let noise = if row == column { shape.noise / one.passes.max(1) as f64 } else { 0.0 };
            alike + self.priors.of_one(one.prior) * self.priors.of_one(other.prior) + noise
        });
        let factor = matrix.cholesky()?;
        let values = self.tried.iter().map(|one| self.values.of_one(one.value));
        let values = DVector::from_iterator(count, values);
        let weights = factor.solve(&values);
        let half_log_determinant: f64 =
            factor.l_dirty().diagonal().iter().map(|entry| entry.ln()).sum();
        let likelihood = -0.5 * values.dot(&weights) - half_log_determinant + shape.plausible();
        Some(Solved { factor, weights, likelihood })
    }

    /// Walks the grid, each time one length or the noise.
    fn improve(&self, mut shape: Shape, mut solved: Solved) -> (Shape, Solved) {
        let mut offer = |shape: &mut Shape, other: Shape| {
            let found = self.solve(&other).filter(|one| one.likelihood > solved.likelihood);
            if let Some(better) = found {
                (*shape, solved) = (other, better);
            }
        };
        for _ in 0..ROUNDS {
            for knob in 0..shape.lengths.len() {
                for length in LENGTHS {
                    let mut other = shape.clone();
                    other.lengths[knob] = length;
                    offer(&mut shape, other);
                }
            }
            for noise in NOISES {
                let other = Shape { noise, ..shape.clone() };
                offer(&mut shape, other);
            }
        }
        (shape, solved)
    }
}

/// Matérn 5/2 of the distance in lengths.
fn covariance(space: &Space, shape: &Shape, one: &[usize], other: &[usize]) -> f64 {
    let distances = space.distances(one, other).zip(&shape.lengths);
    let square: f64 = distances.map(|(distance, length)| (distance / length).powi(2)).sum();
    let scaled = (5.0 * square).sqrt();
    (1.0 + scaled + scaled.powi(2) / 3.0) * (-scaled).exp()
}

#[cfg(test)]
mod tests {
    use super::super::space::Knob;
    use super::*;

    fn line(levels: usize) -> Space {
        let knob = Knob { levels, ranks: Some((0..levels).collect()) };
        Space::new(vec![knob], vec![0])
    }

    #[test]
    fn it_passes_through_what_was_tried_and_is_less_sure_further_away() {
        let space = line(9);
        let settings: Vec<Setting> = [0, 2, 4, 6].map(|place| vec![place]).to_vec();
        let of = |setting: &Setting| (setting[0] as f64 / 3.0).sin();
        let tried = settings.iter().map(|setting| {
            let value = of(setting);
            Tried { setting, prior: 0.0, value, passes: 1 }
        });
        let fitted = Surrogate::fit(&space, tried.collect()).unwrap();
        for setting in &settings {
            assert!((fitted.expected(setting, 0.0).mean - of(setting)).abs() < 0.05);
        }
        let between = fitted.expected(&[3], 0.0);
        assert!((between.mean - of(&vec![3])).abs() < 0.1, "{between:?}");
        assert!(fitted.expected(&[8], 0.0).deviation > between.deviation);
    }

    #[test]
    fn a_bound_that_is_right_is_believed() {
        let space = line(20);
        let bound = |place: usize| if place == 13 { 5.0 } else { place as f64 / 20.0 };
        let settings: Vec<Setting> = [0, 7, 19, 10].map(|place| vec![place]).to_vec();
        let tried = settings.iter().map(|setting| {
            let prior = bound(setting[0]);
            Tried { setting, prior, value: prior, passes: 1 }
        });
        let fitted = Surrogate::fit(&space, tried.collect()).unwrap();
        let best = (0..20).max_by(|one, other| {
            let of = |place: usize| fitted.expected(&[place], bound(place)).mean;
            of(*one).total_cmp(&of(*other))
        });
        assert_eq!(best, Some(13));
    }
}

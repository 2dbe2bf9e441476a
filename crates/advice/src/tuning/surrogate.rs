//! What to expect of settings that were not tried: Gaussian processes through those that were.
//!
//! The law is that of simple kriging (Rasmussen and Williams, Gaussian Processes for Machine
//! Learning, 2006, chapters 2 and 5): a Matérn 5/2 covariance with a length of its own for each
//! knob, and noise of a single pass. A few values leave open which knob they depend on, so
//! lengths and noise are many, each counted by how likely it makes the values: what they do not
//! agree on adds to the deviation. Where something is expected beforehand, as a bound, a linear
//! trend in that is part of it. It leaves out noise that differs from setting to setting.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::space::{Setting, Space};

/// Lengths, in ranges of a knob, and variances of a pass, in those of the values: chosen.
const LENGTHS: (f64, f64) = (0.15, 4.0);
const NOISES: (f64, f64) = (1e-6, 1.0);
/// How many are drawn evenly, on a logarithmic scale: chosen.
const DRAWN: usize = 48;
/// How often the likeliest of them is improved, one length after the other, by this factor.
const ROUNDS: usize = 3;
const STEP: f64 = 1.5;
/// Less likely than the likeliest by more than this they do not count: a twentieth.
const LEAST_LIKELY: f64 = 0.05;
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

/// What was tried, with the covariances that suit it.
pub(crate) struct Surrogate<'a> {
    space: &'a Space,
    tried: Vec<Tried<'a>>,
    /// The sum of their weights is 1.
    fits: Vec<Fit>,
    values: Standard,
    priors: Standard,
}

/// One covariance, and how much it counts.
struct Fit {
    shape: Shape,
    solved: Solved,
    weight: f64,
}

/// What is fitted.
#[derive(Clone, Debug)]
struct Shape {
    lengths: Vec<f64>,
    noise: f64,
}

impl Shape {
    /// The one of this number: the roots of primes spread evenly over every knob together.
    fn drawn(number: usize, knobs: usize) -> Self {
        let even = |axis: usize| (number as f64 * root(axis)).fract();
        let between = |(low, high): (f64, f64), part: f64| low * (high / low).powf(part);
        Self {
            lengths: (0..knobs).map(|knob| between(LENGTHS, even(knob + 1))).collect(),
            noise: between(NOISES, even(0)),
        }
    }

    /// Those with one length, or the noise, a step up or down.
    fn near(&self) -> Vec<Self> {
        let mut near = Vec::new();
        for factor in [STEP, 1.0 / STEP] {
            for knob in 0..self.lengths.len() {
                let mut other = self.clone();
                other.lengths[knob] = (other.lengths[knob] * factor).clamp(LENGTHS.0, LENGTHS.1);
                near.push(other);
            }
            let noise = (self.noise * factor.powi(3)).clamp(NOISES.0, NOISES.1);
            near.push(Self { noise, ..self.clone() });
        }
        near
    }
}

/// The root of the prime of this number; of many the sum with the one before, which is as good.
fn root(axis: usize) -> f64 {
    const PRIMES: [f64; 12] = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0];
    let round = axis / PRIMES.len();
    PRIMES[axis % PRIMES.len()].sqrt() + round as f64 * std::f64::consts::E
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
        let fits = Problem { space, tried: &tried, values, priors }.fits()?;
        Some(Self { space, tried, fits, values, priors })
    }

    /// What to expect of a setting of which this is expected beforehand.
    pub(crate) fn expected(&self, setting: &[usize], prior: f64) -> Expected {
        let (mut mean, mut square) = (0.0, 0.0);
        for fit in &self.fits {
            let Expected { mean: one, deviation } = self.by(fit, setting, prior);
            mean += fit.weight * one;
            square += fit.weight * (one.powi(2) + deviation.powi(2));
        }
        Expected {
            mean: self.values.mean + self.values.spread * mean,
            deviation: self.values.spread * (square - mean.powi(2)).max(0.0).sqrt(),
        }
    }

    /// By one covariance, around 0.
    fn by(&self, fit: &Fit, setting: &[usize], prior: f64) -> Expected {
        let prior = self.priors.of_prior(prior);
        let of = |tried: &Tried<'_>| {
            let alike = covariance(self.space, &fit.shape, setting, tried.setting);
            alike + prior * self.priors.of_prior(tried.prior)
        };
        let mut to = DVector::from_iterator(self.tried.len(), self.tried.iter().map(of));
        let mean = to.dot(&fit.solved.weights);
        // The lower half of the factor alone: its square is what is explained.
        let is_solved = fit.solved.factor.l_dirty().solve_lower_triangular_mut(&mut to);
        let explained = if is_solved { to.norm_squared() } else { 0.0 };
        let own = 1.0 + prior.powi(2);
        Expected { mean, deviation: (own - explained).max(0.0).sqrt() }
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

    /// The same for what is expected beforehand: where that did not differ yet, it says nothing.
    fn of_prior(self, prior: f64) -> f64 {
        if self.spread > LEAST_SPREAD { self.of_one(prior) } else { 0.0 }
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
            alike + self.priors.of_prior(one.prior) * self.priors.of_prior(other.prior) + noise
        });
        let factor = matrix.cholesky()?;
        let values = self.tried.iter().map(|one| self.values.of_one(one.value));
        let values = DVector::from_iterator(count, values);
        let weights = factor.solve(&values);
        let half_log_determinant: f64 =
            factor.l_dirty().diagonal().iter().map(|entry| entry.ln()).sum();
        let likelihood = -0.5 * values.dot(&weights) - half_log_determinant;
        Some(Solved { factor, weights, likelihood })
    }

    /// Many, and from the likeliest on uphill; each counted by its likelihood.
    fn fits(&self) -> Option<Vec<Fit>> {
        let knobs = self.space.knobs().len();
        let fit = |shape: Shape| {
            let solved = self.solve(&shape)?;
            let weight = solved.likelihood;
            Some(Fit { shape, solved, weight })
        };
        let mut fits: Vec<Fit> =
            (1..=DRAWN).filter_map(|number| fit(Shape::drawn(number, knobs))).collect();
        let likelier = |one: &&Fit, other: &&Fit| one.weight.total_cmp(&other.weight);
        for _ in 0..ROUNDS {
            let near = fits.iter().max_by(likelier)?.shape.near();
            let best =
                near.into_iter().filter_map(fit).max_by(|a, b| a.weight.total_cmp(&b.weight));
            fits.extend(best);
        }
        let most = fits.iter().max_by(likelier)?.weight;
        fits.iter_mut().for_each(|fit| fit.weight = (fit.weight - most).exp());
        fits.retain(|fit| fit.weight >= LEAST_LIKELY);
        let sum: f64 = fits.iter().map(|fit| fit.weight).sum();
        fits.iter_mut().for_each(|fit| fit.weight /= sum);
        Some(fits)
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
        let knob = Knob { levels, ranks: Some((0..levels).collect()), effort: 0 };
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

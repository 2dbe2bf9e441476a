//! Medians, and how well they are known.
//!
//! The interval is the percentile bootstrap (Efron, "Bootstrap methods: another look at the
//! jackknife", Annals of Statistics 7, 1979): the values are drawn with replacement, as many as
//! there are, and the middle 95 % of the medians of such draws is the interval. It assumes that
//! the values do not depend on each other; a drift over the whole run is not in it.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// How often the values are drawn anew (chosen: an end of the interval then rests on 500 draws
/// beyond it).
const RESAMPLES: usize = 20_000;

/// Fixed, so that the same values always have the same interval.
const SEED: u64 = 1979;

/// Both ends of a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

/// The middle value, or the mean of both middle ones; none without values.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    (!sorted.is_empty()).then(|| median_of(&mut sorted))
}

/// The 95 % interval of the median; none for fewer than two values.
pub(crate) fn median_interval(values: &[f64]) -> Option<Interval> {
    if values.len() < 2 {
        return None;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut drawn = vec![0.0; values.len()];
    let mut medians = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        drawn.fill_with(|| values[below(&mut random, values.len())]);
        medians.push(median_of(&mut drawn));
    }
    medians.sort_by(f64::total_cmp);
    let tail = RESAMPLES * 25 / 1000;
    Some(Interval { low: medians[tail], high: medians[RESAMPLES - 1 - tail] })
}

/// What divides a pair: of values that lie beside each other.
pub(crate) fn ratios(over: &[f64], under: &[f64]) -> Vec<f64> {
    over.iter().zip(under).map(|(over, under)| over / under).collect()
}

fn median_of(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

/// The bias of this product is below 2^-58 for the handful of values here.
fn below(random: &mut Xoshiro256PlusPlus, end: usize) -> usize {
    ((u128::from(random.next_u64()) * end as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_in_whatever_order() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), Some(3.0));
    }

    /// The median of n values drawn from n is at most the k-th with the probability that a
    /// binomial of n and k/n is (n+1)/2 at least: of 9 values 0.1 % for the first and 3.0 % for
    /// the second, of 5 values 5.8 % for the first.
    #[test]
    fn the_interval_is_that_of_the_binomial_distribution() {
        let nine: Vec<f64> = (1..=9).map(f64::from).collect();
        assert_eq!(median_interval(&nine), Some(Interval { low: 2.0, high: 8.0 }));
        let five = [30.0, 10.0, 50.0, 20.0, 40.0];
        assert_eq!(median_interval(&five), Some(Interval { low: 10.0, high: 50.0 }));
    }

    #[test]
    fn values_without_spread_are_known_exactly_and_one_value_is_not() {
        assert_eq!(median_interval(&[2.5; 15]), Some(Interval { low: 2.5, high: 2.5 }));
        assert_eq!(median_interval(&[2.5]), None);
    }

    #[test]
    fn a_ratio_is_made_of_each_pair_before_the_median() {
        // Medians 2 and 4 would say 0.5; the pairs say 1.
        let ratios = ratios(&[1.0, 2.0, 6.0], &[1.0, 4.0, 6.0]);
        assert_eq!(ratios, [1.0, 0.5, 1.0]);
        assert_eq!(median(&ratios), Some(1.0));
    }
}

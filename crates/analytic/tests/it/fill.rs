//! Weighted max–min fairness by its definition, and against solving it naively.

use iopath_analytic::fill::{Shared, Shares, TIE, fill};
use iopath_analytic::matrix::{Entry, Matrix};
use proptest::collection::vec;
use proptest::prelude::*;

/// Any game: limits, classes, who uses how much.
#[derive(Clone, Debug)]
struct Game {
    entries: Vec<Entry>,
    capacity: Vec<f64>,
    weights: Vec<f64>,
    caps: Vec<f64>,
}

impl Game {
    fn matrix(&self) -> Matrix {
        Matrix::new(self.capacity.len(), self.weights.len(), &self.entries)
    }

    fn solve(&self) -> (Matrix, Shares) {
        let matrix = self.matrix();
        let Self { capacity, weights, caps, .. } = self;
        let shares = fill(Shared { matrix: &matrix, weights, capacity, caps });
        (matrix, shares)
    }
}

/// Few limits and classes with equal numbers among them, so that ties are usual; every class uses
/// the first limit, so that everything ends.
fn games() -> impl Strategy<Value = Game> {
    let amounts = prop_oneof![Just(1.0), Just(2.0), 0.01..9.0_f64];
    let capacities = prop_oneof![Just(6.0), Just(12.0), 0.5..50.0_f64];
    let weights = prop_oneof![Just(1.0), Just(11.0), 0.1..20.0_f64];
    let caps = prop_oneof![3 => Just(f64::INFINITY), 1 => 0.05..5.0_f64];
    (1..8_usize, 1..12_usize).prop_flat_map(move |(limits, classes)| {
        let places = vec(prop::option::of(amounts.clone()), limits * classes);
        let sizes = (vec(capacities.clone(), limits), vec(weights.clone(), classes));
        (places, sizes, vec(caps.clone(), classes)).prop_map(move |(places, sizes, caps)| {
            let at = |(place, amount): (usize, &Option<f64>)| {
                let (limit, class) = ((place / classes) as u32, (place % classes) as u32);
                let amount = amount.unwrap_or(if limit == 0 { 1.0 } else { 0.0 });
                Entry { limit, class, amount }
            };
            let entries = places.iter().enumerate().map(at).collect();
            Game { entries, capacity: sizes.0, weights: sizes.1, caps }
        })
    })
}

/// Every level is computed anew from all who are frozen or not, the lowest freezes its own.
fn solve_naively(game: &Game) -> Vec<f64> {
    let matrix = game.matrix();
    let mut rates: Vec<Option<f64>> = vec![None; game.weights.len()];
    while rates.contains(&None) {
        let of_limit = |limit: usize| {
            let (mut frozen, mut slope) = (0.0, 0.0);
            for (class, amount) in matrix.classes_of(limit) {
                match rates[*class as usize] {
                    Some(rate) => frozen += amount * rate,
                    None => slope += amount * game.weights[*class as usize],
                }
            }
            let level = (game.capacity[limit] - frozen) / slope;
            if slope > 0.0 { level } else { f64::INFINITY }
        };
        let levels: Vec<f64> = (0..game.capacity.len()).map(of_limit).collect();
        let own = |class: usize| {
            let limits = matrix.limits_of(class).iter();
            let most = game.caps[class] / game.weights[class];
            limits.map(|(limit, _)| levels[*limit as usize]).fold(most, f64::min)
        };
        let rising: Vec<usize> = (0..rates.len()).filter(|class| rates[*class].is_none()).collect();
        let lowest = rising.iter().map(|class| own(*class)).fold(f64::INFINITY, f64::min);
        for class in rising.into_iter().filter(|class| own(*class) <= lowest) {
            rates[class] = Some(lowest * game.weights[class]);
        }
    }
    rates.into_iter().flatten().collect()
}

proptest! {
    #[test]
    fn no_limit_is_exceeded(game in games()) {
        let (_, shares) = game.solve();
        for (used, capacity) in shares.used.iter().zip(&game.capacity) {
            prop_assert!(*used <= capacity * (1.0 + 1e-12));
        }
    }

    /// Each is at its cap, or meets a saturated limit on which nobody gets more per weight.
    #[test]
    fn everybody_has_a_bottleneck(game in games()) {
        let (matrix, shares) = game.solve();
        let level = |class: usize| shares.rates[class] / game.weights[class];
        for class in 0..game.weights.len() {
            prop_assert!(shares.rates[class] <= game.caps[class]);
            let is_bottleneck = |limit: usize| {
                let mut others = matrix.classes_of(limit).iter();
                shares.is_saturated(&matrix, &game.capacity, limit)
                    && others.all(|(other, _)| level(*other as usize) <= level(class) * (1.0 + TIE))
            };
            let mut limits = matrix.limits_of(class).iter();
            prop_assert!(
                shares.rates[class] == game.caps[class]
                    || limits.any(|(limit, _)| is_bottleneck(*limit as usize)),
                "class {class}: {shares:?}"
            );
        }
    }

    #[test]
    fn solving_naively_gives_the_same(game in games()) {
        let (_, shares) = game.solve();
        for (fast, slow) in shares.rates.iter().zip(solve_naively(&game)) {
            prop_assert!((fast - slow).abs() <= 1e-9 * slow, "{fast} {slow}");
        }
    }

    /// Of twice as much everybody gets twice as much.
    #[test]
    fn shares_scale(game in games()) {
        let twice = |values: &[f64]| values.iter().map(|value| 2.0 * value).collect::<Vec<_>>();
        let (_, shares) = game.solve();
        let more = Game { capacity: twice(&game.capacity), caps: twice(&game.caps), ..game };
        let (_, doubled) = more.solve();
        prop_assert_eq!(doubled.rates, twice(&shares.rates));
    }
}

//! What can be set: knobs with their levels, and every combination of them.
//!
//! Levels that are numbers have an order, and neighbours are taken to behave much the same; of
//! other levels nothing is known before they are tried. It leaves out levels between those that a
//! study states.

use iopath_study::vary::{Factor, Level};
use iopath_units::{Bytes, Nanos, Ratio};

/// One level of each knob, by place.
pub type Setting = Vec<usize>;

/// Combinations that are looked at before each trial: chosen. Of more, an even sample is, and the
/// neighbours of what is best so far.
const MOST_LOOKED_AT: usize = 4096;

/// What can be set to one of several levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knob {
    /// How many levels there are.
    pub levels: usize,
    /// The rank of each level by size, from 0; none where they are no numbers.
    pub ranks: Option<Vec<usize>>,
    /// How much it takes to change it, among knobs: of those that take most, today's level stays
    /// where it can.
    pub effort: u8,
}

impl Knob {
    /// The levels of a factor: numbers of one unit, or alternatives.
    #[must_use]
    pub fn of(factor: &Factor, effort: u8) -> Self {
        let titles: Vec<&str> = factor.levels.iter().map(Level::title).collect();
        let units = [plain, bytes, time, share];
        let sizes = units.iter().find_map(|size| titles.iter().map(|title| size(title)).collect());
        Self { levels: titles.len(), ranks: sizes.map(|sizes: Vec<f64>| ranks(&sizes)), effort }
    }

    /// Levels that are smaller than this one, the smallest first; none of alternatives.
    pub(crate) fn smaller(&self, place: usize) -> Vec<usize> {
        let Some(ranks) = &self.ranks else { return Vec::new() };
        let mut smaller: Vec<usize> =
            (0..self.levels).filter(|other| ranks[*other] < ranks[place]).collect();
        smaller.sort_by_key(|place| ranks[*place]);
        smaller
    }

    /// The levels next to this one by size; all others of alternatives.
    fn neighbours(&self, place: usize) -> Vec<usize> {
        let others = (0..self.levels).filter(|other| *other != place);
        match &self.ranks {
            Some(ranks) => {
                others.filter(|other| ranks[*other].abs_diff(ranks[place]) == 1).collect()
            }
            None => others.collect(),
        }
    }

    /// How far apart two levels are: 1 is the whole range, or another alternative.
    fn distance(&self, one: usize, other: usize) -> f64 {
        match &self.ranks {
            Some(ranks) => {
                ranks[one].abs_diff(ranks[other]) as f64 / (self.levels.max(2) - 1) as f64
            }
            None => f64::from(u8::from(one != other)),
        }
    }
}

/// All that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    knobs: Vec<Knob>,
    today: Setting,
}

impl Space {
    /// From its knobs and what they are set to now.
    #[must_use]
    pub fn new(knobs: Vec<Knob>, today: Setting) -> Self {
        Self { knobs, today }
    }

    /// The knobs.
    #[must_use]
    pub fn knobs(&self) -> &[Knob] {
        &self.knobs
    }

    /// What is set now.
    #[must_use]
    pub fn today(&self) -> &Setting {
        &self.today
    }

    /// How many combinations there are.
    #[must_use]
    pub fn combinations(&self) -> usize {
        self.knobs.iter().map(|knob| knob.levels).fold(1, usize::saturating_mul)
    }

    /// Every combination.
    #[must_use]
    pub fn all(&self) -> Vec<Setting> {
        (0..self.combinations()).map(|index| self.at(index)).collect()
    }

    /// Combinations to choose from: all, or an even sample and the neighbours of one.
    pub(crate) fn candidates(&self, around: &Setting) -> Vec<Setting> {
        let all = self.combinations();
        if all <= MOST_LOOKED_AT {
            return self.all();
        }
        // Steps without a factor in common with the number of combinations visit each once.
        let golden = (all as f64 * 0.618_033_988_75) as usize;
        let step = (golden..).find(|step| has_no_common_factor(*step, all)).unwrap_or(1);
        let place = |count: usize| (count as u128 * step as u128 % all as u128) as usize;
        let sample = (0..MOST_LOOKED_AT).map(|count| self.at(place(count)));
        sample.chain(self.neighbours(around)).collect()
    }

    /// Settings that differ in one knob only, by one step.
    fn neighbours(&self, of: &Setting) -> Vec<Setting> {
        let moved = |at: usize, place: usize| {
            let mut setting = of.clone();
            setting[at] = place;
            setting
        };
        let knobs = self.knobs.iter().enumerate();
        let each = knobs
            .flat_map(|(at, knob)| knob.neighbours(of[at]).into_iter().map(move |to| (at, to)));
        each.map(|(at, to)| moved(at, to)).collect()
    }

    fn at(&self, mut index: usize) -> Setting {
        let mut places: Setting = Vec::with_capacity(self.knobs.len());
        for knob in self.knobs.iter().rev() {
            places.push(index % knob.levels);
            index /= knob.levels;
        }
        places.reverse();
        places
    }

    /// How far apart two settings are in each knob.
    pub(crate) fn distances<'a>(
        &'a self,
        one: &'a [usize],
        other: &'a [usize],
    ) -> impl Iterator<Item = f64> + 'a {
        let places = one.iter().zip(other);
        self.knobs.iter().zip(places).map(|(knob, (one, other))| knob.distance(*one, *other))
    }
}

fn has_no_common_factor(mut one: usize, mut other: usize) -> bool {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one == 1
}

fn plain(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn bytes(text: &str) -> Option<f64> {
    text.parse().ok().map(|bytes: Bytes| bytes.0 as f64)
}

fn time(text: &str) -> Option<f64> {
    text.parse().ok().map(|time: Nanos| time.0 as f64)
}

fn share(text: &str) -> Option<f64> {
    text.parse().ok().map(|share: Ratio| share.as_f64())
}

fn ranks(sizes: &[f64]) -> Vec<usize> {
    let smaller = |size: &f64| sizes.iter().filter(|other| **other < *size).count();
    sizes.iter().map(smaller).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_comes_once() {
        let knob = |levels| Knob { levels, ranks: None, effort: 0 };
        let space = Space::new(vec![knob(3), knob(2), knob(4)], vec![0, 0, 0]);
        let mut all = space.candidates(&vec![0, 0, 0]);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), space.combinations());
    }

    #[test]
    fn of_very_many_every_level_is_among_those_that_are_looked_at() {
        for levels in [[10; 4], [20, 20, 20, 1], [6, 7, 10, 12]] {
            let knobs = levels.map(|levels| Knob { levels, ranks: None, effort: 0 });
            let space = Space::new(knobs.to_vec(), vec![0; 4]);
            let mut all = space.candidates(&vec![0; 4]);
            let seen = |knob: usize, place| all.iter().any(|one| one[knob] == place);
            assert!((0..4).all(|knob| (0..levels[knob]).all(|place| seen(knob, place))));
            all.sort();
            all.dedup();
            assert!(all.len() >= MOST_LOOKED_AT);
        }
    }

    #[test]
    fn what_is_smaller_goes_by_the_number_not_the_order() {
        let knob = Knob { levels: 4, ranks: Some(ranks(&[24.0, 12.0, 0.0, 1.0])), effort: 0 };
        assert_eq!(knob.smaller(0), [2, 3, 1]);
        assert_eq!(knob.neighbours(1), [0, 3]);
        assert!((knob.distance(0, 2) - 1.0).abs() < 1e-12);
    }
}

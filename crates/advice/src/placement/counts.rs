//! How many of equal components are in each of several places: no more than fit, at least one in
//! each, as many in all as today.

use std::collections::BTreeSet;

use iopath_study::placeable::{Changes, Put, Spot};
use rand_xoshiro::SplitMix64;

use super::colours::mixed;
use super::search::below;
use super::{Assignment, Step};

/// Equal components in several places.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Who has how many.
    pub holders: Vec<Holder>,
    /// How many there are of each holder: what one does, all of them do.
    pub copies: u32,
}

/// One place.
#[derive(Clone, Debug, PartialEq)]
pub struct Holder {
    /// The declaration that counts them.
    pub spot: Spot,
    /// Its name, without indexes.
    pub name: String,
    /// How many there are today.
    pub count: usize,
    /// How many fit.
    pub most: usize,
    /// Holders of one class are equal in everything else.
    pub class: usize,
}

impl Counts {
    pub(super) fn today(&self) -> Assignment {
        self.holders.iter().map(|holder| holder.count).collect()
    }

    pub(super) fn steps(&self, from: &Assignment) -> Vec<Step> {
        let places = || 0..self.holders.len();
        let pairs = places().flat_map(|one| places().map(move |other| (one, other)));
        let possible = pairs.filter(|(less, more)| {
            less != more && from[*less] > 1 && from[*more] < self.holders[*more].most
        });
        let steps = possible.map(|(from, to)| Step::Shift { from, to });
        let mut known = BTreeSet::new();
        steps.filter(|step| known.insert(self.key(&step.after(from)))).collect()
    }

    pub(super) fn steps_towards(&self, from: &Assignment, target: &Assignment) -> Vec<Step> {
        let less = (0..from.len()).filter(|place| from[*place] > target[*place]);
        let more = || (0..from.len()).filter(|place| from[*place] < target[*place]);
        less.flat_map(|from| more().map(move |to| Step::Shift { from, to })).collect()
    }

    /// Numbers of equal holders in the order of today's: the largest where most are.
    pub(super) fn aligned(&self, target: &Assignment) -> Assignment {
        let mut aligned = target.clone();
        for class in self.holders.iter().map(|holder| holder.class) {
            let mut places: Vec<usize> = self.of_class(class).collect();
            let mut numbers: Vec<usize> = places.iter().map(|place| target[*place]).collect();
            numbers.sort_unstable_by(|one, other| other.cmp(one));
            places.sort_by(|one, other| self.holders[*other].count.cmp(&self.holders[*one].count));
            places.into_iter().zip(numbers).for_each(|(place, number)| aligned[place] = number);
        }
        aligned
    }

    fn of_class(&self, class: usize) -> impl Iterator<Item = usize> {
        (0..self.holders.len()).filter(move |place| self.holders[*place].class == class)
    }

    /// One in each, the others one by one wherever there is room.
    pub(super) fn random(&self, source: &mut SplitMix64) -> Assignment {
        let mut counts = vec![1; self.holders.len()];
        let all: usize = self.holders.iter().map(|holder| holder.count).sum();
        for _ in self.holders.len()..all {
            let has_room = |place: &usize| counts[*place] < self.holders[*place].most;
            let free: Vec<usize> = (0..counts.len()).filter(has_room).collect();
            if free.is_empty() {
                return self.today();
            }
            counts[free[below(source, free.len())]] += 1;
        }
        counts
    }

    pub(super) fn key(&self, of: &Assignment) -> u64 {
        let mut all: Vec<(usize, usize)> =
            self.holders.iter().map(|holder| holder.class).zip(of.iter().copied()).collect();
        all.sort_unstable();
        mixed(all.into_iter().flat_map(|(class, count)| [class as u64, count as u64]))
    }

    pub(super) fn changes(&self, of: &Assignment) -> Changes {
        let holders = self.holders.iter().zip(of);
        let put = |count: usize| Put::Count(u32::try_from(count).unwrap_or(u32::MAX));
        holders.map(|(holder, count)| (holder.spot.clone(), put(*count))).collect()
    }
}

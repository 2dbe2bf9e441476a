//! What can be chosen, and regions of it. A build is the place of one level in each choice.

use iopath_study::vary::Factor;

/// A choice: the levels of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// How many there are.
    pub levels: usize,
    /// Whether each level is more of the same than the one before: a count that rises. More of
    /// anything never carries less.
    pub is_more: bool,
}

/// Places of the levels from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub first: usize,
    pub last: usize,
}

impl Choice {
    /// The choice that a factor offers.
    #[must_use]
    pub fn of(factor: &Factor) -> Self {
        let is_count = factor.of.as_ref().is_some_and(|of| of.ends_with(".count"));
        let numbers = factor.levels.iter().map(|level| level.title().parse::<u64>().ok());
        let numbers: Option<Vec<u64>> = numbers.collect();
        let rises = numbers.is_some_and(|numbers| numbers.is_sorted_by(|one, next| one < next));
        let levels = factor.levels.len();
        Self { levels, is_more: is_count && rises && levels > 1 }
    }

    /// All of it.
    pub(crate) fn whole(self) -> Range {
        Range { first: 0, last: self.levels - 1 }
    }
}

impl Range {
    /// One level alone.
    pub(crate) fn only(place: usize) -> Self {
        Self { first: place, last: place }
    }

    pub(crate) fn contains(self, place: usize) -> bool {
        (self.first..=self.last).contains(&place)
    }
}

/// Builds of which no more need be asked: those with every level within its range.
pub(crate) type Region = Vec<Range>;

/// All builds with no more of anything: where this one is short, so are they.
pub(crate) fn up_to(choices: &[Choice], build: &[usize]) -> Region {
    region(choices, build, |_, place| Range { first: 0, last: place })
}

/// All builds with no less of anything: where this one is too much, so are they.
pub(crate) fn from(choices: &[Choice], build: &[usize]) -> Region {
    region(choices, build, |choice, place| Range { first: place, last: choice.levels - 1 })
}

/// This build alone.
pub(crate) fn only(build: &[usize]) -> Region {
    build.iter().copied().map(Range::only).collect()
}

fn region(choices: &[Choice], build: &[usize], more: fn(Choice, usize) -> Range) -> Region {
    let range = |(choice, place): (&Choice, &usize)| match choice.is_more {
        true => more(*choice, *place),
        false => Range::only(*place),
    };
    choices.iter().zip(build).map(range).collect()
}

//! The cheapest builds that carry what is needed.
//!
//! The cheapest build that nothing is known of is asked first. Where it is short, it is given more
//! of one thing after the other for as long as it stays short: no build with less than that carries
//! it, as more of anything never carries less. Where it has too much for what it stands in, so has
//! every build with more. So few builds are asked, and the first that carries is the cheapest: all
//! cheaper ones are known not to. The next best must have less of something than each before. A
//! slower model may be asked once more of those that carry it.
//!
//! More of something can carry less where requests spread evenly over unequal ways. A model
//! says [`Answer::Short`] only where no better spread would do, so the proof holds.

use crate::bill::Bill;
use crate::choice::{Choice, Region, from, only, up_to};
use crate::walk::{Costs, cheapest as walk};

/// What a model says of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It carries what is needed.
    Carries,
    /// It carries less, and so does everything with less of anything.
    Short,
    /// It cannot be built, nor can anything with more: slots are full.
    TooMuch,
    /// It cannot be built, or carries less for how its load spreads: that says nothing of others.
    Unfit,
}

/// What to search.
pub struct Search<'a> {
    /// What can be chosen.
    pub choices: &'a [Choice],
    /// What shall be least.
    pub cost: &'a Bill,
    /// What shall be least among builds that cost the same.
    pub then: &'a Bill,
    /// How many builds are wanted.
    pub wanted: usize,
    /// How many builds may be asked.
    pub most_asked: usize,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Builds {
    /// The cheapest that carry it, none with more of everything than another.
    pub builds: Vec<Vec<usize>>,
    /// How many builds were asked.
    pub asked: usize,
    /// Where the search ended before all wanted were found or excluded: nothing that was not
    /// found costs less.
    pub rest_costs_at_least: Option<f64>,
}

/// A model that is asked.
pub trait Model {
    /// What it says of a build; asked more than once of some.
    fn answer(&mut self, build: &[usize]) -> Answer;

    /// Whether a build that carries it does so in a slower model, too.
    fn confirms(&mut self, build: &[usize]) -> bool;
}

/// Asks for builds until the cheapest are found.
pub fn cheapest(search: &Search<'_>, model: &mut dyn Model) -> Builds {
    let costs = Costs { first: search.cost, then: search.then };
    let lacked = vec![false; search.choices.len()];
    let mut asking =
        Asking { choices: search.choices, model, asked: 0, most: search.most_asked, lacked };
    let mut regions: Vec<Region> = Vec::new();
    let mut builds = Vec::new();
    while builds.len() < search.wanted {
        let Some(next) = walk(search.choices, &costs, &regions) else { break };
        if asking.asked >= asking.most {
            let rest_costs_at_least = Some(next.cost);
            return Builds { builds, asked: asking.asked, rest_costs_at_least };
        }
        let region = match asking.of(&next.build) {
            Answer::Carries if !asking.model.confirms(&next.build) => only(&next.build),
            Answer::Carries => {
                builds.push(next.build.clone());
                from(search.choices, &next.build)
            }
            Answer::Short => asking.short_up_to(next.build),
            Answer::TooMuch => from(search.choices, &next.build),
            Answer::Unfit => only(&next.build),
        };
        regions.retain(|known| !is_within(known, &region));
        regions.push(region);
    }
    Builds { builds, asked: asking.asked, rest_costs_at_least: None }
}

/// Whether a region says nothing that a larger one does not.
fn is_within(region: &Region, larger: &Region) -> bool {
    region.iter().zip(larger).all(|(own, other)| other.first <= own.first && own.last <= other.last)
}

struct Asking<'a> {
    choices: &'a [Choice],
    model: &'a mut dyn Model,
    asked: usize,
    most: usize,
    /// What the last build that was short lacked.
    lacked: Vec<bool>,
}

impl Asking<'_> {
    fn of(&mut self, build: &[usize]) -> Answer {
        self.asked += 1;
        self.model.answer(build)
    }

    /// All that is short because this build is: with as much as possible of everything. Builds
    /// that cost about the same lack the same, so all else is given at once first.
    fn short_up_to(&mut self, mut build: Vec<usize>) -> Region {
        let others = self.with_all_else(&build);
        if others != build && self.asked < self.most && self.of(&others) == Answer::Short {
            build = others;
        }
        for choice in 0..build.len() {
            if self.choices[choice].is_more {
                build[choice] = self.highest_short(&build, choice);
                self.lacked[choice] = build[choice] + 1 < self.choices[choice].levels;
            }
        }
        up_to(self.choices, &build)
    }

    /// The build with the most of everything that the last one did not lack.
    fn with_all_else(&self, build: &[usize]) -> Vec<usize> {
        let most = |(at, level): (usize, &usize)| {
            let choice = &self.choices[at];
            if choice.is_more && !self.lacked[at] { choice.levels - 1 } else { *level }
        };
        build.iter().enumerate().map(most).collect()
    }

    /// The highest level of a choice at which a build that is short stays so. Of what the last one
    /// lacked one more is asked for first, of all else the most.
    fn highest_short(&mut self, build: &[usize], choice: usize) -> usize {
        let (mut short, mut beyond) = (build[choice], self.choices[choice].levels);
        let mut at = if self.lacked[choice] { short + 1 } else { beyond - 1 };
        while short + 1 < beyond && self.asked < self.most {
            let mut more = build.to_vec();
            more[choice] = at;
            match self.of(&more) {
                Answer::Short => short = at,
                _ => beyond = at,
            }
            at = usize::midpoint(short, beyond);
        }
        short
    }
}

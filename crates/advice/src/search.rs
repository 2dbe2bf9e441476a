//! The cheapest builds that carry what is needed.
//!
//! The cheapest build that nothing is known of is asked first. Where it is short, it is given more
//! of one thing after the other for as long as it stays short: no build with less than that carries
//! it, as more of anything never carries less. Where it has too much for what it stands in, so has
//! every build with more. So few builds are asked, and the first that carries is the cheapest: all
//! cheaper ones are known not to. The next best must have less of something than each before. A
//! slower model may be asked once more of those that carry it.
//!
//! Where there is much to choose, builds that lack each thing by a little are many. So a search
//! that has asked as many builds as it takes goes by what the load keeps busy (`floors.rs`): builds
//! with fewer components are never asked. That no build carries what is needed is not said for
//! this alone: then the others are asked after all.
//!
//! More of something can carry less where requests spread evenly over unequal ways, or streams
//! compete. A model says [`Answer::Short`] only where no better spread or sharing would do, so the
//! proof holds.

use crate::asking::Asking;
use crate::bill::Bill;
use crate::choice::{Choice, Region, from, only};
use crate::count::Count;
use crate::floors::Busy;
use crate::walk::{Costs, Excluded, cheapest as walk};

/// What a model says of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It carries what is needed.
    Carries,
    /// It carries less, and so does everything with less of anything.
    Short,
    /// It cannot be built, nor can anything with more: slots are full.
    TooMuch,
    /// It cannot be built, or carries less for how its load spreads or its streams share: that says
    /// nothing of others.
    Unfit,
}

/// What to search.
pub struct Search<'a> {
    /// What can be chosen.
    pub choices: &'a [Choice],
    /// What is to be least.
    pub cost: &'a Bill,
    /// What is to be least among builds that cost the same.
    pub then: &'a Bill,
    /// How many of each component a build has, and has left after failures ([`Count::of_each`]).
    pub counts: &'a [Count],
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
    /// Whether the search went by how many components are kept busy.
    pub by_busy: bool,
}

/// A model that is asked.
pub trait Model {
    /// What it says of a build; asked more than once of some.
    fn answer(&mut self, build: &[usize]) -> Answer;

    /// Whether it would answer [`Answer::Short`]. Where that takes long to find out it may say no:
    /// [`Model::answer`] is asked if the build turns out to be among the cheapest.
    fn is_short(&mut self, build: &[usize]) -> bool {
        self.answer(build) == Answer::Short
    }

    /// How many of which components are busy at least with what is needed; none where it cannot be
    /// said, as of a build that cannot be made. This is looked at of builds that are not asked for,
    /// too.
    fn busy(&mut self, build: &[usize]) -> Option<Vec<Busy>>;

    /// Whether a build that carries it does so in a slower model, too.
    fn confirms(&mut self, build: &[usize]) -> bool;
}

/// Asks for builds until the cheapest are found.
pub fn cheapest(search: &Search<'_>, model: &mut dyn Model) -> Builds {
    let costs = Costs { first: search.cost, then: search.then };
    let mut asking = Asking::new(search, model);
    let mut regions: Vec<Region> = Vec::new();
    let mut builds = Vec::new();
    while builds.len() < search.wanted {
        let excluded = Excluded { regions: &regions, floors: asking.floors() };
        let Some(next) = walk(search.choices, &costs, &excluded) else {
            if builds.is_empty() && asking.goes_on_without_floors() {
                continue;
            }
            break;
        };
        if asking.asked >= search.most_asked {
            return asking.found(builds, Some(next.cost));
        }
        let region = match asking.of(&next.build) {
            Answer::Carries if !asking.model.confirms(&next.build) => only(&next.build),
            Answer::Carries => {
                builds.push(next.build.clone());
                from(search.choices, &next.build)
            }
            Answer::Short => asking.short_up_to(next.build.clone()),
            Answer::TooMuch => from(search.choices, &next.build),
            Answer::Unfit => only(&next.build),
        };
        regions.retain(|known| !is_within(known, &region));
        regions.push(region);
        asking.learn_floors(&next.build);
        if asking.takes_contradiction() {
            // What is cheaper than a build that was found may have been excluded by mistake.
            let found: Vec<Region> =
                builds.iter().map(|build| from(search.choices, build)).collect();
            regions.retain(|region| !found.contains(region));
            builds.clear();
        }
    }
    asking.found(builds, None)
}

/// Whether a region says nothing that a larger one does not.
fn is_within(region: &Region, larger: &Region) -> bool {
    region.iter().zip(larger).all(|(own, other)| other.first <= own.first && own.last <= other.last)
}

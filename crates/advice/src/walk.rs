//! The cheapest build outside some regions: depth first over the choices, cut where what is begun
//! costs at least as much as the best so far, lies in a region whatever comes, or has too few of a
//! component whatever comes.

use crate::bill::Bill;
use crate::choice::{Choice, Region};
use crate::floors::{Floor, Floors};

/// What a build costs: what is asked for, then, among equals, the other one.
pub(crate) struct Costs<'a> {
    pub first: &'a Bill,
    pub then: &'a Bill,
}

/// A build with its costs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Billed {
    pub build: Vec<usize>,
    pub cost: f64,
    then: f64,
}

/// Prices that differ by less are equal: sums of products in binary fractions.
const EQUAL: f64 = 1e-9;

/// What is known of builds that need not be asked.
pub(crate) struct Excluded<'a> {
    pub regions: &'a [Region],
    pub floors: Option<&'a Floors<'a>>,
}

/// The cheapest build that is not excluded; none where all are.
pub(crate) fn cheapest(
    choices: &[Choice],
    costs: &Costs<'_>,
    excluded: &Excluded<'_>,
) -> Option<Billed> {
    let mut walk = Walk { choices, costs, excluded, best: None, begun: Vec::new() };
    let regions = excluded.regions.iter().collect();
    walk.go(&Open { regions, floors: excluded.floors.map(Floors::open).unwrap_or_default() });
    walk.best
}

struct Walk<'a> {
    choices: &'a [Choice],
    costs: &'a Costs<'a>,
    excluded: &'a Excluded<'a>,
    best: Option<Billed>,
    begun: Vec<usize>,
}

/// What says something of builds that go on from what is begun.
struct Open<'a> {
    regions: Vec<&'a Region>,
    floors: Vec<&'a Floor>,
}

impl<'a> Open<'a> {
    fn with(&self, choice: usize, place: usize) -> Open<'a> {
        let regions = self.regions.iter().filter(|region| region[choice].contains(place));
        let floors = self.floors.iter().filter(|floor| floor.is_of(choice, place));
        Open { regions: regions.copied().collect(), floors: floors.copied().collect() }
    }
}

impl Walk<'_> {
    /// Goes on from what is begun.
    fn go(&mut self, open: &Open<'_>) {
        let (cost, then) =
            (self.costs.first.at_least(&self.begun), self.costs.then.at_least(&self.begun));
        if self.is_no_better(cost, then) || self.is_excluded(open) {
            return;
        }
        let Some(choice) = self.choices.get(self.begun.len()) else {
            self.best = Some(Billed { build: self.begun.clone(), cost, then });
            return;
        };
        for place in 0..choice.levels {
            let rest = open.with(self.begun.len(), place);
            self.begun.push(place);
            self.go(&rest);
            self.begun.pop();
        }
    }

    fn is_no_better(&self, cost: f64, then: f64) -> bool {
        self.best.as_ref().is_some_and(|best| {
            let slack = EQUAL * best.cost.abs().max(1.0);
            cost > best.cost + slack || (cost > best.cost - slack && then >= best.then)
        })
    }

    fn is_excluded(&self, open: &Open<'_>) -> bool {
        let is_short = |floor: &&Floor| {
            self.excluded.floors.is_some_and(|floors| floors.are_short(floor, &self.begun))
        };
        open.regions.iter().any(|region| self.is_certain(region))
            || open.floors.iter().any(is_short)
    }

    /// Whether everything from here lies in a region that what is begun lies in.
    fn is_certain(&self, region: &Region) -> bool {
        let rest = self.choices.iter().zip(region).skip(self.begun.len());
        rest.into_iter().all(|(choice, range)| *range == choice.whole())
    }
}

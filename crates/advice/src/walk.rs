//! The cheapest build outside some regions: depth first over the choices, cut where what is begun
//! costs at least as much as the best so far, or lies in a region whatever comes.

use crate::bill::Bill;
use crate::choice::{Choice, Region};

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

/// The cheapest build in none of the regions; none where they cover everything.
pub(crate) fn cheapest(
    choices: &[Choice],
    costs: &Costs<'_>,
    regions: &[Region],
) -> Option<Billed> {
    let mut walk = Walk { choices, costs, best: None, begun: Vec::new() };
    let open: Vec<&Region> = regions.iter().collect();
    walk.go(&open);
    walk.best
}

struct Walk<'a> {
    choices: &'a [Choice],
    costs: &'a Costs<'a>,
    best: Option<Billed>,
    begun: Vec<usize>,
}

impl Walk<'_> {
    /// Goes on from what is begun; `open` are the regions that it may end in.
    fn go(&mut self, open: &[&Region]) {
        let (cost, then) =
            (self.costs.first.at_least(&self.begun), self.costs.then.at_least(&self.begun));
        if self.is_no_better(cost, then) || open.iter().any(|region| self.is_certain(region)) {
            return;
        }
        let Some(choice) = self.choices.get(self.begun.len()) else {
            self.best = Some(Billed { build: self.begun.clone(), cost, then });
            return;
        };
        for place in 0..choice.levels {
            let at = self.begun.len();
            let rest: Vec<&Region> =
                open.iter().copied().filter(|region| region[at].contains(place)).collect();
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

    /// Whether everything from here lies in a region that what is begun lies in.
    fn is_certain(&self, region: &Region) -> bool {
        let rest = self.choices.iter().zip(region).skip(self.begun.len());
        rest.into_iter().all(|(choice, range)| *range == choice.whole())
    }
}

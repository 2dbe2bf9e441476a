//! Random instances: the search finds what asking for every build finds.

use std::cmp::Ordering;

use iopath_advice::{Answer, Bill, Choice, Measure, Model, Search, cheapest};
use iopath_study::Item;
use iopath_units::Ratio;
use proptest::prelude::*;

/// Components whose counts are chosen, or that are there once, and what they carry together.
#[derive(Clone, Debug)]
struct Instance {
    levels: Vec<usize>,
    /// By choice: what one costs, and the choice whose component it stands in.
    prices: Vec<u64>,
    parents: Vec<Option<usize>>,
    /// Each carries the product of the counts of these choices times a rate.
    resources: Vec<(Vec<usize>, u64)>,
    needed: u64,
    /// What the slower model wants them to carry.
    confirmed: u64,
    /// More components than this of a choice, in all of its parents, do not fit.
    slots: Vec<u64>,
    /// Every so many builds are unfit.
    gaps: usize,
}

/// The instance as a model; the slower one wants a little more.
struct Asked<'a>(&'a Instance);

impl Model for Asked<'_> {
    fn answer(&mut self, build: &[usize]) -> Answer {
        self.0.answer(build)
    }

    fn confirms(&mut self, build: &[usize]) -> bool {
        self.0.carries(build, self.0.confirmed)
    }
}

impl Instance {
    fn carries(&self, build: &[usize], needed: u64) -> bool {
        let count = |choice: &usize| build[*choice] as u64 + 1;
        let carries = |(of, rate): &(Vec<usize>, u64)| of.iter().map(count).product::<u64>() * rate;
        self.resources.iter().all(|resource| carries(resource) >= needed)
    }

    fn choices(&self) -> Vec<Choice> {
        self.levels.iter().map(|levels| Choice { levels: *levels, is_more: true }).collect()
    }

    fn items(&self, build: &[usize]) -> Vec<Item> {
        let item = |at: usize| Item {
            name: format!("part{at}"),
            kind: "hba",
            parent: self.parents[at],
            count: u32::try_from(build[at] + 1).unwrap(),
            price: Some(Ratio(self.prices[at] * 1_000_000)),
            rack_units: None,
            watts: None,
        };
        (0..self.levels.len()).map(item).collect()
    }

    fn answer(&self, build: &[usize]) -> Answer {
        let count = |choice: &usize| build[*choice] as u64 + 1;
        if (0..build.len()).any(|choice| count(&choice) > self.slots[choice]) {
            return Answer::TooMuch;
        }
        if self.gaps > 1 && build.iter().sum::<usize>() % self.gaps == 1 {
            return Answer::Unfit;
        }
        match self.carries(build, self.needed) {
            true => Answer::Carries,
            false => Answer::Short,
        }
    }

    fn every_build(&self) -> Vec<Vec<usize>> {
        self.levels.iter().fold(vec![Vec::new()], |builds, levels| {
            let longer = |build: &Vec<usize>| {
                (0..*levels).map(|level| [&build[..], &[level]].concat()).collect::<Vec<_>>()
            };
            builds.iter().flat_map(longer).collect()
        })
    }

    /// The cheapest that carry it, each with less of something than those before.
    fn slow(&self, bills: [&Bill; 2], wanted: usize) -> Vec<Vec<usize>> {
        let mut carrying = self.every_build();
        let carries = |build: &Vec<usize>| {
            self.answer(build) == Answer::Carries && self.carries(build, self.confirmed)
        };
        carrying.retain(carries);
        let costs = |build: &[usize]| bills.map(|bill| bill.total(build));
        let by_cost = |one: &Vec<usize>, other: &Vec<usize>| {
            costs(one).partial_cmp(&costs(other)).unwrap_or(Ordering::Equal).then(one.cmp(other))
        };
        carrying.sort_by(by_cost);
        let mut found: Vec<Vec<usize>> = Vec::new();
        for build in carrying {
            let has_more = |than: &Vec<usize>| build.iter().zip(than).all(|(own, of)| own >= of);
            if found.len() < wanted && !found.iter().any(has_more) {
                found.push(build);
            }
        }
        found
    }
}

fn instance() -> impl Strategy<Value = Instance> {
    prop::collection::vec(2_usize..7, 1..5).prop_flat_map(|levels| {
        let choices = levels.len();
        let parents = (0..choices).map(|at| prop::option::of(0..at.max(1))).collect::<Vec<_>>();
        let resource = (prop::collection::vec(0..choices, 1..3), 1_u64..8);
        (
            Just(levels),
            prop::collection::vec(0_u64..9, choices),
            parents,
            prop::collection::vec(resource, 1..4),
            (1_u64..60, 0_u64..6),
            prop::collection::vec(2_u64..9, choices),
            1_usize..5,
        )
            .prop_map(
                |(levels, prices, mut parents, resources, (needed, more), slots, gaps)| {
                    parents[0] = None;
                    let confirmed = needed + more;
                    Instance { levels, prices, parents, resources, needed, confirmed, slots, gaps }
                },
            )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_cheapest_builds_are_those_of_asking_for_all(instance in instance()) {
        let choices = instance.choices();
        let items = |build: &[usize]| instance.items(build);
        let price = Bill::of(&choices, Measure::Price, &items);
        let parts = Bill::of(&choices, Measure::Parts, &items);
        let all = instance.every_build().len();
        let search = Search {
            choices: &choices, cost: &price, then: &parts, wanted: 3, most_asked: 100 * all,
        };
        let found = cheapest(&search, &mut Asked(&instance));
        prop_assert_eq!(found.builds, instance.slow([&price, &parts], 3));
        prop_assert_eq!(found.rest_costs_at_least, None);
    }

    #[test]
    fn a_search_that_is_cut_says_what_the_rest_costs(instance in instance(), most in 0_usize..20) {
        let choices = instance.choices();
        let items = |build: &[usize]| instance.items(build);
        let price = Bill::of(&choices, Measure::Price, &items);
        let search = Search {
            choices: &choices, cost: &price, then: &price, wanted: 1, most_asked: most,
        };
        let found = cheapest(&search, &mut Asked(&instance));
        if let Some(least) = found.rest_costs_at_least {
            let best = instance.slow([&price, &price], 1);
            prop_assert!(found.builds.is_empty());
            prop_assert!(best.iter().all(|build| price.total(build) >= least));
        }
    }
}

/// A million builds of six components in series: the walk is cut, and few builds are asked.
#[test]
fn a_million_builds_need_few_questions() {
    let of = |choice: usize| (vec![choice], 3 + choice as u64);
    let instance = Instance {
        levels: vec![10; 6],
        prices: vec![7, 3, 5, 2, 9, 4],
        parents: vec![None; 6],
        resources: (0..6).map(of).collect(),
        needed: 23,
        confirmed: 23,
        slots: vec![10; 6],
        gaps: 1,
    };
    let choices = instance.choices();
    let items = |build: &[usize]| instance.items(build);
    let price = Bill::of(&choices, Measure::Price, &items);
    let search =
        Search { choices: &choices, cost: &price, then: &price, wanted: 1, most_asked: 10_000 };
    let found = cheapest(&search, &mut Asked(&instance));
    // Each of them alone: 23 over 3, 4, 5, 6, 7 and 8, rounded up.
    assert_eq!(found.builds, [[7, 5, 4, 3, 3, 2]]);
    assert!(found.asked < 200, "{}", found.asked);
}

/// Hosts with adapters, arrays with controllers, ports and LUNs, each with ten counts. Builds that
/// cost about the same lack the same, so each is asked for little more than what it lacks.
#[test]
fn of_a_million_builds_of_hosts_and_arrays_few_are_asked() {
    for (needed, most) in [(50, 250), (300, 500), (600, 400)] {
        let instance = Instance {
            levels: vec![10; 6],
            prices: vec![0, 1000, 5000, 3000, 300, 500],
            parents: vec![None, Some(0), None, Some(2), Some(3), Some(3)],
            resources: vec![
                (vec![0, 1], 16),
                (vec![2, 3], 20),
                (vec![2, 3, 4], 8),
                (vec![2, 3, 5], 2),
            ],
            needed,
            confirmed: 0,
            slots: vec![10; 6],
            gaps: 1,
        };
        let choices = instance.choices();
        let items = |build: &[usize]| instance.items(build);
        let price = Bill::of(&choices, Measure::Price, &items);
        let parts = Bill::of(&choices, Measure::Parts, &items);
        let search =
            Search { choices: &choices, cost: &price, then: &parts, wanted: 3, most_asked: 10_000 };
        let found = cheapest(&search, &mut Asked(&instance));
        assert_eq!((found.builds.len(), found.rest_costs_at_least), (3, None));
        assert!(found.asked < most, "{needed}: {}", found.asked);
    }
}

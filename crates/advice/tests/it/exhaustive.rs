//! Random instances: the search finds what asking for every build finds.

use std::cmp::Ordering;

use iopath_advice::{
    Answer, Bill, Builds, Busy, Choice, Count, Failing, Measure, Model, Search, cheapest,
};
use iopath_study::Item;
use iopath_units::Ratio;
use proptest::prelude::*;

/// Components whose counts are chosen, or that are there once, and what they carry together.
#[derive(Clone, Debug)]
struct Instance {
    levels: Vec<usize>,
    /// By choice: whether it is a count; else an alternative.
    counts: Vec<bool>,
    /// By choice: what one costs, and the choice whose component it stands in.
    prices: Vec<u64>,
    parents: Vec<Option<usize>>,
    /// Each carries the product of the counts of these choices times a rate.
    resources: Vec<(Vec<usize>, u64)>,
    /// By choice: what each of its components carries, and the choice of which more takes load off
    /// them.
    demands: Vec<(u64, Option<usize>)>,
    /// Two choices that take half of the load off each component, but only together.
    pair: Option<[usize; 2]>,
    /// So many components of a choice may fail: what is left must carry it, too.
    failing: Option<Failing>,
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

    /// It looks no further than whether anything is left.
    fn is_short(&mut self, build: &[usize]) -> bool {
        let is_left = |of: Failing| self.0.left(of.item, build, Some(of)) > 0;
        let is_open = self.0.carries_whole(build, self.0.needed);
        self.answer(build) == Answer::Short && !(is_open && self.0.failing.is_none_or(is_left))
    }

    fn busy(&mut self, build: &[usize]) -> Option<Vec<Busy>> {
        let failures = usize::from(self.0.failing.is_some());
        let busy = |counted| {
            let of = counted % build.len();
            let demand = self.0.demand(of, build, self.0.needed);
            let least = demand / self.0.demands[of].0 as f64;
            Busy { component: counted, limit: 0, least, demands: vec![demand] }
        };
        let all = 0..build.len() * (1 + failures);
        (self.0.answer(build) != Answer::TooMuch).then(|| all.map(busy).collect())
    }

    fn confirms(&mut self, build: &[usize]) -> bool {
        self.0.carries(build, self.0.confirmed)
    }
}

impl Instance {
    fn carries(&self, build: &[usize], needed: u64) -> bool {
        self.carries_whole(build, needed) && self.has_all(build, needed, self.failing)
    }

    /// Whether it carries it with everything in place.
    fn carries_whole(&self, build: &[usize], needed: u64) -> bool {
        let count = |choice: &usize| build[*choice] as u64 + 1;
        let carries = |(of, rate): &(Vec<usize>, u64)| of.iter().map(count).product::<u64>() * rate;
        self.resources.iter().all(|resource| carries(resource) >= needed)
            && self.has_all(build, needed, None)
    }

    /// Whether there is enough of each component, or left where some have failed.
    fn has_all(&self, build: &[usize], needed: u64, failing: Option<Failing>) -> bool {
        let has_enough = |at: usize| {
            let all = self.left(at, build, failing) * self.demands[at].0;
            all as f64 >= self.demand(at, build, needed)
        };
        (0..build.len()).all(has_enough)
    }

    /// How many are left of a choice's component.
    fn left(&self, at: usize, build: &[usize], failing: Option<Failing>) -> u64 {
        let all = self.number(at, build);
        let outwards = || std::iter::successors(Some(at), |at| self.parents[*at]);
        let of = failing.filter(|failing| outwards().any(|up| up == failing.item));
        of.map_or(all, |of| {
            let failing = self.number(of.item, build);
            all / failing * failing.saturating_sub(of.count as u64)
        })
    }

    /// How many there are of a choice's component in all.
    fn number(&self, at: usize, build: &[usize]) -> u64 {
        let within = self.parents[at].map_or(1, |parent| self.number(parent, build));
        within * (build[at] as u64 + 1)
    }

    /// What is demanded of the components of a choice: a sixth less with each of another.
    fn demand(&self, at: usize, build: &[usize], needed: u64) -> f64 {
        let others = self.demands[at].1.map_or(0, |of| build[of]);
        let is_halved = self.pair.is_some_and(|pair| pair.iter().all(|of| build[*of] > 0));
        (needed * (6 - others as u64)) as f64 / if is_halved { 12.0 } else { 6.0 }
    }

    fn choices(&self) -> Vec<Choice> {
        let each = self.levels.iter().zip(&self.counts);
        each.map(|(levels, is_more)| Choice { levels: *levels, is_more: *is_more }).collect()
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
            let has_more = |than: &Vec<usize>| {
                let mut all = build.iter().zip(than).zip(&self.counts);
                all.all(|((own, of), is_more)| own == of || (*is_more && own > of))
            };
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
            (Just(levels), prop::collection::vec(prop::bool::weighted(0.8), choices)),
            prop::collection::vec(0_u64..9, choices),
            parents,
            prop::collection::vec(resource, 1..4),
            (
                prop::collection::vec((1_u64..30, prop::option::of(0..choices)), choices),
                1_u64..60,
                0_u64..6,
                prop::option::of((0..choices, 1_usize..3)),
            ),
            prop::collection::vec(2_u64..9, choices),
            1_usize..5,
        )
            .prop_map(
                |((levels, counts), prices, mut parents, resources, load, slots, gaps)| {
                    parents[0] = None;
                    let (demands, needed, more, failing) = load;
                    let confirmed = needed + more;
                    let failing = failing.map(|(item, count)| Failing { item, count });
                    Instance {
                        levels,
                        counts,
                        prices,
                        parents,
                        resources,
                        demands,
                        pair: None,
                        failing,
                        needed,
                        confirmed,
                        slots,
                        gaps,
                    }
                },
            )
    })
}

/// The builds of the lowest price, and of the least of another measure among equals.
fn found(instance: &Instance, then: Measure, wanted: usize, most_asked: usize) -> Builds {
    let choices = instance.choices();
    let items = |build: &[usize]| instance.items(build);
    let [cost, then] = Bill::of_each(&choices, [Measure::Price, then], &items);
    let failing: Vec<Failing> = instance.failing.into_iter().collect();
    let counts = Count::of_each(&choices, &failing, &items);
    let search =
        Search { choices: &choices, cost: &cost, then: &then, counts: &counts, wanted, most_asked };
    cheapest(&search, &mut Asked(instance))
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
        let found = found(&instance, Measure::Parts, 3, 100 * all);
        prop_assert_eq!(found.builds, instance.slow([&price, &parts], 3));
        prop_assert_eq!(found.rest_costs_at_least, None);
    }

    #[test]
    fn a_search_that_is_cut_says_what_the_rest_costs(instance in instance(), most in 0_usize..20) {
        let choices = instance.choices();
        let items = |build: &[usize]| instance.items(build);
        let price = Bill::of(&choices, Measure::Price, &items);
        let found = found(&instance, Measure::Price, 1, most);
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
        counts: vec![true; 6],
        prices: vec![7, 3, 5, 2, 9, 4],
        parents: vec![None; 6],
        resources: (0..6).map(of).collect(),
        demands: vec![(1000, None); 6],
        pair: None,
        failing: None,
        needed: 23,
        confirmed: 23,
        slots: vec![10; 6],
        gaps: 1,
    };
    let found = found(&instance, Measure::Price, 1, 10_000);
    // Each of them alone: 23 over 3, 4, 5, 6, 7 and 8, rounded up.
    assert_eq!(found.builds, [[7, 5, 4, 3, 3, 2]]);
    assert!(found.asked < 200, "{}", found.asked);
}

/// Hosts with adapters, arrays with controllers, ports and LUNs, each with ten counts.
fn hosts_and_arrays(needed: u64) -> Instance {
    let parents = vec![None, Some(0), None, Some(2), Some(3), Some(3)];
    Instance {
        levels: vec![10; 6],
        counts: vec![true; 6],
        prices: vec![0, 1000, 5000, 3000, 300, 500],
        parents,
        resources: vec![(vec![0, 1], 16), (vec![2, 3], 20), (vec![2, 3, 4], 8), (vec![2, 3, 5], 2)],
        demands: vec![(1_000_000, None); 6],
        pair: None,
        failing: None,
        needed,
        confirmed: 0,
        slots: vec![10; 6],
        gaps: 1,
    }
}

/// Where two counts halve what is demanded, but only together, no count alone shows it: builds that
/// have both do, and the search starts again.
#[test]
fn what_contradicts_is_found_out() {
    let known = Instance {
        levels: vec![6, 4, 4, 5],
        counts: vec![true; 4],
        prices: vec![10, 1, 1, 1],
        parents: vec![None; 4],
        resources: Vec::new(),
        demands: vec![(10, None), (1000, None), (1000, None), (10, None)],
        pair: Some([1, 2]),
        failing: None,
        needed: 40,
        confirmed: 40,
        slots: vec![10; 4],
        gaps: 1,
    };
    let found = found(&known, Measure::Price, 1, 1_000);
    assert_eq!(found.builds, [[1, 1, 1, 1]]);
}

/// How many builds are asked for three of them.
fn asked(instance: &Instance) -> usize {
    let found = found(instance, Measure::Parts, 3, 10_000);
    assert_eq!((found.builds.len(), found.rest_costs_at_least), (3, None));
    found.asked
}

/// Builds that cost about the same lack the same, so each is asked for little more than what it
/// lacks.
#[test]
fn of_a_million_builds_of_hosts_and_arrays_few_are_asked() {
    for (needed, most) in [(50, 250), (300, 500), (600, 400)] {
        let asked = asked(&hosts_and_arrays(needed));
        assert!(asked < most, "{needed}: {asked}");
    }
}

/// Where it is known how many of each the load keeps busy, those with fewer are not asked at all.
#[test]
fn what_the_load_keeps_busy_leaves_few_to_ask() {
    for needed in [50, 300, 600] {
        let instance = hosts_and_arrays(needed);
        let each = [1_000_000, 16, 1_000_000, 20, 8, 2].map(|rate| (rate, None)).to_vec();
        // Also after the loss of an array, of which one may not be all.
        for (failing, most) in [(None, 50), (Some(Failing { item: 2, count: 1 }), 100)] {
            let (demands, resources) = (each.clone(), Vec::new());
            let asked = asked(&Instance { demands, resources, failing, ..instance.clone() });
            assert!(asked < most, "{needed}: {asked}");
        }
    }
}

//! The search against looking at every placement, on small models of which each part has a rate.

use iopath_study::experiment::Experiment;
use iopath_study::placeable::Spot;
use iopath_study::{Source, parse};
use proptest::prelude::*;

use super::seats::{Group, List, Occupant, Seat, Seats, Talk};
use super::{Assignment, Counts, Form, Holder, Kind, Site, Starts, Unit, best, walk};

/// What a placement of one unit carries.
type Carried<'a> = dyn Fn(&Assignment) -> f64 + 'a;

struct Model<'a> {
    unit: Unit,
    carried: &'a Carried<'a>,
}

impl Site for Model<'_> {
    fn units(&mut self, _: &[Assignment]) -> Vec<Unit> {
        vec![self.unit.clone()]
    }

    fn bound(&mut self, of: &[Assignment]) -> Option<f64> {
        Some((self.carried)(&of[0]))
    }
}

/// The spot of some declaration: nothing is changed here.
fn spot() -> Spot {
    let text = "study \"s\"\npath { host \"h\" { hba } }\nlayout { file \"f\" size=\"1 GiB\" }\n\
                workload { streams \"r\" over=\"f\" block=\"1 MiB\" }";
    let source = Source { name: "s.kdl".to_owned(), text: text.to_owned() };
    let study = parse(&source, &[]).unwrap();
    let experiment: &Experiment = &study.experiments[0];
    experiment.holdings()[0].spot.clone()
}

/// Every assignment that is possible.
fn every(unit: &Unit, is_possible: &dyn Fn(&Assignment) -> bool) -> Vec<Assignment> {
    let (most, width): (usize, usize) = match &unit.form {
        Form::Counts(counts) => {
            (counts.holders.iter().map(|holder| holder.most).max().unwrap(), counts.holders.len())
        }
        Form::Seats(seats) => (seats.groups.len() - 1, seats.occupants.len()),
    };
    let all = (most + 1).pow(u32::try_from(width).unwrap());
    let digits = |mut number: usize| -> Assignment {
        let digit = |_| {
            let digit = number % (most + 1);
            number /= most + 1;
            digit
        };
        (0..width).map(digit).collect()
    };
    (0..all).map(digits).filter(is_possible).collect()
}

/// That the search finds as much as there is, and that the moves lead to it.
fn check(unit: &Unit, every: &[Assignment], carried: &Carried<'_>) {
    let most = every.iter().map(carried).fold(0.0, f64::max);
    let mut model = Model { unit: unit.clone(), carried };
    let today = std::slice::from_ref(unit);
    let found = best(today, Starts { number: 30, seed: 7 }, &mut model);
    let bound = found.value.bound.unwrap();
    assert!((bound - most).abs() <= most * 1e-5, "{bound} of {most}: {found:?}");
    let moves = walk(today, &found.assignments, &mut model);
    let end = moves.last().map_or(vec![unit.today()], |last| last.after.assignments.clone());
    assert_eq!(end, found.assignments);
}

/// Adapters in slots of which each place has a rate, and all carry the same.
fn counts() -> impl Strategy<Value = (Vec<Holder>, Vec<f64>)> {
    let holder = (1_usize..5, 0_usize..4, 1_u32..9);
    prop::collection::vec(holder, 2..5).prop_map(|all| {
        let rates = all.iter().map(|(_, _, rate)| f64::from(*rate)).collect();
        let holder = |(at, (count, room, rate)): (usize, (usize, usize, u32))| Holder {
            spot: spot(),
            name: format!("h.b{at}.hba"),
            count,
            most: count + room,
            class: rate as usize,
        };
        (all.into_iter().enumerate().map(holder).collect(), rates)
    })
}

/// Occupants of some weight on seats of groups with a rate each; some talk to one another.
#[derive(Clone, Debug)]
struct Seated {
    seats: Seats,
    weights: Vec<u32>,
    rates: Vec<u32>,
}

fn seated(is_shared: bool) -> impl Strategy<Value = Seated> {
    let groups = prop::collection::vec((2_usize..4, 1_u32..9), 2..4);
    let weights = prop::collection::vec(1_u32..4, 2..6);
    let talks = prop::collection::vec((0_usize..5, 0_usize..5), 0..4);
    (groups, weights, talks).prop_map(move |(groups, mut weights, talks)| {
        let room: usize = groups.iter().map(|(seats, _)| seats).sum();
        weights.truncate(room);
        let rates = groups.iter().map(|(_, rate)| *rate).collect();
        let free = groups.iter().enumerate();
        let free = free.flat_map(|(at, (seats, _))| (0..*seats).map(move |seat| (at, seat)));
        let occupant = |((group, seat), weight): ((usize, usize), &u32)| Occupant {
            places: Vec::new(),
            class: u64::from(*weight),
            containers: Vec::new(),
            group,
            seat: if is_shared { 0 } else { seat },
        };
        let occupants: Vec<Occupant> = free.zip(&weights).map(occupant).collect();
        let number = occupants.len();
        let talks = talks
            .into_iter()
            .filter(|(one, other)| one != other && *one < number && *other < number);
        let talks = talks.map(|(one, other)| Talk { one, other }).collect();
        let group = |(seats, rate): &(usize, u32)| Group {
            seats: vec![Seat { names: Vec::new() }; if is_shared { 1 } else { *seats }],
            is_shared,
            hub: 0,
            class: u64::from(*rate),
        };
        let groups = groups.iter().map(group).collect();
        let lists = vec![List { spot: spot(), property: "to" }];
        Seated { seats: Seats { lists, occupants, groups, talks, copies: 1 }, weights, rates }
    })
}

impl Seated {
    fn is_possible(&self, at: &Assignment) -> bool {
        let taken = |group: usize| at.iter().filter(|of| **of == group).count();
        let groups = self.seats.groups.iter().enumerate();
        let mut groups = groups.filter(|(_, group)| !group.is_shared);
        groups.all(|(place, group)| taken(place) <= group.seats.len())
    }

    /// The least of what groups carry by their rates, and of what crosses between them.
    fn carried(&self, at: &Assignment) -> f64 {
        let load = |group: usize| -> u32 {
            let here = at.iter().zip(&self.weights).filter(|(of, _)| **of == group);
            here.map(|(_, weight)| *weight).sum()
        };
        let groups = self.rates.iter().enumerate();
        let by_group = groups.map(|(at, rate)| f64::from(*rate) / f64::from(load(at).max(1)));
        let crossing = self.seats.talks.iter().filter(|talk| at[talk.one] != at[talk.other]);
        let between = 6.0 / f64::from(u32::try_from(crossing.count()).unwrap_or(1).max(1));
        by_group.fold(between, f64::min)
    }
}

/// That counts come to the best of all, where each place has a rate that its adapters share.
fn check_counts(holders: Vec<Holder>, rates: &[f64]) {
    let all: usize = holders.iter().map(|holder| holder.count).sum();
    let most: Vec<usize> = holders.iter().map(|holder| holder.most).collect();
    let form = Form::Counts(Counts { holders, copies: 1 });
    let unit = Unit { kind: Kind::Slots, form };
    let carried = |counts: &Assignment| {
        let each = counts.iter().zip(rates).map(|(count, rate)| rate / *count as f64);
        each.fold(1.0, f64::min) * all as f64
    };
    let is_possible = |counts: &Assignment| {
        let fits = counts.iter().zip(&most).all(|(count, most)| *count > 0 && count <= most);
        fits && counts.iter().sum::<usize>() == all
    };
    check(&unit, &every(&unit, &is_possible), &carried);
}

/// From most placements two steps gain only together: both slow places must give one up.
#[test]
fn two_steps_that_gain_only_together_are_found() {
    let holder = |(at, (count, most, class)): (usize, (usize, usize, usize))| Holder {
        spot: spot(),
        name: format!("h.b{at}.hba"),
        count,
        most,
        class,
    };
    let all = [(3, 3, 1), (2, 2, 1), (3, 6, 4)].into_iter().enumerate();
    check_counts(all.map(holder).collect(), &[1.0, 1.0, 4.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn counts_come_to_the_best_of_all((holders, rates) in counts()) {
        check_counts(holders, &rates);
    }

    #[test]
    fn seats_come_to_the_best_of_all(one in prop_oneof![seated(false), seated(true)]) {
        let unit = Unit { kind: Kind::Cables, form: Form::Seats(one.seats.clone()) };
        let every = every(&unit, &|at| one.is_possible(at));
        check(&unit, &every, &|at| one.carried(at));
    }

    #[test]
    fn placements_of_one_key_carry_the_same(one in prop_oneof![seated(false), seated(true)]) {
        let unit = Unit { kind: Kind::Cables, form: Form::Seats(one.seats.clone()) };
        let mut known = std::collections::BTreeMap::new();
        for at in every(&unit, &|at| one.is_possible(at)) {
            let carried = one.carried(&at);
            let other = known.entry(unit.key(&at)).or_insert(carried);
            prop_assert!((*other - carried).abs() < 1e-9);
        }
    }

    #[test]
    fn steps_and_chance_keep_to_the_seats(one in seated(false), seed in any::<u64>()) {
        use rand_xoshiro::SplitMix64;
        use rand_xoshiro::rand_core::SeedableRng;
        let unit = Unit { kind: Kind::Cables, form: Form::Seats(one.seats.clone()) };
        let at = unit.random(&mut SplitMix64::seed_from_u64(seed));
        prop_assert!(one.is_possible(&at));
        for step in unit.steps(&at) {
            prop_assert!(one.is_possible(&step.after(&at)));
        }
    }
}

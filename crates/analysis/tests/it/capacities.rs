//! Capacities of components, found in an imitation of paths: nested components of random capacity
//! and some that cross the nesting, filled evenly until nobody can get more (max-min fairness),
//! with noise.

use std::collections::BTreeMap;

use iopath_analysis::capacities::{
    AtOnce, Between, Carried, Crossed, Identified, Together, identify, levels, scaling, sets,
};
use iopath_analysis::probe::Members;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// Components with what they can carry, over so many devices.
#[derive(Clone, Debug)]
struct World {
    devices: usize,
    components: Vec<(Crossed, f64)>,
}

impl World {
    /// What each of a set gets: all rates grow alike; who uses a component that is full stays.
    fn rates(&self, set: &Members, without: Option<usize>) -> BTreeMap<usize, f64> {
        let mut rates: BTreeMap<usize, f64> = set.iter().map(|device| (*device, 0.0)).collect();
        let mut growing = set.clone();
        let limits = || {
            let all = self.components.iter().enumerate();
            all.filter(|(number, _)| Some(*number) != without).map(|(_, limit)| limit)
        };
        while !growing.is_empty() {
            let passes = |crossed: &Crossed, rates: &BTreeMap<usize, f64>| {
                crossed.passes(&Together { rates: rates.clone(), is_limited_by_host: false })
            };
            let steps = limits().filter_map(|(crossed, most)| {
                let share: f64 =
                    growing.iter().filter_map(|device| crossed.shares.get(device)).sum();
                (share > 0.0).then(|| (most - passes(crossed, &rates)) / share)
            });
            // The medium of a device always limits it.
            let step = steps.fold(1e6, f64::min);
            growing.iter().for_each(|device| *rates.entry(*device).or_default() += step);
            let full: Vec<&Crossed> = limits()
                .filter(|(crossed, most)| passes(crossed, &rates) >= most * (1.0 - 1e-9))
                .map(|(crossed, _)| crossed)
                .collect();
            growing.retain(|device| {
                step < 1e6 && !full.iter().any(|crossed| crossed.shares.contains_key(device))
            });
        }
        rates
    }

    fn crossed(&self) -> Vec<Crossed> {
        self.components.iter().map(|(crossed, _)| crossed.clone()).collect()
    }

    /// All planned experiments; rates are off by up to `noise`, one way or the other in turn.
    fn measured(&self, noise: f64) -> Vec<Together> {
        let planned = sets(self.devices, &self.crossed());
        planned
            .iter()
            .enumerate()
            .map(|(number, set)| self.experiment(set, number, noise))
            .collect()
    }

    /// The same, several sets at once where they do not slow each other down.
    fn measured_at_once(&self, declared: &[usize], noise: f64) -> Vec<Together> {
        self.course(declared, &self.crossed(), noise)
    }

    /// The same of a path that is described in another way.
    fn course(&self, declared: &[usize], described: &[Crossed], noise: f64) -> Vec<Together> {
        let mut course = AtOnce::new(declared, described, Between::LeftOut);
        let mut measured = Vec::new();
        while let Some(set) = course.next(&measured) {
            measured.push(self.experiment(&set, measured.len(), noise));
        }
        measured
    }

    fn experiment(&self, set: &Members, number: usize, noise: f64) -> Together {
        let off = |at: usize, rate: f64| match at % 3 {
            0 => rate * (1.0 + noise),
            1 => rate * (1.0 - noise),
            _ => rate,
        };
        let rates = self.rates(set, None).into_iter();
        let rates = rates.map(|(device, rate)| (device, off(number + device, rate)));
        Together { rates: rates.collect(), is_limited_by_host: false }
    }

    /// What is said to be a capacity is one, and what could be filled is found.
    fn assert_found(&self, found: &Identified) -> Result<(), TestCaseError> {
        for (number, carried) in found.carried.iter().enumerate() {
            let (component, truth) = &self.components[number];
            if let Carried::Full(rate) = carried {
                let mut alike = found.alike.iter().filter(|all| all.contains(&number)).flatten();
                let first = alike.next().map_or(*truth, |other| self.components[*other].1);
                let truth = alike.fold(first, |least, other| least.min(self.components[*other].1));
                prop_assert!((rate / truth - 1.0).abs() < 0.05, "{number}: {rate} of {truth}");
            }
            let seen = carried.seen().unwrap_or_default();
            prop_assert!(seen < truth * 1.05, "{number}: {seen} of {truth}");
            let behind: Members = component.shares.keys().copied().collect();
            let sum = |rates: &BTreeMap<usize, f64>| rates.values().sum::<f64>();
            let with = sum(&self.rates(&behind, None));
            let without = sum(&self.rates(&behind, Some(number)));
            if without > with * 1.25 {
                prop_assert!(carried.capacity().is_some(), "{number}: {carried:?} of {truth}");
            }
        }
        Ok(())
    }
}

fn of(devices: impl IntoIterator<Item = usize>, share: f64) -> Crossed {
    Crossed { shares: devices.into_iter().map(|device| (device, share)).collect() }
}

/// What devices got together.
fn one(rates: &[(usize, f64)], is_limited_by_host: bool) -> Together {
    Together { rates: rates.iter().copied().collect(), is_limited_by_host }
}

/// Devices of their own rates, adapters over some of them, and one bus over all.
fn paths() -> impl Strategy<Value = World> {
    let adapters = prop::collection::vec((1..=4_usize, 40.0..400.0), 1..=5);
    (adapters, 100.0..1500.0, prop::collection::vec(50.0..150.0, 20)).prop_map(
        |(adapters, bus, rates)| {
            let mut components = Vec::new();
            let mut devices = 0;
            for (count, capacity) in adapters {
                components.push((of(devices..devices + count, 1.0), capacity));
                components.extend(
                    (devices..devices + count).map(|device| (of([device], 1.0), rates[device])),
                );
                devices += count;
            }
            components.push((of(0..devices, 1.0), bus));
            World { devices, components }
        },
    )
}

/// Equal devices, but for a slow one here and there, behind adapters behind two or more bridges.
fn boxes() -> impl Strategy<Value = World> {
    let bridges = prop::collection::vec((1..=3_usize, 1..=3_usize), 2..=4);
    let rates = prop::collection::vec(prop_oneof![9 => Just(100.0), 1 => Just(60.0)], 36);
    (bridges, rates, 120.0..500.0, 150.0..1500.0, 300.0..9000.0).prop_map(
        |(bridges, rates, adapter, bridge, host)| {
            let mut components = Vec::new();
            let mut devices = 0;
            for (adapters, each) in bridges {
                let first = devices;
                for _ in 0..adapters {
                    components.push((of(devices..devices + each, 1.0), adapter));
                    let alone = |device| (of([device], 1.0), rates[device]);
                    components.extend((devices..devices + each).map(alone));
                    devices += each;
                }
                components.push((of(first..devices, 1.0), bridge));
            }
            components.push((of(0..devices, 1.0), host));
            World { devices, components }
        },
    )
}

proptest! {
    /// What is said to be a capacity is one, and what could be filled is found.
    #[test]
    fn every_component_that_can_be_filled_is_found(world in paths()) {
        let found = identify(&world.crossed(), &world.measured(0.01));
        prop_assert!(found.unexplained.is_empty());
        world.assert_found(&found)?;
    }

    /// Several sets at once say the same, in fewer experiments where there are many.
    #[test]
    fn sets_measured_at_once_say_as_much(world in boxes()) {
        let World { devices, .. } = world;
        let declared: Vec<usize> = vec![0; devices];
        let crossed = world.crossed();
        let measured = world.measured_at_once(&declared, 0.01);
        let found = identify(&crossed, &measured);
        prop_assert!(found.unexplained.is_empty());
        world.assert_found(&found)?;
        let known: Vec<Members> = measured.iter().map(Together::devices)
            .chain(found.apart.iter().map(|one| one.together.devices()))
            .collect();
        for set in sets(devices, &crossed) {
            prop_assert!(known.contains(&set), "{set:?} is not known");
        }
    }

    /// Fewer than two sets for each component.
    #[test]
    fn experiments_are_few(world in paths()) {
        let crossed = world.crossed();
        prop_assert!(sets(world.devices, &crossed).len() <= crossed.len());
        for step in levels(world.devices, &crossed) {
            prop_assert!(step.len() > 1 && step.len() < world.devices);
        }
    }
}

/// A big server: 7 drawers of 2 planars, each with links over 3 and 5 adapters.
#[test]
fn a_hundred_adapters_take_thirteen_experiments() {
    let mut components = Vec::new();
    for planar in 0..14 {
        let first = 8 * planar;
        components.extend((first..first + 8).map(|device| (of([device], 1.0), 195.0)));
        components.push((of(first..first + 3, 1.0), 820.0));
        components.push((of(first + 3..first + 8, 1.0), 814.0));
        components.push((of(first..first + 8, 1.0), 1332.0));
        if planar % 2 == 0 {
            components.push((of(first..first + 16, 1.0), 3000.0));
        }
    }
    components.push((of(0..112, 1.0), 25_000.0));
    let world = World { devices: 112, components };
    let one_by_one = sets(112, &world.crossed()).len();
    let measured = world.measured_at_once(&[0; 112], 0.01);
    world.assert_found(&identify(&world.crossed(), &measured)).unwrap();
    assert_eq!((one_by_one, measured.len()), (162, 13));
}

/// As many devices as one expander carries, which the path does not have.
#[test]
fn devices_that_share_what_no_component_says_are_measured_alone() {
    let mut components: Vec<(Crossed, f64)> = (0..8).map(|d| (of([d], 1.0), 100.0)).collect();
    components.push((of(0..8, 1.0), 2000.0));
    let expander = (of(0..4, 1.0), 150.0);
    let described = components.iter().map(|(crossed, _)| crossed.clone()).collect::<Vec<_>>();
    components.push(expander);
    let world = World { devices: 8, components };
    let measured = world.course(&[0; 8], &described, 0.0);
    let found = identify(&described, &measured);
    assert!(found.carried[..8].iter().all(|one| *one == Carried::Full(100.0)), "{found:?}");
    assert!(!found.unexplained.is_empty());
}

/// Two of eight adapters behind a switch that the path does not have.
#[test]
fn adapters_that_share_what_no_component_says_are_measured_by_themselves() {
    let mut described = Vec::new();
    for adapter in 0..8 {
        described.push(of(4 * adapter..4 * adapter + 4, 1.0));
        described.extend((4 * adapter..4 * adapter + 4).map(|device| of([device], 1.0)));
    }
    described.push(of(0..32, 1.0));
    let alone = (0..32).map(|device| (of([device], 1.0), 100.0));
    let components = alone.chain([(of(0..8, 1.0), 600.0)]).collect();
    let world = World { devices: 32, components };
    let measured = world.course(&[0; 32], &described, 0.0);
    let found = identify(&described, &measured);
    assert_eq!(found.carried[0], Carried::AtLeast(400.0));
    assert_eq!(found.carried[5], Carried::AtLeast(400.0));
    assert!(!found.unexplained.is_empty());
}

#[test]
fn a_slow_first_device_stands_for_none_of_the_others() {
    let mut components: Vec<(Crossed, f64)> = (0..8).map(|d| (of([d], 1.0), 100.0)).collect();
    components[0].1 = 60.0;
    components.push((of(0..8, 1.0), 2000.0));
    let described: Vec<Crossed> = components.iter().map(|(crossed, _)| crossed.clone()).collect();
    components.push((of(2..6, 1.0), 300.0));
    let world = World { devices: 8, components };
    let found = identify(&described, &world.course(&[0; 8], &described, 0.0));
    assert_eq!(found.carried[0], Carried::Full(60.0));
    assert!(found.carried[1..8].iter().all(|one| *one == Carried::Full(100.0)), "{found:?}");
}

/// How many experiments on 64 devices it takes where processors limit those that `is_limited` says,
/// by their number and size; all capacities are found.
fn experiments_where(is_limited: impl Fn(usize, usize) -> bool) -> usize {
    let mut components: Vec<(Crossed, f64)> = (0..64).map(|d| (of([d], 1.0), 100.0)).collect();
    components.push((of(0..64, 1.0), 1e6));
    let world = World { devices: 64, components };
    let mut course = AtOnce::new(&[0; 64], &world.crossed(), Between::LeftOut);
    let mut measured = Vec::new();
    while let Some(set) = course.next(&measured) {
        let mut one = world.experiment(&set, 0, 0.0);
        one.is_limited_by_host = is_limited(measured.len(), set.len());
        measured.push(one);
    }
    let found = identify(&world.crossed(), &measured);
    assert!(found.carried[..64].iter().all(|one| *one == Carried::Full(100.0)), "{found:?}");
    measured.len()
}

/// Processors that no more than ten devices leave idle.
#[test]
fn fewer_are_measured_at_once_where_processors_limit_more() {
    assert_eq!(experiments_where(|_, devices| devices > 10), 12);
}

#[test]
fn one_disturbance_does_not_make_them_fewer_for_good() {
    assert_eq!(experiments_where(|number, devices| devices > 10 || number == 6), 13);
    // Where it is no accident they become fewer after some.
    let always_after =
        experiments_where(|number, devices| devices > 10 || number >= 6 && devices > 4);
    assert!((13..30).contains(&always_after), "{always_after}");
}

#[test]
fn what_processors_limit_is_not_taken_apart() {
    let components = [of([0], 1.0), of([1], 1.0), of([0, 1], 1.0)];
    let all = [one(&[(0, 50.0), (1, 50.0)], true), one(&[(0, 100.0), (1, 100.0)], false)];
    assert!(identify(&components, &all[..1]).apart.is_empty());
    let mut course = AtOnce::new(&[0, 0], &components, Between::LeftOut);
    assert_eq!(course.next(&[]), Some(Members::from([0, 1])));
    assert_eq!(course.next(&all[..1]), Some(Members::from([0])));
}

#[test]
fn a_bus_that_is_full_leaves_its_adapters_unknown() {
    let components = vec![
        (of([0], 1.0), 100.0),
        (of([1], 1.0), 100.0),
        (of([0, 1], 1.0), 1000.0),
        (of([2], 1.0), 100.0),
        (of([3], 1.0), 100.0),
        (of([2, 3], 1.0), 150.0),
        (of(0..4, 1.0), 180.0),
    ];
    let world = World { devices: 4, components };
    let found = identify(&world.crossed(), &world.measured(0.0));
    let expected = [
        Carried::Full(100.0),
        Carried::Full(100.0),
        Carried::AtLeast(180.0),
        Carried::Full(100.0),
        Carried::Full(100.0),
        Carried::Full(150.0),
        Carried::Full(180.0),
    ];
    assert_eq!(found.carried, expected);
}

/// The bus explains every loss, and yet the adapter is what limits the device alone.
#[test]
fn a_device_behind_an_adapter_that_may_be_full_has_no_limit_of_its_own() {
    let components = vec![
        (of([0, 1], 1.0), 108.0),
        (of([0], 1.0), 115.0),
        (of([1], 1.0), 50.0),
        (of([2], 1.0), 50.0),
        (of(0..3, 1.0), 109.5),
    ];
    let world = World { devices: 3, components };
    let found = identify(&world.crossed(), &world.measured(0.0));
    assert_eq!(found.carried[1].capacity(), None, "{:?}", found.carried);
}

#[test]
fn what_the_same_devices_use_alike_is_one_of_several() {
    let components = vec![(of([0, 1], 1.0), 150.0), (of([0, 1], 0.5), 90.0), (of([0], 1.0), 100.0)];
    let mut world = World { devices: 2, components };
    world.components.push((of([1], 1.0), 100.0));
    let found = identify(&world.crossed(), &world.measured(0.0));
    assert_eq!(found.carried[0], Carried::Full(150.0));
    assert_eq!(found.carried[1], Carried::Full(75.0));
    assert_eq!(found.alike[0], [0, 1]);
}

#[test]
fn two_ways_to_each_device_are_used_by_half() {
    let components = vec![
        (of([0, 1], 0.5), 60.0),
        (of([0, 1], 0.5), 200.0),
        (of([0], 1.0), 100.0),
        (of([1], 1.0), 100.0),
    ];
    let world = World { devices: 2, components };
    let found = identify(&world.crossed(), &world.measured(0.0));
    assert_eq!(found.carried[0], Carried::Full(60.0));
    assert_eq!(found.alike[0], [0, 1]);
    assert_eq!(found.carried[2], Carried::Full(100.0));
}

#[test]
fn what_processors_limit_is_no_capacity() {
    let components = [of([0], 1.0), of([1], 1.0), of([0, 1], 1.0)];
    let experiments =
        [one(&[(0, 100.0)], false), one(&[(1, 90.0)], true), one(&[(0, 60.0), (1, 60.0)], true)];
    let found = identify(&components, &experiments);
    let expected = [Carried::Full(100.0), Carried::AtLeast(90.0), Carried::AtLeast(120.0)];
    assert_eq!(found.carried, expected);
    assert!(found.unexplained.is_empty());
}

/// Two files on a disk, which together get less than one of them.
#[test]
fn a_disk_of_which_several_files_get_less_than_one_is_full() {
    let components = [of([0, 1], 1.0), of([0, 1], 1.0), of([2], 1.0)];
    let mut experiments = vec![one(&[(0, 160.0)], false), one(&[(1, 140.0)], false)];
    experiments.push(one(&[(0, 70.0), (1, 65.0)], false));
    let found = identify(&components, &experiments);
    assert_eq!(found.carried, [Carried::Full(160.0), Carried::Full(160.0), Carried::Nothing]);
    assert!(found.unexplained.is_empty());
    // Two that pass more than one, without a loss, have not filled it.
    experiments[2] = one(&[(0, 160.0), (1, 140.0)], false);
    assert_eq!(identify(&components, &experiments).carried[0], Carried::AtLeast(300.0));
    // Two disks behind an adapter wait for what the path does not have.
    let components = [of([0, 1], 1.0), of([0], 1.0), of([1], 1.0)];
    experiments[2] = one(&[(0, 70.0), (1, 65.0)], false);
    let found = identify(&components, &experiments);
    assert_eq!((found.carried[0], found.unexplained), (Carried::AtLeast(160.0), vec![2]));
}

/// The adapter passed more with another disk, so it was not what one file waited for.
#[test]
fn files_on_a_disk_next_to_another_one_fill_that_disk() {
    let components = [of([0, 1], 1.0), of([2], 1.0), of(0..3, 1.0)];
    let mut experiments = vec![one(&[(0, 160.0)], false), one(&[(1, 140.0)], false)];
    experiments.extend([one(&[(2, 150.0)], false), one(&[(0, 70.0), (1, 65.0)], false)]);
    experiments.push(one(&[(0, 68.0), (1, 66.0), (2, 150.0)], false));
    let found = identify(&components, &experiments);
    let expected = [Carried::Full(160.0), Carried::Full(150.0), Carried::AtLeast(284.0)];
    assert_eq!((found.carried, found.unexplained), (expected.to_vec(), vec![]));
    // The same disk passes less with the other one than without, so the adapter is full.
    experiments[4] = one(&[(0, 35.0), (1, 30.0), (2, 150.0)], false);
    let found = identify(&components, &experiments);
    assert_eq!((found.carried[2], found.unexplained), (Carried::Full(215.0), vec![]));
    // What the adapter could not pass at another time may be what the file waited for.
    experiments.pop();
    assert_eq!(identify(&components, &experiments).carried[0], Carried::AtLeast(160.0));
}

#[test]
fn losses_that_no_component_explains_are_named() {
    let components = [of([0], 1.0), of([1], 1.0)];
    let experiments =
        [one(&[(0, 100.0)], false), one(&[(1, 100.0)], false), one(&[(0, 60.0), (1, 60.0)], false)];
    assert_eq!(identify(&components, &experiments).unexplained, [2]);
}

#[test]
fn a_level_is_measured_in_steps_of_its_parts() {
    let adapters = (0..8).map(|adapter| of(2 * adapter..2 * adapter + 2, 1.0));
    let components: Vec<Crossed> = adapters.chain([of(0..16, 1.0)]).collect();
    let steps: Vec<usize> = levels(16, &components).iter().map(Members::len).collect();
    assert_eq!(steps, [4, 8]);
}

#[test]
fn a_level_scales_until_it_is_full() {
    let mut components: Vec<(Crossed, f64)> = (0..4).map(|d| (of([d], 1.0), 100.0)).collect();
    components.push((of(0..4, 1.0), 250.0));
    let world = World { devices: 4, components };
    let crossed = world.crossed();
    let planned = sets(4, &crossed).into_iter().chain(levels(4, &crossed));
    let each =
        planned.map(|set| Together { rates: world.rates(&set, None), is_limited_by_host: false });
    let found = scaling(4, &crossed, &each.collect::<Vec<_>>());
    let steps: Vec<(usize, f64)> = found[0].steps.iter().map(|s| (s.parts, s.rate)).collect();
    assert_eq!(steps, [(1, 100.0), (2, 200.0), (4, 250.0)]);
    assert_eq!((found.len(), found[0].knee()), (1, 2));
}

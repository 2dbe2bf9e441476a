//! The free-split bound of networks whose bound is known.

use iopath_analytic::{FreeSplit, Unsolved, free_split};
use iopath_path::{ComponentId, Network, RowId};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::network::{BLOCK, Paths, forced, stripe};

/// Four arrays of 700 behind two adapters on one bridge; one stream, striped over all.
fn arrays(adapter: f64, bridge: f64) -> Network {
    let mut paths = Paths::default();
    let bridge = paths.part("bridge", bridge);
    let mut legs = Vec::new();
    for _ in 0..2 {
        let adapter = paths.part("adapter", adapter);
        for _ in 0..2 {
            let array = paths.part("array", 700.0);
            legs.push(paths.leg(BLOCK, &[&[bridge, adapter, array]], vec![]));
        }
    }
    let volume = paths.leg(BLOCK, &[], stripe(&legs));
    paths.stream(volume, None);
    paths.done()
}

/// The bound, and prices times capacities as shares of it.
fn shares(network: &Network) -> (FreeSplit, Vec<(u32, f64)>) {
    let bound = free_split(network).unwrap();
    let share = |&(row, price): &(RowId, f64)| {
        (row.0, price * network.row(row).capacity / bound.bytes_per_sec)
    };
    let shares = bound.prices.iter().map(share).collect();
    (bound, shares)
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-4 * other.abs()
}

#[test]
fn the_narrowest_of_arrays_adapters_and_bridge_binds() {
    const BRIDGE: u32 = 0;
    const ADAPTERS: [u32; 2] = [1, 4];
    const ARRAYS: [u32; 4] = [2, 3, 5, 6];
    let table: [(f64, f64, f64, &[u32]); 3] = [
        (1200.0, 2000.0, 2000.0, &[BRIDGE]),
        (1200.0, 2600.0, 2400.0, &ADAPTERS),
        (1500.0, 3100.0, 2800.0, &ARRAYS),
    ];
    for (adapter, bridge, total, binding) in table {
        let (bound, shares) = shares(&arrays(adapter, bridge));
        assert_eq!(bound.bytes_per_sec, total);
        assert_eq!(bound.operations_per_sec, total / BLOCK as f64);
        assert_eq!(shares.iter().map(|(row, _)| *row).collect::<Vec<_>>(), binding);
        assert!(shares.iter().all(|(_, share)| is_near(*share, 1.0 / binding.len() as f64)));
    }
}

#[test]
fn a_tie_shows_all_that_bind_and_they_share_the_price() {
    let (bound, shares) = shares(&arrays(1200.0, 2400.0));
    assert_eq!(bound.bytes_per_sec, 2400.0);
    assert_eq!(shares.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [0, 1, 4]);
    assert!(shares.iter().all(|(_, share)| *share > 0.05), "{shares:?}");
    assert!(is_near(shares.iter().map(|(_, share)| share).sum(), 1.0));
}

#[test]
fn a_slow_member_costs_no_more_than_it_lacks() {
    let mut paths = Paths::default();
    let mut members = Vec::new();
    for capacity in [1e9, 1e9, 1e9, 0.5e9] {
        let disk = paths.part("disk", capacity);
        members.push(paths.leg(BLOCK, &[&[disk]], vec![]));
    }
    let volume = paths.leg(BLOCK, &[], stripe(&members));
    paths.stream(volume, None);
    let (bound, shares) = shares(&paths.done());
    assert_eq!(bound.bytes_per_sec, 3.5e9, "fixed shares would give 4 × 0.5e9");
    assert_eq!(shares.len(), 4);
    assert!(is_near(shares[3].1, 0.5 / 3.5), "{shares:?}");
}

#[test]
fn two_ways_of_unequal_capacity_give_their_sum() {
    let mut paths = Paths::default();
    let (wide, narrow) = (paths.part("wide", 8e9), paths.part("narrow", 5.0));
    let end = paths.part("end", 1e10);
    let leg = paths.leg(BLOCK, &[&[wide, end], &[narrow, end]], vec![]);
    paths.stream(leg, None);
    let bound = free_split(&paths.done()).unwrap();
    assert_eq!(bound.bytes_per_sec, 8_000_000_000.0, "8 digits hide the narrow one");
    assert!(bound.prices.iter().all(|(_, price)| is_near(*price, 1.0)), "{:?}", bound.prices);
}

#[test]
fn something_narrow_below_many_choices_is_found() {
    let mut paths = Paths::default();
    let narrow = paths.part("narrow", 5.0);
    let mut below = paths.leg(BLOCK, &[&[narrow]], vec![]);
    for level in 0..6 {
        // Each alternative alone could take all, so together they seem to take ten times as much.
        let alternatives: Vec<_> = (0..10)
            .map(|place| {
                let wide = paths.part("wide", 1e9 + f64::from(10 * level + place));
                paths.leg(BLOCK, &[&[wide]], vec![forced(below, 1.0)])
            })
            .collect();
        below = paths.leg(BLOCK, &[], stripe(&alternatives));
    }
    paths.stream(below, None);
    let bound = free_split(&paths.done()).unwrap();
    assert_eq!((bound.bytes_per_sec, &bound.prices[..]), (5.0, &[(RowId(0), 1.0)][..]));
}

#[test]
fn what_must_be_done_is_not_chosen() {
    let mut paths = Paths::default();
    let (fast, slow) = (paths.part("fast", 300.0), paths.part("slow", 100.0));
    let sides = [fast, slow].map(|side| paths.leg(BLOCK, &[&[side]], vec![]));
    let mirror = paths.leg(BLOCK, &[], sides.map(|side| forced(side, 1.0)).to_vec());
    paths.stream(mirror, None);
    let (bound, shares) = shares(&paths.done());
    assert_eq!(bound.bytes_per_sec, 100.0);
    assert_eq!(shares, [(1, 1.0)]);
}

#[test]
fn parts_of_other_sizes_are_no_way_to_smaller_requests() {
    let mut paths = Paths::default();
    let disks = [paths.part("one", 600.0), paths.part("other", 600.0)];
    let large = paths.leg(900, &[&[disks[0]]], vec![]);
    let small = paths.leg(100, &[&[disks[1]]], vec![]);
    let volume = paths.leg(
        1000,
        &[],
        vec![
            iopath_path::Next { times: 1.0, choice: Some(0), ..forced(large, 1.0) },
            iopath_path::Next { times: 1.0, choice: Some(0), ..forced(small, 1.0) },
        ],
    );
    paths.stream(volume, None);
    let bound = free_split(&paths.done()).unwrap();
    assert!(is_near(bound.bytes_per_sec, 600.0 / 0.9), "{bound:?}");
}

#[test]
fn streams_that_want_little_leave_room() {
    let mut paths = Paths::default();
    let shared = paths.part("shared", 1e6);
    let leg = paths.leg(BLOCK, &[&[shared]], vec![]);
    let costly = paths.leg(BLOCK, &[&[shared]], vec![]);
    paths.charge(costly, shared, 3.0 * BLOCK as f64);
    paths.stream(leg, Some(600.0));
    paths.stream(costly, None);
    let bound = free_split(&paths.done()).unwrap();
    assert_eq!(bound.bytes_per_sec, 700_000.0, "600 cheap ones, 100 at four times the cost");
    assert_eq!(bound.operations_per_sec, 700.0);
    assert_eq!(bound.prices, [(RowId(0), 0.25)]);
}

#[test]
fn what_meets_no_row_is_unlimited_and_nothing_is_nothing() {
    let mut paths = Paths::default();
    let disk = paths.part("disk", 100.0);
    let end = paths.leg(BLOCK, &[&[disk]], vec![]);
    let free = paths.leg(BLOCK, &[&[]], vec![]);
    paths.stream(free, None);
    let alone = paths.done();
    assert_eq!(free_split(&alone), Err(Unsolved::Unlimited));

    let mut both = alone.clone();
    both.streams.push(both.streams[0].clone());
    both.streams[1].roots[0].0 = iopath_path::LegId(1 - end.0);
    assert_eq!(free_split(&both), Err(Unsolved::Unlimited));

    both.streams.remove(0);
    both.rows[0].capacity = 0.0;
    let nothing = FreeSplit { bytes_per_sec: 0.0, operations_per_sec: 0.0, prices: vec![] };
    assert_eq!(free_split(&both), Ok(nothing.clone()));
    assert_eq!(free_split(&Network::default()), Ok(nothing));
}

/// Streams over volumes striped over ends that share parts: capacities of each level, and for
/// each volume the ends that it is striped over.
fn networks() -> impl Strategy<Value = (Vec<f64>, Vec<Vec<usize>>, Vec<Option<f64>>)> {
    let capacity = prop_oneof![Just(1e3), Just(2e6), 1e3..1e9];
    let volumes = vec(vec(0..6_usize, 1..5), 1..5);
    (vec(capacity, 10), volumes).prop_flat_map(|(capacities, volumes)| {
        let wants = vec(proptest::option::of(1.0..1e6), volumes.len());
        (Just(capacities), Just(volumes), wants)
    })
}

fn build(capacities: &[f64], volumes: &[Vec<usize>], wants: &[Option<f64>]) -> Network {
    let mut paths = Paths::default();
    let parts: Vec<ComponentId> =
        capacities.iter().map(|&capacity| paths.part("part", capacity)).collect();
    let ends: Vec<_> = (0..6)
        .map(|end| {
            let (left, right) = (parts[6 + end % 2], parts[8 + end % 2]);
            paths.leg(BLOCK, &[&[left, parts[end]], &[right, parts[end]]], vec![])
        })
        .collect();
    let legs: Vec<_> = volumes
        .iter()
        .map(|members| {
            let members: Vec<_> = members.iter().map(|&end| ends[end]).collect();
            paths.leg(BLOCK, &[], stripe(&members))
        })
        .collect();
    legs.iter().zip(wants).for_each(|(&leg, &wants)| paths.stream(leg, wants));
    paths.done()
}

proptest! {
    #[test]
    fn prices_are_derivatives((capacities, volumes, wants) in networks()) {
        let network = build(&capacities, &volumes, &wants);
        let bound = free_split(&network).unwrap();
        for (row, price) in bound.prices {
            let step = network.row(row).capacity * 1e-3;
            let mut changed = network.clone();
            changed.rows[row.0 as usize].capacity += step;
            let above = free_split(&changed).unwrap().bytes_per_sec;
            changed.rows[row.0 as usize].capacity -= 2.0 * step;
            let below = free_split(&changed).unwrap().bytes_per_sec;
            let noise = 1e-7 * bound.bytes_per_sec;
            prop_assert!(price > 0.0);
            prop_assert!(above <= bound.bytes_per_sec + price * step * 1.0001 + noise);
            prop_assert!(below <= bound.bytes_per_sec - price * step * 0.9999 + noise);
        }
    }

    #[test]
    fn a_path_of_other_units_has_the_same_bound(
        (capacities, volumes, wants) in networks(), power in -6..6_i32
    ) {
        let scale = 10_f64.powi(power);
        let network = build(&capacities, &volumes, &wants);
        let scaled: Vec<f64> = capacities.iter().map(|capacity| capacity * scale).collect();
        let wants: Vec<_> = wants.iter().map(|wants| wants.map(|rate| rate * scale)).collect();
        let scaled = free_split(&build(&scaled, &volumes, &wants)).unwrap().bytes_per_sec;
        prop_assert!(is_near(scaled, free_split(&network).unwrap().bytes_per_sec * scale));
    }
}

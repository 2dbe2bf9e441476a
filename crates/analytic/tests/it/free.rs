//! The free-split bound of networks whose bound is known.

use iopath_analytic::{FreeSplit, Unsolved, free_split};
use iopath_path::{ComponentId, Network, RowId};
use iopath_record::BoundKind;
use proptest::collection::vec;
use proptest::prelude::*;

use super::build::{Build, next};
use super::fixed::bound;

/// Bytes of each request, where a test does not care.
const BLOCK: u64 = 1000;

/// A component with one row of bytes.
fn part(build: &mut Build, capacity: f64) -> ComponentId {
    let part = build.part("part", None);
    build.bytes(part, capacity);
    part
}

/// Four arrays of 700 behind two adapters on one bridge; one stream, striped over all.
fn arrays(adapter: f64, bridge: f64) -> Network {
    let mut build = Build::default();
    let bridge = part(&mut build, bridge);
    let volume = build.read(bridge, BLOCK, &[]);
    let mut members = Vec::new();
    for _ in 0..2 {
        let adapter = part(&mut build, adapter);
        for _ in 0..2 {
            let array = part(&mut build, 700.0);
            members.push(build.read(array, BLOCK, &[bridge, adapter, array]));
        }
    }
    build.stripe(volume, &members, 1.0);
    build.stream(volume, 1.0);
    build.network
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
    let mut build = Build::default();
    let disks = [1e9, 1e9, 1e9, 0.5e9].map(|capacity| part(&mut build, capacity));
    let volume = build.read(disks[0], BLOCK, &[]);
    let members = disks.map(|disk| build.read(disk, BLOCK, &[disk]));
    build.stripe(volume, &members, 1.0);
    build.stream(volume, 1.0);
    let (free, shares) = shares(&build.network);
    assert_eq!(free.bytes_per_sec, 3.5e9);
    assert_eq!(bound(&build.evaluate(), BoundKind::FixedSplit), 2_000_000_000);
    assert_eq!(shares.len(), 4);
    assert!(is_near(shares[3].1, 0.5 / 3.5), "{shares:?}");
}

#[test]
fn two_ways_of_unequal_capacity_give_their_sum() {
    let mut build = Build::default();
    let [wide, narrow, end] = [8e9, 5.0, 1e10].map(|capacity| part(&mut build, capacity));
    let leg = build.read_over(BLOCK, &[&[wide, end], &[narrow, end]]);
    build.stream(leg, 1.0);
    let bound = free_split(&build.network).unwrap();
    assert_eq!(bound.bytes_per_sec, 8_000_000_000.0, "8 digits hide the narrow one");
    assert!(bound.prices.iter().all(|(_, price)| is_near(*price, 1.0)), "{:?}", bound.prices);
}

#[test]
fn something_narrow_below_many_choices_is_found() {
    let mut build = Build::default();
    let narrow = part(&mut build, 5.0);
    let mut volume = build.read(narrow, BLOCK, &[]);
    build.stream(volume, 1.0);
    for level in 0..6 {
        // Each alternative alone could take all, so together they seem to take ten times as much.
        let wide = |place| 1e9 + f64::from(10 * level + place);
        let parts: Vec<_> = (0..10).map(|place| part(&mut build, wide(place))).collect();
        let legs: Vec<_> = parts.iter().map(|part| build.read(*part, BLOCK, &[*part])).collect();
        build.stripe(volume, &legs, 1.0);
        let crossed = [narrow];
        volume = build.read(narrow, BLOCK, if level == 5 { &crossed } else { &[] });
        legs.iter().for_each(|leg| build.leg(*leg).next.push(next(volume, 1.0, None)));
    }
    let bound = free_split(&build.network).unwrap();
    assert_eq!((bound.bytes_per_sec, &bound.prices[..]), (5.0, &[(RowId(0), 1.0)][..]));
}

#[test]
fn what_must_be_done_is_not_chosen() {
    let mut build = Build::default();
    let sides = [300.0, 100.0].map(|capacity| part(&mut build, capacity));
    let mirror = build.read(sides[0], BLOCK, &[]);
    for side in sides {
        let leg = build.read(side, BLOCK, &[side]);
        build.leg(mirror).next.push(next(leg, 1.0, None));
    }
    build.stream(mirror, 1.0);
    let (bound, shares) = shares(&build.network);
    assert_eq!(bound.bytes_per_sec, 100.0);
    assert_eq!(shares, [(1, 1.0)]);
}

#[test]
fn parts_of_other_sizes_are_no_way_to_smaller_requests() {
    let mut build = Build::default();
    let disks = [600.0, 600.0].map(|capacity| part(&mut build, capacity));
    let volume = build.read(disks[0], 1000, &[]);
    let parts = [(900, disks[0]), (100, disks[1])];
    for (bytes, disk) in parts {
        let leg = build.read(disk, bytes, &[disk]);
        build.leg(volume).next.push(next(leg, 1.0, Some(0)));
    }
    build.stream(volume, 1.0);
    let bound = free_split(&build.network).unwrap();
    assert!(is_near(bound.bytes_per_sec, 600.0 / 0.9), "{bound:?}");
}

#[test]
fn streams_that_want_little_leave_room() {
    let mut build = Build::default();
    let shared = part(&mut build, 1e6);
    let leg = build.read(shared, BLOCK, &[shared]);
    let costly = build.read(shared, BLOCK, &[shared]);
    build.charge(costly, RowId(0), 3.0 * BLOCK as f64);
    build.stream(leg, 1.0).wants_per_sec = Some(600.0);
    build.stream(costly, 1.0);
    let bound = free_split(&build.network).unwrap();
    assert_eq!(bound.bytes_per_sec, 700_000.0, "600 cheap ones, 100 at four times the cost");
    assert_eq!(bound.operations_per_sec, 700.0);
    assert_eq!(bound.prices, [(RowId(0), 0.25)]);
}

#[test]
fn what_meets_no_row_is_unlimited_and_nothing_is_nothing() {
    let mut build = Build::default();
    let disk = part(&mut build, 100.0);
    let end = build.read(disk, BLOCK, &[disk]);
    let free = build.read(disk, BLOCK, &[]);
    build.stream(free, 1.0);
    assert_eq!(free_split(&build.network), Err(Unsolved::Unlimited));

    build.stream(end, 1.0);
    assert_eq!(free_split(&build.network), Err(Unsolved::Unlimited));

    build.network.streams.remove(0);
    build.network.rows[0].capacity = 0.0;
    let nothing = FreeSplit { bytes_per_sec: 0.0, operations_per_sec: 0.0, prices: vec![] };
    assert_eq!(free_split(&build.network), Ok(nothing.clone()));
    assert_eq!(free_split(&Network::default()), Ok(nothing));
}

/// Streams over volumes that are striped over six ends, each reached by two ways: capacities of
/// the ends, then of the ways; the ends of each volume; what each stream wants.
fn networks() -> impl Strategy<Value = (Vec<f64>, Vec<Vec<usize>>, Vec<Option<f64>>)> {
    let capacity = prop_oneof![Just(1e3), Just(2e6), 1e3..1e9];
    let volumes = vec(vec(0..6_usize, 1..5), 1..5);
    (vec(capacity, 10), volumes).prop_flat_map(|(capacities, volumes)| {
        let wants = vec(proptest::option::of(1.0..1e6), volumes.len());
        (Just(capacities), Just(volumes), wants)
    })
}

fn build(capacities: &[f64], volumes: &[Vec<usize>], wants: &[Option<f64>]) -> Build {
    let mut build = Build::default();
    let parts: Vec<ComponentId> =
        capacities.iter().map(|capacity| part(&mut build, *capacity)).collect();
    let roots: Vec<_> = volumes.iter().map(|_| build.read(parts[0], BLOCK, &[])).collect();
    let ends: Vec<_> = (0..6)
        .map(|end| {
            let (left, right) = (parts[6 + end % 2], parts[8 + end % 2]);
            build.read_over(BLOCK, &[&[left, parts[end]], &[right, parts[end]]])
        })
        .collect();
    for ((&root, members), wants) in roots.iter().zip(volumes).zip(wants) {
        let members: Vec<_> = members.iter().map(|&end| ends[end]).collect();
        build.stripe(root, &members, 1.0);
        build.stream(root, 1.0).wants_per_sec = *wants;
    }
    build
}

proptest! {
    #[test]
    fn prices_are_derivatives((capacities, volumes, wants) in networks()) {
        let network = build(&capacities, &volumes, &wants).network;
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
        let network = build(&capacities, &volumes, &wants).network;
        let scaled: Vec<f64> = capacities.iter().map(|capacity| capacity * scale).collect();
        let wants: Vec<_> = wants.iter().map(|wants| wants.map(|rate| rate * scale)).collect();
        let scaled = free_split(&build(&scaled, &volumes, &wants).network).unwrap();
        let plain = free_split(&network).unwrap();
        prop_assert!(is_near(scaled.bytes_per_sec, plain.bytes_per_sec * scale));
    }
}

proptest! {
    // A record of all bounds costs far more than one bound.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_forced_shares_carry_a_free_split_carries((capacities, volumes, wants) in networks()) {
        let build = build(&capacities, &volumes, &wants);
        let free = free_split(&build.network).unwrap().bytes_per_sec;
        let record = build.evaluate();
        let fixed = bound(&record, BoundKind::FixedSplit) as f64;
        // Records have whole bytes; half a unit of the eighth digit is 5e-8 at most.
        prop_assert!(fixed <= free * (1.0 + 5e-8) + 0.5, "{fixed} {free}");
        prop_assert!(bound(&record, BoundKind::FixedSplit) <= bound(&record, BoundKind::FreeSplit));
    }
}

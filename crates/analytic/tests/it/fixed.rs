//! Fixed split: shares forced by stripes, and what binds.

use iopath_record::{Bound, BoundKind, Counter, Record};

use super::build::{Build, case, next};

const MB: f64 = 1e6;

/// The bound of a kind.
pub(crate) fn of(record: &Record, kind: BoundKind) -> &Bound {
    record.bounds.iter().find(|bound| bound.kind == kind).unwrap()
}

/// Its bytes per second.
pub(crate) fn bound(record: &Record, kind: BoundKind) -> u64 {
    of(record, kind).bytes_per_sec
}

fn fixed(record: &Record) -> &Bound {
    of(record, BoundKind::FixedSplit)
}

/// Names of the entities that bind, with their prices.
pub(crate) fn binding(record: &Record, kind: BoundKind) -> Vec<(&str, u64)> {
    let named = |price: &iopath_record::Price| {
        (record.entities[price.of.entity.0 as usize].name.as_str(), price.gain_ppm)
    };
    of(record, kind).binding.iter().map(named).collect()
}

/// Adapters on a bus, a disk and a stream each.
fn adapters(count: usize, adapter: f64, bus: f64) -> Build {
    let mut build = Build::default();
    let host = build.part("host", None);
    build.bytes(host, bus);
    for index in 0..count {
        let hba = build.part(&format!("hba[{index}]"), Some(host));
        build.bytes(hba, adapter);
        let disk = build.part("disk", Some(hba));
        let leg = build.read(disk, 4 << 20, &[host, hba]);
        build.stream(leg, 1.0);
    }
    build
}

#[test]
fn three_adapters_are_exact() {
    let record = adapters(3, 195.0 * MB, 814.0 * MB).evaluate();
    assert_eq!(bound(&record, BoundKind::FixedSplit), 585_000_000);
    assert_eq!(binding(&record, BoundKind::FixedSplit), [("host.hba[0-2]", 1_000_000)]);
    let bytes: u64 = record.streams.iter().map(|stream| stream.phases[0].read_bytes).sum();
    assert_eq!(bytes, 585_000_000_000);
}

#[test]
fn five_adapters_meet_the_bus_and_the_next_is_named() {
    let record = adapters(5, 195.0 * MB, 814.0 * MB).evaluate();
    assert_eq!(bound(&record, BoundKind::FixedSplit), 814_000_000);
    assert_eq!(binding(&record, BoundKind::FixedSplit), [("host", 1_000_000)]);
    let upgrades = &fixed(&record).upgrades;
    let first = &upgrades[0];
    assert_eq!((first.raise[0].to_per_sec, first.then_bytes_per_sec), (975_000_000, 975_000_000));
    let hba = record.entities.iter().position(|entity| entity.name == "host.hba[0-4]").unwrap();
    assert_eq!(first.then_binds[0].entity.0 as usize, hba);
    // Beyond that nothing else binds: both are raised, as far as one likes.
    assert_eq!((upgrades[1].raise.len(), upgrades[1].then_binds.len()), (2, 0));
    assert_eq!(upgrades.len(), 2);
}

#[test]
fn a_class_carries_what_its_members_carry() {
    let record = adapters(5, 195.0 * MB, 814.0 * MB).evaluate();
    let hba = record.entities.iter().position(|entity| entity.name == "host.hba[0-4]").unwrap();
    assert_eq!(
        (record.entities[hba].count, record.entities[hba].limits[0].per_sec),
        (5, 195_000_000)
    );
    let counted = |counter| {
        let series =
            record.series.iter().find(|s| s.entity.0 as usize == hba && s.counter == counter);
        series.map(|series| series.values().last().unwrap())
    };
    assert_eq!(counted(Counter::ReadBytes), Some(814_000_000_000));
    assert_eq!(counted(Counter::WriteBytes), None);
}

#[test]
fn the_slowest_member_holds_a_stripe_back() {
    let mut build = Build::default();
    let volume = build.part("vol", None);
    let root = build.read(volume, 24 << 20, &[]);
    let mut members = Vec::new();
    for index in 0..24 {
        let array = build.part(&format!("array[{index}]"), None);
        build.bytes(array, if index == 7 { 80.0 * MB } else { 100.0 * MB });
        members.push(build.read(array, 1 << 20, &[array]));
    }
    for member in members {
        build.leg(root).next.push(next(member, 1.0, Some(0)));
    }
    build.stream(root, 4.0);
    let record = build.evaluate();
    assert_eq!(bound(&record, BoundKind::FixedSplit), 24 * 80_000_000);
    assert_eq!(binding(&record, BoundKind::FixedSplit), [("array[7]", 1_000_000)]);
    let step = &fixed(&record).upgrades[0];
    assert_eq!((step.raise[0].to_per_sec, step.then_bytes_per_sec), (100_000_000, 2_400_000_000));
}

#[test]
fn a_tie_names_both_and_raises_both() {
    // Two adapters of 100 behind a bus of 200 MB/s, as in MODELS 6.2.
    let record = adapters(2, 100.0 * MB, 200.0 * MB).evaluate();
    assert_eq!(binding(&record, BoundKind::FixedSplit), [("host", 0), ("host.hba[0-1]", 0)]);
    let step = &fixed(&record).upgrades[0];
    assert_eq!((step.raise.len(), step.then_bytes_per_sec), (2, 400_000_000));
}

#[test]
fn nothing_that_limits_is_told() {
    let mut build = Build::default();
    let disk = build.part("disk", None);
    let leg = build.read(disk, 4096, &[]);
    build.stream(leg, 1.0);
    let record = build.evaluate();
    assert!(record.bounds.is_empty());
    assert_eq!(record.warnings[0].kind, "no-limit");
    assert_eq!(record.environment["model.bound"], "none");
}

/// One disk of 100 MB/s and one without a rating, with a stream each; the latter before.
#[test]
fn streams_that_nothing_limits_do_not_silence_the_others() {
    let mut build = Build::default();
    for rating in [None, Some(100.0 * MB)] {
        let disk = build.part("disk", None);
        if let Some(rating) = rating {
            build.bytes(disk, rating);
        }
        let leg = build.read(disk, 1 << 20, &[disk]);
        build.stream(leg, 1.0);
    }
    assert!(build.evaluate().bounds.is_empty(), "of all streams there is none");
    let record = build.evaluate_rated();
    assert_eq!(bound(&record, BoundKind::FixedSplit), 100_000_000);
    assert_eq!(record.environment["path.unrated"], "reader (1 of 2 streams)");
    assert_eq!(record.streams.len(), 1);
    assert!(record.warnings.iter().all(|warning| warning.kind != "no-limit"));
    // In turns: who is left has the first.
    build.network.streams[1].epoch = 1;
    assert_eq!(bound(&build.evaluate_rated(), BoundKind::FixedSplit), 100_000_000);
    build.network.streams.pop();
    assert!(build.evaluate_rated().bounds.is_empty());
}

#[test]
fn no_streams_have_a_record_too() {
    let record = Build::default().evaluate();
    assert_eq!(bound(&record, BoundKind::FixedSplit), 0);
}

#[test]
fn streams_after_others_have_the_path_to_themselves() {
    let mut build = Build::default();
    let disk = build.part("disk", None);
    build.bytes(disk, 100.0 * MB);
    let leg = build.read(disk, 1_000_000, &[disk]);
    build.stream(leg, 1.0);
    build.stream(leg, 1.0).epoch = 1;
    let case = case(2);
    let record = iopath_analytic::evaluate(&case, &build.network);
    assert_eq!(record.validate(), []);
    let windows = record.streams.iter().map(|stream| &stream.phases[0]);
    let moved: Vec<_> = windows.map(|w| (w.from_ns / 1_000_000_000, w.read_bytes)).collect();
    assert_eq!(moved, [(0, 100_000_000_000), (1000, 100_000_000_000)]);
    for kind in [BoundKind::FreeSplit, BoundKind::FixedSplit] {
        assert_eq!(bound(&record, kind), 100_000_000);
        assert_eq!(binding(&record, kind), [("disk", 1_000_000)]);
    }
    let disk = record.series.iter().find(|series| series.counter == Counter::ReadBytes).unwrap();
    assert_eq!(disk.values().collect::<Vec<_>>(), [0, 100_000_000_000, 200_000_000_000]);
}

/// Twelve disks of their own names and capacities behind a bus, each with a stream.
fn unequal(bus: f64, last: f64) -> Record {
    let mut build = Build::default();
    let host = build.part("host", None);
    build.bytes(host, bus);
    for index in 0..12 {
        let disk = build.part(&format!("disk-{index}"), None);
        build.bytes(disk, if index == 11 { last } else { (10.0 + f64::from(index)) * MB });
        let leg = build.read(disk, 1_000_000, &[host, disk]);
        build.stream(leg, 1.0);
    }
    build.evaluate()
}

#[test]
fn many_that_bind_have_their_prices_too() {
    // Each is worth its share of the total, those that are not priced by a step included.
    let record = unequal(1000.0 * MB, 21.0 * MB);
    assert_eq!(bound(&record, BoundKind::FixedSplit), 186_000_000);
    let prices: Vec<u64> =
        fixed(&record).binding.iter().map(|price| price.gain_ppm.div_ceil(10)).collect();
    let expected = (10..22).rev().map(|rate| (rate * 1_000_000_u64).div_ceil(1860));
    assert_eq!(prices, expected.collect::<Vec<_>>());
}

#[test]
fn what_only_takes_from_others_is_worth_nothing() {
    // The bus is full: whatever a slow disk gives more, the fast one gets less.
    let record = unequal(186.0 * MB, 900.0 * MB);
    let binding = binding(&record, BoundKind::FixedSplit);
    assert_eq!((binding.len(), binding[0]), (12, ("host", 1_000_000)));
    assert!(binding[1..].iter().all(|(_, gain)| *gain == 0), "{binding:?}");
}

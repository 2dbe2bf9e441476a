//! A made path whose every figure has a closed form, and what is read from it.

use iopath_record::{
    Bound, BoundKind, Counter, CurvePoint, Direction, Entity, EntityId, Layer, Limit, LimitId,
    Measure, Origin, Phase, PhaseTotals, Price, Raise, Record, Series, StreamTotals, Technique,
    Upgrade,
};
use iopath_units::Action;

use super::*;
use crate::sample::Sample;

const MB: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

fn limit(measure: Measure, direction: Direction, per_sec: u64) -> Limit {
    Limit { measure, direction, per_sec, origin: Origin::Given, tokens: None }
}

fn entity(name: &str, layer: Layer, parent: Option<u32>, limits: Vec<Limit>) -> Entity {
    let kind = name.rsplit('.').next().and_then(|last| last.split('[').next());
    Entity {
        name: name.to_owned(),
        kind: kind.unwrap_or_default().into(),
        layer,
        parent: parent.map(EntityId),
        binding: None,
        count: 1,
        limits,
    }
}

fn stream(entity: u32, bytes: u64, depth: u64) -> StreamTotals {
    let requests = bytes / MB;
    let phase = PhaseTotals {
        phase: Phase::Window,
        from_ns: 0,
        to_ns: SECOND,
        submitted: requests,
        completed: requests,
        failed: 0,
        operations_ppm: requests * MB,
        read_bytes: bytes,
        write_bytes: 0,
        trim_bytes: 0,
        in_flight_ns: depth * SECOND,
        join_wait_ns: 0,
        pool_wait_ns: 0,
        idle_ns: 0,
        user_ns: 0,
        system_ns: 0,
        latency: Vec::new(),
    };
    StreamTotals {
        action: Action::Transfer,
        entity: EntityId(entity),
        first_issue_ns: 0,
        first_done_ns: 0,
        last_done_ns: SECOND,
        phases: vec![phase],
    }
}

fn bound(kind: BoundKind, mb_per_sec: u64, binding: &[(u32, u64)]) -> Bound {
    let of = |entity: u32| LimitId { entity: EntityId(entity), limit: 0 };
    Bound {
        kind,
        bytes_per_sec: mb_per_sec * MB,
        operations_milli_per_sec: mb_per_sec * 1000,
        binding: binding.iter().map(|(id, gain)| Price { of: of(*id), gain_ppm: *gain }).collect(),
        upgrades: Vec::new(),
        leaves_out: vec!["readahead: of vxfs".to_owned()],
    }
}

/// Two readers, a box with two planars of three adapters each; the second planar is idle but for
/// one adapter.
fn two_planars() -> Record {
    let names = ["box", "box.planar[0]", "box.planar[1]"];
    let mut entities = vec![
        entity("reader[0]", Layer::Application, None, vec![]),
        entity("reader[1]", Layer::Application, None, vec![]),
        entity(names[0], Layer::Bus, None, vec![]),
        entity(
            names[1],
            Layer::Bus,
            Some(2),
            vec![limit(Measure::Bytes, Direction::Read, 300 * MB)],
        ),
    ];
    let adapter = |planar: u32, parent: u32, index: u32| {
        let name = format!("box.planar[{planar}].hba[{index}]");
        let limits = vec![
            limit(Measure::Bytes, Direction::Both, 200 * MB),
            limit(Measure::Operations, Direction::Both, 400),
        ];
        entity(&name, Layer::Adapter, Some(parent), limits)
    };
    entities.extend((0..3).map(|index| adapter(0, 3, index)));
    entities.push(entity(
        names[2],
        Layer::Bus,
        Some(2),
        vec![limit(Measure::Bytes, Direction::Read, 300 * MB)],
    ));
    entities.extend((0..3).map(|index| adapter(1, 7, index)));
    let series =
        |id: u32, counter, value: u64| Series::from_values(EntityId(id), counter, &[0, value]);
    let moved = [(3, 300), (4, 100), (5, 100), (6, 100), (7, 100), (8, 100), (9, 0), (10, 0)];
    let bytes = moved.map(|(id, mb)| series(id, Counter::ReadBytes, mb * MB));
    let requests = moved.map(|(id, mb)| series(id, Counter::ReadOperations, mb));
    Record {
        technique: Technique::Analytic,
        environment: [("capacity.usable", "8 TB"), ("kernel.release", "6.12")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
        entities,
        relations: Vec::new(),
        instants_ns: vec![0, SECOND],
        series: [bytes, requests].concat(),
        streams: vec![stream(0, 300 * MB, 4), stream(1, 100 * MB, 4)],
        heat: Vec::new(),
        bounds: vec![
            bound(BoundKind::FreeSplit, 600, &[(3, MB / 2), (7, MB / 2)]),
            bound(BoundKind::FixedSplit, 400, &[(3, MB)]),
            bound(BoundKind::ClosedLoop, 400, &[(3, MB)]),
        ],
        bad_blocks: Default::default(),
        curve: vec![CurvePoint {
            load_ppm: 500_000,
            operations_milli_per_sec: 200_000,
            bytes_per_sec: 200 * MB,
            response_ns: 8_000_000,
        }],
        ..Sample::new().record()
    }
}

#[test]
fn totals_are_those_of_the_window() {
    let found = predict(&two_planars());
    assert_eq!(found.throughput_bytes_per_sec, 400e6);
    assert_eq!((found.read_bytes_per_sec, found.write_bytes_per_sec), (400e6, 0.0));
    assert_eq!(found.operations_per_sec, 400.0);
    // Little: 8 in flight at 400 a second.
    assert_eq!(found.response_ns, Some(20e6));
    assert_eq!(found.facts.keys().collect::<Vec<_>>(), ["capacity.usable"]);
    assert_eq!((found.curve[0].load, found.curve[0].response_ns), (0.5, 8e6));
}

#[test]
fn equal_things_are_one_line_in_the_order_of_the_tree() {
    let found = predict(&two_planars());
    let lines: Vec<_> = found
        .components
        .iter()
        .map(|one| (one.name.as_str(), one.parent, one.count, one.of, one.utilisation))
        .collect();
    let expected = [
        ("box", None, 1, 1, None),
        ("box.planar[0]", Some(0), 1, 2, Some(1.0)),
        ("box.planar.hba", Some(1), 4, 6, Some(0.5)),
        ("box.planar[1]", Some(0), 1, 2, Some(1.0 / 3.0)),
        ("box.planar[1].hba[1-2]", Some(3), 2, 6, Some(0.0)),
    ];
    assert_eq!(lines, expected);
    let adapter = &found.components[2];
    assert_eq!((adapter.bytes_per_sec(), adapter.operations_per_sec), (Some(100e6), Some(100.0)));
    assert_eq!(adapter.limits[0].limit.measure, Measure::Bytes);
    assert_eq!(adapter.limits[1].utilisation, 0.25);
    assert!(adapter.is_used() && !found.components[4].is_used());
}

#[test]
fn bytes_requests_and_utilisation_each_show_a_use() {
    let idle = predict(&two_planars()).components.pop().unwrap();
    let idle = ComponentUse { operations_per_sec: None, ..idle };
    assert!(!idle.is_used(), "{idle:?}");
    let some = Some(1.0);
    for used in [
        ComponentUse { read_bytes_per_sec: some, ..idle.clone() },
        ComponentUse { write_bytes_per_sec: some, ..idle.clone() },
        ComponentUse { operations_per_sec: some, ..idle.clone() },
        ComponentUse { utilisation: some, ..idle },
    ] {
        assert!(used.is_used(), "{used:?}");
    }
}

#[test]
fn the_freest_of_the_lowest_bounds_decides() {
    let found = predict(&two_planars());
    assert_eq!(found.decided_by, Some(BoundKind::FixedSplit));
    let [binding] = &found.bottlenecks[..] else { panic!("{:?}", found.bottlenecks) };
    assert_eq!((binding.limits.name.as_str(), binding.gain), ("box.planar[0]", 1.0));
    // Equal limits of one name are one line, with what they give together.
    let [both] = &found.bounds[0].binding[..] else { panic!("{:?}", found.bounds[0]) };
    assert_eq!((both.limits.name.as_str(), both.limits.count, both.gain), ("box.planar", 2, 0.5));
    assert_eq!(found.leaves_out, [LeftOut { kind: "readahead".into(), text: "of vxfs".into() }]);
}

#[test]
fn a_freer_bound_that_is_lower_in_all_decides_nothing() {
    let mut record = two_planars();
    record.bounds[1].bytes_per_sec = 350 * MB;
    let found = predict(&record);
    assert_eq!(found.decided_by, Some(BoundKind::ClosedLoop));
    record.bounds[2].binding.clear();
    assert_eq!(predict(&record).bottlenecks, []);
}

#[test]
fn where_freedom_gives_nothing_the_free_split_does_not_decide() {
    let mut record = two_planars();
    record.bounds[0].bytes_per_sec = record.bounds[1].bytes_per_sec;
    let found = predict(&record);
    assert_eq!(found.decided_by, Some(BoundKind::FixedSplit));
    assert_eq!(found.bottlenecks[0].gain, 1.0);
    record.bounds.truncate(1);
    assert_eq!(predict(&record).decided_by, Some(BoundKind::FreeSplit));
}

#[test]
fn upgrades_are_those_of_the_tightest_of_the_lowest_bounds() {
    let mut record = two_planars();
    let step = |to_mb: u64, then_mb: u64, entity: u32| Upgrade {
        raise: vec![Raise {
            of: LimitId { entity: EntityId(3), limit: 0 },
            to_per_sec: to_mb * MB,
        }],
        then_bytes_per_sec: then_mb * MB,
        then_operations_milli_per_sec: then_mb * 1000,
        then_binds: vec![LimitId { entity: EntityId(entity), limit: 0 }],
    };
    record.bounds[1].upgrades = vec![step(500, 600, 4)];
    record.bounds[2].upgrades = vec![step(400, 500, 7)];
    let found = predict(&record);
    let [first] = &found.upgrades[..] else { panic!("{:?}", found.upgrades) };
    assert_eq!(first.raise[0].to_per_sec, 400 * MB);
    assert_eq!(first.raise[0].limits.limit.per_sec, 300 * MB);
    assert_eq!(first.then_throughput_bytes_per_sec, 500e6);
    assert_eq!(first.then_binds[0].name, "box.planar[1]");
}

#[test]
fn shares_are_told_by_declaration() {
    let found = predict(&two_planars());
    let [readers] = &found.shares[..] else { panic!("{:?}", found.shares) };
    assert_eq!((readers.name.as_str(), readers.streams), ("reader", 2));
    assert_eq!(readers.of_stream_bytes_per_sec, Spread { mean: 200e6, min: 100e6, max: 300e6 });
    // (3 + 1)^2 / (2 (9 + 1)).
    assert_eq!(readers.jain, Some(0.8));
    assert_eq!(readers.response_ns, Some(20e6));
}

#[test]
fn a_record_without_bounds_still_tells_what_is_used() {
    let mut record = two_planars();
    record.bounds.clear();
    record.curve.clear();
    let found = predict(&record);
    assert_eq!((found.decided_by, found.bottlenecks.len(), found.upgrades.len()), (None, 0, 0));
    assert_eq!(found.components[1].utilisation, Some(1.0));
    record.series.clear();
    let found = predict(&record);
    assert_eq!(found.components.len(), 3);
    assert!(found.components.iter().all(|one| one.utilisation.is_none() && !one.is_used()));
}

#[test]
fn tokens_are_held_and_servers_are_busy() {
    let mut record = two_planars();
    record.entities[2].limits = vec![
        Limit { tokens: Some(10), ..limit(Measure::Requests, Direction::Both, 0) },
        limit(Measure::BusyNs, Direction::Both, 2 * SECOND),
    ];
    for (counter, value) in [(Counter::InFlightNs, 4 * SECOND), (Counter::BusyNs, SECOND)] {
        record.series.push(Series::from_values(EntityId(2), counter, &[0, value]));
    }
    let found = predict(&record);
    let uses: Vec<_> = found.components[0].limits.iter().map(|one| one.utilisation).collect();
    assert_eq!(uses, [0.5, 0.4]);
    assert_eq!(found.components[0].limits[1].used_per_sec, 4.0);
}

#[test]
fn a_lock_that_writers_hold_is_not_taken_by_readers() {
    let mut record = two_planars();
    let lock = limit(Measure::Requests, Direction::Write, 0);
    record.entities[2].limits = vec![Limit { tokens: Some(1), ..lock }];
    let held = [(Counter::InFlightNs, 18), (Counter::WriteNs, 8), (Counter::ReadNs, 10)];
    for (counter, tenths) in held {
        let values = [0, tenths * SECOND / 10];
        record.series.push(Series::from_values(EntityId(2), counter, &values));
    }
    assert_eq!(predict(&record).components[0].utilisation, Some(0.8));
}

#[test]
fn findings_of_a_path_without_devices_name_the_full_component() {
    let found = crate::findings::analyse::analyse(&[two_planars()]).unwrap();
    let limit = &found.limit;
    assert_eq!(limit.cause, crate::judges::limit::Cause::Component);
    assert_eq!(limit.entity.as_deref(), Some("box.planar[0]"));
    assert_eq!(limit.evidence[0].law(), crate::judges::limit::EvidenceLaw::Capacity);
    assert!(found.audit.iter().all(|check| check.holds), "{:#?}", found.audit);
    let mut idle = two_planars();
    idle.entities[3].limits[0].per_sec *= 2;
    let limit = crate::findings::analyse::analyse(&[idle]).unwrap().limit;
    assert_eq!(limit.cause, crate::judges::limit::Cause::Latency);
    let crate::judges::limit::Fact::Latency(way) = &limit.evidence[0].fact else { unreachable!() };
    let (name, used) = way.fullest.as_ref().unwrap();
    assert!(name == "box.planar[0]" && (used - 0.5).abs() < 1e-3, "{limit:?}");
}

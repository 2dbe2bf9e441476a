//! Closed loop: in flight over zero-load time.

use iopath_path::{Burst, Issue, Measure, Next};
use iopath_record::BoundKind;

use super::build::{Build, next};
use super::fixed::{binding, bound, of};

const MB: f64 = 1e6;

fn closed(build: &Build) -> u64 {
    bound(&build.evaluate(), BoundKind::ClosedLoop)
}

#[test]
fn stages_work_at_the_same_time_and_delays_add_up() {
    // 4 MB over 100 MB/s: 40 ms, whatever the faster stages before; 10 ms of delay.
    let mut build = Build::default();
    let stages: Vec<_> = (0..10).map(|at| build.part(&format!("stage[{at}]"), None)).collect();
    for (at, stage) in stages.iter().enumerate() {
        build.bytes(*stage, if at == 4 { 100.0 * MB } else { 200.0 * MB });
        build.network.components[stage.0 as usize].latency_s = 1e-3;
    }
    let disk = build.part("disk", None);
    let leg = build.read(disk, 4_000_000, &stages);
    build.stream(leg, 1.0);
    assert_eq!(closed(&build), 80_000_000);
    // A percent more of the slowest stage: 50 ms over 10 + 40 / 1.01 ms.
    let prices = [("reader", 1_000_000), ("stage[4]", 798_403)];
    assert_eq!(binding(&build.evaluate(), BoundKind::ClosedLoop), prices);
}

/// One disk of these limits and 1 ms, 4 KiB at a time, one in flight: requests in a thousand
/// seconds.
fn lone(rows: &[((&'static str, Measure), f64)], bucket: Option<Burst>) -> u64 {
    let mut build = Build::default();
    let disk = build.part("disk", None);
    build.network.components[disk.0 as usize].latency_s = 1e-3;
    for (row, capacity) in rows {
        let row = build.row(disk, *row, *capacity);
        build.network.rows[row.0 as usize].burst = bucket;
    }
    let leg = build.read(disk, 4096, &[disk]);
    build.stream(leg, 1.0);
    of(&build.evaluate(), BoundKind::ClosedLoop).operations_milli_per_sec
}

#[test]
fn a_throttle_lets_a_lone_request_pass_at_once() {
    let (ops, both) = (("ops", Measure::Operations), ("both", Measure::Bytes));
    assert_eq!(lone(&[(ops, 500.0)], None), 500_000);
    assert_eq!(lone(&[(ops, 5000.0)], None), 1_000_000);
    assert_eq!(lone(&[(both, 4.096 * MB)], None), 500_000);
    let bucket = Some(Burst { tokens: MB, rate: 8.0 * MB });
    assert_eq!(lone(&[(both, 4.096 * MB)], bucket), 1_000_000);
    assert_eq!(lone(&[(both, 4.096 * MB), (ops, 500.0)], bucket), 500_000);
}

/// One disk of 1 GB/s, read a MiB at a time.
fn disk(latency_s: f64, in_flight: f64) -> Build {
    let mut build = Build::default();
    let disk = build.part("disk", None);
    build.network.components[disk.0 as usize].latency_s = latency_s;
    build.bytes(disk, 1e9);
    let leg = build.read(disk, 1 << 20, &[disk]);
    build.stream(leg, in_flight);
    build
}

#[test]
fn requests_in_flight_at_a_contended_drive_take_longer() {
    // 4 KiB take 1.1 ms alone, of which the drive is busy for 0.1: n in flight take 0.1 ms more for
    // each other one.
    let of_depth = |depth: u32| {
        let mut build = Build::default();
        let disk = build.part("disk", None);
        let component = &mut build.network.components[disk.0 as usize];
        (component.latency_s, component.contention) = (1e-3, 1.0);
        build.bytes(disk, 40.96 * MB);
        let leg = build.read(disk, 4096, &[disk]);
        build.stream(leg, f64::from(depth));
        build.evaluate()
    };
    for depth in [1, 2, 10, 100] {
        let takes_s = 1.1e-3 + 1e-4 * (f64::from(depth) - 1.0);
        let law = f64::from(depth) / takes_s;
        let record = of_depth(depth);
        let found = of(&record, BoundKind::ClosedLoop).operations_milli_per_sec as f64 / 1e3;
        assert!((found / law - 1.0).abs() < 1e-6, "{depth}: {found}, {law}");
    }
    // One percent more than ten in flight: 10.1 / 2.01 ms instead of 10 / 2 ms.
    let record = of_depth(10);
    let prices = binding(&record, BoundKind::ClosedLoop);
    let (_, gain_ppm) = prices.iter().find(|(name, _)| *name == "reader").unwrap();
    assert!(gain_ppm.abs_diff(497_512) < 10, "{prices:?}");
}

#[test]
fn what_takes_all_the_time_is_worth_all_of_it() {
    let record = disk(0.0, 1.0).evaluate();
    assert_eq!(binding(&record, BoundKind::ClosedLoop), [("disk", 1_000_000), ("reader", 0)]);
    let step = &of(&record, BoundKind::ClosedLoop).upgrades[0];
    assert_eq!((step.raise[0].to_per_sec, step.raise.len()), (2_000_000_000, 1));
    assert_eq!(step.then_bytes_per_sec, 2_000_000_000);
}

#[test]
fn an_upgrade_ends_where_requests_in_flight_suffice_for_no_more() {
    // Two in flight: c = 2 MiB / (1 ms + 1 MiB / c), so c = 1 MiB / 1 ms.
    let record = disk(1e-3, 2.0).evaluate();
    let closed = of(&record, BoundKind::ClosedLoop);
    assert_eq!(closed.bytes_per_sec, 1_000_000_000);
    let step = &closed.upgrades[0];
    assert_eq!((step.raise[0].to_per_sec, step.then_bytes_per_sec), (1_048_576_000, 1_048_576_000));
    assert_eq!(record.entities[step.then_binds[0].entity.0 as usize].name, "reader");
}

#[test]
fn requests_in_flight_are_the_next_upgrade() {
    let mut build = Build::default();
    let disk = build.part("disk", None);
    build.network.components[disk.0 as usize].latency_s = 3e-3;
    build.bytes(disk, 100.0 * MB);
    let leg = build.read(disk, 100_000, &[disk]);
    build.stream(leg, 1.0);
    let record = build.evaluate();
    let closed = of(&record, BoundKind::ClosedLoop);
    assert_eq!(closed.bytes_per_sec, 25_000_000);
    let step = &closed.upgrades[0];
    assert_eq!((step.raise[0].to_per_sec, step.then_bytes_per_sec), (4, 100_000_000));
    assert_eq!(record.entities[step.then_binds[0].entity.0 as usize].name, "disk");
}

/// A stripe of eight members of 100 MB/s, 1 MB each.
fn stripe(bytes: u64, at_once: f64, in_flight: f64) -> Build {
    let mut build = Build::default();
    let volume = build.part("vol", None);
    let root = build.read(volume, bytes, &[]);
    let mut members = Vec::new();
    for index in 0..8 {
        let array = build.part(&format!("array[{index}]"), None);
        build.bytes(array, 100.0 * MB);
        members.push(build.read(array, bytes / at_once as u64, &[array]));
    }
    build.stripe(root, &members, at_once);
    build.stream(root, in_flight);
    build
}

#[test]
fn a_request_below_a_stripe_visits_members_in_turn() {
    // One member at a time has the rate of one, not an eighth of the time.
    assert_eq!(closed(&stripe(1_000_000, 1.0, 1.0)), 100_000_000);
    assert_eq!(closed(&stripe(1_000_000, 1.0, 3.0)), 300_000_000);
    assert_eq!(closed(&stripe(4_000_000, 4.0, 1.0)), 400_000_000);
    assert_eq!(closed(&stripe(8_000_000, 8.0, 1.0)), 800_000_000);
    assert_eq!(closed(&stripe(1_000_000, 1.0, 9.0)), 800_000_000);
}

#[test]
fn a_slow_member_costs_as_often_as_it_is_hit() {
    // One of 8 takes 20 ms, the others 10: on average 11.25 ms in turn, 20 ms all at once.
    let slow = |mut build: Build| {
        build.network.rows[3].capacity = 50.0 * MB;
        closed(&build)
    };
    assert_eq!(slow(stripe(1_000_000, 1.0, 1.0)), 88_888_889);
    assert_eq!(slow(stripe(2_000_000, 2.0, 1.0)), 160_000_000);
    assert_eq!(slow(stripe(8_000_000, 8.0, 1.0)), 400_000_000);
}

#[test]
fn parts_of_one_request_share_the_way() {
    // Eight members of 100 MB/s behind one adapter of 200 MB/s: 8 MB take 40 ms, not 10.
    let mut build = stripe(8_000_000, 8.0, 1.0);
    let hba = build.part("hba", None);
    build.bytes(hba, 200.0 * MB);
    for route in &mut build.network.routes {
        route.crossed.insert(0, (hba, false));
    }
    assert_eq!(closed(&build), 200_000_000);
}

#[test]
fn phases_and_serial_parts_add_up_and_the_background_does_not() {
    let mut build = Build::default();
    let volume = build.part("raid", None);
    let disk = build.part("disk", None);
    let arm = build.row(disk, ("arm", Measure::Busy), 1.0);
    let root = build.read(volume, 4096, &[]);
    let part = build.read(disk, 4096, &[]);
    build.charge(part, arm, 5e-3);
    let phase = |phase| Next { phase, ..next(part, 1.0, None) };
    build.leg(root).next = vec![phase(0), phase(1)];
    build.stream(root, 1.0);
    let ops = |build: &Build| {
        let record = build.evaluate();
        [BoundKind::FixedSplit, BoundKind::ClosedLoop]
            .map(|kind| of(&record, kind).operations_milli_per_sec)
    };
    assert_eq!(ops(&build), [100_000, 100_000]);
    build.leg(root).next = vec![Next { times: 2.0, ..phase(0) }];
    build.leg(root).serial = true;
    assert_eq!(ops(&build), [100_000, 100_000]);
    build.leg(part).background = true;
    build.network.components[volume.0 as usize].latency_s = 1e-3;
    // Acknowledged after 1 ms; the arm still carries two parts of each.
    assert_eq!(ops(&build), [100_000, 100_000]);
    build.network.components[volume.0 as usize].latency_s = 20e-3;
    assert_eq!(ops(&build), [100_000, 50_000]);
}

/// A stripe of eight disks of 100 MB/s, whose stream prepares 8 MB for 20 ms and spends `part_s`
/// on each of eight parts, on one of two processors.
fn issued(part_s: f64) -> Build {
    let mut build = stripe(8_000_000, 8.0, 1.0);
    let host = build.part("host", None);
    let row = build.row(host, ("cpus", Measure::Busy), 2.0);
    let root = build.network.streams[0].roots[0].0;
    let issue = Issue { row, prepare_s: 20e-3, part_s, parts: 8.0 };
    build.leg(root).issue = Some(issue);
    build.charge(root, row, issue.total_s());
    build
}

#[test]
fn a_request_is_prepared_before_its_parts_go_out_and_they_travel_meanwhile() {
    // 20 ms, 0.1 ms until the first part is out, 10 ms of a disk.
    let expected = (8.0 * MB / 30.1e-3).round() as u64;
    assert!(closed(&issued(0.1e-3)).abs_diff(expected) <= 1);
    // 4 ms a part: the first is out after 24 ms, the last after 52, and the disks are faster.
    let expected = (8.0 * MB / 52e-3).round() as u64;
    assert!(closed(&issued(4e-3)).abs_diff(expected) <= 1);
}

#[test]
fn more_processors_prepare_no_faster_for_one_thread() {
    let mut build = issued(0.1e-3);
    let two = closed(&build);
    let row = build.network.rows.iter_mut().find(|row| row.property == "cpus").unwrap();
    row.capacity = 4.0;
    assert_eq!(closed(&build), two);
    // A percent more of what is there is a faster one: 20.1 of the 30.1 ms follow it.
    let record = build.evaluate();
    let prices = binding(&record, BoundKind::ClosedLoop);
    let host = prices.iter().find(|(name, _)| *name == "host cpus").unwrap();
    let gain: f64 = 30.1 / (20.1 / 1.01 + 10.0) - 1.0;
    assert_eq!(host.1, (gain * 1e8).round() as u64);
}

#[test]
fn a_pool_is_held_for_the_time_of_a_request() {
    // Two threads, 10 ms a request: 200 requests a second however many wait.
    let mut build = Build::default();
    let disk = build.part("disk", None);
    build.network.components[disk.0 as usize].latency_s = 10e-3;
    let threads = build.pool(disk, 2);
    let leg = build.read(disk, 4096, &[disk]);
    build.hold(leg, threads, 1.0);
    build.stream(leg, 64.0);
    let record = build.evaluate();
    // Without the pool nothing limits the fixed split, so that bound is not there.
    assert_eq!(record.bounds.len(), 1);
    assert_eq!(of(&record, BoundKind::ClosedLoop).operations_milli_per_sec, 200_000);
    assert_eq!(binding(&record, BoundKind::ClosedLoop), [("disk", 1_000_000)]);
    let step = &of(&record, BoundKind::ClosedLoop).upgrades[0];
    assert_eq!((step.raise[0].to_per_sec, step.then_binds.len()), (64, 1));
}

#[test]
fn outstanding_is_held_from_where_it_is() {
    // 15 ms a request, 5 of them before the adapter: its four slots are held for 10 ms.
    let mut build = Build::default();
    let switch = build.part("switch", None);
    let hba = build.part("hba", None);
    let disk = build.part("disk", None);
    build.network.components[switch.0 as usize].latency_s = 5e-3;
    build.network.components[disk.0 as usize].latency_s = 10e-3;
    let slots = build.pool(hba, 4);
    build.network.pools[slots.0 as usize].property = "outstanding";
    let leg = build.read(disk, 4096, &[switch, hba, disk]);
    build.hold(leg, slots, 1.0);
    build.stream(leg, 4.0);
    build.stream(leg, 4.0);
    let record = build.evaluate();
    assert_eq!(of(&record, BoundKind::ClosedLoop).operations_milli_per_sec, 400_000);
    assert_eq!(binding(&record, BoundKind::ClosedLoop), [("hba", 1_000_000)]);
}

#[test]
fn a_wanted_rate_is_not_exceeded() {
    let mut build = Build::default();
    let disk = build.part("disk", None);
    build.bytes(disk, 100.0 * MB);
    let leg = build.read(disk, 1_000_000, &[disk]);
    build.stream(leg, 8.0).wants_per_sec = Some(30.0);
    build.stream(leg, 8.0);
    let record = build.evaluate();
    let moved: Vec<u64> =
        record.streams.iter().map(|stream| stream.phases[0].read_bytes / 1000).collect();
    assert_eq!(moved, [30_000_000, 70_000_000]);
    assert_eq!(binding(&record, BoundKind::FixedSplit), [("disk", 1_000_000), ("reader[0]", 0)]);
}

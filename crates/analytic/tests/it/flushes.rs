//! Streams that wait for flushes: their closed forms, what binds, what a quicker one gives.

use iopath_path::{Covers, Flushing, LegId};
use iopath_record::{BoundKind, Direction, Measure};
use iopath_units::{Nanos, Op};

use super::build::Build;
use super::fixed::{binding, of};

/// A device on which a write takes 0.1 ms and a flush 1 ms; what is written, and what is read.
fn device() -> (Build, [LegId; 2]) {
    let mut build = Build::default();
    let ssd = build.part("ssd", None);
    build.network.components[ssd.0 as usize].latency_s = 1e-4;
    let [write, read] = [(); 2].map(|()| build.read(ssd, 0, &[ssd]));
    build.leg(write).op = Op::Write;
    build.leg(write).bytes = 1;
    (build, [write, read])
}

fn waits(covers: Covers) -> Option<Flushing> {
    Some(Flushing {
        takes: Nanos(1_000_000),
        longest: None,
        empties: None,
        writes_back: None,
        queues: None,
        covers,
    })
}

/// A writer with so many requests in flight.
fn writer(covers: Covers, in_flight: f64) -> Build {
    let (mut build, [write, _]) = device();
    build.stream(write, in_flight).flushing = waits(covers);
    build
}

/// Thousandths of requests a second.
fn closed(build: &Build) -> u64 {
    of(&build.evaluate(), BoundKind::ClosedLoop).operations_milli_per_sec
}

#[track_caller]
fn assert_near(found: u64, per_sec: f64) {
    let wanted = (per_sec * 1e3).round() as u64;
    assert!(found.abs_diff(wanted) <= 1, "{found} is not {wanted}");
}

#[test]
fn one_writer_waits_for_the_write_and_the_flush() {
    for covers in [Covers::Itself, Covers::Writes(1), Covers::WritesOfThread(1)] {
        assert_near(closed(&writer(covers, 1.0)), 1.0 / 1.1e-3);
    }
}

#[test]
fn writers_share_flushes_and_threads_do_not() {
    assert_near(closed(&writer(Covers::Writes(8), 4.0)), 8.0 / 1.2e-3);
    assert_near(closed(&writer(Covers::Writes(8), 8.0)), 8.0 / 1.1e-3);
    assert_near(closed(&writer(Covers::Writes(1), 8.0)), 8.0 / 1.1e-3);
    assert_near(closed(&writer(Covers::WritesOfThread(1), 8.0)), 8.0 / 1.1e-3);
    assert_near(closed(&writer(Covers::Itself, 8.0)), 8.0 / 1.1e-3);
}

#[test]
fn what_binds_is_the_flush_and_a_quicker_one_gives_its_share_of_the_time() {
    let record = writer(Covers::Writes(1), 1.0).evaluate();
    // A percent more flushes a second: 1.1 over 0.1 + 1 / 1.01 ms.
    let gain = 1.1 / (0.1 + 1.0 / 1.01) - 1.0;
    let found = binding(&record, BoundKind::ClosedLoop);
    let flush = found.iter().find(|(name, _)| *name == "reader").unwrap();
    assert!((flush.1 as f64 / 1e8 - gain).abs() < 1e-6, "{found:?}");
    let bound = of(&record, BoundKind::ClosedLoop);
    let limit = |price: &iopath_record::Price| {
        let entity = &record.entities[price.of.entity.0 as usize];
        entity.limits[price.of.limit as usize].clone()
    };
    let limits: Vec<_> = bound.binding.iter().map(limit).collect();
    let flush = limits.iter().find(|limit| limit.measure == Measure::FlushNs).unwrap();
    assert_eq!(
        (flush.direction, flush.per_sec, flush.tokens),
        (Direction::Write, 1_000_000_000, None)
    );
    assert_eq!(flush.origin.as_str(), "flush-time=\"1 ms\"");
    assert!(limits.iter().all(|limit| limit.tokens.is_none()), "more in flight is no answer");
    assert_eq!(bound.upgrades, []);
}

#[test]
fn a_full_device_binds_before_flushes_that_many_share() {
    // 1 MB: a write takes 1.1 ms, a flush 1; 64 in flight are more than the device carries.
    let (mut build, [write, _]) = device();
    let ssd = build.network.leg(write).to;
    build.bytes(ssd, 1e9);
    build.leg(write).bytes = 1_000_000;
    build.stream(write, 64.0).flushing = waits(Covers::Writes(1));
    let record = build.evaluate();
    assert_eq!(of(&record, BoundKind::ClosedLoop).bytes_per_sec, 1_000_000_000);
    assert_eq!(binding(&record, BoundKind::ClosedLoop)[0].0, "ssd");
    // One in flight waits for both, longer for the device, and a faster one shortens its part.
    build.network.streams[0].in_flight = 1.0;
    let record = build.evaluate();
    assert_near(of(&record, BoundKind::ClosedLoop).operations_milli_per_sec, 1.0 / 2.1e-3);
    let found = binding(&record, BoundKind::ClosedLoop);
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["reader", "ssd", "reader"], "{found:?}");
}

#[test]
fn a_mix_waits_for_the_flushes_of_its_writes_only() {
    let mix = |covers| {
        let (mut build, [write, read]) = device();
        let stream = build.stream(write, 1.0);
        stream.roots = vec![(write, 0.25), (read, 0.75)];
        stream.flushing = waits(covers);
        build.evaluate()
    };
    let record = mix(Covers::Itself);
    let bound = of(&record, BoundKind::ClosedLoop);
    assert_near(bound.operations_milli_per_sec, 1.0 / (1e-4 + 1e-3 / 4.0));
    let tells = |bound: &iopath_record::Bound| {
        bound.leaves_out.iter().any(|text| text.starts_with("flush: reads of a mix"))
    };
    assert!(!tells(bound));
    let record = mix(Covers::Writes(1));
    let bound = of(&record, BoundKind::ClosedLoop);
    assert_near(bound.operations_milli_per_sec, 4.0 / 1.1e-3);
    assert!(tells(bound));
}

#[test]
fn an_open_loop_cannot_exceed_what_its_flushes_allow() {
    let wants = |per_sec| {
        let mut build = writer(Covers::Writes(1), 1.0);
        build.network.streams[0].wants_per_sec = Some(per_sec);
        closed(&build)
    };
    assert_near(wants(500.0), 500.0);
    assert_near(wants(5000.0), 1.0 / 1.1e-3);
}

#[test]
fn a_write_is_not_in_flight_while_it_waits_for_a_flush_of_its_own() {
    let in_flight = |covers| {
        let record = writer(covers, 1.0).evaluate();
        let totals = &record.streams[0].phases[0];
        totals.in_flight_ns as f64 / (totals.to_ns - totals.from_ns) as f64
    };
    assert!((in_flight(Covers::Writes(1)) - 1.0 / 11.0).abs() < 1e-4);
    assert!((in_flight(Covers::Itself) - 1.0).abs() < 1e-9);
}

#[test]
fn a_flush_that_takes_no_time_changes_nothing() {
    let mut build = writer(Covers::Writes(1), 4.0);
    build.network.streams[0].flushing.as_mut().unwrap().takes = Nanos(0);
    let free = build.evaluate();
    build.network.streams[0].flushing = None;
    assert_eq!(free, build.evaluate());
}

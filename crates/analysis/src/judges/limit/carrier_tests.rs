//! What carries devices: an adapter above two disks that move 262 MB/s together.

use iopath_record::{
    Counter, Direction, Entity, EntityId, Kind, Layer, Limit, Measure, Record, Relation,
};

use super::{CapacityUse, Cause, Fact, Limiting, judge};
use crate::judges::audit::audit;
use crate::judges::metrics::TrialMetrics;
use crate::sample::Sample;
use crate::usage::pass::Pass;

/// Bytes a second of both disks, one of which is the sample's own.
const MOVED: u64 = 262_144_000;

const ONE: u64 = 1_000_000;

/// A record in which each of two disks is always busy, and both hang on one adapter that takes
/// `per_sec` bytes a second, as `origin` says. `copies` are bytes of the disks for each of its own.
fn record(per_sec: u64, origin: &str, copies: u64) -> Record {
    let mut record =
        Sample { device_share: 0.5, device_busy: 1.0, device_in_flight: 8.0, ..Sample::new() }
            .record();
    let last = EntityId(record.entities.len() as u32);
    record.entities.push(Entity { name: "vdb".to_owned(), ..record.entities[1].clone() });
    let second = |series: &iopath_record::Series| {
        let mut series = series.clone();
        series.entity = last;
        series
    };
    let more: Vec<_> =
        record.series.iter().filter(|series| series.entity.0 == 1).map(second).collect();
    record.series.extend(more);
    let below = record.relations.iter_mut().find(|relation| relation.upper.0 == 0).unwrap();
    below.lower.push(last);
    let limit = Limit {
        measure: Measure::Bytes,
        direction: Direction::Read,
        per_sec,
        origin: origin.into(),
        tokens: None,
    };
    record.entities.push(Entity {
        name: "server.hba".to_owned(),
        kind: Kind::Hba,
        layer: Layer::Adapter,
        parent: None,
        binding: None,
        count: 1,
        limits: vec![limit],
    });
    record.relations.push(Relation {
        upper: EntityId(last.0 + 1),
        lower: vec![EntityId(1), last],
        read_copies_ppm: copies,
        write_copies_ppm: ONE,
    });
    assert_eq!(record.validate(), []);
    record
}

fn limit(record: &Record) -> Limiting {
    judge(&TrialMetrics::of(&[Pass::of(record)]))
}

#[test]
fn a_full_adapter_is_named_over_busy_disks_with_what_it_carried() {
    let found = limit(&record(MOVED * 100 / 99, "rated", ONE));
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Component, Some("server.hba")));
    let Fact::Capacity(CapacityUse { limit, .. }) = &found.evidence[0].fact else { unreachable!() };
    assert_eq!((limit.per_sec, limit.origin.as_str()), (MOVED * 100 / 99, "rated"));
    assert!((found.evidence[0].value - 0.99).abs() < 1e-3, "{found:?}");
    let carried = found.capacity.and_then(|capacity| capacity.bytes_per_sec).unwrap();
    assert!((carried / MOVED as f64 - 1.0).abs() < 1e-6, "{carried}");
}

#[test]
fn an_adapter_with_room_is_not_and_the_disks_are() {
    let found = limit(&record(MOVED * 100 / 97, "rated", ONE));
    assert_eq!(found.cause, Cause::Device);
}

#[test]
fn what_is_assumed_or_was_exceeded_proves_nothing() {
    assert_eq!(limit(&record(MOVED * 100 / 99, "assumed", ONE)).cause, Cause::Device);
    assert_eq!(limit(&record(MOVED * 100 / 111, "rated", ONE)).cause, Cause::Device);
}

#[test]
fn of_two_ways_each_carries_its_share() {
    let half = record(MOVED / 2 * 100 / 99, "rated", 2 * ONE);
    assert_eq!(limit(&half).cause, Cause::Component);
    assert_eq!(limit(&record(MOVED * 100 / 99, "rated", 2 * ONE)).cause, Cause::Device);
}

#[test]
fn no_carrier_is_above_its_capacity_where_that_is_known() {
    let broken = |origin| {
        let record = record(MOVED / 2, origin, ONE);
        let checks = audit(&record).into_iter();
        checks.filter(|check| !check.holds).map(|check| check.entity).collect::<Vec<_>>()
    };
    assert_eq!(broken("given"), ["server.hba"]);
    assert!(broken("assumed").is_empty());
}

#[test]
fn a_carrier_of_which_a_device_was_not_counted_says_nothing() {
    let mut record = record(MOVED * 100 / 99, "rated", ONE);
    let second = EntityId(record.entities.len() as u32 - 2);
    record.series.retain(|one| one.entity != second || one.counter != Counter::ReadBytes);
    assert_ne!(limit(&record).cause, Cause::Component);
}

#[test]
fn carriers_are_no_step_between_layers() {
    let record = record(MOVED, "rated", ONE);
    let layers = crate::judges::layers::layers(&record);
    assert!(layers.tiers.iter().all(|tier| tier.kind != Kind::Hba), "{layers:?}");
    assert!(layers.steps.iter().all(|step| step.ratio > 0.99 && step.ratio < 1.01), "{layers:?}");
}

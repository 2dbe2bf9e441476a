//! Records of a model: what is full is named, by class; else what requests spend their time on.

use iopath_record::{
    Counter, Direction, Entity, EntityId, Layer, Limit, Measure, Origin, Record, Relation, Series,
    Technique,
};

use super::{CapacityUse, Cause, EvidenceLaw, Fact, LatencyUse, Limiting, judge};
use crate::judges::metrics::TrialMetrics;
use crate::sample::Sample;
use crate::usage::pass::Pass;

const SECOND: f64 = 1e9;

/// Two streams of 4 slots, all taken; 12 s.
fn simulated() -> Record {
    let mut record = Sample::new().record();
    record.technique = Technique::Simulation { events: 1 };
    record.environment.clear();
    record
}

fn limit(record: &Record) -> Limiting {
    judge(&TrialMetrics::of(&[Pass::of(record)]))
}

fn add(record: &mut Record, name: &str, layer: Layer, limits: &[Limit]) -> EntityId {
    let kind = name.split(['[', ' ']).next().unwrap_or_default().into();
    record.entities.push(Entity {
        name: name.to_owned(),
        kind,
        layer,
        parent: None,
        binding: None,
        count: 1,
        limits: limits.to_vec(),
    });
    EntityId(record.entities.len() as u32 - 1)
}

fn rated(measure: Measure, per_sec: u64, tokens: Option<u64>) -> Limit {
    let (direction, origin) = (Direction::Both, Origin::Given);
    Limit { measure, direction, per_sec, origin, tokens }
}

fn grows(record: &mut Record, id: EntityId, counter: Counter, per_second: f64) {
    let values: Vec<u64> = (0..14).map(|at| (f64::from(at.min(12)) * per_second) as u64).collect();
    record.series.push(Series::from_values(id, counter, &values));
}

#[test]
fn equal_components_are_told_as_one() {
    let mut record = simulated();
    for index in 0..20 {
        let full = if index < 16 { 99.5 } else { 40.0 };
        let name = format!("port[{index}]");
        let id = add(&mut record, &name, Layer::Port, &[rated(Measure::Bytes, 100, None)]);
        grows(&mut record, id, Counter::ReadBytes, full);
    }
    let found = limit(&record);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Component, Some("port[0-15]")));
    assert_eq!(found.evidence.len(), 1, "{found:?}");
    assert!(
        matches!(found.evidence[0].fact, Fact::Capacity(CapacityUse { count: 16, of: 20, .. })),
        "{found:?}"
    );
}

#[test]
fn a_disk_is_judged_by_its_arm_and_processors_by_their_time() {
    let arm = |busy: f64| {
        let mut record = simulated();
        record.entities[1].limits.push(rated(Measure::BusyNs, 1_000_000_000, None));
        record.series.retain(|one| one.counter != Counter::BusyNs);
        grows(&mut record, EntityId(1), Counter::BusyNs, busy * SECOND);
        limit(&record)
    };
    let found = arm(0.99);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Device, Some("vda")));
    assert_ne!(arm(0.7).cause, Cause::Device);
    let mut record = simulated();
    let limits = [rated(Measure::BusyNs, 1_000_000_000, None)];
    let cpus = add(&mut record, "host cpus", Layer::Processor, &limits);
    record.entities[cpus.0 as usize].count = 4;
    grows(&mut record, cpus, Counter::BusyNs, 3.99 * SECOND);
    let found = limit(&record);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Cpu, Some("host cpus")));
}

#[test]
fn a_thread_that_never_rests_is_the_limit_and_not_the_time_of_a_request() {
    let with_threads = |system: f64, threads: Option<&str>| {
        let sample = Sample { thread_user: 0.0, thread_system: system, ..Sample::new() };
        let mut record = sample.record();
        record.technique = Technique::Simulation { events: 1 };
        record.environment.clear();
        let fact =
            threads.map(|number| ("simulation.threads.reader".to_owned(), number.to_owned()));
        record.environment.extend(fact);
        limit(&record)
    };
    let found = with_threads(0.97, None);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Cpu, Some("reader[0]")));
    assert_eq!(found.evidence[0].law(), EvidenceLaw::ThreadTime);
    assert_ne!(with_threads(0.8, None).cause, Cause::Cpu);
    assert_ne!(with_threads(2.0, Some("4")).cause, Cause::Cpu, "half of the time of four");
    assert_eq!(with_threads(3.9, Some("4")).cause, Cause::Cpu);
}

#[test]
fn what_is_nearly_full_behind_threads_that_never_rest_is_not_the_limit() {
    let with = |thread: f64, used: f64| {
        let sample = Sample { thread_user: 0.0, thread_system: thread, ..Sample::new() };
        let mut record = sample.record();
        record.technique = Technique::Simulation { events: 1 };
        record.environment.clear();
        let id = add(&mut record, "hba", Layer::Port, &[rated(Measure::Bytes, 100, None)]);
        grows(&mut record, id, Counter::ReadBytes, used);
        limit(&record)
    };
    assert_eq!(with(1.0, 95.3).cause, Cause::Cpu);
    assert_eq!(with(0.97, 99.5).cause, Cause::Component);
    assert_eq!(with(0.94, 93.0).cause, Cause::Component, "threads that rest now and then");
    assert_eq!(with(0.5, 95.3).cause, Cause::Component);
}

#[test]
fn a_full_rate_stands_before_the_tokens_that_wait_for_it() {
    let with_link = |used: f64| {
        let mut record = simulated();
        let pool =
            add(&mut record, "threads", Layer::FileSystem, &[rated(Measure::Requests, 0, Some(8))]);
        grows(&mut record, pool, Counter::InFlightNs, 8.0 * SECOND);
        let link = add(&mut record, "link", Layer::Bus, &[rated(Measure::Bytes, 1000, None)]);
        grows(&mut record, link, Counter::WriteBytes, used * 1000.0);
        limit(&record)
    };
    let found = with_link(0.99);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Component, Some("link")));
    let found = with_link(0.6);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Component, Some("threads")));
    let Fact::Capacity(CapacityUse { limit, .. }) = &found.evidence[0].fact else { unreachable!() };
    assert_eq!((limit.tokens, found.evidence[0].value), (Some(8), 1.0));
}

#[test]
fn of_what_is_as_full_the_container_is_named() {
    let mut record = simulated();
    for (name, full) in [("planar", 1.0), ("planar link", 1.000_01), ("host", 0.985)] {
        let id = add(&mut record, name, Layer::Bus, &[rated(Measure::Bytes, 1_000_000, None)]);
        grows(&mut record, id, Counter::ReadBytes, full * 1e6);
    }
    let found = limit(&record);
    let told: Vec<_> = found.evidence.iter().map(|line| line.entity.as_str()).collect();
    assert_eq!(told, ["planar", "planar link", "host"]);
}

#[test]
fn a_model_knows_that_what_is_nearly_full_holds_it() {
    let mut record = simulated();
    let link = add(&mut record, "link", Layer::Bus, &[rated(Measure::Bytes, 1000, None)]);
    grows(&mut record, link, Counter::WriteBytes, 930.0);
    assert_eq!(limit(&record).entity.as_deref(), Some("link"));
    record.technique = Sample::new().record().technique;
    assert_eq!(limit(&record).entity, None, "a measurement does not");
}

#[test]
fn with_nothing_full_the_time_of_a_request_decides() {
    let mut record = simulated();
    let found = limit(&record);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Latency, Some("all streams")));
    let Fact::Latency(LatencyUse { mean_ns, .. }) = &found.evidence[0].fact else { unreachable!() };
    assert!((*mean_ns - 4e6).abs() < 1e3, "{found:?}");
    assert_eq!(
        (found.evidence[1].law(), found.evidence[1].value),
        (EvidenceLaw::AtDevices, 0.5625)
    );
    for stream in &mut record.streams {
        stream.phases.iter_mut().for_each(|totals| totals.in_flight_ns /= 5);
    }
    assert_eq!(limit(&record).cause, Cause::Unknown, "streams paused a fifth of the time");
}

/// A volume with this share of its parts' time waited, of members on which parts take these times.
fn striped(waited: f64, times: &[f64]) -> Limiting {
    let mut record = simulated();
    let volume = add(&mut record, "pool", Layer::Volume, &[]);
    grows(&mut record, volume, Counter::ReadOperations, 100.0);
    // As many requests as the streams have in flight, each in a part for every member.
    grows(&mut record, volume, Counter::InFlightNs, 8.0 * SECOND);
    grows(&mut record, volume, Counter::JoinWaitNs, waited * 8.0 * times.len() as f64 * SECOND);
    let lower = times.iter().enumerate().map(|(index, times)| {
        let member = add(&mut record, &format!("lun[{index}]"), Layer::Lun, &[]);
        grows(&mut record, member, Counter::ReadOperations, 100.0);
        grows(&mut record, member, Counter::InFlightNs, times * SECOND);
        member
    });
    let lower = lower.collect();
    let copies = 1_000_000;
    let (read_copies_ppm, write_copies_ppm) = (copies, copies);
    record.relations.push(Relation { upper: volume, lower, read_copies_ppm, write_copies_ppm });
    limit(&record)
}

#[test]
fn parts_that_wait_for_their_siblings_are_synchronisation() {
    let found = striped(0.3, &[1.0; 4]);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Synchronisation, Some("pool")));
    assert!((found.evidence[0].value - 0.3).abs() < 1e-6, "{found:?}");
    assert_eq!(found.evidence.len(), 1);
    assert_eq!(striped(0.1, &[1.0; 4]).cause, Cause::Latency);
    for (times, slowest) in [
        (&[1.0, 1.0, 1.5, 1.0][..], "lun[2]"),
        (&[3.0, 1.0, 2.0], "lun[0]"),
        (&[2.0, 3.0], "lun[1]"),
    ] {
        let slow = &striped(0.3, times).evidence[1];
        assert_eq!(slow.entity, slowest);
        assert!((slow.value - 1.5).abs() < 1e-9, "of the median member: {slow:?}");
    }
}

#[test]
fn what_is_full_in_one_epoch_is_full() {
    let mut record = simulated();
    // The second stream runs after the first: from 20 s, where nothing has been sampled.
    let phases = &mut record.streams[1].phases;
    for totals in phases.iter_mut() {
        (totals.from_ns, totals.to_ns) =
            (totals.from_ns + 20_000_000_000, totals.to_ns + 20_000_000_000);
    }
    let link = add(&mut record, "link", Layer::Bus, &[rated(Measure::Bytes, 1000, None)]);
    grows(&mut record, link, Counter::WriteBytes, 995.0);
    assert_eq!(limit(&record).entity.as_deref(), Some("link"));
}

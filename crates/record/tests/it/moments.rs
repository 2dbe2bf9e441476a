//! Moments of a system that counts by itself: what each interval did, and one record of all.

use iopath_record::{
    CaseText, Counter, Entity, EntityId, Event, Kind, Layer, Moments, Reading, Record, Series,
    Technique,
};

use super::fixtures::two_streams;

fn entity(name: &str) -> Entity {
    Entity {
        name: name.to_owned(),
        kind: Kind::Disk,
        layer: Layer::Device,
        parent: None,
        binding: None,
        count: 1,
        limits: Vec::new(),
    }
}

/// What each of these has read by an instant.
fn moment(at_ns: u64, read: &[(&str, u64)]) -> Record {
    let mut record = two_streams();
    record.instants_ns = vec![at_ns];
    record.entities = read.iter().map(|(name, _)| entity(name)).collect();
    let counted = (0..)
        .zip(read)
        .map(|(at, (_, value))| Series::from_values(EntityId(at), Counter::ReadBytes, &[*value]));
    record.series = counted.collect();
    record.relations.clear();
    record.streams.clear();
    record.heat.clear();
    let failed = Event { at_ns: 150, entity: None, what: "a fails".to_owned() };
    record.events = if at_ns > 150 { vec![failed] } else { Vec::new() };
    record.clock.started_unix_ns = 5_000;
    record
}

fn values(record: &Record, entity: u32) -> Vec<u64> {
    let of = |one: &&Series| one.entity == EntityId(entity);
    record.series.iter().find(of).expect("it is counted").values().collect()
}

#[test]
fn what_is_counted_later_begins_at_nothing_wherever_it_is_listed() {
    let mut moments = Moments::new(moment(100, &[("b", 7)]));
    let reading =
        |entity, value| Reading { entity: EntityId(entity), counter: Counter::ReadBytes, value };
    moments.add(moment(200, &[("a", 3), ("b", 9)]));
    let [before, now] = moments.interval();
    assert_eq!((before.at_ns, now.at_ns), (100, 200));
    assert_eq!(before.readings, [reading(0, 0), reading(1, 7)]);
    assert_eq!(now.readings, [reading(0, 3), reading(1, 9)]);
    moments.add(moment(300, &[("b", 10), ("a", 4)]));
    let record = moments.take(CaseText::watched("inside b", 0)).expect("two intervals");
    assert_eq!(record.technique, Technique::Observation);
    assert_eq!(
        (record.instants_ns.clone(), record.clock.started_unix_ns),
        (vec![0, 100, 200], 5_100)
    );
    assert_eq!([values(&record, 0), values(&record, 1)], [vec![7, 9, 10], vec![0, 3, 4]]);
    assert_eq!(record.events.iter().map(|event| event.at_ns).collect::<Vec<_>>(), [50]);
    assert_eq!(record.validate(), []);
}

#[test]
fn the_last_moment_of_a_record_is_the_first_of_the_next() {
    let mut moments = Moments::new(moment(0, &[("a", 1)]));
    assert!(moments.take(CaseText::default()).is_none(), "one instant has no interval");
    moments.add(moment(200, &[("a", 2)]));
    assert!(moments.take(CaseText::default()).is_some());
    moments.add(moment(500, &[("a", 6)]));
    let next = moments.take(CaseText::default()).expect("an interval");
    assert_eq!((next.instants_ns.clone(), values(&next, 0)), (vec![0, 300], vec![2, 6]));
    assert!(next.events.is_empty(), "it failed before");
}

#[test]
fn time_that_passed_before_it_was_counted_is_not_known() {
    let idle = |at_ns, idle: &[u64]| {
        let mut record = moment(at_ns, &[("a", at_ns)]);
        let of = |value: &u64| Series::from_values(EntityId(0), Counter::IdleNs, &[*value]);
        record.series.extend(idle.iter().map(of));
        record
    };
    let mut moments = Moments::new(idle(100, &[]));
    moments.add(idle(200, &[90]));
    let [before, now] = moments.interval();
    assert_eq!((before.readings.len(), now.readings.len()), (1, 2));
    let record = moments.take(CaseText::default()).expect("an interval");
    assert!(record.series.iter().all(|one| one.counter != Counter::IdleNs), "{record:?}");
}

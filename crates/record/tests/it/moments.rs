//! Moments of a system that counts by itself: what each interval did, and one record of all.

use iopath_record::{
    CaseText, Counter, Entity, EntityId, Event, Kind, Layer, Moments, Reading, Record, Relation,
    Series, Technique,
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
    record
}

fn values(record: &Record, entity: u32) -> Vec<u64> {
    let of = |one: &&Series| one.entity == EntityId(entity);
    record.series.iter().find(of).expect("it is counted").values().collect()
}

#[test]
fn what_is_counted_later_begins_at_nothing_wherever_it_is_listed() {
    let mut moments = Moments::new(moment(100, &[("b", 7)]), 9_000);
    let reading =
        |entity, value| Reading { entity: EntityId(entity), counter: Counter::ReadBytes, value };
    moments.add(moment(200, &[("a", 3), ("b", 9)]), 9_300);
    let [before, now] = moments.interval();
    assert_eq!((before.at_ns, now.at_ns), (100, 200));
    assert_eq!(before.readings, [reading(0, 0), reading(1, 7)]);
    assert_eq!(now.readings, [reading(0, 3), reading(1, 9)]);
    moments.add(moment(300, &[("b", 10), ("a", 4)]), 9_600);
    let record = moments.take(CaseText::watched("inside b", 0)).expect("two intervals");
    assert_eq!(record.technique, Technique::Observation);
    assert_eq!(
        (record.instants_ns.clone(), record.clock.started_unix_ns),
        (vec![0, 100, 200], 9_000)
    );
    assert_eq!([values(&record, 0), values(&record, 1)], [vec![7, 9, 10], vec![0, 3, 4]]);
    assert_eq!(record.events.iter().map(|event| event.at_ns).collect::<Vec<_>>(), [50]);
    assert_eq!(record.validate(), []);
}

#[test]
fn the_last_moment_of_a_record_is_the_first_of_the_next() {
    let mut moments = Moments::new(moment(0, &[("a", 1)]), 0);
    assert!(moments.take(CaseText::default()).is_none(), "one instant has no interval");
    moments.add(moment(200, &[("a", 2)]), 200);
    assert!(moments.take(CaseText::default()).is_some());
    moments.add(moment(500, &[("new", 5), ("a", 6)]), 500);
    let next = moments.take(CaseText::default()).expect("an interval");
    assert_eq!((next.instants_ns.clone(), values(&next, 0)), (vec![0, 300], vec![2, 6]));
    assert!(next.events.is_empty(), "it failed before");
    // Records that follow one another have the same things at the same places.
    assert_eq!(next.entities.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["a", "new"]);
    assert_eq!(values(&next, 1), [0, 5]);
    assert_eq!(next.validate(), []);
}

#[test]
fn time_that_passed_before_it_was_counted_is_not_known() {
    let idle = |at_ns, idle: &[u64]| {
        let mut record = moment(at_ns, &[("a", at_ns)]);
        let of = |value: &u64| Series::from_values(EntityId(0), Counter::IdleNs, &[*value]);
        record.series.extend(idle.iter().map(of));
        record
    };
    let mut moments = Moments::new(idle(100, &[]), 0);
    moments.add(idle(200, &[90]), 100);
    let [before, now] = moments.interval();
    assert_eq!((before.readings.len(), now.readings.len()), (1, 2));
    let record = moments.take(CaseText::default()).expect("an interval");
    assert!(record.series.iter().all(|one| one.counter != Counter::IdleNs), "{record:?}");
}

#[test]
fn two_things_of_one_name_stay_two() {
    let both = |at_ns, read: u64| {
        let mut record = moment(at_ns, &[("a", read), ("a", 10 * read)]);
        record.entities[0].kind = Kind::Host;
        record.relations = vec![Relation {
            upper: EntityId(0),
            lower: vec![EntityId(1)],
            read_copies_ppm: 1_000_000,
            write_copies_ppm: 1_000_000,
        }];
        record
    };
    let mut moments = Moments::new(both(0, 1), 0);
    moments.add(both(100, 2), 100);
    let record = moments.take(CaseText::default()).expect("an interval");
    assert_eq!([values(&record, 0), values(&record, 1)], [vec![1, 2], vec![10, 20]]);
    assert_eq!(
        (record.relations[0].upper, record.relations[0].lower[0]),
        (EntityId(0), EntityId(1))
    );
}

#[test]
fn what_a_stream_did_not_read_is_known() {
    let stream = |at_ns, read| {
        let mut record = moment(at_ns, &[("s", read)]);
        (record.entities[0].kind, record.entities[0].layer) = (Kind::Stream, Layer::Application);
        record
    };
    let mut moments = Moments::new(stream(0, 0), 0);
    moments.add(stream(100, 4096), 100);
    let record = moments.take(CaseText::default()).expect("an interval");
    let written = |one: &&Series| one.counter == Counter::WriteOperations;
    let written = record.series.iter().find(written).expect("it is counted");
    assert_eq!(written.values().collect::<Vec<_>>(), [0, 0]);
}

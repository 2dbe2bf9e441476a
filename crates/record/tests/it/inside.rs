//! What happened inside a live system, in the record of its load.

use iopath_record::{Counter, Entity, EntityId, Event, Kind, Layer, Record, Series};
use proptest::prelude::*;

use super::fixtures::two_streams;
use super::generate;

proptest! {
    #[test]
    fn a_record_with_an_inside_is_a_record(
        load in generate::record(),
        inside in generate::record(),
    ) {
        prop_assert_eq!(load.with_inside(&inside).validate(), []);
    }
}

/// A disk that reads a byte each nanosecond, sampled every 100 ns, and fails at 250 ns.
fn inside(began_unix_ns: u64) -> Record {
    let mut record = two_streams();
    record.clock.started_unix_ns = began_unix_ns;
    record.instants_ns = vec![0, 100, 200, 300];
    record.heat.clear();
    record.streams.clear();
    record.relations.clear();
    record.entities = vec![Entity {
        name: "a.disk".to_owned(),
        kind: Kind::Disk,
        layer: Layer::Device,
        parent: None,
        binding: None,
        count: 1,
        limits: Vec::new(),
    }];
    let values = [0, 100, 200, 300];
    record.series = vec![Series::from_values(EntityId(0), Counter::ReadBytes, &values)];
    let what = "a.disk fails".to_owned();
    record.events = vec![Event { at_ns: 250, entity: None, what }];
    record
}

#[test]
fn counters_and_events_are_put_on_the_axis_of_the_load() {
    let mut load = two_streams();
    load.instants_ns = vec![0, 50, 400];
    load.clock.started_unix_ns = 1_000;
    // The system began 120 ns before the load.
    let both = load.clone().with_inside(&inside(880));
    let disk = both.entities.iter().position(|one| one.name == "a.disk").expect("it is there");
    let series = both.series.iter().find(|one| one.entity.0 as usize == disk);
    let values: Vec<u64> = series.expect("it is counted").values().collect();
    // Beyond the last sample nothing is known to have moved.
    assert_eq!(values, [120, 170, 300]);
    let failed = both.events.iter().find(|event| event.what == "a.disk fails");
    let failed = failed.expect("it happened meanwhile");
    assert_eq!((failed.at_ns, failed.entity), (130, Some(EntityId(disk as u32))));
    let earlier = load.with_inside(&inside(0));
    assert!(earlier.events.iter().all(|event| event.what != "a.disk fails"), "it was before");
}

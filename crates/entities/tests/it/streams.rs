//! Streams and what those that are alike have in common.

use iopath_entities::{OfClass, StreamClass, Table};
use iopath_path::Network;
use iopath_record::{LimitId, Measure};
use iopath_study::Case;

use crate::text;

const LAYOUT: &str = r#"file "f" count=3 size="1 GiB""#;
const STREAMS: &str = r#"
    streams "reader" over="f" op="read" block="1 MiB" depth=4 rate="21 MB/s"
    streams "writer" over="f[0]" op="write" block="4 KiB" depth=2"#;

fn table() -> (Case, Network, Vec<StreamClass>, Table) {
    let (case, network) = text::case(r#"host "h" { disk; }"#, LAYOUT, STREAMS);
    let classes = StreamClass::by_group(&case, &network);
    let table = Table::new(&case, &network, &classes, &|_| None);
    (case, network, classes, table)
}

#[test]
fn a_group_is_a_class_of_streams() {
    let (.., classes, _) = table();
    let streams: Vec<&[usize]> = classes.iter().map(|class| class.streams.as_slice()).collect();
    assert_eq!(streams, [&[0, 1, 2][..], &[3]]);
    assert_eq!((classes[0].in_flight, classes[0].bytes), (4.0, 1_048_576.0));
    assert_eq!((classes[1].wants, classes[1].bytes), (None, 4096.0));
}

#[test]
fn streams_of_a_group_that_ask_for_other_sizes_are_apart() {
    let (case, mut network) = text::case(r#"host "h" { disk; }"#, LAYOUT, STREAMS);
    network.streams[1].bytes = 512.0;
    let classes = StreamClass::by_group(&case, &network);
    let streams: Vec<&[usize]> = classes.iter().map(|class| class.streams.as_slice()).collect();
    assert_eq!(streams, [&[0, 2][..], &[1], &[3]]);
}

#[test]
fn alike_streams_stand_in_one_entity() {
    let (.., table) = table();
    let entity = |at: usize| &table.entities[at];
    let names: Vec<(&str, &str, u32)> = table
        .entities
        .iter()
        .take(5)
        .map(|entity| (entity.name.as_str(), entity.kind.as_str(), entity.count))
        .collect();
    let expected = [
        ("reader[0-2]", "streams", 3),
        ("reader[0]", "stream", 1),
        ("reader[1]", "stream", 1),
        ("reader[2]", "stream", 1),
        ("writer", "stream", 1),
    ];
    assert_eq!(names, expected);
    for position in 0..3 {
        assert_eq!(table.streams[position].0 as usize, position + 1);
        assert_eq!(entity(position + 1).parent.unwrap().0, 0);
    }
    assert_eq!(entity(4).parent, None);
}

#[test]
fn limits_of_streams_are_what_they_ask_for() {
    let (.., table) = table();
    let text = |id: LimitId| {
        let limit = &table.entities[id.entity.0 as usize].limits[id.limit as usize];
        (limit.measure, limit.per_sec, limit.tokens)
    };
    let of = |class: usize| {
        let OfClass { depth, wanted, .. } = table.of_class[class];
        [depth, wanted].map(|limit| limit.map(text))
    };
    // The rate of a declaration is shared by its streams.
    assert_eq!(
        of(0),
        [Some((Measure::Requests, 0, Some(4))), Some((Measure::Bytes, 7_000_000, None))]
    );
    assert_eq!(of(1), [Some((Measure::Requests, 0, Some(2))), None]);
}

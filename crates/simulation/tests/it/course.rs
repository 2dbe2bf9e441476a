//! When a simulation ends, and when its window opens.

use iopath_record::{Phase, Record, Technique};
use iopath_simulation::{Settings, simulate};

use crate::model::{assert_near, case, network, window};

/// Bytes that memory serves at no cost: requests follow one another within nanoseconds.
const FREE: &str = r#"
path {
    host "h" { hba both="1 GB/s" }
    enclosure "box" { disk both="100 MB/s" size="1 GiB" }
    wire from="h.hba" to="box"
}
layout {
    filesystem "fs" on="box.disk" cache="buffered"
    file "f" on="fs" size="16 MiB"
}
workload { streams "s" count=3 on="h" over="f" op="read" block="4 KiB" depth=32 hit=1.0 }
"#;

fn run(text: &str, most_events: u64) -> Record {
    let case = case(text);
    simulate(&case, &network(&case), &Settings { most_events, ..Settings::default() })
}

fn events(record: &Record) -> u64 {
    match record.technique {
        Technique::Simulation { events } => events,
        _ => panic!("it is a simulation"),
    }
}

#[test]
fn events_are_bounded_however_little_time_they_take() {
    // Three streams of which the last begins after a millisecond, thousands of requests later.
    let record = run(FREE, 10_000);
    assert!(events(&record) <= 2 * 10_000 + 10_000 / 32, "{}", events(&record));
    assert_eq!(record.environment["simulation.stopped_by"], "events");
    assert_eq!(record.validate(), []);
    // With one nobody is waited for.
    let record = run(&FREE.replace("count=3", ""), 10_000);
    assert!(events(&record) <= 10_000 + 10_000 / 32, "{}", events(&record));
    let windows = record.streams.iter().flat_map(|stream| &stream.phases);
    let done = windows.filter(|one| one.phase == Phase::Window).map(|one| one.completed);
    assert!(done.sum::<u64>() > 1000);
}

/// So many small requests that the last of the streams would begin when most events are spent.
const MANY: &str = r#"
path { host "h" { nvme count=8 ops="100000 /s" } }
workload { streams "s" count=50 on="h" over="h.nvme" op="write" block="4 KiB" depth=32 }
"#;

#[test]
fn a_window_opens_once_every_stream_has_come_round() {
    for most_events in [200_000, 400_000, 800_000] {
        let record = run(MANY, most_events);
        let found = window(&record, "s");
        assert!(found.seconds > 0.05, "{} s of {most_events} events", found.seconds);
        // Nothing queues in front of the drives but what is in flight: no more, and no less.
        assert_near(found.per_sec(), 800_000.0, 1e-3);
        assert_near(found.in_flight(), 8.0 * 50.0 * 32.0, 1e-3);
    }
}

//! Reading ahead of real files: fewer and larger requests, and the data that is there.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use iopath_record::{Counter, Record};
use iopath_study::Case;

use crate::cases::run;

const KIB: u64 = 1024;
const SIZE: u64 = 8 << 20;

/// Files of 8 MiB on a described file system that reads ahead like this, by 4 KiB.
fn cases(directory: &Path, readahead: &str, workload: &str) -> Vec<Case> {
    let paths: Vec<_> = (0..2).map(|index| directory.join(format!("file{index}"))).collect();
    for path in &paths {
        std::fs::write(path, vec![7; SIZE as usize]).unwrap();
    }
    let to = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let text = format!(
        r#"study "ahead"
path {{ host "server" {{ part "ssd" }} }}
layout {{
    filesystem "fs" on="server.ssd" cache="buffered" {{ readahead {readahead} }}
    file "f" count=2 on="fs" size="8 MiB"
}}
bind from="f" to="{to}"
workload {workload}
"#
    );
    let source = iopath_study::Source { name: "ahead.kdl".to_owned(), text };
    let study = iopath_study::parse(&source, &[]);
    let study = study.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The final value of a counter, for each entity of this kind.
fn finals(record: &Record, kind: &str, counter: Counter) -> Vec<u64> {
    let entities = record.entities.iter().map(|entity| entity.kind.as_str() == kind);
    let of_kind: Vec<bool> = entities.collect();
    let series = record.series.iter();
    let series = series.filter(|one| one.counter == counter && of_kind[one.entity.0 as usize]);
    series.map(|one| one.values().last().unwrap()).collect()
}

#[test]
fn a_file_is_read_in_units_of_the_readahead_of_its_file_system() {
    let place = tempfile::tempdir().unwrap();
    let workload = r#"{ streams "reader" over="f" op="read" block="4 KiB" }"#;
    for (readahead, units) in [
        (r#"unit="64 KiB" streams=4"#, SIZE / (64 * KIB)),
        (r#"unit="1 MiB" streams=1 growth="at-once""#, SIZE >> 20),
        (r#"unit="12 KiB" streams=30 patience="1 ms""#, SIZE.div_ceil(12 * KIB)),
    ] {
        let cases = cases(place.path(), readahead, workload);
        let left = run(&cases[0]);
        let record = &left.records[0];
        assert_eq!(finals(record, "readahead", Counter::Submitted), [units, units], "{readahead}");
        let hits = finals(record, "readahead", Counter::CacheHits);
        let misses = finals(record, "readahead", Counter::CacheMisses);
        for (hits, misses) in hits.iter().zip(misses) {
            assert_eq!(hits + misses, SIZE / (4 * KIB), "every page was found or not");
            assert!(misses >= 2, "nothing was there for the first two reads");
        }
        assert!(nothing_failed(record));
    }
}

/// In any phase: on a busy machine one worker may be done before the other begins, and then there
/// is no window.
fn nothing_failed(record: &Record) -> bool {
    record.streams.iter().flat_map(|one| &one.phases).all(|totals| totals.failed == 0)
}

#[test]
fn without_readahead_or_page_cache_of_the_file_system_requests_stay_as_they_are() {
    let place = tempfile::tempdir().unwrap();
    let plain = r#"{ streams "reader" over="f" op="read" block="64 KiB" }"#;
    let random = r#"{ streams "reader" over="f" op="read" block="64 KiB" pattern="random" }"#;
    let kernel = r#"cache="buffered" { streams "reader" over="f" op="read" block="64 KiB" }"#;
    for (readahead, workload, expected) in [
        (r#"unit="1 MiB" streams=0"#, plain, None),
        (r#"unit="1 MiB" streams=4"#, kernel, None),
        (r#"unit="1 MiB" streams=4"#, random, Some(0)),
    ] {
        let cases = cases(place.path(), readahead, workload);
        let left = run(&cases[0]);
        let requested = finals(&left.records[0], "readahead", Counter::Submitted);
        assert_eq!(requested, vec![expected; 2].into_iter().flatten().collect::<Vec<_>>());
    }
}

#[test]
fn stamps_are_right_through_readahead_beside_writes_of_the_same_stream() {
    let place = tempfile::tempdir().unwrap();
    let workload = r#"amount="32 MiB" verify=#true {
        streams "writer" over="f" op="write" block="16 KiB" depth=4
    }"#;
    let readahead = r#"unit="128 KiB" streams=4"#;
    let mixed = workload.replace("write\"", "mix\" reads=0.95").replace("writer", "mixed");
    for (text, depth) in [(workload, 4), (&mixed, 4), (&mixed, 1)] {
        let text = text.replace("depth=4", &format!("depth={depth}"));
        let mut cases = cases(place.path(), readahead, &text);
        for target in &mut cases[0].targets {
            // A file that this run makes may be written, and is stamped before it is read.
            let path = std::path::PathBuf::from(target.binding.as_ref().unwrap());
            std::fs::remove_file(path).unwrap();
        }
        let left = run(&cases[0]);
        assert!(matches!(left.ending, iopath_measurement::Ending::Finished), "{:?}", left.ending);
    }
}

#[test]
fn what_keeps_readahead_from_working_is_told_before() {
    let place = tempfile::tempdir().unwrap();
    let readahead = r#"unit="64 KiB" streams=4"#;
    let threads = r#"engine="threads" { streams "r" over="f" block="4 KiB" depth=2 }"#;
    let verified = r#"verify=#true {
        streams "r" over="f" block="4 KiB"
        streams "w" over="f" op="write" block="4 KiB"
    }"#;
    for (readahead, workload, told) in [
        (readahead, threads, "no single reader is sequential"),
        (readahead, verified, "does not see writes of w"),
        (r#"unit="1000 B""#, r#"{ streams "r" over="f" block="4 KiB" }"#, "multiple of"),
    ] {
        let cases = cases(place.path(), readahead, workload);
        let root = iopath_machine::Root::live();
        let mut targets = iopath_measurement::Targets::new(root, place.path().to_owned());
        let found: Vec<_> = targets
            .obstacles(&cases, &[], &AtomicBool::new(false))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(found.iter().any(|text| text.contains(told)), "{told}: {found:?}");
    }
}

/// Cases of a study whose layout is this.
fn laid(layout: &str, workload: &str) -> Vec<Case> {
    let text = format!("study \"ahead\"\n{layout}\nworkload {workload}\n");
    let source = iopath_study::Source { name: "ahead.kdl".to_owned(), text };
    let study = iopath_study::parse(&source, &[]);
    let study = study.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn files_on_a_stripe_over_files_are_read_ahead_of_and_hold_what_was_written() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().display();
    let layout = format!(
        r#"layout {{
    file "m" count=3 size="4 MiB" directory="{directory}"
    stripe "s" unit="64 KiB" over="m"
    filesystem "fs" on="s" cache="buffered" {{ readahead unit="192 KiB" streams=3 }}
    file "f" count=2 on="fs" size="3 MiB"
}}"#
    );
    let read = r#"{ streams "reader" over="f" block="16 KiB" }"#;
    let record = run(&laid(&layout, read)[0]).records.remove(0);
    let units = (3 << 20) / (192 * KIB);
    assert_eq!(finals(&record, "readahead", Counter::Submitted), [units, units]);
    assert!(nothing_failed(&record));
    let mixed = r#"amount="32 MiB" verify=#true {
        streams "mixed" over="f" op="mix" reads=0.9 block="16 KiB" depth=2
    }"#;
    let left = run(&laid(&layout, mixed)[0]);
    assert!(matches!(left.ending, iopath_measurement::Ending::Finished), "{:?}", left.ending);
    let hits: u64 = finals(&left.records[0], "readahead", Counter::CacheHits).iter().sum();
    assert!(hits > 0, "it was read ahead of");
}

#[test]
fn a_device_sees_fewer_and_larger_requests_with_readahead() {
    let Some(device) = crate::kernel::Loop::new() else { return };
    let requests = |streams: u32| {
        let layout = format!(
            r#"path {{ host "server" {{ disk "d" }} }}
layout {{
    filesystem "fs" on="server.d" cache="buffered" {{ readahead unit="128 KiB" streams={streams} }}
    file "f" count=2 on="fs" size="4 MiB"
}}
bind from="server.d" to="{}""#,
            device.node
        );
        let cases = laid(&layout, r#"{ streams "reader" over="f" block="4 KiB" }"#);
        device.requests(&run(&cases[0]).records[0])
    };
    // 8 MiB: page by page, or by units.
    let (without, with) = (requests(0), requests(4));
    assert!(without >= 2048 && with <= 256, "{without} {with}");
}

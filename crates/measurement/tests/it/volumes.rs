//! Volumes over real files and devices: what is written through them lies where it should, what
//! they ask their members for is counted, and what cannot be is refused before.

mod members;

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use iopath_machine::Root;
use iopath_measurement::{Ending, Failure, Host, Next, Part, Targets, measure};
use iopath_record::{Counter, Progress, Record};
use iopath_study::{Case, Source, parse};

use crate::cases::{run, run_on, targets};

/// The only case of a study. `DIR` in the text is a directory for its files.
pub(crate) fn case(text: &str, directory: &Path) -> Case {
    let text = text.replace("DIR", &directory.display().to_string());
    let source = Source { name: "t.kdl".into(), text: format!("study \"t\"\n{text}\n") };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
}

/// The sum of a counter over all entities of a kind.
fn total(record: &Record, kind: &str, counter: Counter) -> u64 {
    let is = |series: &&iopath_record::Series| {
        series.counter == counter && record.entities[series.entity.0 as usize].kind.as_str() == kind
    };
    let grown = |series: &iopath_record::Series| series.steps.iter().sum::<i64>();
    record.series.iter().filter(is).map(grown).sum::<i64>().cast_unsigned()
}

/// Bytes and requests of all streams.
fn moved(record: &Record) -> [u64; 3] {
    let phases = || record.streams.iter().flat_map(|stream| &stream.phases);
    let sum = |of: fn(&iopath_record::PhaseTotals) -> u64| phases().map(of).sum();
    [sum(|p| p.read_bytes), sum(|p| p.write_bytes), sum(|p| p.completed)]
}

fn obstacles(case: &Case) -> Vec<String> {
    let mut targets = Targets::new(Root::live(), std::env::temp_dir());
    let found = targets.obstacles(std::slice::from_ref(case), &[], &AtomicBool::new(false));
    found.iter().map(ToString::to_string).collect()
}

const STRIPE: &str = r#"
layout {
    file "a" count=4 size="2 MiB" directory="DIR"
    stripe "vol" unit="64 KiB" over="a"
}
workload amount="16 MiB" engine="ENGINE" cache="buffered" verify=#true {
    streams "app" over="vol" op="mix" reads="50 %" pattern="random" block="256 KiB" depth=4
}"#;

#[test]
fn every_engine_stamps_and_checks_through_a_stripe_over_scratch_files() {
    let place = tempfile::tempdir().unwrap();
    for engine in ["uring", "calls", "threads"] {
        let case = case(&STRIPE.replace("ENGINE", engine), place.path());
        let left = run(&case);
        assert!(matches!(left.ending, Ending::Finished), "{engine}: {:?}", left.ending);
        let record = &left.records[0];
        let [read, written, requests] = moved(record);
        assert!(read > 0 && written > 0, "{engine}");
        assert_eq!(total(record, "member", Counter::ReadBytes), read, "{engine}");
        assert_eq!(total(record, "member", Counter::WriteBytes), written, "{engine}");
        let parts = total(record, "member", Counter::ReadOperations)
            + total(record, "member", Counter::WriteOperations);
        assert_eq!(parts, 4 * requests, "each request is one unit on each of the four");
        assert_eq!(record.environment["target.vol.bytes"], (8 << 20).to_string());
        let kinds: Vec<&str> = record.entities.iter().map(|entity| entity.kind.as_str()).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == "member").count(), 4);
        assert!(kinds.contains(&"stripe"), "{kinds:?}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "scratch leaves nothing");
}

#[test]
fn without_storage_a_volume_has_a_ceiling_too() {
    let place = tempfile::tempdir().unwrap();
    let text = STRIPE.replace("ENGINE", "null").replace("verify=#true", "");
    let text = text.replace("amount=\"16 MiB\"", "time=\"300 ms\"");
    let left = run(&case(&text, place.path()));
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    assert!(moved(&left.records[0])[2] > 0);
}

#[test]
fn parity_is_carried_as_load_over_scratch_files_only() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"
layout {
    file "a" count=4 size="1 MiB" directory="DIR"
    raid "vol" level=5 segment="64 KiB" over="a"
}
workload engine="uring" cache="buffered" verify=#true {
    streams "app" over="vol" op="write" pattern="sequential" block="BLOCK" depth=2
}"#;
    // Three of data and one of parity; or two reads, then two writes.
    for (block, reads, writes) in [("192 KiB", 0, 4), ("64 KiB", 2, 2)] {
        let left = run(&case(&text.replace("BLOCK", block), place.path()));
        assert!(matches!(left.ending, Ending::Finished), "{block}: {:?}", left.ending);
        let record = &left.records[0];
        let [_, written, requests] = moved(record);
        assert_eq!(written, 3 << 20, "the volume is covered once");
        assert_eq!(total(record, "member", Counter::ReadOperations), reads * requests, "{block}");
        assert_eq!(total(record, "member", Counter::WriteOperations), writes * requests, "{block}");
        assert!(!record.relations.iter().any(|relation| relation.write_copies_ppm != 1_000_000));
    }
    for name in ["m0", "m1", "m2", "m3"] {
        std::fs::write(place.path().join(name), vec![7; 1 << 20]).unwrap();
    }
    let bound = text.replace("BLOCK", "64 KiB").replace(" directory=\"DIR\"", "");
    let bound = bound.replace("workload", "bind from=\"a\" to=\"DIR/m[0-3]\"\nworkload");
    let said = obstacles(&case(&bound, place.path()));
    assert!(said.iter().any(|text| text.contains("written as noise")), "{said:?}");
    let reading = bound.replace("op=\"write\"", "op=\"read\"").replace(" verify=#true", "");
    assert_eq!(obstacles(&case(&reading, place.path())), Vec::<String>::new());
    own_members_take_parity(&case(&bound, place.path()), place.path());
}

/// Members with data, which the caller says are its own, are written without being named.
fn own_members_take_parity(case: &Case, place: &Path) {
    let members = ["m0", "m1", "m2", "m3"].map(|name| place.join(name));
    let owning = |paths: &[std::path::PathBuf]| {
        let mut targets = Targets::new(Root::live(), std::env::temp_dir());
        targets.own(paths.iter().cloned());
        let found = targets.obstacles(std::slice::from_ref(case), &[], &AtomicBool::new(false));
        (targets, found.iter().map(ToString::to_string).collect::<Vec<_>>().concat())
    };
    let (_, said) = owning(&members[..3]);
    assert!(said.contains("written as noise") && said.contains("m3"), "{said}");
    assert!(!said.contains("m0") && said.contains("--allow-destroy"), "{said}");
    let (mut targets, said) = owning(&members);
    assert_eq!(said, "");
    let left = run_on(case, &mut targets, &false.into());
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    assert_eq!(moved(&left.records[0])[1], 3 << 20);
    let told = left.records[0].events.iter().map(|event| &*event.what);
    assert!(!told.into_iter().any(|what| what.contains("given up")));
    assert!(members.iter().all(|path| std::fs::read(path).unwrap() != [7; 1 << 20]));
}

#[test]
fn what_no_volume_can_do_is_told_before() {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let text = r#"
layout {
    file "a" count=2 size="1 MiB" directory="DIR"
    stripe "vol" unit="UNIT" over="a" SIZE
}
workload time="1 s" engine="ENGINE" {
    streams "app" over="vol" op="read" block="64 KiB"
}"#;
    let said = |unit: &str, size: &str, engine: &str| {
        let text = text.replace("UNIT", unit).replace("SIZE", size).replace("ENGINE", engine);
        obstacles(&case(&text, place.path())).concat()
    };
    assert_eq!(said("64 KiB", "", "uring"), "");
    assert!(
        said("64 KiB", "", "mmap\" cache=\"buffered").contains("engine=\"mmap\" maps one file")
    );
    let small = said("64 KiB", "size=\"3 MiB\"", "uring");
    assert!(small.contains("vol has 2097152 bytes on its members"), "{small}");
    assert!(said("1000 B", "", "uring").contains("vol cuts requests at 1 kB"));
    // Files that the run will make are like the directory that they come into.
    let new = text.replace("SIZE", "").replace("ENGINE", "uring").replace("\"read\"", "\"write\"");
    let new = new.replace(" directory=\"DIR\"", "");
    let new = new.replace("workload", "bind from=\"a\" to=\"DIR/n[0-1]\"\nworkload");
    let said = |unit: &str| obstacles(&case(&new.replace("UNIT", unit), place.path())).concat();
    assert_eq!(said("64 KiB"), "");
    let crooked = said("1000 B");
    assert!(crooked.contains("n1: direct I/O") && crooked.contains("vol cuts"), "{crooked}");
}

#[test]
fn a_member_that_is_cut_is_named_with_its_own_offset() {
    let place = tempfile::tempdir().unwrap();
    for name in ["m0", "m1"] {
        std::fs::write(place.path().join(name), vec![7; 4 << 20]).unwrap();
    }
    let text = r#"
layout { file "a" count=2
 stripe "vol" unit="64 KiB" over="a" }
bind from="a" to="DIR/m[0-1]"
workload cache="buffered" { streams "app" over="vol" op="read" block="128 KiB" depth=2 }"#;
    let mut case = case(text, place.path());
    case.workload.until.time = Some(iopath_units::Nanos(60_000_000_000));
    let y = place.path().join("m1");
    let host = Host {
        root: &Root::live(),
        interrupted: &false.into(),
        tell: &mut |told| {
            if matches!(told, Progress::Running { .. }) {
                OpenOptions::new().write(true).open(&y).unwrap().set_len(1 << 20).unwrap();
            }
        },
        keep: &mut |_| Next::Enough,
        ranks: None,
    };
    let ending = measure(Part::whole(&case), 0, &mut targets(&case), host).unwrap();
    let Ending::Failed(Failure::Ended { target, offset }) = ending else { panic!("{ending:?}") };
    assert_eq!(target, y.display().to_string());
    assert!((1 << 20..4 << 20).contains(&offset), "{offset}");
}

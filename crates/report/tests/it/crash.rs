//! What targets hold after a crash.

use iopath_record::{AfterCrash, BadBlock, BadKind};
use iopath_report::{Color, CrashReport, Look, compose, crash_json};

use crate::brief;
use iopath_units::System;

const LOOK: Look = Look { width: 120, system: System::Decimal, color: Color::Never };

fn crash(report: &CrashReport, look: &Look) -> String {
    brief(&compose::crash(report), look)
}

/// A target of which so many blocks are as they were written, and so many were flushed.
fn target(intact_units: u64, flushed_units: u64) -> AfterCrash {
    AfterCrash { intact_units, flushed_units, ..AfterCrash::new("/dev/sdb", 4096) }
}

fn with_lost(mut target: AfterCrash, lost: u64, torn: u64) -> AfterCrash {
    (target.lost.units, target.torn.units) = (lost, torn);
    target
}

/// So many blocks in a row that hold an older write.
fn with_stale(mut target: AfterCrash, stale: u64) -> AfterCrash {
    for block in 0..stale {
        target.bad_blocks.add(BadBlock {
            kind: BadKind::Stale,
            target: target.target.clone(),
            offset_bytes: block * target.unit_bytes,
            wanted_generation: Some(1),
            found_generation: Some(0),
            found_offset_bytes: None,
            what: format!("block {block} is stale"),
        });
    }
    target
}

fn report(target: AfterCrash) -> CrashReport {
    CrashReport { targets: vec![target], ..CrashReport::of("7".to_owned()) }
}

#[test]
fn the_verdict_is_what_flushes_promised_and_what_is_there() {
    for (target, verdict, is_intact) in [
        (target(0, 0), "its journal knows of no block that could be checked", None),
        (target(9, 0), "nothing was lost; no flush was acknowledged", Some(true)),
        (
            with_lost(target(8, 0), 1, 0),
            "writes were lost, and no flush was acknowledged",
            Some(true),
        ),
        (target(9, 4), "all that was flushed is there, and nothing was lost", Some(true)),
        (
            with_lost(target(8, 4), 0, 1),
            "all that was flushed is there; writes that were not were lost",
            Some(true),
        ),
        (with_stale(target(8, 4), 1), "wrong data", Some(false)),
    ] {
        let report = report(target);
        let text = crash(&report, &LOOK);
        assert!(text.starts_with(&format!("run 7: {verdict}\n\n/dev/sdb\n")), "{text}");
        assert_eq!(report.is_intact(), is_intact, "{text}");
        assert_eq!(report.damage().is_some(), is_intact == Some(false), "{text}");
    }
    let mut partly = report(target(9, 4));
    partly.problems.push("/dev/sdc: no such device".to_owned());
    assert_eq!(partly.is_intact(), None, "one target could not be checked");
}

#[test]
fn each_target_has_its_counts_and_the_first_ten_bad_blocks() {
    let text = crash(&report(with_lost(target(5, 4), 2, 1)), &LOOK);
    let expected = "/dev/sdb\n  8 blocks of 4096 B checked, 4 of them flushed: 5 intact\n  \
        2 do not hold the last write, which no flush covers\n  \
        1 hold parts of writes that no flush covers\n\n\
        the journal stays until: iopath verify 7 --forget\n";
    assert!(text.ends_with(expected), "{text}");
    let ten = crash(&report(with_stale(target(5, 4), 10)), &LOOK);
    assert!(ten.contains("  block 9 is stale\n\n") && !ten.contains(" more: "), "{ten}");
    let many = crash(&report(with_stale(target(5, 4), 12)), &LOOK);
    let rest = "  block 9 is stale\n  … and 2 more: iopath verify 7 --json\n";
    assert!(many.contains(rest) && !many.contains("no flush covers"), "{many}");
    assert!(!many.contains("restarted"), "{many}");
}

#[test]
fn a_restart_is_said_and_json_has_all_counts() {
    let mut report = report(with_stale(with_lost(target(5, 4), 2, 1), 1));
    report.is_current = false;
    assert!(crash(&report, &LOOK).contains("\nthe machine was restarted since: "));
    let value = crash_json(&report);
    let told = &value["targets"][0];
    let counts =
        ["units", "flushed_units", "intact_units", "lost_units", "torn_units", "bad_units"];
    let counts = counts.map(|key| told[key].as_u64().unwrap());
    assert_eq!(counts, [9, 4, 5, 2, 1, 1]);
    assert_eq!((&value["is_current"], &value["is_intact"]), (&false.into(), &false.into()));
}

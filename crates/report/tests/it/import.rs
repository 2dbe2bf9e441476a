//! What was understood of the texts of other tools.

use iopath_record::{Record, Warning};
use iopath_report::{Color, ImportedFile, Look, compose, import_json};

use crate::brief;
use iopath_units::System;

use crate::load::Load;

const LOOK: Look = Look { width: 200, system: System::Decimal, color: Color::Never };

fn files() -> Vec<ImportedFile> {
    let file = |file: &str, tool, edges_ns| ImportedFile { file: file.to_owned(), tool, edges_ns };
    let seconds = [0, 2, 4, 6].map(|second: u64| second * 1_000_000_000).to_vec();
    vec![file("io.txt", "iostat", seconds), file("fio.json", "fio", Vec::new())]
}

/// Two trials of the same names, which say the same of themselves.
fn records(streams: u32) -> Vec<Record> {
    let text = "times of day are taken to be of this machine".to_owned();
    let trial = |trial| {
        let mut record = Load { trial, streams, ..Load::new() }.record();
        record.warnings.push(Warning { kind: "import".to_owned(), text: text.clone() });
        record
    };
    vec![trial(0), trial(1)]
}

#[test]
fn names_stand_behind_their_kind_once() {
    let value = import_json("7", &files(), &records(2));
    assert_eq!(value["entities"]["disk"], serde_json::json!(["vda"]));
    assert_eq!(value["entities"]["stream"], serde_json::json!(["reader[0]", "reader[1]"]));
    assert_eq!(value["entities"].as_object().unwrap().len(), 3);
    assert_eq!((&value["trials"], value["warnings"].as_array().unwrap().len()), (&2.into(), 1));
    let text =
        brief(&compose::import("7", "iopath show 7", &files(), &records(2), LOOK.system), &LOOK);
    let expected = "understood\n  1 file: scratch\n  1 disk: vda\n  2 streams: reader[0], \
        reader[1]\n  2 trials\n\nwarnings\n  times of day are taken to be of this machine\n\n\
        next: iopath show 7\n";
    assert!(text.starts_with("imported as run 7\n\n") && text.ends_with(expected), "{text}");
}

#[test]
fn of_many_names_the_first_eight_are_shown_and_the_rest_is_counted() {
    let text = brief(
        &compose::import("7", "iopath show 7", &files(), &records(9)[..1], LOOK.system),
        &LOOK,
    );
    assert!(text.contains("9 streams: reader[0], ") && text.contains("reader[7] and 1 more"));
    assert!(!text.contains("reader[8]") && !text.contains(" trials"), "{text}");
    let text =
        brief(&compose::import("7", "iopath show 7", &files(), &records(8), LOOK.system), &LOOK);
    assert!(text.contains("reader[7]\n"), "{text}");
}

#[test]
fn a_file_s_intervals_lie_between_its_edges() {
    let value = import_json("7", &files(), &records(1));
    let [iostat, fio] = [&value["files"][0], &value["files"][1]];
    assert_eq!((&iostat["intervals"], &iostat["span_ns"]), (&3.into(), &6_000_000_000_u64.into()));
    assert_eq!((&fio["intervals"], fio["span_ns"].is_null()), (&0.into(), true));
    let text =
        brief(&compose::import("7", "iopath show 7", &files(), &records(1), LOOK.system), &LOOK);
    let cells = |file: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.trim_start().starts_with(file)).unwrap();
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(cells("io.txt"), ["io.txt", "iostat", "3", "6.000", "s"]);
    assert_eq!(cells("fio.json"), ["fio.json", "fio", "0", "-"]);
}

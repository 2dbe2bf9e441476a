//! What `--verify` says of storage that does not keep what it is given: all of it, at the end.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use crate::program::Program;

const UNIT: u64 = 4096;

/// One case that writes all of a new file, or reads all of it, once.
fn study(op: &str) -> String {
    format!(
        "study \"Verified\"\n\
         layout {{\n    file \"data\" size=\"1 MiB\"\n    bind from=\"data\" to=\"data\"\n}}\n\
         workload passes=2 warm-up=\"0 s\" amount=\"1 MiB\" cache=\"buffered\" verify=#true {{\n\
         streams \"load\" over=\"data\" op=\"{op}\" block=\"64 KiB\"\n}}\n"
    )
}

/// Writes the file, and then wrong data into thirteen blocks of it.
fn damaged() -> Program {
    let program = Program::new();
    program.write("write.kdl", study("write"));
    program.write("read.kdl", study("read"));
    program.line("measure write.kdl --no-progress").done();
    let file = OpenOptions::new().write(true).open(program.path("data")).unwrap();
    for unit in 100..112 {
        file.write_all_at(&[0; UNIT as usize], unit * UNIT).unwrap();
    }
    file.write_all_at(b"x", 7 * UNIT + 99).unwrap();
    program
}

#[test]
fn all_bad_blocks_are_counted_and_the_first_ten_shown() {
    let program = damaged();
    let output = program.line("measure read.kdl --no-progress").ends(6);
    let shown = &output.stdout;
    assert!(shown.contains("13 bad blocks (1 corrupt, 12 unstamped)"), "{shown}");
    assert!(shown.contains("wrong data: "), "{shown}");
    assert!(shown.contains(&format!("offset {}", 7 * UNIT)), "{shown}");
    assert!(shown.contains(&format!("offset {}", 108 * UNIT)), "{shown}");
    assert!(!shown.contains(&format!("offset {}", 109 * UNIT)), "{shown}");
    assert!(shown.contains("… and 3 more: iopath show 2 --json"), "{shown}");
    output.tells(&["wrong data: 13 bad blocks", "the first: "]);
}

#[test]
fn the_store_keeps_the_place_of_each_bad_block() {
    let program = damaged();
    program.line("measure read.kdl --no-progress").ends(6);
    let trial = &program.json("show last")["trials"][0];
    let found = &trial["findings"]["bad_blocks"];
    assert_eq!(found["counts"]["corrupt"], 1);
    assert_eq!(found["counts"]["unstamped"], 12);
    let listed = found["listed"].as_array().unwrap();
    assert_eq!(listed.len(), 13);
    assert_eq!(listed[0]["kind"], "corrupt");
    assert_eq!(listed[0]["offset_bytes"], 7 * UNIT);
    let passes = trial["findings"]["passes"].as_array().unwrap();
    assert_eq!(passes.len(), 2, "the second pass is made, too");
    let list = program.line("list").done();
    assert!(list.stdout.contains("failed"), "{}", list.stdout);
}

#[test]
fn a_page_lists_the_bad_blocks() {
    let program = damaged();
    program.line("measure read.kdl --no-progress --report page.html").ends(6);
    let page = std::fs::read_to_string(program.path("page.html")).unwrap();
    assert!(page.contains("id=\"bad-blocks\"") && page.contains("<h2>bad blocks</h2>"));
    assert!(page.contains(&format!("{} (", 7 * UNIT)), "the place of the corrupt one");
}

#[test]
fn a_pass_that_cannot_be_stored_does_not_hide_the_damage() {
    let program = damaged();
    let text = study("read").replace("passes=2", "passes=200");
    program.write("long.kdl", text);
    let running = program.start("measure long.kdl --no-progress");
    let begin = Instant::now();
    while !program.line("list").stdout.contains("unfinished") {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not begin");
    }
    for name in ["runs.db", "runs.db-wal", "runs.db-shm"] {
        std::fs::remove_file(program.store().with_file_name(name)).unwrap();
    }
    running.wait().ends(6).tells(&["wrong data: 13 bad blocks", "was deleted or replaced"]);
}

#[test]
fn what_iopath_never_wrote_is_not_called_wrong() {
    let program = Program::new();
    program.file("data", 1 << 20);
    program.write("read.kdl", study("read"));
    let output = program.line("measure read.kdl --no-progress").ends(6);
    let said = "256 blocks without a usable stamp (256 unstamped)";
    assert!(output.stdout.contains("not verified: ") && output.stdout.contains(said));
    let whole = format!("{}{}", output.stdout, output.stderr);
    for word in ["wrong data", "does not return the data that was written"] {
        assert!(!whole.contains(word), "{whole}");
    }
    output.tells(&["cannot judge everything", "write them first, with --verify"]);
}

#[test]
fn a_case_with_bad_blocks_does_not_keep_the_next_from_being_made() {
    let program = damaged();
    let text = study("read") + "vary { factor \"depth\" of=\"load.depth\" 1 4 }\n";
    program.write("both.kdl", text);
    program.line("measure both.kdl --no-progress").ends(6);
    let run = program.json("show last");
    let trials = run["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 2);
    for trial in trials {
        let total = &trial["findings"]["requests"];
        assert!(total.as_u64() > Some(0), "{trial}");
    }
}

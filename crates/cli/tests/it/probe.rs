//! Which targets share a limit: found on exports of `qemu-storage-daemon` whose throttle groups are
//! known, and refused where there is nothing to probe.

use std::fs;

use serde_json::Value;

use crate::exports::Exports;
use crate::loopback::{Bench, MIB, is_root};
use crate::program::Program;

const MB: u64 = 1_000_000;

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

/// Limits are so low that a busy machine keeps them.
#[test]
fn two_of_four_exports_share_a_limit_and_are_found() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let exports = [[0, 2].as_slice(), &[1], &[3]];
    let exports = exports.map(|media| Exports::start(&bench, 10 * MB, media));
    let program = Program::in_memory();
    let targets: String = exports
        .iter()
        .flat_map(|daemon| &daemon.files)
        .map(|file| format!(" --target {file}"))
        .collect();
    let load = "--block 64KiB --depth 4 --time 300ms --warm-up 0s --passes 1";
    program.line(&format!("measure{targets} {load}")).done();
    let probe = program.line("explain --probe --json").done();
    assert!(probe.stderr.contains("probing 4 targets, reading only"), "{}", probe.stderr);
    assert!(probe.stderr.contains("reads of 64 KiB, 4 in flight at each"), "{}", probe.stderr);
    let value = probe.json();
    assert_eq!(value["format"], "iopath-probe/2");
    let groups = value["verdict"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{value:#}");
    assert_eq!(names(&groups[0]["members"]), ["medium0", "medium2"], "{value}");
    let rate = groups[0]["bytes_per_sec"].as_f64().unwrap();
    assert!((8e6..12e6).contains(&rate), "{rate}");
    assert_eq!(value["verdict"]["private"].as_array().unwrap().len(), 2);
    assert_eq!(value["verdict"]["advice"][0]["rule"], "shared-limit");
    // Stored as a run of its own, it is told again from its records.
    assert_eq!(program.json("explain 2"), value);
    let text = program.line("explain 2").done().stdout;
    assert!(text.starts_with("medium0 and medium2 share a limit; medium1 and medium3 share none"));
    assert!(program.line("show 2").done().stdout.contains("medium0 alone"));
}

#[test]
fn what_cannot_be_probed_says_why_and_reads_nothing() {
    let program = Program::in_memory();
    let load = "--time 100ms --warm-up 0s --passes 1 --block 4KiB --no-progress";
    for name in ["one", "two"] {
        program.file(name, MIB as usize);
    }
    program.line(&format!("measure --target one {load}")).done();
    program.line("explain --probe").ends(3).tells(&["nothing to probe", "one target", "--target"]);
    program.line(&format!("measure --target one --target two {load}")).done();
    program.line("explain --probe --time 1ms").ends(3).tells(&["--time", "too short"]);
    program.line("explain --time 1s").ends(3);
    fs::remove_file(program.path("two")).unwrap();
    program.line("explain --probe").ends(4).tells(&["two"]);
    assert_eq!(program.json("list")["runs"].as_array().unwrap().len(), 2);
}

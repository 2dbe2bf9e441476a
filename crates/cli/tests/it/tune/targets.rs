//! `iopath tune TARGET`: what is chosen for a file, a directory and a loop device, the study that
//! is made of them, what is left as it was, and what is refused.

use std::fs::{read, read_to_string, set_permissions};
use std::os::unix::fs::PermissionsExt;

use iopath_store::Store;
use serde_json::Value;

use super::level;
use crate::loopback::{Bench, MIB, is_root};
use crate::program::{Program, not_run};

/// Passes as short as they can be: what is compared is no figure.
const SHORT: &str = "--time 50ms --warm-up 0s --passes 3 --no-report --fairness 0";

fn factors(found: &Value) -> Vec<&str> {
    let all = found["factors"].as_array().unwrap().iter();
    all.map(|factor| factor["name"].as_str().unwrap()).collect()
}

/// The study of the newest run as it is stored.
fn stored(program: &Program) -> String {
    let store = Store::open(&program.store()).unwrap();
    store.run(store.resolve("last").unwrap()).unwrap().begin.study
}

#[test]
fn a_file_is_tuned_by_reads_and_the_study_that_was_made_can_be_run_again() {
    // In memory there is no drive, so the settings of this machine's kernel stay out of it.
    let program = Program::in_memory();
    program.file("f", 16 << 20);
    let before = read(program.path("f")).unwrap();
    let line = format!("tune f --depth 2 --streams 1 {SHORT} --json -o best.kdl");
    let ended = program.line(&line).done();
    let ended = ended.tells(&["tune: at most 4 of 4 settings, ", " s of passes"]);
    let found = ended.json();
    assert_eq!(found["technique"], "measurement");
    assert_eq!(factors(&found), ["block"], "what options fix is no factor");
    assert_eq!(level(&found["today"], "block"), "1 MiB", "that of measure without options");
    assert_eq!(found["study"], "sequential read, depth 2, on f");
    assert_eq!(found["run"], "1");
    assert_eq!(read(program.path("f")).unwrap(), before);
    let text = stored(&program);
    let vary = "factor \"block\" of=\"load.block\" \"64 KiB\" \"256 KiB\" \"1 MiB\" \"4 MiB\"";
    assert!(text.contains(vary), "{text}");
    program.write("again.kdl", &text);
    let line = "tune again.kdl --technique measure --passes 3 --no-report --fairness 0";
    let again = program.json(line);
    for part in ["study", "combinations"] {
        assert_eq!(again[part], found[part]);
    }
    assert_eq!(factors(&again), ["block"]);
    assert_eq!(stored(&program), text);
    assert!(program.line("plan best.kdl").done().stdout.contains("sequential read"));
}

#[test]
fn targets_are_tuned_together_and_a_scratch_file_goes() {
    let program = Program::in_memory();
    program.file("f", 8 << 20);
    let scratch = program.path("d");
    std::fs::create_dir(&scratch).unwrap();
    let line = format!("tune f d --for iops --depth 1 --size 8MiB --trials 2 {SHORT}");
    let found = program.json(&line);
    assert_eq!(factors(&found), ["streams"]);
    assert_eq!(found["study"], "random read 4 KiB, depth 1, 2 streams, on f and 1 more");
    assert!(stored(&program).contains("over=\"target0, target1\""), "{}", stored(&program));
    assert_eq!(std::fs::read_dir(scratch).unwrap().count(), 0);
}

/// What the files of a queue say that decide about requests.
fn queue(disk: &str) -> Vec<(String, String)> {
    let names = ["scheduler", "max_sectors_kb", "nr_requests", "read_ahead_kb", "wbt_lat_usec"];
    let file = |name: &str| format!("/sys/block/{disk}/queue/{name}");
    let said = names.map(|name| (name.to_owned(), read_to_string(file(name)).unwrap_or_default()));
    said.to_vec()
}

fn said<'a>(queue: &'a [(String, String)], name: &str) -> &'a str {
    queue.iter().find(|(one, _)| one == name).unwrap().1.trim()
}

#[test]
fn settings_of_a_drives_queue_are_tried_and_are_as_before() {
    if !is_root() {
        return not_run("loop devices need root");
    }
    let mut bench = Bench::new();
    let node = bench.device("drive", 64 * MIB);
    let disk = node.trim_start_matches("/dev/");
    let before = queue(disk);
    let program = Program::new();
    let line = format!("tune {node} --block 256KiB --depth 32 --streams 2 --trials 6 {SHORT}");
    let found = program.json(&line);
    assert_eq!(queue(disk), before);
    let known = ["kernel-scheduler", "kernel-max-request", "kernel-requests"];
    assert_eq!(factors(&found), known);
    let scheduler = level(&found["today"], "kernel-scheduler");
    assert!(said(&before, "scheduler").contains(&format!("[{scheduler}]")), "{before:?}");
    assert_eq!(level(&found["today"], "kernel-requests"), said(&before, "nr_requests"));
    let tried = found["tried"].as_array().unwrap();
    assert!(tried.iter().any(|one| level(one, "kernel-scheduler") != scheduler), "{tried:?}");
    let offered = said(&before, "scheduler").replace(['[', ']'], "");
    let offered: Vec<_> = offered.split_whitespace().map(|one| format!("\"{one}\"")).collect();
    assert!(stored(&program).contains(&offered.join(" ")), "{}", stored(&program));
}

#[test]
fn through_the_page_cache_readahead_is_chosen_in_place_of_depth() {
    if !is_root() {
        return not_run("loop devices need root");
    }
    let mut bench = Bench::new();
    let node = bench.device("drive", 64 * MIB);
    let before = queue(node.trim_start_matches("/dev/"));
    let program = Program::new();
    let line = format!("tune {node} --cache drop --block 64KiB --streams 1 --trials 4 {SHORT}");
    let found = program.json(&line);
    assert_eq!(queue(node.trim_start_matches("/dev/")), before);
    assert!(factors(&found).contains(&"kernel-readahead"), "{found}");
    assert!(!factors(&found).contains(&"depth"), "{found}");
    assert!(stored(&program).contains("depth=1"), "{}", stored(&program));
}

#[test]
fn who_may_not_set_the_kernel_is_told_what_is_left_out() {
    if !is_root() {
        return not_run("loop devices need root");
    }
    let mut bench = Bench::new();
    let node = bench.device("drive", 16 * MIB);
    let program = Program::in_memory();
    let base = program.directory();
    let base = base.parent().unwrap();
    for open in [base, &base.join("data")] {
        set_permissions(open, PermissionsExt::from_mode(0o777)).unwrap();
    }
    // The built program may lie where only root can go.
    let copy = base.join("iopath");
    std::fs::copy(env!("CARGO_BIN_EXE_iopath"), &copy).unwrap();
    let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let words: Vec<_> = other.into_iter().chain([copy.to_str().unwrap(), "tune", &node]).collect();
    // It may not read the device either, which is known only after that.
    let ended = program.run_command(&mut program.command_of(&words)).ends(4);
    let left = "left out, as this process may not set them: kernel-scheduler, kernel-max-request";
    ended.tells(&[left, "cannot be opened for reading"]);
}

#[test]
fn what_targets_cannot_have_is_said_with_what_to_do() {
    let program = Program::in_memory();
    program.write("s.kdl", super::DRIVES);
    program.file("f", 1 << 20);
    program.file("g", 1 << 20);
    for (line, code, parts) in [
        ("tune gone", 4, &["gone: name a study, or a target that exists"][..]),
        ("tune gone.kdl", 4, &["gone.kdl: name a study, or a target that exists"]),
        ("tune s.kdl f", 3, &["name one study, or targets only"]),
        ("tune s.kdl --block 4KiB", 3, &["the study sets this itself: leave out --block"]),
        ("tune s.kdl --technique measure --time 1s", 3, &["leave out --time"]),
        ("tune f --technique emulate", 3, &["needs a study that describes a path"]),
        ("tune f --technique simulate", 3, &["run `iopath profile` first"]),
        ("tune f --technique simulate --apply", 3, &["--apply needs --technique measure"]),
        ("tune f --block 4KiB --depth 1 --streams 1", 3, &["nothing to choose", "Leave one out"]),
        ("tune f --op trim", 3, &["--op: a trim discards a range once"]),
        ("tune f --op sync --depth x", 3, &["--op: \"sync\" is none of", "--depth: \"x\""]),
        ("tune f g --streams 3", 3, &["each needs as many: use a multiple of 2"]),
        ("tune f --op write", 5, &["f ", "--allow-destroy"]),
    ] {
        program.line(line).ends(code).tells(parts);
    }
    assert_eq!(program.names(), ["f", "g", "s.kdl"], "nothing is written");
}

#[test]
fn what_stands_in_the_way_is_said_before_any_simulation() {
    let program = Program::in_memory();
    program.file("f", 1 << 20);
    let text = r#"study "s"
path { host "server" { nvme "drive" both=(given)"1 GB/s" latency=(given)"100 us" } }
bind from="server.drive" to="f"
workload time="100 ms" { streams "app" over="server.drive" block="64 KiB" }
vary { factor "block" of="app.block" "4 KiB" "16 KiB" "64 KiB" }
"#;
    program.write("s.kdl", text);
    let ended = program.line("tune s.kdl --technique measure --no-report").ends(4);
    let ended = ended.tells(&["f is a file, but the study uses it as a block device"]);
    assert!(!ended.stderr.contains("tune: at most"), "{}", ended.stderr);
}

//! Runs that end well, on one host.

use crate::loopback::{Bench, is_root};
use crate::program::{Program, not_run};
use crate::{Ranks, bytes, entities, fact, records};

const AMOUNT: &str = r#"study "amount"
layout { file "f" count=8 size="4 MiB" }
workload amount="64 MiB" engine="null" {
    streams "reader" over="f" op="read" block="64 KiB" depth=2
}"#;

#[test]
fn several_ranks_move_what_one_moves() {
    let program = Program::in_memory();
    program.write("s.kdl", AMOUNT);
    program.line("measure s.kdl --no-progress").done();
    let alone = bytes(&records(&program)[0]);
    Ranks::here(3).run(&program, "measure s.kdl --no-progress").done();
    let record = &records(&program)[0];
    assert_eq!(bytes(record), alone);
    assert_eq!(record["streams"].as_array().unwrap().len(), 8);
    assert_eq!(fact(record, "ranks.count"), "3");
}

/// Every setting is measured by all ranks.
#[test]
fn settings_are_tried_on_all_ranks() {
    let program = Program::in_memory();
    program.write(
        "t.kdl",
        r#"study "t"
layout { file "f" count=2 size="1 MiB" }
workload time="200 ms" engine="null" { streams "r" over="f" op="read" block="16 KiB" depth=1 }
vary { factor "depth" of="r.depth" 1 2 4 }"#,
    );
    let line = "tune t.kdl --technique measure --no-report --no-progress --fairness 0 --json";
    let found = Ranks::here(2).run(&program, line).done().json();
    assert_eq!(found["trials"], 3);
    let all = records(&program);
    assert!(all.len() >= 3, "{}", all.len());
    assert!(all.iter().all(|record| fact(record, "ranks.count") == "2"));
    let refused = Ranks::here(2).run(&program, &format!("{line} --apply")).ends(3);
    refused.tells(&["--apply sets this host only"]);
}

/// A device is claimed by the rank that keeps it, and let go before the next case.
#[test]
fn ranks_write_one_device_in_case_after_case() {
    if !is_root() {
        return not_run("a loop device needs root");
    }
    let mut bench = Bench::new();
    let device = bench.device("shared", 32 << 20);
    let program = Program::new();
    program.write(
        "s.kdl",
        format!(
            r#"study "s"
path {{ disk "d" }}
bind from="d" to="{device}"
workload time="200 ms" {{
    streams "w" count=2 over="d" op="write" block="16 KiB" region="own"
}}
vary {{ factor "block" of="w.block" "16 KiB" "64 KiB" }}"#
        ),
    );
    let line = format!("measure s.kdl --no-progress --allow-destroy {device}");
    Ranks::here(2).run(&program, &line).done();
    let all = records(&program);
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|record| fact(record, "ranks.count") == "2" && bytes(record) > 0));
}

/// What the ranks of one host see of it is there once.
#[test]
fn one_host_is_in_the_record_once() {
    let program = Program::new();
    program.write(
        "s.kdl",
        r#"study "s"
layout { file "f" count=2 size="1 MiB" }
workload time="300 ms" { streams "reader" over="f" op="read" block="64 KiB" }"#,
    );
    Ranks::here(2).run(&program, "measure s.kdl --no-progress").done();
    let names = entities(&records(&program)[0]);
    assert!(!names.iter().any(|name| name.starts_with("node[")), "{names:?}");
    assert_eq!(names.iter().filter(|name| *name == "cpu0").count(), 1);
}

/// Writers stamp files of their own, readers begin when all of them have ended, and check.
#[test]
fn streams_that_begin_after_others_begin_on_all_ranks_at_once() {
    let program = Program::new();
    program.write(
        "s.kdl",
        r#"study "s"
layout { file "f" count=4 size="2 MiB" }
bind from="f" to="f[0-3]"
workload verify=#true {
    streams "writer" over="f" op="write" block="64 KiB"
    streams "reader" over="f" op="read" block="64 KiB" after="writer" prepare="drop"
}"#,
    );
    Ranks::here(3).run(&program, "measure s.kdl --no-progress").done();
    let record = &records(&program)[0];
    assert_eq!(bytes(record), 2 * 4 * (2 << 20));
    let begins: std::collections::BTreeSet<u64> = record["streams"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stream| stream["phases"][0]["from_ns"].as_u64().unwrap())
        .collect();
    assert_eq!(begins.len(), 2, "{begins:?}");
}

#[test]
fn the_highest_load_is_that_of_all_ranks() {
    let program = Program::in_memory();
    program.write(
        "s.kdl",
        r#"study "s"
layout { file "f" count=2 size="1 MiB" }
workload time="200 ms" { streams "reader" over="f" op="read" block="4 KiB" }"#,
    );
    let found = Ranks::here(2).run(
        &program,
        "measure s.kdl --no-progress --find-max --latency \
        mean=50ms",
    );
    assert!(found.done().stdout.contains("highest load"));
    let loads: Vec<u64> = records(&program).iter().map(bytes).collect();
    assert!(loads.len() > 3, "{loads:?}");
}

#[test]
fn a_file_that_several_ranks_use_is_made_once() {
    let program = Program::new();
    program.write(
        "s.kdl",
        r#"study "s"
path { host "n" count=2 }
layout { file "f" size="4 MiB" }
bind from="f" to="shared"
experiment "write" { workload time="200 ms" {
    streams "w" over="f" op="write" block="64 KiB" on="n[1]"
    streams "r" over="f" op="read" block="64 KiB" on="n[0]"
} }
experiment "read" { workload time="200 ms" {
    streams "a" over="f" op="read" block="64 KiB" on="n[0]"
    streams "b" over="f" op="read" block="64 KiB" on="n[1]"
} }"#,
    );
    Ranks::here(2).run(&program, "measure s.kdl --no-progress").done();
    assert_eq!(program.path("shared").metadata().unwrap().len(), 4 << 20);
    assert_eq!(records(&program).len(), 2);
    // It is known as its own, so it may be written again.
    Ranks::here(2).run(&program, "measure s.kdl --no-progress").done();
}

#[test]
fn writes_of_several_ranks_to_one_file_cannot_be_verified() {
    let program = Program::new();
    program.write(
        "s.kdl",
        r#"study "s"
layout { file "f" size="4 MiB" }
bind from="f" to="shared"
workload verify=#true { streams "w" count=2 over="f" op="write" block="64 KiB" }"#,
    );
    let refused = Ranks::here(2).run(&program, "measure s.kdl --no-progress");
    refused.tells(&["shared is used by several ranks", "verify=#false"]);
    assert!(!program.path("shared").exists());
}

/// Each rank alone would have room.
#[test]
fn ranks_together_want_no_more_than_is_free() {
    let program = Program::in_memory();
    let facts = rustix::fs::statvfs(program.directory()).unwrap();
    let most = facts.f_bavail * facts.f_frsize / (1 << 20) * 6 / 10;
    program.write(
        "s.kdl",
        format!(
            r#"study "s"
layout {{ file "f" count=2 size="{most} MiB" }}
workload time="200 ms" cache="buffered" {{ streams "w" over="f" op="write" block="64 KiB" }}"#
        ),
    );
    let refused = Ranks::here(2).run(&program, "measure s.kdl --no-progress").ends(4);
    refused.tells(&["free, but the study would write"]);
    assert!(program.json("list")["runs"].as_array().unwrap().is_empty());
}

/// Buffers of each rank alone would fit.
#[test]
fn ranks_together_take_no_more_memory_than_their_host_has() {
    let program = Program::in_memory();
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap();
    let available = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap();
    let kib: u64 = available.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    let depth = kib / (16 << 10) * 6 / 10;
    program.write(
        "s.kdl",
        format!(
            r#"study "s"
layout {{ file "f" count=2 size="1 GiB" }}
workload time="200 ms" engine="null" {{
    streams "reader" over="f" op="read" block="16 MiB" depth={depth}
}}"#
        ),
    );
    let refused = Ranks::here(2).run(&program, "measure s.kdl --no-progress").ends(4);
    refused.tells(&["all streams with their buffers take", "of memory are available"]);
    assert!(program.json("list")["runs"].as_array().unwrap().is_empty());
}

/// Each would restore what the other had set.
#[test]
fn ranks_of_one_host_set_nothing_of_its_kernel() {
    let program = Program::new();
    program.write(
        "s.kdl",
        r#"study "s"
layout { file "f" count=2 size="1 MiB" }
workload time="200 ms" kernel-readahead="64 KiB" cache="buffered" {
    streams "r" over="f" op="read" block="64 KiB"
}"#,
    );
    let refused = Ranks::here(2).run(&program, "measure s.kdl --no-progress").ends(4);
    refused.tells(&["need one rank a host"]);
}

/// One rank is the plain program: nothing of MPI is in its record.
#[test]
fn a_single_rank_is_the_plain_program() {
    let program = Program::in_memory();
    program.write("s.kdl", AMOUNT);
    Ranks::here(1).run(&program, "measure s.kdl --no-progress").done();
    assert_eq!(fact(&records(&program)[0], "ranks.count"), "");
}

//! Runs that do not end well: in order, with what was measured, and with a word of who failed.

use rustix::process::Signal;
use serde_json::Value;

use crate::loopback::{Bench, is_root};
use crate::program::{Program, await_that, not_run};
use crate::{KILLS_AT_ONCE, Ranks, records, signal};

const PASSES: &str = r#"study "passes"
layout { file "f" count=3 size="1 MiB" }
workload time="700 ms" passes=20 engine="null" {
    streams "reader" over="f" op="read" block="64 KiB" rate="300 /s"
}"#;

/// How the newest run ended.
fn state(program: &Program) -> String {
    program.json("list")["runs"][0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_rank_that_is_killed_ends_the_run_and_finished_passes_stay() {
    let program = Program::in_memory();
    program.write("s.kdl", PASSES);
    let running = Ranks::here(3).start(&program, "measure s.kdl --no-progress");
    program.await_passes(2);
    signal(&program, 2, Signal::KILL);
    let ended = running.wait();
    assert_ne!(ended.code(), 0);
    assert!(records(&program).len() >= 2);
    if !KILLS_AT_ONCE {
        assert_eq!(state(&program), "failed");
        ended.tells(&["rank 2 has said nothing for"]);
    }
}

#[test]
fn a_rank_that_hangs_is_named_and_not_waited_for() {
    let program = Program::in_memory();
    program.write("s.kdl", PASSES);
    let running = Ranks::here(3).start(&program, "measure s.kdl --no-progress");
    program.await_passes(1);
    signal(&program, 1, Signal::STOP);
    let ended = running.wait();
    assert_ne!(ended.code(), 0);
    ended.tells(&["rank 1 has said nothing for"]);
    assert_eq!(state(&program), "failed");
}

/// What the other ranks have of the pass in which one fell silent is kept, and says so.
#[test]
fn a_pass_of_which_a_rank_left_no_record_is_marked() {
    let program = Program::in_memory();
    program.write("s.kdl", PASSES.replace("700 ms", "4 s"));
    let running = Ranks::here(3).start(&program, "measure s.kdl --no-progress");
    program.await_passes(1);
    // Well inside the second pass.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    signal(&program, 1, Signal::STOP);
    assert_ne!(running.wait().code(), 0);
    let records = records(&program);
    let [first, last] = [records.first().unwrap(), records.last().unwrap()];
    let failed = |record: &Value| {
        let mut all = record["warnings"].as_array().unwrap().iter();
        all.find(|one| one["kind"] == "pass-failed").map(|one| one["text"].to_string())
    };
    assert_eq!(failed(first), None);
    assert!(failed(last).unwrap().contains("rank 1 left no record"), "{last}");
    let streams = |record: &Value| record["streams"].as_array().unwrap().len();
    assert_eq!((streams(first), streams(last)), (3, 2));
}

#[test]
fn ctrl_c_ends_all_ranks_in_order() {
    let program = Program::in_memory();
    program.write("s.kdl", PASSES);
    let running = Ranks::here(3).start(&program, "measure s.kdl --no-progress");
    program.await_passes(1);
    running.interrupt();
    let ended = running.wait();
    assert_ne!(ended.code(), 0);
    await_that("no rank is left", || !is_any_left(&program));
    assert!(!records(&program).is_empty());
}

fn is_any_left(program: &Program) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let at = |entry: std::fs::DirEntry| std::fs::read_link(entry.path().join("cwd")).ok();
    processes.filter_map(at).any(|at| at == program.directory())
}

/// A target that a rank loses ends the run, and that rank says so.
#[test]
fn a_rank_that_loses_its_target_ends_the_run() {
    let program = Program::new();
    program.write(
        "s.kdl",
        r#"study "s"
layout { file "f" count=2 size="4 MiB" }
bind from="f" to="f[0-1]"
workload time="60 s" { streams "reader" over="f" op="read" block="64 KiB" }"#,
    );
    program.file("f0", 4 << 20);
    program.file("f1", 4 << 20);
    let running = Ranks::here(2).start(&program, "measure s.kdl --no-progress");
    await_that("its run begins", || program.json("list")["runs"][0].is_object());
    std::thread::sleep(std::time::Duration::from_millis(500));
    std::fs::File::options().write(true).open(program.path("f1")).unwrap().set_len(0).unwrap();
    let ended = running.wait().ends(6);
    ended.tells(&["rank 1", "f1 ended at"]);
}

/// Another program fills the file system that one rank creates its files on: the run ends, its
/// finished pass stays, and no file is left.
#[test]
fn a_rank_whose_disk_fills_up_ends_the_run() {
    if !is_root() {
        return not_run("a small file system needs root");
    }
    let mut bench = Bench::new();
    let small = bench.mount(&["-t", "tmpfs", "-o", "size=16M", "none"], "small");
    let program = Program::new();
    program.write(
        "s.kdl",
        format!(
            r#"study "s"
layout {{
    tree "here" files=150 directories=1 file-size="4 KiB" directory="."
    tree "there" files=150 directories=1 file-size="4 KiB" directory="{}"
}}
workload passes=100 {{
    streams "a" over="here" op="create" rate="100 /s"
    streams "b" over="there" op="create" rate="100 /s"
}}"#,
            small.display()
        ),
    );
    let running = Ranks::here(2).start(&program, "measure s.kdl --no-progress");
    program.await_passes(1);
    let filled = std::fs::write(small.join("others"), vec![0; 32 << 20]).unwrap_err();
    assert_eq!(filled.kind(), std::io::ErrorKind::StorageFull);
    let ended = running.wait().ends(6);
    ended.tells(&["rank 1", "the file system is full"]);
    assert_eq!(state(&program), "failed");
    let left: Vec<_> =
        std::fs::read_dir(&small).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left, ["others"]);
}

#[test]
fn what_is_wrong_with_a_command_line_or_a_study_is_said_once() {
    let program = Program::in_memory();
    let missing = Ranks::here(3).run(&program, "measure none.kdl");
    assert_eq!(missing.stderr.matches("cannot read the study none.kdl").count(), 1);
    let wrong = Ranks::here(3).run(&program, "size");
    assert_eq!(wrong.stderr.matches("arguments were not provided").count(), 1);
    let refused = Ranks::here(2).run(&program, "list").ends(4);
    assert_eq!(refused.stderr.matches("tune and size run on several ranks").count(), 1);
}

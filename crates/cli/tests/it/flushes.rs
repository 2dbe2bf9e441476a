//! Writes that reach stable storage: every way of `--sync`, on files, volumes and real devices.

use serde_json::Value;

use crate::loopback::{Bench, MIB, is_root};
use crate::program::Program;
use crate::shape;

const SHORT: &str = "--op write --block 8KiB --depth 1 --time 300ms --warm-up 0s --passes 1 \
                     --no-path --no-report --no-progress";

fn findings(run: &Value) -> &Value {
    &run["trials"][0]["findings"]
}

#[test]
fn a_flush_follows_as_many_writes_as_were_asked_for_whatever_the_engine() {
    for engine in ["uring", "calls", "threads"] {
        for (sync, every) in [("fdatasync", 1), ("fsync=4", 4)] {
            // A disk that others use may complete fewer than four writes in so short a time.
            let program = Program::in_memory();
            let line =
                format!("measure --target . --size 8MiB --sync {sync} --engine {engine} {SHORT}");
            let run = program.json(&line);
            shape::trials(&run);
            let found = findings(&run);
            let requests = found["requests"].as_u64().unwrap();
            let flush = &found["flush"];
            let flushes = flush["flushes"].as_u64().unwrap();
            assert_eq!(flushes, requests / every, "{engine} {sync}: {requests} writes");
            let seconds = found["duration_ns"].as_f64().unwrap() / 1e9;
            let commits = (flush["commits_per_sec"].as_f64().unwrap() * seconds).round();
            assert_eq!(commits as u64, flushes * every, "{engine} {sync}: writes covered");
            assert!(flush["latency_ns"]["mean"].as_f64() > Some(0.0), "{flush}");
            let [write, commit] = [&found["latency_ns_mean"], &flush["commit_latency_ns"]["mean"]]
                .map(|mean| mean.as_f64().unwrap());
            assert!(commit > write, "{engine} {sync}: {commit} {write}");
        }
    }
}

#[test]
fn a_synchronous_write_has_no_flush_of_its_own() {
    for sync in ["dsync", "sync", "none"] {
        let program = Program::new();
        let run = program.json(&format!("measure --target . --size 8MiB --sync {sync} {SHORT}"));
        assert_eq!(findings(&run)["flush"], Value::Null, "{sync}");
        assert_eq!(run["trials"][0]["environment"]["workload.sync"], sync);
    }
}

#[test]
fn the_verdict_says_whether_writes_were_flushed() {
    for (sync, said) in [
        ("none", "writes not flushed"),
        ("end", "flushed at the end"),
        ("fdatasync=2", "fdatasync=2"),
        ("dsync", "dsync"),
    ] {
        let program = Program::new();
        let shown = program
            .line(&format!("measure --target . --size 8MiB --sync {sync} {SHORT}"))
            .done()
            .stdout;
        // It ends at the first empty line, on one line or several.
        let lines: Vec<&str> = shown.lines().take_while(|line| !line.is_empty()).collect();
        let verdict = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        assert!(verdict.contains(&format!(", {said})")), "{verdict}");
        assert_eq!(shown.contains("· flush"), matches!(sync, "end" | "fdatasync=2"), "{shown}");
    }
}

#[test]
fn a_flush_of_a_volume_reaches_its_members_and_the_end_of_a_pass_waits_for_one() {
    let program = Program::new();
    program.write(
        "study.kdl",
        "study \"s\"\nlayout {\n\
         file \"f\" count=3 size=\"4 MiB\" directory=\".\"\n\
         stripe \"s\" unit=\"64 KiB\" over=\"f\"\n}\n\
         workload time=\"200 ms\" warm-up=\"0 s\" passes=1 {\n\
         streams \"w\" over=\"s\" op=\"write\" block=\"192 KiB\" sync=\"end\"\n}\n",
    );
    let run = program.json("measure study.kdl --no-progress --no-report");
    assert_eq!(findings(&run)["flush"]["flushes"], 1);
    for commit in ["commit_latency_ns", "commits_per_sec"] {
        assert_eq!(findings(&run)["flush"][commit], Value::Null);
    }
}

#[test]
fn a_device_counts_the_flushes_that_it_carries_out() {
    if !is_root() {
        return;
    }
    for sync in ["fdatasync", "dsync"] {
        let mut bench = Bench::new();
        let node = bench.device("d", 32 * MIB);
        let program = Program::new();
        let run = program.json(&format!("measure --target {node} --sync {sync} {SHORT}"));
        let found = findings(&run);
        program.line("export last run.jsonl").done();
        let text = std::fs::read_to_string(program.path("run.jsonl")).unwrap();
        let record: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        let entity = record["entities"].as_array().unwrap().iter();
        let is_device = |one: &Value| one["layer"] == "device";
        let entity = entity.clone().position(is_device).unwrap_or_else(|| panic!("{record:#}"));
        let grown = |counter: &str| {
            let all = record["series"].as_array().unwrap().iter();
            let mut of = all.filter(|one| one["entity"] == entity && one["counter"] == counter);
            let steps = of.next().unwrap()["steps"].as_array().unwrap();
            steps.iter().filter_map(Value::as_u64).sum::<u64>()
        };
        let requests = found["requests"].as_u64().unwrap();
        // The first sample may miss the first flushes.
        assert!(grown("flush-operations") + 2 >= requests, "{sync}: {requests} writes");
        // A journal may flush as well.
        assert!(grown("flush-operations") <= 3 * requests + 10, "{sync}: {requests} writes");
        assert!(grown("flush-ns") > 0);
    }
}

#[test]
fn a_writer_is_limited_by_its_flushes_in_a_simulation_and_in_bounds() {
    let program = Program::new();
    program.write(
        "wal.kdl",
        "study \"wal\"\npath { host \"h\" {\n\
         ssd \"d\" latency=\"80 us\" flush-time=\"900 us\" size=\"1 GB\"\n} }\n\
         workload {\n\
         streams \"wal\" over=\"h.d\" op=\"write\" block=\"8 KiB\" sync=\"fdatasync\"\n}\n",
    );
    let simulated = program.json("simulate wal.kdl --no-report --no-progress");
    let found = &simulated["cases"][0]["findings"];
    assert_eq!(found["limit"]["cause"], "flush");
    let commits = found["headline"]["operations_per_sec"].as_f64().unwrap();
    assert!((commits * 980e-6 - 1.0).abs() < 0.01, "1 / (write + flush): {commits}");
    let predicted = program.line("predict wal.kdl").done().stdout;
    let binds = "flushes of wal are the bottleneck (one at a time, flush-time=\"900 us\" of h.d)";
    assert!(predicted.contains(binds), "{predicted}");
    let predicted = program.json("predict wal.kdl");
    let commits = predicted["cases"][0]["prediction"]["operations_per_sec"].as_f64().unwrap();
    assert!((commits * 980e-6 - 1.0).abs() < 1e-5, "1 / (write + flush): {commits}");
    let checked = program.line("check wal.kdl").done().stdout;
    assert!(checked.contains("writes sequential, fdatasync=1"), "{checked}");
}

#[test]
fn mistakes_in_how_to_sync_are_told() {
    let program = Program::new();
    for (words, part) in [
        (
            "--op write --sync maybe",
            "--sync: \"maybe\" is not a mode; use none, dsync, sync, fsync",
        ),
        (
            "--op write --sync fsync=0",
            "--sync: \"fsync=0\" needs a number of writes from 1 to 65536",
        ),
        ("--op write --sync fsync=", "needs a number of writes from 1 to 65536"),
        ("--op write --sync dsync=2", "is not a mode"),
        ("--op write --sync fsync=5000000", "sync-every is 65536 at most"),
        ("--sync fsync", "only reads, so there is nothing to sync"),
        ("--op write --engine mmap --sync sync", "cannot be synchronous one by one"),
    ] {
        program.line(&format!("measure --target . --size 8MiB {words}")).ends(3).tells(&[part]);
    }
}

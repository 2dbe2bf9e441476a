//! `iopath tune`: what the Veritas study's authors chose, limits, kernel settings and their
//! restoring, and what cannot be tuned.

mod targets;

use std::fs::read_to_string;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::loopback::{Bench, MIB, is_root};
use crate::program::{Program, await_that};

/// Two drives behind one port; larger requests are faster, and more in flight only waits.
const DRIVES: &str = r#"study "drives"
path {
    host "server" {
        hba "port" both=(given)"2 GB/s" {
            nvme "drive" count=2 both=(given)"1.5 GB/s" latency=(given)"100 us"
        }
    }
}
layout { stripe "vol" unit="64 KiB" over="server.port.drive" }
workload time="500 ms" {
    streams "app" count=4 over="vol" op="read" block="64 KiB" pattern="random"
}
vary {
    factor "unit" of="vol.unit" "64 KiB" "256 KiB" "1 MiB"
    factor "block" of="app.block" "4 KiB" "16 KiB" "64 KiB" "256 KiB"
    factor "depth" of="app.depth" 1 4 16 64
}
"#;

fn level<'a>(setting: &'a Value, factor: &str) -> &'a str {
    let all = setting["levels"].as_array().unwrap();
    let found = all.iter().find(|one| one["factor"] == factor);
    found.expect("each setting has every factor")["level"].as_str().unwrap()
}

/// 512 KiB and one stream of readahead, the smallest that is fair and fills the path.
#[test]
fn the_readers_of_veritas_get_what_its_authors_chose() {
    let study = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../studies/templates/veritas-tuning.kdl");
    let program = Program::in_memory();
    let words = ["tune", study.to_str().unwrap(), "--no-report", "--json", "--threads", "1"];
    let found = program.run(words).done().json();
    assert_eq!(found["format"], "iopath-tuning/1");
    assert_eq!(level(&found["best"], "width"), "512 KiB");
    assert_eq!(level(&found["best"], "readahead"), "1");
    let (trials, all) =
        (found["trials"].as_u64().unwrap(), found["combinations"].as_u64().unwrap());
    assert!(4 * trials <= all, "{trials} of {all}");
    assert_eq!(found["today"]["keeps_limits"], false, "24 streams are unfair");
    let changes = found["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1);
    assert!(changes[0]["way"]["file-system"].is_array(), "{changes:?}");
}

#[test]
fn a_limit_of_response_time_keeps_the_depth_low_and_the_best_is_a_study() {
    let program = Program::in_memory();
    program.write("s.kdl", DRIVES);
    let line = "tune s.kdl --for iops --latency p99=130us --trials 24 --no-report -o best.kdl";
    let found = program.json(line);
    assert_eq!(found["keeps_limits"], true);
    let best = &found["best"];
    assert!(best["figures"]["response_ns"].as_f64().unwrap() <= 130_000.0);
    assert_eq!(level(best, "unit"), "64 KiB", "a volume is not made anew for nothing");
    let without = program.json("tune s.kdl --for iops --trials 24 --no-report");
    let rate = |found: &Value| found["best"]["figures"]["operations_per_sec"].as_f64().unwrap();
    assert!(rate(&without) > rate(&found), "the limit costs something");
    let simulated = program.json("simulate best.kdl --no-report");
    let findings = &simulated["cases"][0];
    assert!(findings.is_object(), "{simulated}");
    let again = program.line("tune s.kdl --no-report -o best.kdl");
    again.ends(5).tells(&["best.kdl"]);
}

#[test]
fn the_same_seed_gives_the_same_answer_and_kept_trials_are_a_run() {
    let program = Program::in_memory();
    program.write("s.kdl", DRIVES);
    let first = program.json("tune s.kdl --no-report --keep");
    let second = program.json("tune s.kdl --no-report --threads 1");
    assert_eq!(first["tried"], second["tried"]);
    assert_eq!(first["run"], "1");
    let shown = program.line("show 1").done().stdout;
    assert!(shown.contains("block=4 KiB"), "{shown}");
}

#[test]
fn a_limit_that_nothing_keeps_names_the_nearest() {
    let program = Program::in_memory();
    program.write("s.kdl", DRIVES);
    let ended = program.line("tune s.kdl --latency p99=10us --no-report");
    let said = ended.ends(4).stdout;
    assert!(said.contains("no setting that was tried has p99"), "{said}");
    assert!(said.contains("the nearest is"), "{said}");
}

#[test]
fn what_is_asked_wrongly_is_said() {
    let program = Program::in_memory();
    program.write("s.kdl", DRIVES);
    program.write("none.kdl", DRIVES.split("vary").next().unwrap());
    for (line, parts) in [
        ("tune none.kdl", &["there is nothing to choose", "factor \"block\""][..]),
        ("tune s.kdl --fairness 2", &["0 to 1, not 2"]),
        ("tune s.kdl --margin 60%", &["0% to 50%, not 60%"]),
        ("tune s.kdl --latency p98=1ms", &["no figure of response time"]),
        ("tune s.kdl --apply", &["--apply needs --technique measure"]),
        ("tune s.kdl --case unit=3MiB", &["no case matches \"unit=3MiB\"; available: unit="]),
        ("tune s.kdl --technique measure", &["server.port.drive"]),
    ] {
        program.line(line).ends(3).tells(parts);
    }
}

/// A study of readers through the page cache, of which the kernel's readahead decides.
fn readers(directory: &str) -> String {
    format!(
        r#"study "readers"
layout {{ file "f" count=2 }}
bind from="f" to="{directory}/f[0-1]"
workload time="200 ms" cache="drop" {{ streams "reader" over="f" op="read" block="16 KiB" }}
vary {{ factor "readahead" of="workload.kernel-readahead" "16 KiB" "128 KiB" "1 MiB" }}
"#
    )
}

/// An ext4 with two files, the file of its readahead, and a program that has its study.
fn readahead(bench: &mut Bench) -> (Program, PathBuf) {
    let (node, directory) = bench.ext4("data", 96 * MIB);
    for name in ["f0", "f1"] {
        std::fs::write(directory.join(name), vec![7; 24 << 20]).unwrap();
    }
    let disk = node.trim_start_matches("/dev/");
    let program = Program::new();
    program.write("r.kdl", readers(directory.to_str().unwrap()));
    (program, PathBuf::from(format!("/sys/block/{disk}/queue/read_ahead_kb")))
}

#[test]
fn the_kernel_is_as_before_after_a_tuning() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (program, file) = readahead(&mut bench);
    let value = || read_to_string(&file).unwrap().trim().to_owned();
    std::fs::write(&file, "128").unwrap();
    let found = program.json("tune r.kdl --technique measure --no-report --fairness 0");
    assert_eq!(value(), "128");
    assert_eq!(level(&found["today"], "readahead"), "128 KiB", "what the machine has now");
    assert_eq!(found["trials"], 3, "trials suffice for all");
    std::fs::write(&file, "64").unwrap();
    let refused = program.line("tune r.kdl --technique measure --no-report");
    refused.ends(3).tells(&["no level for what is set now", "is 64; add it"]);
}

#[test]
fn what_is_proven_is_applied_and_nothing_else() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (program, file) = readahead(&mut bench);
    let value = || read_to_string(&file).unwrap().trim().to_owned();
    std::fs::write(&file, "16").unwrap();
    let line = "tune r.kdl --technique measure --no-report --fairness 0 --json --apply";
    let applied = program.line(line).done();
    let applied =
        applied.tells(&["trials set read_ahead_kb (now 16) of loop", "restored afterwards"]);
    let found = applied.json();
    let best = level(&found["best"], "readahead");
    if found["is_proven"] == true {
        applied.tells(&["applied until the next restart: 1 kernel setting"]);
        let kib = best.replace("1 MiB", "1024 KiB").replace(" KiB", "");
        assert_eq!(value(), kib);
        let setting = &found["changes"][0]["way"]["kernel"][0];
        assert_eq!(
            (&setting["before"], &setting["after"]),
            (&Value::from("16"), &Value::from(kib))
        );
    } else {
        applied.tells(&["nothing applied"]);
        assert_eq!(value(), "16");
    }
}

#[test]
fn a_tuning_that_is_killed_leaves_the_kernel_as_it_was() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (program, file) = readahead(&mut bench);
    let value = || read_to_string(&file).unwrap().trim().to_owned();
    std::fs::write(&file, "128").unwrap();
    for pause_ms in [0, 40, 90] {
        let line = "tune r.kdl --technique measure --no-report --fairness 0";
        let mut running = program.start(line);
        await_that("the kernel is set", || value() != "128");
        std::thread::sleep(Duration::from_millis(pause_ms));
        running.kill();
        await_that("the guard has restored it", || value() == "128");
    }
}

#[test]
fn what_a_device_does_not_take_is_refused_before_anything_is_measured() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (program, _) = readahead(&mut bench);
    let study = readers(bench.path("data").to_str().unwrap());
    let factor = "\"scheduler\" of=\"workload.kernel-max-request\" \"1280 KiB\" \"64 MiB\" }";
    let (head, _) = study.split_once("\"readahead\"").unwrap();
    program.write("m.kdl", format!("{head}{factor}\n"));
    let refused = program.line("tune m.kdl --technique measure --no-report");
    refused.ends(4).tells(&["max_sectors_kb does not take 65536", "kernel-max-request"]);
}

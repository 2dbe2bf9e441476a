//! `iopath profile`: capacities of an emulated path are found without knowing them, and what is
//! measured of this machine is in the paths that are discovered from then on.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::emulations::{Standing, emulate};
use crate::loopback::{Bench, MIB, is_root};
use crate::program::{Program, await_that};

/// Two disks behind an adapter, which is full with both of them.
const RATED: &str = r#"study "Two disks"
path {
    host "server" {
        hba read=(given)"150 MB/s" {
            disk "disk" count=2 read=(given)"100 MB/s" size="64 MiB"
        }
    }
}
workload { streams "reader" over="server..disk" op="read" block="64 KiB" depth=2 }
"#;

/// How far measured rates of token buckets may be off on a busy machine.
const OFF: f64 = 0.05;

/// How often at most.
const TRIES: usize = 6;

/// State and rate of each component under large reads.
fn throughput(profile: &Value) -> BTreeMap<String, (String, f64)> {
    assert_eq!(profile["format"], "iopath-profile/1");
    let components = profile["components"].as_array().unwrap().iter();
    let each = components.filter_map(|component| {
        let carried = component["carried"].as_array()?.iter();
        let one = carried.into_iter().find(|one| one["load"]["figure"] == "throughput")?;
        let state = one["state"].as_str()?.to_owned();
        Some((component["name"].as_str()?.to_owned(), (state, one["per_sec"].as_f64()?)))
    });
    each.collect()
}

#[test]
fn capacities_of_a_path_are_found_without_knowing_them() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    bench.work_alone();
    let program = Program::in_memory();
    program.write("rated.kdl", RATED);
    let standing = Standing(&program);
    let up = emulate(&program, "rated.kdl --up --loops --scale 1:1").done();
    let lines = up.stdout.lines().map(str::trim);
    let devices = lines.filter_map(|line| line.split_once("  ").map(|(path, _)| path));
    let devices: Vec<&str> = devices.filter(|path| path.starts_with("/dev/loop")).collect();
    let (path, workload) = RATED.split_once("workload").unwrap();
    let bind =
        format!("    bind from=\"server.hba.disk\" to={:?}\n}}\nworkload", devices.join(", "));
    let bare =
        path.replace(" read=(given)\"150 MB/s\"", "").replace(" read=(given)\"100 MB/s\"", "");
    let (bare, _) = bare.rsplit_once('}').unwrap();
    program.write("bare.kdl", format!("{bare}{bind}{workload}"));

    let expected =
        [("server.hba", 150e6), ("server.hba.disk[0]", 100e6), ("server.hba.disk[1]", 100e6)];
    // What a busy machine's processors limit proves no capacity, so it is tried again.
    let mut full: BTreeMap<&str, (f64, String)> = BTreeMap::new();
    for tried in 0..TRIES {
        let study = format!("found-{tried}.kdl");
        let line = format!("profile bare.kdl --quick --time 600ms --json -o {study}");
        let found = throughput(&program.line(&line).done().json());
        for (name, _) in expected {
            if found[name].0 == "full" {
                full.entry(name).or_insert((found[name].1, study.clone()));
            }
        }
        if full.len() == expected.len() {
            break;
        }
    }
    drop(standing);
    for (name, rate) in expected {
        let seen = full.get(name).map(|(seen, _)| *seen).expect(name);
        assert!((seen / rate - 1.0).abs() < OFF, "{name}: {seen}");
    }
    let study = &full["server.hba"].1;
    let text = std::fs::read_to_string(program.path(study)).unwrap();
    let other = "the same devices use it and server, so one of them was full";
    assert!(text.contains(other), "{text}");
    let predicted = &program.json(&format!("predict {study}"))["cases"][0]["prediction"];
    let bound = predicted["throughput_bytes_per_sec"].as_f64().unwrap();
    assert!((bound / 150e6 - 1.0).abs() < OFF, "{bound}");
    let shown = program.line("show last").done();
    for wanted in ["2 devices read", "path, predicted, large reads of 2 devices"] {
        assert!(shown.stdout.contains(wanted), "{wanted}: {}", shown.stdout);
    }
    let explained = program.json("explain last");
    assert_eq!(explained["experiments"], 9, "one latency of two equal devices");
}

#[test]
fn what_is_measured_of_this_machine_is_in_its_path_from_then_on() {
    let program = Program::new();
    program.line("profile . --quick --time 200ms").done();
    let file = program.store().with_file_name("runs-profile.json");
    assert!(file.exists());
    let study = program.line("discover .").done().stdout;
    assert!(study.contains("cost use=(assumed)\"linux-io_uring\""), "{study}");
    assert!(study.contains("request=(\"measured 20"), "{study}");
    // A machine whose temporary directory is in memory has no drive here.
    let has_drive = study.contains(" latency=(\"measured 20");
    assert_eq!(study.contains("flush-time=(\"measured 20"), has_drive, "{study}");
    let alone = program.json("explain last")["alone"].as_array().unwrap().clone();
    let copy = alone.iter().find(|one| one["load"]["figure"] == "copy").unwrap();
    // Who else reads the disk meanwhile leaves it open who served the reads.
    let is_served = copy["limit"] == "page-cache";
    assert_eq!(study.contains("copy=(\"measured 20"), is_served, "{copy} {study}");
    program.write("here.kdl", &study);
    program.line("check here.kdl").done();
    let measured = program.line("measure --size 8MiB --time 100ms --warm-up 0s --passes 1").done();
    assert!(measured.stdout.contains("as described"), "{}", measured.stdout);

    // Another disk under the same name keeps its rating.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"what\": \"host\"", "\"what\": \"socket\"")).unwrap();
    let discovered = program.line("discover .").done();
    assert!(discovered.stderr.contains("(host): not what was profiled"), "{}", discovered.stderr);
    assert!(!discovered.stdout.contains("cost use"), "{}", discovered.stdout);
}

#[test]
fn a_target_may_have_any_name_and_what_was_measured_is_no_mistake() {
    let program = Program::new();
    program.file("one", 1 << 20);
    program.line("profile one --quick --time 200ms --no-report -o m.kdl").done();
    program.line("check m.kdl").done();
}

#[test]
fn a_rating_that_was_exceeded_limits_no_prediction() {
    let program = Program::new();
    program.file("data", 1 << 20);
    let study = r#"study "A disk that is rated too low"
path { disk "d" both=(given)"1 kB/s" size="1 MiB" }
layout {
    filesystem "fs" on="d"
    file "f" on="fs" size="1 MiB"
    bind from="f" to="data"
}
workload { streams "reader" over="f" op="read" block="64 KiB" }
"#;
    program.write("low.kdl", study);
    let line = "profile low.kdl --quick --time 200ms --no-report -o m.kdl";
    let found = program.line(line).done();
    let warned = ", more than the stated 1.000 kB/s (both), which is too low unless a cache";
    assert!(found.stdout.contains(warned), "{}", found.stdout);
    let written = std::fs::read_to_string(program.path("m.kdl")).unwrap();
    let raised = |line: &str| line.contains("d.both") && line.contains("more than the stated 1 kB");
    assert!(written.lines().any(raised), "{written}");
    let predicted = &program.json("predict m.kdl")["cases"][0]["prediction"];
    assert!(predicted["throughput_bytes_per_sec"].as_f64() > Some(1e5), "{predicted}");
    let exceeded = program.json("explain last")["components"].to_string();
    let stated = r#""exceeded":[{"property":"both","stated_per_sec":1000.0}]"#;
    assert!(exceeded.contains(stated), "{exceeded}");
}

#[test]
fn experiments_and_their_time_are_listed_without_any_of_it() {
    let program = Program::new();
    program.file("data", 1 << 20);
    let plan = program.line("profile data --plan").done();
    let lines: Vec<&str> = plan.stdout.lines().collect();
    assert_eq!(lines.len(), 9, "{}", plan.stdout);
    assert!(lines.iter().all(|line| line.contains("data: ") && line.contains("read")));
    assert!(!program.store().exists());
    let refused = program.run(["profile", "data", "--quick", "--allow-destroy", "data"]).ends(5);
    refused.tells(&["--allow-destroy /"]);
    let path = program.path("data").display().to_string();
    let writes = program.run(["profile", "data", "--plan", "--allow-destroy", &path]).done();
    assert!(writes.stdout.contains("data: sequential write 1 MiB, depth 8"), "{}", writes.stdout);
    let strange = program.line("profile data --plan --allow-destroy date").ends(3);
    let why =
        format!("--allow-destroy date: no target of this profile has this name; targets: {path}");
    strange.tells(&[&why]);
    let scratch = program.line("profile . --plan --allow-destroy date").ends(3);
    scratch.tells(&["has this name; leave it out: scratch files need none"]);
}

/// By its node, or by the name that a refusal prints.
#[test]
fn a_device_is_written_by_either_of_its_names() {
    if !is_root() {
        return;
    }
    let (program, mut bench) = (Program::new(), Bench::new());
    let device = bench.device("backing", 64 * MIB);
    let backing = bench.path("backing").display().to_string();
    for name in [&device, &backing] {
        let plan = program.run(["profile", &device, "--plan", "--allow-destroy", name]).done();
        assert!(plan.stdout.contains("sequential write"), "{name}: {}{}", plan.stdout, plan.stderr);
        assert!(!plan.stderr.contains("no target"), "{}", plan.stderr);
    }
}

#[test]
fn a_stopped_profile_goes_on_where_it_was() {
    let program = Program::new();
    let line = "profile . --quick --time 300ms --no-report";
    let running = program.start(line);
    program.await_passes(3);
    running.interrupt();
    let stopped = running.wait();
    assert_eq!(stopped.code(), 130, "{}", stopped.stderr);
    let kept = program.line(line).done();
    assert!(kept.stderr.contains("of the stopped run 1 are kept"), "{}", kept.stderr);
    let runs = program.json("list");
    assert_eq!(runs["runs"][0]["state"], "interrupted");
    assert_eq!((&runs["runs"][1]["trials"], &runs["runs"][1]["passes"]), (&9.into(), &18.into()));
    let verdict = runs["runs"][1]["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("one device read "), "{verdict}");
    // A finished one is not continued.
    let running = program.start(line);
    let begun = || program.json("list")["runs"][2]["passes"].as_u64() >= Some(1);
    await_that("it begins anew", begun);
    running.interrupt();
    let again = running.wait();
    assert!(!again.stderr.contains("are kept"), "{}", again.stderr);
}

#[test]
fn what_cannot_be_profiled_is_refused_before_anything_is_measured() {
    let program = Program::new();
    program.write("unbound.kdl", RATED);
    program.write("tiny", [0; 1000]);
    program.write("empty", "");
    let gone = r#"layout { file "f" size="8 MiB"; bind from="f" to="gone/f" }"#;
    let reader = r#"workload { streams "reader" over="f" block="64 KiB" }"#;
    program.write("gone.kdl", format!("study \"gone\"\n{gone}\n{reader}\n"));
    for (line, code, why) in [
        ("profile tiny", 4, "tiny: 1 kB is too small to profile: the largest request is 1 MiB"),
        ("profile empty", 4, "empty: 0 B is too small to profile"),
        ("profile nothing", 4, "nothing: name a study, or a target that exists"),
        ("profile unbound.kdl", 3, "is not bound to a real device or file"),
        ("profile . --time 10ms", 3, "--time: 10 ms is too short, at least 200 ms"),
        ("profile . --time soon", 3, "--time"),
        ("profile unbound.kdl unbound.kdl", 3, "name one study, or targets only"),
        ("profile . --json -o -", 3, "both print on stdout"),
        ("profile . --quick --thorough", 3, "--thorough"),
        ("profile . --quick -o unbound.kdl", 5, "unbound.kdl exists"),
        ("profile gone.kdl --plan", 4, "gone/f"),
    ] {
        let ended = program.line(line);
        assert_eq!(ended.code(), code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(why), "{line}: {}", ended.stderr);
    }
    assert!(!program.store().exists());
}

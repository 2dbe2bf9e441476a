//! `iopath measure` from options: each option shows in what was done, and the JSON keeps its shape.

use serde_json::Value;

use crate::program::Program;
use crate::shape;

/// A pass as short as can be.
const SHORT: &str = "--time 60ms --warm-up 0s --passes 1";
const MIB: usize = 1 << 20;

#[test]
fn a_run_from_options_is_called_by_what_it_measures() {
    let program = Program::in_memory();
    for name in ["data", "more"] {
        program.file(name, MIB);
    }
    for (options, title) in [
        ("--target data", "sequential read 1 MiB, depth 8, on data"),
        ("--op write", "sequential write 1 MiB, depth 8, on the current directory"),
        (
            "--target data --pattern random --op mix=70% --depth 4 --streams 2 --rate 500/s",
            "random read/write 4 KiB, 70 % reads, depth 4, 2 streams, at 500 /s, on data",
        ),
        (
            "--target data --target more --op write --sync fsync=4",
            "sequential write 1 MiB, depth 8, 2 streams, fsync=4, on data and 1 more",
        ),
        (
            "--target data --set load.depth=2",
            "sequential read 1 MiB, depth 8, on data (load.depth=2)",
        ),
        ("--metadata create,stat --files 50", "create, stat 50 files, in the current directory"),
    ] {
        let plan = program.line(&format!("plan {options}")).done().stdout;
        assert!(plan.starts_with(&format!("// {title}: ")), "{title}\n{plan}");
    }
}

#[test]
fn a_stored_run_with_the_title_of_old_is_compared_with_a_new_one() {
    let program = Program::in_memory();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures");
    program.line(&format!("import {folder}/before.jsonl")).done();
    program.file("data", MIB);
    program.line(&format!("measure --target data --depth 2 {SHORT}")).done();
    let compared = program.json("compare 1 2");
    assert_eq!(compared["comparison"]["trials"].as_array().unwrap().len(), 1, "{compared}");
    let text = program.line("compare 1 2").done().stdout;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert!(lines[1].starts_with("A    1  measured from options"), "{text}");
    assert!(lines[2].starts_with("B    2  sequential read 1 MiB, depth 2, on data"), "{text}");
}

#[test]
fn what_differs_between_two_loads_has_the_words_of_a_study() {
    let program = Program::in_memory();
    program.file("data", MIB);
    for load in ["", "--pattern random --rate 3000/s"] {
        program.line(&format!("measure --target data --block 4KiB {SHORT} {load}")).done();
    }
    let text = program.line("compare 1 2").done().stdout;
    for line in [
        "workload.pacing: closed loop -> 3000 /s, constant",
        "workload.pattern: sequential -> random",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

/// Measures a file of 8 MiB in memory; returns the findings after a strict reading.
fn measured(options: &str) -> (Value, Value) {
    let program = Program::in_memory();
    program.file("data", 8 * MIB);
    let run = program.json(&format!("measure --target data {SHORT} {options}"));
    let findings = shape::only(&run).clone();
    assert!(findings["requests"].as_u64().unwrap() > 0, "{options}: {findings:#}");
    assert_eq!(shape::broken(&findings), Vec::<String>::new(), "{options}");
    assert_eq!(program.names(), ["data"], "{options}");
    (findings, run["trials"][0].clone())
}

fn text(trial: &Value) -> &str {
    trial["case"]["text"].as_str().unwrap()
}

#[test]
fn every_pattern_is_measured_with_its_properties() {
    for (pattern, property) in [
        ("sequential", "pattern=\"sequential\""),
        ("staggered", "pattern=\"staggered\""),
        ("random-start", "pattern=\"random-start\""),
        ("interleaved", "pattern=\"interleaved\""),
        ("backwards", "pattern=\"backwards\""),
        ("strided,stride=64KiB", "stride=\"64 KiB\""),
        ("random", "pattern=\"random\""),
        ("zipf,theta=1.2", "theta=1.2"),
        ("hot,hot-share=90%,hot-band=0.1", "hot-share=\"90 %\""),
        ("walk,step=64KiB", "step=\"64 KiB\""),
        ("resident,hits=0.5,set=1MiB", "set=\"1 MiB\""),
    ] {
        let (_, trial) = measured(&format!("--block 4KiB --streams 2 --pattern {pattern}"));
        assert!(text(&trial).contains(property), "{pattern}:\n{}", text(&trial));
    }
}

#[test]
fn engines_buffers_and_regions_are_used_as_asked() {
    for (option, property, fact) in [
        ("--engine calls", "engine=\"calls\"", "calls"),
        ("--engine uring", "engine=\"uring\"", "uring"),
        ("--engine threads", "engine=\"threads\"", "threads"),
        ("--engine mmap", "engine=\"mmap\"", "mmap"),
        ("--engine null", "engine=\"null\"", "null"),
    ] {
        let (_, trial) = measured(option);
        assert!(text(&trial).contains(property), "{option}:\n{}", text(&trial));
        let used = trial["environment"]["engine.used"].as_str().unwrap();
        assert!(used.starts_with(fact), "{option}: {used}");
    }
    for kind in ["heap", "shared", "huge"] {
        let (_, trial) = measured(&format!("--buffers {kind}"));
        assert_eq!(trial["environment"]["buffers.kind"], kind);
    }
    for region in ["own", "shared"] {
        let (findings, trial) = measured(&format!("--region {region} --streams 2 --depth 1"));
        assert!(text(&trial).contains(&format!("region=\"{region}\"")));
        assert_eq!(findings["streams"].as_array().unwrap().len(), 2);
        assert!(findings["jain"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn the_null_engine_is_limited_by_the_generator() {
    let (findings, _) = measured("--engine null");
    assert_eq!(findings["limit"]["cause"], "generator");
}

#[test]
fn files_in_memory_are_never_called_a_device() {
    let program = Program::in_memory();
    program.file("data", 8 * MIB);
    let output = program.line(&format!("measure --target data {SHORT}")).done();
    assert!(output.stdout.starts_with("page cache: "), "{}", output.stdout);
    assert!(output.stderr.contains("iopath show 1"), "{}", output.stderr);
}

#[test]
fn writes_and_mixes_go_to_new_files_only() {
    let program = Program::in_memory();
    let new = |options: &str| format!("measure --target new --size 8MiB {SHORT} {options}");
    let run = program.json(&new("--op write --verify"));
    let findings = shape::only(&run);
    assert!(findings["read"].is_null() && findings["write"].is_null());
    assert_eq!(program.path("new").metadata().unwrap().len(), 8 << 20);
    let line = format!("measure --target foreign {SHORT} --op write");
    let before = std::fs::read(program.file("foreign", MIB)).unwrap();
    program.line(&line).ends(5).tells(&["refusing to write to foreign", "iopath wrote them"]);
    assert_eq!(std::fs::read(program.path("foreign")).unwrap(), before);
    std::fs::remove_file(program.path("new")).unwrap();
    let run = program.json(&new("--op mix=70 --pattern random --block 4KiB"));
    let findings = shape::only(&run);
    let requests = |op: &str| findings[op]["requests"].as_f64().unwrap();
    let share = requests("read") / (requests("read") + requests("write"));
    assert!((0.6..0.8).contains(&share), "{share}");
}

#[test]
fn what_was_written_with_stamps_is_found_right_and_else_wrong() {
    let program = Program::in_memory();
    let words = "measure --target new --size 4MiB --block 64KiB --verify";
    program.line(&format!("{words} --op write --time 300ms --warm-up 0s --passes 1")).done();
    let read = format!("measure --target new --block 64KiB --verify {SHORT}");
    program.line(&read).done();
    let mut bytes = std::fs::read(program.path("new")).unwrap();
    bytes[3 * MIB + 5000] ^= 1;
    program.write("new", bytes);
    let read = "measure --target new --block 64KiB --verify --time 2s --warm-up 0s --passes 1";
    program.line(read).ends(6).tells(&["wrong data", "new"]);
    let listed = program.json("list");
    assert_eq!(listed["runs"].as_array().unwrap().len(), 3);
}

#[test]
fn an_open_loop_has_latencies_from_the_intended_start_and_keeps_its_rate() {
    let open = "--rate 2000/s --arrivals poisson --block 4KiB --pattern random --time 300ms";
    let program = Program::in_memory();
    program.file("data", 8 * MIB);
    let run = program.json(&format!("measure --target data --warm-up 0s --passes 1 {open}"));
    let findings = shape::only(&run);
    let intended: Vec<_> = ["mean", "p50", "p90", "p99", "p999", "max"]
        .iter()
        .map(|name| findings[format!("intended_latency_ns_{name}")].as_f64())
        .collect();
    assert!(intended.iter().all(Option::is_some), "{intended:?}");
    assert!(findings["latency_ns_max"].as_f64() <= findings["intended_latency_ns_max"].as_f64());
    let rate = findings["operations_per_sec"].as_f64().unwrap();
    assert!((1000.0..2600.0).contains(&rate), "{rate}");
    let (closed, _) = measured("");
    assert!(closed["intended_latency_ns_mean"].is_null());
    assert!(closed["intended_latency_ns_max"].is_null());
    let (bytes, _) = measured("--rate 64MiB/s --block 64KiB");
    assert!(bytes["intended_latency_ns_p50"].is_u64());
}

#[test]
fn dropping_the_page_cache_is_proved_in_the_record() {
    // On a disk: files in memory are nothing but page cache.
    let program = Program::new();
    program.file("data", 8 * MIB);
    std::process::Command::new("sync").arg(program.path("data")).status().unwrap();
    let run = program.json(&format!("measure --target data --cache drop {SHORT}"));
    let trial = &shape::trials(&run)[0];
    assert_eq!(trial["environment"]["target.target.cache"], "drop");
    let left = trial["environment"]["target.target.left_cached_bytes"].as_str().unwrap();
    assert_eq!(left, "0");
}

#[test]
fn buffered_requests_of_cached_data_are_the_page_caches() {
    let program = Program::new();
    program.file("data", 8 * MIB);
    let run = program.json(&format!("measure --target data --cache buffered {SHORT}"));
    let limit = &shape::only(&run)["limit"];
    assert_eq!(limit["cause"], "page-cache", "{limit:#}");
    assert!(!limit["evidence"].as_array().unwrap().is_empty());
}

#[test]
fn streams_are_dealt_over_the_targets() {
    let program = Program::in_memory();
    ["a", "b", "c"].iter().for_each(|name| _ = program.file(name, 4 * MIB));
    let words = "measure --target a --target b --target c --streams 5 --depth 1 --block 64KiB";
    let run = program.json(&format!("{words} {SHORT}"));
    let names: Vec<_> = shape::only(&run)["streams"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stream| stream["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names.len(), 5, "{names:?}");
    let text = run["trials"][0]["case"]["text"].as_str().unwrap();
    assert!(text.contains("over=\"target0, target1\" count=2"), "{text}");
    assert!(text.contains("over=\"target2\" count=1"), "{text}");
}

#[test]
fn a_directory_gets_a_scratch_file_that_is_never_seen() {
    let program = Program::in_memory();
    let run = program.json(&format!("measure --target . --size 16MiB {SHORT}"));
    assert_eq!(shape::only(&run)["streams"].as_array().unwrap().len(), 1);
    assert_eq!(program.names(), Vec::<String>::new());
}

#[test]
fn passes_repeat_until_they_agree() {
    let program = Program::in_memory();
    program.file("data", 8 * MIB);
    let words = "measure --target data --time 60ms --warm-up 0s --rate 1000/s --block 4KiB";
    let run = program.json(&format!("{words} --until-ci 50% --passes 2"));
    let findings = shape::only(&run);
    assert!(findings["passes"].as_array().unwrap().len() >= 2);
    assert!(findings["confidence"]["half_width_percent"].as_f64().unwrap() <= 50.0);
}

#[test]
fn a_seed_gives_the_same_requests_and_another_gives_others() {
    let program = Program::in_memory();
    // A pass covers the region once, so the number of reads depends on the seed alone.
    let study = "study \"seeds\"\nlayout { file \"data\" size=\"8 MiB\" }\n\
        workload {\n\
        streams \"a\" over=\"data\" op=\"mix\" reads=0.5 pattern=\"random\" block=\"4 KiB\"\n}\n";
    program.write("seeds.kdl", study);
    let reads = |seed: u32| {
        let run = program.json(&format!("measure seeds.kdl --set workload.seed={seed}"));
        shape::only(&run)["read"]["requests"].as_u64().unwrap()
    };
    let (first, again, other) = (reads(1), reads(1), reads(2));
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn with_no_arguments_four_phases_measure_the_directory() {
    let program = Program::in_memory();
    let short = "--set workload.time=80ms --set workload.warm-up=0s --set scratch.size=64MiB";
    let run = program.json(&format!("measure {short}"));
    let experiments: Vec<_> = shape::trials(&run)
        .iter()
        .map(|trial| {
            assert_eq!(shape::broken(&trial["findings"]), Vec::<String>::new());
            assert!(trial["findings"]["bytes"].as_u64().unwrap() > 0);
            trial["case"]["experiment"].as_str().unwrap()
        })
        .collect();
    let phases = ["sequential write", "sequential read", "random read", "16 sequential readers"];
    assert_eq!(experiments, phases);
    assert_eq!(run["trials"][3]["findings"]["streams"].as_array().unwrap().len(), 16);
    assert_eq!(program.names(), Vec::<String>::new());
    let text = program.line("show last").done().stdout;
    assert!(text.contains("page cache: sequential write"), "{text}");
}

#[test]
fn json_is_alone_on_stdout_and_text_is_for_people() {
    let program = Program::in_memory();
    program.file("data", 8 * MIB);
    let json = program.line(&format!("measure --target data {SHORT} --json --no-report")).done();
    assert!(json.stdout.starts_with('{'), "{}", json.stdout);
    shape::only(&json.json());
    assert_eq!(json.stderr, "");
    let shown = program.json("show last");
    assert_eq!(shown, json.json());
}

//! Loads by name: each is listed, planned as a study that can be saved, and measured.

use serde_json::Value;

use crate::program::Program;
use crate::shape;

/// Cases of each load.
const LOADS: [(&str, usize); 9] = [
    ("postgres-wal", 3),
    ("checkpoint", 2),
    ("oltp", 1),
    ("olap-scan", 1),
    ("kafka-log", 1),
    ("mail", 1),
    ("vm-boot", 3),
    ("video-ingest", 3),
    ("backup", 1),
];

/// Short, on small files.
const SHORT: &str = "--size 8MiB --time 400ms --warm-up 0s --passes 1";

/// Measures a load in a directory in memory.
fn measured(name: &str) -> Value {
    let program = Program::in_memory();
    let before = program.names();
    let line = format!("measure --like {name} {SHORT} --no-path --no-report --no-progress");
    let run = program.json(&line);
    assert_eq!(program.names(), before, "{name} left something");
    run
}

/// Bytes that the streams of this name moved.
fn moved(findings: &Value, stream: &str) -> f64 {
    let streams = findings["streams"].as_array().unwrap().iter();
    let of = streams.filter(|one| {
        let name = one["name"].as_str().unwrap();
        name == stream || name.starts_with(&format!("{stream}["))
    });
    of.map(|one| one["bytes"].as_f64().unwrap()).sum()
}

#[test]
fn every_load_is_listed_and_a_name_that_is_none_gets_the_list() {
    let program = Program::in_memory();
    let unknown = program.line("measure --like postgres").ends(3);
    let help = program.line("measure --help").done().stdout;
    let plan = program.line("plan --help").done().stdout;
    for (name, _) in LOADS {
        let listed = |text: &str| {
            text.lines().any(|line| line.trim().starts_with(name) && line.ends_with('?'))
        };
        assert!(listed(&unknown.stderr), "{name}: {}", unknown.stderr);
        assert!(listed(&help) && listed(&plan), "{name}: {help}");
    }
    unknown.tells(&["--like: there is no load \"postgres\"; there are"]);
}

#[test]
fn what_plan_prints_of_a_load_is_a_study_that_is_planned_the_same() {
    let program = Program::in_memory();
    for (name, cases) in LOADS {
        let words = format!("plan --like {name} {SHORT} --set workload.seed=7");
        let printed = program.line(&words).done().stdout;
        assert!(printed.starts_with(&format!("// {name}: ")), "{printed}");
        assert!(printed.contains("// Left out: "), "{printed}");
        program.write("saved.kdl", &printed);
        program.line("check saved.kdl").done();
        let [load, saved] = [words.as_str(), "plan saved.kdl"].map(|line| program.json(line));
        assert_eq!(load["trials"], saved["trials"], "{name}");
        assert_eq!(load["trials"].as_array().unwrap().len(), cases, "{name}");
        let text = load["trials"][0]["text"].as_str().unwrap();
        assert!(text.contains("time=\"400 ms\"") && text.contains("seed=7"), "{text}");
    }
    assert_eq!(program.names(), ["saved.kdl"]);
    assert!(!program.store().exists());
}

#[test]
fn options_and_the_quick_study_are_printed_as_studies_too() {
    let program = Program::new();
    for words in [
        "plan --target . --op mix=70 --size 8MiB --verify --set load.depth=3",
        // Sizes of its own would follow the free space, which others change.
        "plan --set workload.buffers=shared --set scratch.size=64MiB --set workload.amount=64MiB",
    ] {
        let printed = program.line(words).done().stdout;
        program.write("saved.kdl", &printed);
        let [asked, saved] = [words, "plan saved.kdl"].map(|line| program.json(line));
        assert_eq!(asked["trials"], saved["trials"], "{printed}");
    }
}

#[test]
fn every_load_runs_to_its_end() {
    for (name, cases) in LOADS {
        let run = measured(name);
        let trials = shape::trials(&run);
        assert_eq!(trials.len(), cases, "{name}");
        for trial in trials {
            let findings = &trial["findings"];
            for stream in findings["streams"].as_array().unwrap() {
                assert!(stream["bytes"].as_u64() > Some(0), "{name}: {stream}");
            }
        }
    }
}

#[test]
fn commits_of_a_wal_are_flushed_in_groups_of_no_more_than_the_clients() {
    for (trial, clients) in
        measured("postgres-wal")["trials"].as_array().unwrap().iter().zip([1, 8, 32])
    {
        let findings = &trial["findings"];
        let flush = &findings["flush"];
        assert!(flush["commit_latency_ns"]["p99"].as_u64() > Some(0), "{flush}");
        let [commits, flushes] =
            [&findings["requests"], &flush["flushes"]].map(|count| count.as_u64().unwrap());
        // The last group may have begun before the part that is measured.
        assert!(commits <= (flushes + 1) * clients, "{commits} in {flushes}, {clients} clients");
    }
}

#[test]
fn a_consumer_reads_no_more_than_was_appended() {
    let run = measured("kafka-log");
    let findings = shape::only(&run);
    let [written, read] = ["producer", "consumer"].map(|stream| moved(findings, stream));
    assert!(0.0 < read && read <= written, "{read} of {written}");
    assert_eq!(findings["flush"], Value::Null);
}

#[test]
fn a_checkpoint_writes_beside_the_commits_of_its_second_case_only() {
    let run = measured("checkpoint");
    let [alone, beside] = [0, 1].map(|index| &run["trials"][index]["findings"]);
    assert_eq!((moved(alone, "checkpointer"), moved(alone, "commit") > 0.0), (0.0, true));
    assert!(moved(beside, "checkpointer") > 0.0 && moved(beside, "commit") > 0.0, "{beside}");
    assert!(beside["flush"]["commit_latency_ns"]["p99"].as_u64() > Some(0), "{beside}");
}

#[test]
fn options_that_a_load_says_itself_are_a_mistake_beside_all_others() {
    let program = Program::in_memory();
    let line = "measure --like oltp --block 4KiB --depth 8 --time 5 --target a --set wrong";
    program.line(line).ends(3).tells(&[
        "--like oltp sets its own I/O: leave out --block, --depth",
        "--set page.PROPERTY=VALUE",
        "--time: \"5\" has no unit",
        "oltp has 2 files, data and log: name one directory for all, or a target for each",
        "\"wrong\" has no =",
    ]);
    program.line("measure --like oltp study.kdl").ends(3).tells(&["--like", "cannot be used with"]);
    let varied = program.line("measure --like postgres-wal --set commit.depth=4").ends(3);
    varied.tells(&["commit.depth is varied by the factor \"clients\""]);
    assert_eq!(program.names(), Vec::<String>::new());
}

/// Files of the user's are as safe as in every other measurement.
#[test]
fn a_load_goes_where_its_targets_are_and_destroys_nothing() {
    let program = Program::in_memory();
    program.file("kept", 8 << 20);
    let run = "--time 100ms --warm-up 0s --passes 1 --no-path --no-report --no-progress";
    let refused = program.line(&format!("measure --like postgres-wal --target kept {run}"));
    refused.ends(5).tells(&["--allow-destroy"]);
    assert_eq!(std::fs::read(program.path("kept")).unwrap(), vec![0xa5; 8 << 20]);
    program.line(&format!("measure --like olap-scan --target kept {run}")).done();
    assert_eq!(std::fs::read(program.path("kept")).unwrap(), vec![0xa5; 8 << 20]);
    std::fs::create_dir(program.path("there")).unwrap();
    let run = program.json(&format!("measure --like oltp --size 8MiB --target there {run}"));
    let text = run["trials"][0]["case"]["text"].as_str().unwrap();
    assert_eq!(text.matches("directory=\"there\"").count(), 2, "{text}");
    assert_eq!(program.names(), ["kept", "there"]);
    let made = "plan --like backup --target kept --target new";
    let text = program.line(made).done().stdout;
    assert!(
        text.contains("file \"source\"\n") && text.contains("file \"copy\" size=\"4 GiB\"\n"),
        "{text}"
    );
}

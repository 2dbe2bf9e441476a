//! Metadata loads, as a user sees them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{Program, await_that};
use crate::shape;

const ALL: &str = "measure --target data --metadata create,stat,open,unlink --passes 1 ";

fn with_data() -> Program {
    let program = Program::new();
    fs::create_dir(program.path("data")).unwrap();
    fs::write(program.path("data/theirs"), "mine").unwrap();
    program
}

/// Everything in the directory: what was there before, and nothing else.
fn is_as_before(program: &Program) -> bool {
    entries(&program.path("data")) == ["theirs"]
        && fs::read_to_string(program.path("data/theirs")).unwrap() == "mine"
}

fn entries(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What was done, and how often.
fn actions(findings: &Value) -> Vec<(String, u64)> {
    let actions = findings["actions"].as_array().unwrap();
    let one = |one: &Value| (one["action"].as_str().unwrap().to_owned(), one["requests"].as_u64());
    actions.iter().map(one).map(|(action, requests)| (action, requests.unwrap())).collect()
}

fn each(count: u64) -> Vec<(String, u64)> {
    ["create", "stat", "open", "unlink"].map(|action| (action.to_owned(), count)).into()
}

#[test]
fn each_action_is_done_once_to_each_file_and_nothing_remains() {
    for options in [
        "--files 1000",
        "--files 1000 --directories 7 --streams 3 --file-size 5000B",
        "--files 1000 --directories 10 --depth 4 --file-size 0 --sync fsync --engine uring",
        "--files 1000 --streams 2 --depth 2 --engine calls",
    ] {
        let program = with_data();
        let run = program.line(&format!("{ALL}{options} --json")).done().json();
        let findings = shape::only(&run);
        assert_eq!(actions(findings), each(1000), "{options}");
        assert_eq!(findings["requests"], 4000);
        assert_eq!(findings["bytes"], 0);
        let turns = findings["epochs"].as_array().unwrap();
        let turns: Vec<_> = turns.iter().map(actions).collect();
        assert_eq!(turns, each(1000).into_iter().map(|one| vec![one]).collect::<Vec<_>>());
        assert!(is_as_before(&program), "{options}");
    }
}

#[test]
fn what_a_turn_needs_is_made_for_it_in_each_pass() {
    let program = with_data();
    for what in ["stat", "unlink", "open,create", "unlink,stat,create,unlink"] {
        let is_twice = what.matches("unlink").count() > 1;
        let line = format!("measure --target data --metadata {what} --files 600 --passes 3 --json");
        if is_twice {
            assert!(program.line(&line).ends(3).stderr.contains("unlink is given twice"));
            continue;
        }
        let run = program.line(&line).done().json();
        let counts = actions(shape::only(&run));
        assert_eq!(counts.len(), what.split(',').count());
        assert!(counts.iter().all(|(_, requests)| *requests == 1800), "{what}: {counts:?}");
    }
    assert!(is_as_before(&program));
}

#[test]
fn with_a_time_files_are_looked_at_again_and_made_once() {
    let program = with_data();
    let line = "measure --target data --metadata create,stat --files 20 --passes 1 --time 500ms";
    let run = program.line(&format!("{line} --pattern random --cache drop --json")).done().json();
    let counts = actions(shape::only(&run));
    assert!(counts[0].0 == "create" && counts[0].1 <= 20, "{counts:?}");
    assert!(counts[1].0 == "stat" && counts[1].1 > 20, "{counts:?}");
    assert!(is_as_before(&program));
}

#[test]
fn options_are_written_down_as_a_study() {
    let program = with_data();
    let planned = program.line("plan --target data --metadata create,open --files 50").done();
    program.write("study.kdl", &planned.stdout);
    let run = program.line("measure study.kdl --json").done().json();
    let counts = actions(shape::only(&run));
    assert_eq!(counts, [("create".to_owned(), 150), ("open".to_owned(), 150)]);
    assert!(is_as_before(&program));
}

#[test]
fn the_study_that_comes_with_the_program_runs() {
    let program = with_data();
    program.write("small-files.kdl", include_str!("../../../../studies/small-files.kdl"));
    let run = program.line("measure small-files.kdl --set files.files=64 --json").done().json();
    let trials = run["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 4);
    for trial in trials {
        assert_eq!(actions(&trial["findings"]), each(64));
    }
    let shown = program.line("show last").done().stdout;
    for word in ["creates", "stats", "opens", "unlinks"] {
        assert!(shown.contains(word), "{shown}");
    }
    let table = shown.split("\nlimit").next().unwrap();
    assert!(!table.contains(" 0 B/s"), "{table}");
}

#[test]
fn without_files_nothing_is_made() {
    let program = with_data();
    let line = "measure --target data --metadata create,stat --files 50 --time 50ms --passes 1";
    program.line(&format!("{line} --engine null --no-progress")).done();
    assert!(is_as_before(&program));
}

#[test]
fn mistakes_are_told_before_anything_is_made() {
    let program = with_data();
    let cases = [
        ("--metadata create,chmod", "\"chmod\" is none of create, stat, open, unlink"),
        ("--metadata create --block 4k --verify", "--block: has no effect with --metadata"),
        ("--metadata stat --sync fsync", "--sync: needs create among --metadata"),
        ("--metadata create --pattern random", "--pattern: needs stat or open among --metadata"),
        ("--metadata create --warm-up 1s --time 2s", "create has no time to warm up"),
        ("--metadata stat --rate 10MB/s", "operations per second"),
        ("--metadata stat --engine mmap", "whole files, which cannot be mapped"),
        ("--metadata stat --files 2 --streams 3", "3 streams for the 2 files"),
        ("--metadata stat --files 2 --directories 3", "3 directories are too many for 2 files"),
        ("--metadata stat --pattern strided,stride=1MiB", "no distances in bytes"),
        ("--op read --files 3", "--files: needs --metadata"),
    ];
    for (options, expected) in cases {
        let told = program.line(&format!("measure --target data {options}")).ends(3).stderr;
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(expected), "{options}: {told}");
    }
    let gone = program.line("measure --target nowhere --metadata stat").ends(4).stderr;
    assert!(gone.contains("nowhere"), "{gone}");
    let most = "measure --target data --metadata create --file-size 18446744073709551615B";
    let most = program.line(most).ends(4).stderr;
    assert!(most.contains("free"), "{most}");
    let full = "measure --target data --metadata create --files 1000000 --file-size 1TiB";
    assert!(program.line(full).ends(4).stderr.contains("free"));
    assert!(is_as_before(&program));
}

#[test]
fn streams_that_would_meet_on_a_tree_are_refused() {
    let program = with_data();
    program.write(
        "study.kdl",
        r#"study "both"
layout { tree "files" files=10 directory="data" }
workload time="1 s" {
    streams "maker" over="files" op="create"
    streams "reader" over="files" op="open"
}
"#,
    );
    let told = program.line("measure study.kdl").ends(4).stderr;
    let expected = "maker creates files, and reader opens files at the same time, on the same tree";
    assert!(told.contains(expected), "{told}");
    let of_one = "maker.count=2 --set maker[1].op=stat --set reader.after=maker";
    let told = program.line(&format!("measure study.kdl --set {of_one}")).ends(4).stderr;
    assert!(told.contains("stats files at the same time"), "{told}");
    let told = program.line("predict study.kdl").ends(3).stderr;
    assert!(told.contains("can only be measured"), "{told}");
    assert!(is_as_before(&program));
}

const LONG: &str = "measure --target data --metadata stat --files 500 --time 60s --no-progress";

/// The directory that a run under way has made.
fn awaited_tree(program: &Program) -> String {
    let tree = || entries(&program.path("data")).into_iter().find(|name| name != "theirs");
    await_that("a full tree", || {
        tree().is_some_and(|tree| program.path(&format!("data/{tree}/d0/f499")).exists())
    });
    tree().unwrap()
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let program = with_data();
    let running = program.start(LONG);
    awaited_tree(&program);
    running.interrupt();
    running.wait().ends(130);
    assert!(is_as_before(&program));
}

#[test]
fn what_a_killed_run_leaves_is_named_by_the_next_one() {
    let program = with_data();
    let mut running = program.start(LONG);
    let left = awaited_tree(&program);
    running.kill();
    let _ = running.wait();
    assert_eq!(entries(&program.path("data")), [left.as_str(), "theirs"]);
    let line = "measure --target data --metadata create --files 10 --passes 1 --no-progress";
    let told = program.line(line).done().stderr;
    assert!(told.contains(&left) && told.contains("was left by an earlier run"), "{told}");
    assert_eq!(entries(&program.path("data")), [left.as_str(), "theirs"]);
    fs::remove_dir_all(program.path(&format!("data/{left}"))).unwrap();
    assert!(is_as_before(&program));
}

#[test]
fn a_comparison_has_the_rate_of_each_turn_over_its_own_time() {
    let program = with_data();
    let line = "measure --target data --metadata create,stat --files 500 --passes 2 --json";
    let run = program.line(line).done().json();
    let whole = shape::only(&run)["actions"][0]["operations_per_sec"].as_f64().unwrap();
    let compared = program.line("compare last last --json").done().json();
    let measures = compared["comparison"]["trials"][0]["measures"].as_array().unwrap();
    let create = measures.iter().find(|one| one["measure"] == "create_operations_per_sec");
    let own = create.unwrap()["a"].as_f64().unwrap();
    assert!(own > whole, "{own} in its turn, {whole} over all turns");
}

//! Runs in the store: listed, shown, compared, carried to another store; never lost.

use serde_json::Value;

use crate::program::Program;
use crate::shape;

const MIB: usize = 1 << 20;
const SHORT: &str = "--time 60ms --warm-up 0s";

/// A program with a file and some runs of it, each with this many passes.
fn with_runs(passes: &[u32]) -> Program {
    let program = Program::in_memory();
    program.file("data", 4 * MIB);
    for passes in passes {
        let line = format!("measure --target data --block 64KiB {SHORT} --passes {passes}");
        program.line(&line).done();
    }
    program
}

fn listed(program: &Program) -> Vec<Value> {
    let list = program.json("list");
    assert_eq!(list["format"], "iopath-runs/2");
    list["runs"].as_array().unwrap().clone()
}

#[test]
fn before_the_first_run_the_list_is_empty() {
    let program = Program::in_memory();
    let output = program.line("list").done();
    assert!(output.stdout.contains("`iopath measure` makes one"), "{}", output.stdout);
    assert_eq!(listed(&program).len(), 0);
    program.line("show last").ends(3).tells(&["there is no store", "nothing has been stored yet"]);
    program.line("list --store typo.db").ends(3).tells(&["typo.db"]);
    assert!(!program.store().exists() && program.names().is_empty());
}

#[test]
fn three_passes_give_a_verdict_with_confidence_and_one_gives_none() {
    let program = with_runs(&[3, 3, 1]);
    let compared = program.json("compare 1 2");
    assert_eq!(compared["format"], "iopath-comparison/2");
    let trial = &compared["comparison"]["trials"][0];
    let measures = trial["measures"].as_array().unwrap();
    for measure in measures {
        let verdict = measure["verdict"].as_str().unwrap();
        assert!(["faster", "slower", "same", "cannot-tell"].contains(&verdict), "{measure:#}");
    }
    let same = program.line("compare 1 1").done().stdout;
    // How far the three passes spread decides which.
    assert!(same.contains(": the same within") || same.contains(": cannot tell"), "{same}");
    assert!(same.contains("environment: the same"), "{same}");
    let text = program.line("compare last last~1").done().stdout;
    assert!(text.contains(": no confidence; a verdict needs 3 passes of each run"), "{text}");
}

#[test]
fn a_run_is_named_by_number_last_or_before_last() {
    let program = with_runs(&[1, 1]);
    assert_eq!(program.json("show last")["run"], "2");
    assert_eq!(program.json("show last~1")["run"], "1");
    for line in ["show 3", "show 0", "show first", "compare 1 9", "export 7", "show last~2"] {
        program.line(line).ends(3).tells(&["the store has 2"]);
    }
}

#[test]
fn a_list_is_sorted_by_a_column_with_the_greatest_last() {
    let program = with_runs(&[2, 1]);
    let sorted = |by: &str| -> Vec<String> {
        let list = program.json(&format!("list --sort {by}"));
        let runs = list["runs"].as_array().unwrap().iter();
        runs.map(|run| run["run"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (sorted("run"), sorted("passes")),
        (vec!["1".into(), "2".into()], vec!["2".into(), "1".into()])
    );
    program.line("list --sort size").ends(3).tells(&["size", "throughput"]);
}

#[test]
fn a_run_taken_to_another_store_says_the_same() {
    let (here, there) = (with_runs(&[2]), Program::in_memory());
    let file = there.path("run.json");
    here.line(&format!("export 1 {}", file.display())).done();
    let piped = here.line("export 1").done();
    assert_eq!(piped.stdout, std::fs::read_to_string(&file).unwrap());
    // Never over a file that exists.
    let again = here.line(&format!("export 1 {}", file.display())).ends(5);
    assert!(again.stderr.contains("--allow-destroy"), "{}", again.stderr);
    assert_eq!(piped.stdout, std::fs::read_to_string(&file).unwrap());
    there.line("import run.json").done();
    let (before, after) = (here.json("show 1"), there.json("show 1"));
    assert_eq!(before, after);
    shape::trials(&after);
}

#[test]
fn an_export_that_fails_leaves_no_half_a_file() {
    let program = with_runs(&[9]);
    program.line("export 1 no/where").ends(4).tells(&["cannot open no/where"]);
    // The shell's limit on the size of files stands for a full disk: 40 KiB are enough to read a
    // store and too little for the run.
    let words = ["sh", "-c", "trap '' XFSZ; ulimit -f 80; exec \"$0\" export 1 half"];
    let mut command = program.command_of(&words);
    let output = program.run_command(command.arg(env!("CARGO_BIN_EXE_iopath"))).ends(4);
    assert!(output.stderr.contains("half: "), "{}", output.stderr);
    assert_eq!(program.names(), ["data"]);
    program.line("export 1 half").done();
}

#[test]
fn runs_with_nothing_in_common_are_not_compared() {
    let program = with_runs(&[1]);
    program.write(
        "other.kdl",
        "study \"other\"\nworkload time=\"50 ms\" { streams \"s\" over=\"f\" block=\"4 KiB\" }\n\
         layout { file \"f\" size=\"1 MiB\" }\n\
         vary { factor \"depth\" of=\"s.depth\" 1 2 }\n",
    );
    program.line("measure other.kdl").done();
    let text = program.line("compare 1 2").done().stdout;
    assert!(text.contains("no trial in common"), "{text}");
}

#[test]
fn garbage_is_not_imported() {
    let program = with_runs(&[1]);
    let exported = program.line("export 1").done().stdout;
    let cut = &exported[..exported.len() / 2];
    let other = exported.replacen("iopath-export/1", "iopath-export/9", 1);
    for (name, text) in [("cut", cut), ("other", &other), ("empty", ""), ("bytes", "\0\u{1}{")] {
        program.write(name, text);
        program.line(&format!("import {name}")).ends(3).tells(&["nothing was imported"]);
    }
    program.line("import nothing").ends(4).tells(&["cannot read nothing"]);
    assert_eq!(listed(&program).len(), 1);
}

#[test]
fn something_else_in_place_of_the_store_is_left_alone() {
    let program = with_runs(&[]);
    program.write("other.db", "not a database, but dear to somebody, and long enough for a header");
    let before = std::fs::read(program.path("other.db")).unwrap();
    let measure = format!("measure --target data {SHORT} --passes 1 --store other.db");
    program.line(&measure).ends(1).tells(&["not a store", "--store"]);
    program.line("list --store other.db").ends(1).tells(&["not a store"]);
    assert_eq!(std::fs::read(program.path("other.db")).unwrap(), before);
}

#[test]
fn a_store_that_cannot_be_opened_ends_every_command_with_the_same_code() {
    let program = with_runs(&[]);
    // No path leads through a file, not even for root.
    program.write("file", "");
    let measure = format!("measure --target data {SHORT} --passes 1");
    for line in ["list", "show last", "compare 1 2", "verify last", measure.as_str()] {
        let output = program.line(&format!("{line} --store file/runs.db"));
        output.ends(1).tells(&["cannot access the store file/runs.db"]);
    }
}

#[test]
fn two_runs_at_once_on_one_store_both_land() {
    let program = with_runs(&[]);
    let line = format!("measure --target data {SHORT} --passes 3");
    let both = [program.start(&line), program.start(&line)];
    for run in both {
        run.wait().done();
    }
    let runs = listed(&program);
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().all(|run| run["passes"] == 3), "{runs:#?}");
    assert_ne!(runs[0]["run"], runs[1]["run"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let program = with_runs(&[1]);
    for line in ["list", "show 1", "show 1 --json", "export 1", "completions bash", "--help"] {
        let mut command = program.command(line.split_whitespace());
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        command.stdout(writer);
        let output = program.run_command(&mut command).done();
        assert_eq!(output.stderr, "", "{line}");
    }
}

#[test]
fn texts_have_no_colour_where_nobody_sees_it() {
    let program = with_runs(&[1]);
    for line in ["list", "show 1", "compare 1 1"] {
        let plain = program.line(line).done();
        let mut command = program.command(line.split_whitespace());
        let output = program.run_command(command.env("NO_COLOR", "1")).done();
        assert!(!plain.stdout.contains('\u{1b}'), "{line}");
        assert_eq!(output.stdout, plain.stdout, "{line}");
    }
}

#[test]
fn a_run_is_explained_with_its_evidence_and_laws() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    let target = program.path("data").display().to_string();
    let options = "--time 300ms --warm-up 0s --passes 1 --no-progress";
    program.line(&format!("measure --target {target} {options}")).done();
    let output = program.line("explain").done();
    for part in ["limit: page-cache (target), because", "[no-device]", "consistency checks\n  "] {
        assert!(output.stdout.contains(part), "{part}:\n{}", output.stdout);
    }
    let value = program.json("explain last");
    assert_eq!(value["format"], "iopath-explanation/1");
    assert_eq!(value["trials"][0]["limit"]["cause"], "page-cache");
    assert!(value["trials"][0]["expected"].is_null());
    program.line("explain 9").ends(3).tells(&["9"]);
}

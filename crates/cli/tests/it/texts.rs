//! What the program says of itself: help, completions, manual pages, the look of results.

use crate::program::Program;
use crate::shape;

#[test]
fn help_is_as_reviewed() {
    let program = Program::in_memory();
    let mut text = String::new();
    for line in [
        "--help",
        "measure --help",
        "discover -h",
        "check -h",
        "plan -h",
        "predict -h",
        "simulate -h",
        "list -h",
        "export -h",
    ] {
        let help = program.line(line).done();
        assert_eq!(help.stderr, "", "{line}");
        text.push_str(&format!("$ iopath {line}\n{}\n", help.stdout));
    }
    insta::assert_snapshot!("help", text);
    let version = program.line("--version").done().stdout;
    assert_eq!(version, format!("iopath {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_know_commands_and_options() {
    let program = Program::in_memory();
    for shell in ["bash", "elvish", "fish", "zsh"] {
        let script = program.line(&format!("completions {shell}")).done().stdout;
        for word in ["measure", "predict", "compare", "until-ci", "allow-destroy", "without"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    program.line("completions basic").ends(3).tells(&["bash, elvish, fish, zsh"]);
}

#[test]
fn manual_pages_are_one_a_command() {
    let program = Program::in_memory();
    program.line("manual man").done();
    let pages = std::fs::read_dir(program.path("man")).unwrap();
    let mut names: Vec<_> = pages.map(|page| page.unwrap().file_name()).collect();
    names.sort();
    assert!(names.contains(&"iopath.1".into()) && names.contains(&"iopath-measure.1".into()));
}

/// Two stored runs of one case on a disk, three passes each, as an earlier program exported them.
/// That they can still be read is half of what the next tests are about.
fn with_stored_runs() -> Program {
    let program = Program::in_memory();
    for name in ["before", "after"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures");
        program.line(&format!("import {folder}/{name}.jsonl")).done();
    }
    program
}

#[test]
fn stored_runs_look_as_reviewed() {
    let program = with_stored_runs();
    let mut text = String::new();
    for line in ["list", "show 1", "show 2 --binary", "compare 1 2"] {
        let output = program.line(line).done();
        assert_eq!(output.stderr, "", "{line}");
        text.push_str(&format!("$ iopath {line}\n{}\n", output.stdout));
    }
    insta::assert_snapshot!("stored", text);
}

#[test]
fn stored_runs_have_the_same_findings_as_ever() {
    let program = with_stored_runs();
    let run = program.json("show 1");
    let findings = shape::only(&run);
    assert_eq!(shape::broken(findings), Vec::<String>::new());
    let names = [
        "requests",
        "bytes",
        "duration_ns",
        "window_ns",
        "throughput_bytes_per_sec",
        "latency_ns_p50",
        "latency_ns_p99",
        "latency_ns_max",
        "jain",
        "confidence",
        "streams",
    ];
    let pinned: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), findings[*name].clone())).collect();
    insta::assert_snapshot!("findings", format!("{:#}", serde_json::Value::from(pinned)));
}

#[test]
fn a_measurement_ends_with_its_verdict_and_where_it_is_kept() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    let line = "measure --target data --engine null --time 100ms --warm-up 0s --passes 1";
    let output = program.line(line).done();
    let verdict = output.stdout.split("\n\n").next().unwrap().replace('\n', " ");
    assert!(verdict.starts_with("sequential read 1 MiB, depth 8, on data: "), "{verdict}");
    assert!(verdict.contains("limited by the load generator"), "{verdict}");
    assert_eq!(output.stderr, kept(&program, 1));
}

/// What is said of where a run is.
fn kept(program: &Program, run: u32) -> String {
    let reports = program.store().with_file_name("reports");
    let page = reports.join(format!("run-{run}.html"));
    format!("stored as run {run}: iopath show {run}\nreport: {}\n", page.display())
}

/// What a line prints on a terminal of its own, which `script` makes.
fn on_terminal(program: &Program, line: &str, colorless: &str) -> String {
    let line = format!("{} {line}", env!("CARGO_BIN_EXE_iopath"));
    let mut command = program.command_of(&["script", "-qec", &line, "/dev/null"]);
    program.run_command(command.env("NO_COLOR", colorless)).done().stdout
}

#[test]
fn colour_is_for_terminals_whose_user_does_not_refuse_it() {
    let program = with_stored_runs();
    let bold = "\u{1b}[1mmeasured from options";
    assert!(on_terminal(&program, "show 1", "").contains(bold));
    let plain = on_terminal(&program, "show 1", "1");
    assert!(plain.contains("measured from options") && !plain.contains('\u{1b}'), "{plain}");
}

#[test]
fn progress_is_for_terminals_whose_user_does_not_refuse_it() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    let line = "measure --target data --time 600ms --warm-up 0s --passes 1";
    let shown = on_terminal(&program, line, "");
    assert!(shown.contains("pass 1") && shown.contains("left"), "{shown}");
    let silent = on_terminal(&program, &format!("{line} --no-progress"), "1");
    assert!(!silent.contains("left  ") && !silent.contains('\u{1b}'), "{silent}");
    let piped = program.line(line).done();
    assert_eq!(piped.stderr, kept(&program, 3));
}

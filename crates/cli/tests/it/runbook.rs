//! `iopath runbook`: steps are compared with those before them, what cannot be run says what it
//! needs, and a run is compared with an earlier one.

use serde_json::Value;

use crate::loopback::{Bench, MIB, is_root};
use crate::program::Program;

/// Rates are given, so what comes out is known on any machine.
const STEPS: &str = r#"study "Rates"
layout { file "data" size="4 MiB" }
experiment "first" {
    step why="What is there?"
    workload time="600 ms" { streams "r" over="data" block="4 KiB" depth=8 rate="2 MB/s" }
}
experiment "as before" {
    step like="first" tolerance="20 %"
    workload time="600 ms" { streams "r" over="data" block="4 KiB" depth=8 rate="2 MB/s" }
}
experiment "half" {
    step like="first" ratio=0.5 tolerance="20 %"
    workload time="600 ms" { streams "r" over="data" block="4 KiB" depth=8 rate="1 MB/s" }
}
step "elsewhere" why="And there?" needs="another machine"
experiment "too little" {
    step like="first" ratio=1000000
    workload time="100 ms" { streams "r" over="data" block="4 KiB" depth=8 }
}
experiment "too much" {
    step like="half"
    workload time="100 ms" { streams "r" over="data" block="4 KiB" depth=8 }
}
experiment "alone" {
    step why="How much?"
    workload time="100 ms" { streams "r" over="data" block="4 KiB" depth=8 }
}
experiment "unequal" {
    step like="first" tolerance="20 %" fair="95 %"
    workload time="600 ms" {
        streams "a" over="data" block="4 KiB" depth=8 rate="1.8 MB/s"
        streams "b" over="data" block="4 KiB" depth=8 rate="0.2 MB/s"
    }
}
"#;

fn outcomes(found: &Value) -> Vec<(&str, &str)> {
    assert_eq!(found["format"], "iopath-runbook/1");
    let steps = found["steps"].as_array().unwrap().iter();
    steps.map(|one| (one["title"].as_str().unwrap(), one["outcome"].as_str().unwrap())).collect()
}

#[test]
fn each_step_is_compared_with_what_it_is_like() {
    let program = Program::in_memory();
    program.write("steps.kdl", STEPS);
    let found = program.json("runbook steps.kdl --no-report --no-progress");
    let expected = [
        ("first", "as-expected"),
        ("as before", "as-expected"),
        ("half", "as-expected"),
        ("elsewhere", "not-run"),
        ("too little", "below"),
        ("too much", "above"),
        ("alone", "nothing-expected"),
        ("unequal", "unfair"),
    ];
    assert_eq!(outcomes(&found), expected);
    assert_eq!(found["steps"][4]["cases"][0]["like"], "first");

    // The same from the store, on a page, and compared.
    let said = "3 of 7 steps as expected; 1 below; 1 unfair; 1 above; 1 no expectation; 1 not run";
    let shown = program.line("show 1").done().stdout;
    assert!(shown.contains(said), "{shown}");
    assert!(shown.contains("not run: elsewhere: needs another machine"), "{shown}");
    let again = "runbook steps.kdl --compare 1 --no-progress --report page.html";
    let shown = program.line(again).done().stdout;
    assert!(shown.contains(said), "{shown}");
    assert!(shown.contains("before") && shown.contains("change"), "{shown}");
    let page = std::fs::read_to_string(program.path("page.html")).unwrap();
    assert!(page.contains(said) && page.contains("And there?"));
    program.line("measure --target . --size 1MiB --time 100ms --passes 1 --no-report").done();
    program.line("runbook steps.kdl --compare last").ends(3).tells(&["of no runbook"]);
}

#[test]
fn one_step_can_be_repeated_alone() {
    let program = Program::in_memory();
    program.write("steps.kdl", STEPS);
    let line = ["runbook", "steps.kdl", "--step", "half", "--no-report", "--json"];
    assert_eq!(outcomes(&program.run(line).json()), [("half", "as-expected")]);
    let line = ["runbook", "steps.kdl", "--step", "none"];
    program.run(line).ends(3).tells(&["no step is \"none\"", "as before"]);
}

#[test]
fn a_step_with_an_obstacle_says_so_and_the_others_are_run() {
    let program = Program::in_memory();
    program.write(
        "steps.kdl",
        r#"study "Some"
layout { file "data" size="1 MiB"; file "gone" }
bind from="gone" to="/dev/null/gone"
experiment "cannot" {
    step why="Is it there?"
    workload time="200 ms" { streams "r" over="gone" block="4 KiB" }
}
experiment "can" {
    step like="cannot"
    workload time="200 ms" { streams "r" over="data" block="4 KiB" }
}
"#,
    );
    let found = program.json("runbook steps.kdl --no-report --no-progress");
    assert_eq!(outcomes(&found), [("cannot", "not-run"), ("can", "nothing-expected")]);
    let needs = found["steps"][0]["needs"].as_str().unwrap();
    assert!(needs.contains("/dev/null/gone"), "{needs}");
    let line = ["runbook", "steps.kdl", "--step", "cannot"];
    program.run(line).ends(4).tells(&["no step of this runbook can be run here"]);
}

#[test]
fn procedures_are_shown_and_written_for_the_targets_here() {
    let program = Program::in_memory();
    for name in ["general", "veritas-cfs", "p690"] {
        let line = format!("runbook {name} . --plan -o {name}.kdl");
        let shown = program.line(&line).done();
        assert!(shown.stdout.contains("not run"), "{}", shown.stdout);
        assert!(shown.stdout.contains("a block device among the targets"), "{}", shown.stdout);
        program.line(&format!("check {name}.kdl")).done();
        // What was written is a runbook with targets of its own.
        let again = program.line(&format!("runbook {name}.kdl --plan")).done();
        assert_eq!(again.stdout, shown.stdout);
        program.line(&format!("runbook {name}.kdl .")).ends(3).tells(&["takes no targets"]);
    }
}

#[test]
fn an_assignment_leaves_steps_without_such_a_stream_as_they_are() {
    let program = Program::in_memory();
    let plan = program.line("runbook . --plan --set reader.depth=2").done().stdout;
    let step = plan.lines().find(|line| line.contains("file, direct write")).unwrap();
    assert!(step.contains("12.00 s"), "{plan}");
    program.line("runbook . --plan --set reader.depht=2").ends(3).tells(&["depht"]);
}

#[test]
fn what_is_no_runbook_is_refused() {
    let program = Program::in_memory();
    program.write(
        "plain.kdl",
        "study \"Plain\"\nlayout { file \"data\" size=\"1 MiB\" }\n\
        workload time=\"1 s\" { streams \"r\" over=\"data\" block=\"4 KiB\" }\n",
    );
    for (line, code, said) in [
        ("runbook nothing", 4, "runbooks are general, veritas-cfs, p690"),
        ("runbook general nowhere", 4, "nowhere"),
        ("runbook . --plan --json", 3, "--plan has no JSON"),
        ("runbook . --json -o -", 3, "both print on stdout"),
        ("runbook plain.kdl . --plan", 3, "name one study, or targets only"),
        ("runbook . --compare 7", 3, "nothing has been stored yet"),
    ] {
        program.line(line).ends(code).tells(&[said]);
    }
}

#[test]
fn devices_of_a_described_path_are_taken_alone_by_component_and_together() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let program = Program::in_memory();
    let nodes: Vec<String> = (0..4).map(|at| bench.device(&format!("d{at}"), 16 * MIB)).collect();
    let path = format!(
        r#"study "Two adapters"
path {{
    host "server" {{ hba count=2 read=(rated)"150 MB/s" {{ disk count=2 read=(rated)"100 MB/s"; }} }}
    bind from="server..disk" to={:?}
}}
workload {{ streams "r" over="server..disk" block="64 KiB" }}
"#,
        nodes.join(",")
    );
    program.write("path.kdl", path);
    let shown = program.line("runbook p690 path.kdl --plan -o steps.kdl").done().stdout;
    for bound in ["100.0 MB/s, ± 10 %", "150.0 MB/s, ± 10 %", "at most 300.0 MB/s"] {
        assert!(shown.contains(bound), "no {bound} in {shown}");
    }
    assert!(shown.contains("everything, write"), "{shown}");
    let steps = std::fs::read_to_string(program.path("steps.kdl")).unwrap();
    for levels in [
        "\"server.hba[0].disk[0]\" \"server.hba[0].disk[1]\"",
        "\"server.hba[0].disk\" \"server.hba[1].disk\"",
    ] {
        assert!(steps.contains(levels), "no {levels} in {steps}");
    }
}

#[test]
fn files_are_compared_with_devices_that_they_are_on_and_small_ones_say_so() {
    let program = Program::in_memory();
    program.file("small", 3000);
    let line = "runbook general small --plan";
    program.line(line).ends(4).tells(&["no step", "is larger than small"]);
    program.write("own.kdl", STEPS);
    program.line("runbook own.kdl --compare last --plan").ends(3).tells(&["--compare goes with"]);
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let program = Program::in_memory();
    let (node, at) = bench.ext4("file", 64 * MIB);
    let other = bench.device("other", 16 * MIB);
    let of = |targets: &[&str]| {
        let plan = program.run([&["runbook"], targets, &["--plan"]].concat()).done().stdout;
        let row = plan.lines().find(|line| line.contains("file, direct read"));
        row.unwrap().to_owned()
    };
    let at = at.to_str().unwrap();
    assert!(of(&[&node, at]).contains("95 % of each device alone"), "{}", of(&[&node, at]));
    let both = of(&[&node, &other, at]);
    assert!(!both.contains(" % of "), "{both}");
}

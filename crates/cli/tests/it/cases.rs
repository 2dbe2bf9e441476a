//! Cases one after another on one file: what one leaves the next finds, whatever it needs.

use crate::devices::can_mark;
use crate::program::Program;
use crate::shape;

/// Runs a study whose file is `declared`; every case must end well.
fn runs(declared: &str, rest: &str) {
    let program = Program::new();
    let text = format!("study \"Case after case\"\nlayout {{ {declared} }}\n{rest}");
    program.write("study.kdl", text);
    program.line("measure study.kdl --no-progress").done();
    if declared == NAMED && can_mark(&program.directory()) {
        // The file that the run left is known by the next.
        let short = "--size 1MiB --time 20ms --warm-up 0s --passes 1 --no-progress";
        program.line(&format!("measure --target named --op write {short}")).done();
    }
}

const SCRATCH: &str = "file \"data\" size=\"8 MiB\"";
const NAMED: &str = "file \"data\" size=\"8 MiB\"; bind from=\"data\" to=\"named\"";

#[test]
fn only_the_cases_that_are_asked_for_are_planned_and_measured() {
    let program = Program::in_memory();
    program.write(
        "study.kdl",
        "study \"Two by three\"
layout { file \"data\" size=\"1 MiB\" }
workload passes=1 warm-up=\"0 s\" amount=\"1 MiB\" { streams \"r\" over=\"data\" block=\"4 KiB\" }
vary { factor \"block\" of=\"r.block\" \"4 KiB\" \"64 KiB\"
    factor \"depth\" of=\"r.depth\" 1 2 4 }",
    );
    let planned = program.line("plan study.kdl --json --case block=64KiB").done().json();
    assert_eq!(planned["trials"].as_array().unwrap().len(), 3, "{planned}");
    let run = program.json("measure study.kdl --no-progress --case block=64KiB --case depth=2");
    let case = &shape::trials(&run)[0]["case"];
    assert_eq!(case["levels"], serde_json::json!({"block": "64 KiB", "depth": "2"}), "{case}");
    assert_eq!(shape::trials(&run)[0]["environment"]["path.from"], "discovered", "{run}");
    for command in ["check", "plan", "measure"] {
        let told = program.line(&format!("{command} study.kdl --case depth=3")).ends(3);
        told.tells(&["no case matches \"depth=3\"; available: depth=1, 2, 4\n"]);
    }
    program.line("measure --case depth=2").ends(3).tells(&["<STUDY>"]);
    assert_eq!(program.names(), ["study.kdl"]);
}

#[test]
fn a_level_of_two_factors_is_said_to_be_one() {
    let program = Program::new();
    program.write(
        "study.kdl",
        "study \"Two by two\"
layout { file \"data\" size=\"1 MiB\" }
workload passes=1 { streams \"r\" over=\"data\" block=\"4 KiB\" }
vary { factor \"depth\" of=\"r.depth\" 1 4; factor \"count\" of=\"r.count\" 1 4 }",
    );
    let both = program.line("plan study.kdl --case 4").done();
    assert!(both.stderr.contains("--case 4 is a level of count and depth"), "{}", both.stderr);
    let one = program.line("plan study.kdl --case depth=4").done();
    assert!(!one.stderr.contains("is a level of"), "{}", one.stderr);
    // No other factor of the cases that the other name leaves has it.
    let left = program.line("plan study.kdl --case 4 --case count=1").done();
    assert!(!left.stderr.contains("is a level of"), "{}", left.stderr);
}

#[test]
fn what_one_case_wrote_in_part_the_next_reads_whole() {
    let experiments = "
        experiment \"write\" {
            workload passes=1 warm-up=\"0 s\" amount=\"1 MiB\" {
                streams \"writer\" over=\"data\" op=\"write\" block=\"64 KiB\" depth=1
            }
        }
        experiment \"read\" {
            workload passes=1 warm-up=\"0 s\" amount=\"8 MiB\" {
                streams \"reader\" over=\"data\" op=\"read\" block=\"64 KiB\" depth=1
            }
        }";
    runs(SCRATCH, experiments);
    runs(NAMED, experiments);
}

/// Mixed cases, verified, over these levels of a property.
fn verified(factor: &str, levels: &str) -> String {
    format!(
        "workload passes=1 warm-up=\"0 s\" time=\"50 ms\" verify=#true {{
            streams \"load\" over=\"data\" op=\"mix\" reads=\"50 %\" pattern=\"random\" \
                block=\"64 KiB\" depth=4
        }}
        vary {{ factor \"factor\" of={factor:?} {levels} }}"
    )
}

#[test]
fn stamps_are_understood_while_the_file_grows_and_shrinks() {
    let cases = verified("data.size", "\"8 MiB\" \"24 MiB\" \"2 MiB\" \"32 MiB\"");
    runs(SCRATCH, &cases);
    runs(NAMED, &cases);
}

#[test]
fn stamps_are_understood_when_the_block_changes() {
    let cases = verified("load.block", "\"64 KiB\" \"512 B\" \"4 KiB\" \"1 KiB\"");
    runs(SCRATCH, &cases);
    runs(NAMED, &cases);
}

#[test]
fn what_was_written_without_stamps_is_written_anew_for_who_checks_them() {
    for levels in ["#false #true", "#true #false"] {
        // The last factor goes through its levels fastest, so each case switches.
        let verify = format!("\nfactor \"verify\" of=\"workload.verify\" {levels} }}");
        let cases = verified("load.depth", "4 5");
        let cases = format!("{}{verify}", cases.trim_end().strip_suffix('}').unwrap());
        runs(SCRATCH, &cases);
        runs(NAMED, &cases);
    }
}

#[test]
fn what_a_verified_case_wrote_here_and_there_the_next_can_check() {
    let experiments = "
        experiment \"write\" {
            workload passes=1 warm-up=\"0 s\" amount=\"1 MiB\" verify=#true {
                streams \"writer\" over=\"data\" op=\"write\" pattern=\"random\" \
                    block=\"4 KiB\" depth=4
            }
        }
        experiment \"read\" {
            workload passes=1 warm-up=\"0 s\" amount=\"8 MiB\" verify=#true {
                streams \"reader\" over=\"data\" op=\"read\" block=\"4 KiB\" depth=4
            }
        }";
    runs(SCRATCH, experiments);
    runs(NAMED, experiments);
}

#[test]
fn a_file_of_ours_can_grow_from_run_to_run() {
    let program = Program::new();
    let rest = "--op mix=50 --pattern random --block 64KiB --time 50ms --warm-up 0s --passes 1";
    for size in ["2MiB", "8MiB", "4MiB"] {
        let line = format!("measure --target ours --size {size} {rest} --no-progress");
        // Naming it is only needed where files cannot be marked.
        let path = program.path("ours").display().to_string();
        program.line(&format!("{line} --allow-destroy {path}")).done();
    }
}

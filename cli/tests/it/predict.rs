//! `iopath predict`, and what `measure` says to studies that only predict.

use crate::program::Program;

const DRIVES: &str = r#"study "One server, four drives"

path {
    host "server" cpus=16 {
        root-port "slot" count=4 read=(rated)"3.9 GB/s" {
            nvme "drive" read=(given)"6.8 GB/s"
        }
    }
}

workload {
    streams "reader" over="server..drive" op="read" block="1 MiB" depth=16
}

vary {
    factor "drives" of="reader.over" "server.slot[0].drive" "server..drive"
}
"#;

fn with(text: &str) -> Program {
    let program = Program::in_memory();
    program.write("study.kdl", text);
    program
}

#[test]
fn a_case_that_nothing_means_is_told_with_what_there_is() {
    let program = with(DRIVES);
    let told = program.run(["predict", "study.kdl", "--case", "drives=x"]).ends(3);
    let all = "there are \"One server, four drives\", \"drives=server.slot[0].drive\", \
               \"drives=server..drive\"";
    told.tells(&["no case is meant by \"drives=x\"", all]);
}

#[test]
fn parts_that_are_not_there_cannot_be_taken_out() {
    let program = with(DRIVES);
    let told = program.run(["predict", "study.kdl", "--without", "slot[9]", "--without", "a["]);
    told.ends(3)
        .tells(&["--without slot[9]: the study has no such part", "--without a[: a bracket"]);
}

#[test]
fn a_path_with_a_mistake_is_told_with_its_place() {
    let text = DRIVES.replace("host \"server\"", "host \"spare\"\n    host \"server\"");
    let told = with(&text).line("predict study.kdl").ends(3);
    told.tells(&["study.kdl:4:", "reader says nowhere where it runs, and there are 2 hosts"]);
}

#[test]
fn what_only_a_model_can_do_is_not_measured() {
    let program = with(DRIVES);
    let told = program.line("measure study.kdl").ends(3);
    let told = told.tells(&[
        "study.kdl:6:18: nvme drive stands for nothing real, so it cannot be measured",
        "write bind from=\"server.slot.drive\" to=\"/dev/…\"; `iopath predict` takes",
    ]);
    assert_eq!(told.stderr.matches("cannot be measured").count(), 1, "{}", told.stderr);
    let follows = r#"study "s"
layout { file "f" size="1 MiB" }
workload {
    streams "writer" over="f" op="write" block="4 KiB"
    streams "reader" over="f" op="read" block="4 KiB" behind="writer"
}
"#;
    let program = with(follows);
    let told = program.line("measure study.kdl").ends(3);
    told.tells(&["study.kdl:5:", "reader says behind=, which a measurement cannot do"]);
    let lies = r#"study "s"
path { disk "d" }
layout {
    filesystem "fs" on="d"
    file "f" on="fs" size="1 MiB"
}
workload { streams "reader" over="f" op="read" block="4 KiB" }
"#;
    let told = with(lies).line("measure study.kdl").ends(3);
    told.tells(&["study.kdl:5:", "file f stands for nothing real"]);
    assert!(!program.store().exists());
}

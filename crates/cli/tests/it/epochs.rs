//! Streams that begin after others have ended, as a user sees them.

use crate::program::Program;
use crate::shape;

const IN_TURN: &str = r#"study "in turn"
layout { file "f" size="8 MiB" }
workload cache="buffered" block="64 KiB" {
    streams "load" count=2 over="f" op="write" sync="end"
    streams "scan" over="f" op="read" after="load" prepare="drop" start-delay="100 ms"
}
"#;

fn with(text: &str) -> Program {
    let program = Program::new();
    program.write("study.kdl", text);
    program
}

#[test]
fn each_turn_has_figures_of_its_own() {
    let program = with(IN_TURN);
    let run = program.line("measure study.kdl --json").done().json();
    let findings = shape::only(&run);
    let epochs = findings["epochs"].as_array().unwrap();
    let names: Vec<_> = epochs.iter().map(|epoch| epoch["streams"].to_string()).collect();
    assert_eq!(names, ["[\"load\"]", "[\"scan\"]"]);
    assert!(epochs.iter().all(|epoch| epoch["bytes"] == 8 << 20));
    assert!(epochs[0]["flush"]["flushes"] == 2 && epochs[1]["flush"].is_null());
    let ns = |value: &serde_json::Value| value["duration_ns"].as_u64().unwrap();
    assert_eq!(ns(&epochs[0]) + ns(&epochs[1]), ns(findings), "the pause belongs to none");
    let of = |value: &serde_json::Value| value["throughput_bytes_per_sec"].as_f64().unwrap();
    for epoch in epochs {
        let rate = (8 << 20) as f64 / (ns(epoch) as f64 / 1e9);
        assert!((of(&epoch["headline"]) / rate - 1.0).abs() < 1e-6);
    }
    let shown = program.line("show last").done();
    let text = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("in turn: load ") && text.contains(", then scan "), "{text}");
    assert!(text.contains(" on average ("), "{text}");
}

#[test]
fn streams_that_run_together_have_no_turns() {
    let together = IN_TURN.replace("after=\"load\" prepare=\"drop\" start-delay=\"100 ms\"", "");
    let run = with(&together).line("measure study.kdl --json").done().json();
    assert_eq!(shape::only(&run)["epochs"].as_array().unwrap().len(), 0);
}

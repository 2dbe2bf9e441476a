//! `--find-max`: the highest load within a latency limit, by each technique.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::program::Program;

/// A server with exponential times whose queue never fills: M/M/1, 10,000 requests a second.
const MM1: &str = r#"study "One server"
path {
    host "server" { nvme "drive" ops=(rated)"10000 /s" variability=1.0 }
}
workload {
    streams "user" over="server.drive" pattern="random" block="4 KiB" depth=4096 rate="5000 /s"
}
vary {
    factor "load" of="user.load" 0.1 0.5
    factor "blocks" {
        level "small" user.block="4 KiB"
        level "large" user.block="8 KiB"
    }
}
"#;

fn with(text: &str) -> Program {
    let program = Program::in_memory();
    program.write("study.kdl", text);
    program
}

fn only(value: &Value) -> &Value {
    let searches = value["searches"].as_array().unwrap();
    assert_eq!(searches.len(), 1, "{value:#}");
    &searches[0]
}

/// Loads that enclose the highest: within, beyond.
fn ends(search: &Value) -> [f64; 2] {
    let answer = &search["answer"];
    assert_eq!(answer["kind"], "between", "{search:#}");
    ["within_per_sec", "beyond_per_sec"].map(|end| answer[end].as_f64().unwrap())
}

#[test]
fn a_simulated_server_keeps_its_mean_up_to_the_load_of_the_closed_form() {
    let program = with(MM1);
    let line = "simulate study.kdl --case small --find-max --latency mean=1ms --keep";
    let value = program.json(line);
    assert_eq!(
        (&value["format"], &value["technique"]),
        (&"iopath-find-max/1".into(), &"simulation".into())
    );
    // A case for both loads of the study, since the search sets the load.
    let search = only(&value);
    assert_eq!(search["levels"], serde_json::json!({ "blocks": "small" }));
    let [within, beyond] = ends(search);
    // 1 / (μ − λ) = 1 ms at 9,000 a second.
    assert!((8_600.0..9_100.0).contains(&within), "{within}");
    assert!((8_900.0..9_400.0).contains(&beyond), "{beyond}");
    assert_eq!(search["saturated_per_sec"], 10_000.0);
    let loads = search["loads"].as_array().unwrap();
    let rates: Vec<f64> = loads.iter().map(|one| one["wanted_per_sec"].as_f64().unwrap()).collect();
    assert!(rates.is_sorted() && rates.len() > 5, "{rates:?}");
    let shown = program.line("show 1").done().stdout;
    let text = "One server blocks=small: highest load with mean ≤ 1.000 ms: ";
    assert!(shown.contains(text), "{shown}");
    assert!(!shown.contains("with a mean response within 30"), "no other limit: {shown}");
    assert!(search["text"].as_str().unwrap().starts_with(text), "{search:#}");
    assert_eq!(program.json("show 1")["searches"], value["searches"]);
}

#[test]
fn bounds_estimate_the_mean_and_refuse_percentiles() {
    let program = with(MM1);
    let value = program.json("predict study.kdl --find-max --latency mean=1ms");
    let searches = value["searches"].as_array().unwrap();
    assert_eq!(searches.len(), 2, "a search for each block size");
    for search in searches {
        let [within, beyond] = ends(search);
        assert!(within <= 9_091.0 && 8_999.0 <= beyond, "{within} {beyond}");
        assert!(beyond / within < 1.021, "{within} {beyond}");
    }
    let refused = program.line("predict study.kdl --find-max --latency p99=1ms").ends(3);
    refused.tells(&["bounds estimate the mean response only", "iopath simulate --find-max"]);
}

#[test]
fn what_cannot_be_searched_is_refused_with_the_reason() {
    let program = with(MM1);
    for (line, code, told) in [
        ("simulate study.kdl --latency p99=1ms", 3, "--find-max"),
        ("simulate study.kdl --find-max", 3, "--latency <LIMIT>"),
        ("simulate study.kdl --find-max --latency p98=1ms", 3, "mean, p50, p90, p95, p99, p99.9"),
        ("simulate study.kdl --find-max --latency p99=fast", 3, "--latency: "),
        ("simulate study.kdl --find-max --latency 1ms --precision 90%", 3, "0.1% to 50%"),
        ("simulate study.kdl --find-max --latency 1ms --arrivals a", 3, "cannot be used with"),
        ("predict study.kdl --compare --find-max --latency 1ms", 3, "cannot be used with"),
    ] {
        program.line(line).ends(code).tells(&[told]);
    }
    let followers = r#"study "S"
layout { file "data" size="1 MiB" }
workload {
    streams "writer" over="data" op="write" block="4 KiB"
    streams "reader" over="data" block="4 KiB" behind="writer"
}
"#;
    program.write("followers.kdl", followers);
    let line = "measure followers.kdl --find-max --latency 1ms";
    program.line(line).ends(3).tells(&["open loop", "reader follow other streams"]);
    let timeless = "study \"S\"\nlayout { file \"data\" size=\"1 MiB\" }\n\
        workload { streams \"reader\" over=\"data\" block=\"4 KiB\" }";
    program.write("timeless.kdl", timeless);
    let line = "measure timeless.kdl --find-max --latency 1ms";
    program.line(line).ends(3).tells(&["--find-max needs a time", "time=\"10 s\""]);
}

#[test]
fn no_load_is_within_what_no_request_can_keep() {
    let program = with(MM1);
    let line = "simulate study.kdl --case large --find-max --latency max=1us";
    let value = program.json(line);
    let search = only(&value);
    assert_eq!(search["answer"]["kind"], "never", "{search:#}");
    assert_eq!(search["loads"].as_array().unwrap().len(), 1, "one load says so");
}

#[test]
fn a_signal_shows_and_keeps_the_loads_that_were_tried() {
    let program = with(MM1);
    let line =
        "simulate study.kdl --find-max --latency mean=10ms --precision 0.1% --keep --seeds 12";
    let running = program.start(&format!("{line} --no-progress"));
    let begin = Instant::now();
    while !program.line("list").stdout.contains("unfinished") {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not begin");
    }
    running.signal(Signal::TERM);
    let output = running.wait().ends(130).tells(&["interrupted: ", "kept in run 1: iopath show 1"]);
    assert!(output.stdout.contains("not finished"), "{}", output.stdout);
    assert_eq!(program.json("list")["runs"][0]["state"], "interrupted");
    assert!(program.line("show 1").done().stdout.contains("not finished"));
}

#[test]
fn a_measured_file_has_a_highest_load_too() {
    let program = Program::in_memory();
    let line = "measure --target data --size 4MiB --op mix=50 --pattern random --depth 4 \
        --time 200ms --warm-up 50ms --passes 1 --no-path --find-max --latency mean=5s \
        --precision 50%";
    let value = program.json(line);
    assert_eq!(value["technique"], "measurement");
    let search = only(&value);
    // A busy machine decides where it is; that it is found and kept is what is tested.
    assert!(!search["answer"].is_null(), "{search:#}");
    assert_eq!(search["is_modelled"], false);
    let loads = search["loads"].as_array().unwrap().len();
    let passes = program.json("list")["runs"][0]["passes"].as_u64().unwrap();
    assert_eq!(passes, loads as u64 + 1, "each load, and the closed loop before them");
    let shown = program.line("show last --full").done().stdout;
    assert!(shown.contains("mean ≤ 5.000 s"), "{shown}");
    // It judges each trial, of which none is a search.
    let explained = program.line("explain last").done().stdout;
    assert_eq!(explained.matches("mean ≤ 5.000 s").count(), 1, "{explained}");
    assert!(!explained.contains("not finished"), "{explained}");
}

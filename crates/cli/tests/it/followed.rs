//! `watch --run`: a measurement under way, followed from elsewhere through the store alone.

use std::io::{BufRead, BufReader, Read};

use iopath_store::{NewRun, Store};
use serde_json::Value;

use crate::loopback::{Bench, is_root};
use crate::program::{Program, Running};
use crate::shape;
use crate::terminal::Terminal;

/// Longer than anybody has to wait, at a rate that leaves the processors to others: it is
/// interrupted when it was seen.
const LONG: &str = "--time 100s --warm-up 0s --passes 1 --pattern random --rate 300/s \
    --no-progress --no-path";

/// A measurement that is in the store.
fn under_way(program: &Program, target: &str, streams: u32) -> Running {
    let line = format!("measure --target {target} --streams {streams} {LONG}");
    let measuring = program.start(&line);
    program.await_passes(0);
    measuring
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn lines_of_json_have_what_streams_and_devices_do() {
    let mut bench = is_root().then(Bench::new);
    let program = Program::in_memory();
    let file = program.file("data", 8 << 20);
    let node = bench.as_mut().map(|bench| bench.attach(&file, &[]));
    let measuring = under_way(&program, node.as_deref().unwrap_or("data"), 2);
    // The first pictures may be of a run that told nothing yet, or of no interval.
    let told = lines(&program.line("watch --run 1 --count 6 --json").done().stdout);
    assert_eq!(told.len(), 6);
    told.iter().for_each(shape::following);
    let elapsed: Vec<u64> = told.iter().filter_map(|line| line["elapsed_ns"].as_u64()).collect();
    assert!(elapsed.len() >= 2 && elapsed.is_sorted_by(|a, b| a < b), "{elapsed:?}");
    // On a busy machine nothing may complete in one interval.
    let rate = |of: &Value| of["throughput_bytes_per_sec"].as_f64();
    let last = told.iter().rfind(|line| rate(line) > Some(0.0)).unwrap_or(&told[5]);
    assert_eq!(
        (&last["run"], &last["trial"], &last["trials"]),
        (&"1".into(), &0.into(), &1.into())
    );
    assert!(last["doing"].as_str().unwrap().ends_with("pass 1"), "{last}");
    assert!((0.0..0.5).contains(&last["done"].as_f64().unwrap()), "{last}");
    let streams = last["streams"].as_array().unwrap();
    let sum: f64 = streams.iter().filter_map(rate).sum();
    let all = rate(last).unwrap();
    assert!(streams.len() == 2 && all > 0.0 && (sum - all).abs() < 0.2 * all, "{last}");
    if let Some(node) = &node {
        assert_eq!(last["device_count"], 1);
        assert_eq!(last["devices"][0]["name"].as_str(), node.strip_prefix("/dev/"));
        let moves = |line: &Value| rate(&line["devices"][0]) > Some(0.0);
        assert!(told.iter().any(moves), "{told:?}");
    }
    measuring.interrupt();
    measuring.wait().ends(130);
}

#[test]
fn lines_go_on_until_the_run_ends_and_then_lead_to_its_report() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    let measuring = under_way(&program, "data", 3);
    let mut following = program.command(["watch", "--run"]).spawn().unwrap();
    let mut output = BufReader::new(following.stdout.take().unwrap());
    let mut text = String::new();
    // Twice the row of all streams: the second is another picture.
    while text.matches("all streams").count() < 2 {
        assert_ne!(output.read_line(&mut text).unwrap(), 0, "it ends too early: {text}");
    }
    measuring.interrupt();
    measuring.wait().ends(130);
    output.read_to_string(&mut text).unwrap();
    let output = following.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    for part in ["run 1", "trial 1 of 1", "% done, about", "B/s", "now", "maximum", "█"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, "run 1 was interrupted: iopath show 1, or as a page: iopath report 1\n");
}

#[test]
fn on_a_terminal_it_is_one_picture_that_leaves_when_the_run_ends() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    let measuring = under_way(&program, "data", 2);
    let mut terminal = Terminal::start(&program, "watch --run 1");
    let mut picture = terminal.wait_for("\u{1b}[?1049h");
    picture += &terminal.wait_for("all streams");
    assert!(picture.contains("trial 1 of 1") && picture.contains("q ends"), "{picture:?}");
    // A row that changes is written again where it stands.
    terminal.wait_for("all streams");
    measuring.interrupt();
    measuring.wait().ends(130);
    let ended = terminal.wait_for("closed");
    for part in ["\u{1b}[?1049l", "\u{1b}[?25h", "iopath show 1", "ended 0"] {
        assert!(ended.contains(part), "no {part:?} in {ended:?}");
    }
}

#[test]
fn a_run_that_cannot_be_followed_is_told_with_what_to_do() {
    let program = Program::in_memory();
    program.line("watch --run").ends(3).tells(&["there is no store"]);
    program.file("data", 1 << 20);
    program.line("measure --target data --time 60ms --warm-up 0s --passes 1").done();
    let over = ["run 1 has finished", "iopath show 1", "iopath report 1"];
    program.line("watch --run").ends(3).tells(&over);
    program.line("watch --run last --json").ends(3).tells(&over);
    program.line("watch --run 7").ends(3).tells(&["the store has 1"]);
    program.line("watch --run 1 --record").ends(3).tells(&["--record"]);
    program.line("watch --run 1 --interval 2s").ends(3).tells(&["--interval"]);
    program.line("watch --run 1 --count 0").ends(3).tells(&["--count"]);
}

#[test]
fn a_run_that_has_long_told_nothing_is_given_up() {
    let program = Program::in_memory();
    let store = Store::open(&program.store()).unwrap();
    let text = str::to_owned;
    let started_unix_ns = 1_790_000_000_000_000_000;
    let (command, study, version) = (text("iopath measure"), text(""), text("0.1.0"));
    let host = text("server1");
    let killed = NewRun { command, study, version, started_unix_ns, host };
    store.begin_run(&killed).unwrap();
    let told = ["run 1 has sent no updates", "killed", "iopath show 1"];
    program.line("watch --run 1").ends(4).tells(&told);
}

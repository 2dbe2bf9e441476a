//! However a run ends, nothing of it remains but what it finished, and that is in the store.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{Program, Running, await_that};
use crate::shape;

const MIB: u64 = 1 << 20;

/// Moments to strike at: from before the first request to the end of the last pass.
const MOMENTS_MS: [u64; 10] = [3, 20, 45, 80, 120, 180, 250, 340, 450, 600];

/// Bytes that files and deleted files in memory take; a scratch file that stays would show.
fn used(directory: &Path) -> u64 {
    let facts = rustix::fs::statvfs(directory).unwrap();
    (facts.f_blocks - facts.f_bfree) * facts.f_frsize
}

/// Finished passes of all runs.
fn kept_passes(program: &Program) -> u64 {
    let runs = program.json("list")["runs"].as_array().unwrap().clone();
    runs.iter().filter_map(|run| run["passes"].as_u64()).sum()
}

fn only_run(program: &Program) -> Option<Value> {
    program.json("list")["runs"].as_array().unwrap().first().cloned()
}

#[test]
fn nothing_remains_after_success() {
    let program = Program::in_memory();
    program.line("measure --target . --size 64MiB --time 60ms --warm-up 0s --passes 2").done();
    assert_eq!(program.names(), Vec::<String>::new());
    assert_eq!(program.line("list").done().stderr, "");
    let kept = std::fs::read_dir(program.store().parent().unwrap()).unwrap();
    let mut kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).collect();
    kept.sort();
    assert_eq!(kept, ["reports", "runs.db"]);
}

#[test]
fn interrupted_at_any_moment_it_ends_at_once_and_keeps_what_was_finished() {
    // Long enough that no moment comes after the end: filling, warm-up, window, between passes.
    let line = "measure --target . --size 32MiB --op mix=50 --pattern random --time 100ms \
        --warm-up 50ms --passes 100";
    let mut kept = 0;
    for moment in MOMENTS_MS.map(Some).into_iter().chain([None]) {
        let program = Program::in_memory();
        let running = program.start(line);
        match moment {
            Some(moment) => std::thread::sleep(Duration::from_millis(moment)),
            None => program.await_passes(1),
        }
        running.interrupt();
        let struck = Instant::now();
        let output = running.wait();
        // The passes would take 15 s.
        assert!(
            struck.elapsed() < Duration::from_secs(12),
            "{moment:?} ms: {:?}",
            struck.elapsed()
        );
        assert_eq!(program.names(), Vec::<String>::new(), "{moment:?} ms");
        // Before the program has asked for it, the signal ends it as any other; during
        // the checks there is no run yet.
        let is_early = output.stderr.is_empty() || output.stderr.contains("no run is stored");
        if output.code() == 128 + 2 && is_early {
            continue;
        }
        let output = output.ends(130).tells(&["interrupted: "]);
        let run = only_run(&program).unwrap();
        assert!(run["verdict"].as_str().unwrap().starts_with("interrupted"), "{run:#}");
        let passes = run["passes"].as_u64().unwrap();
        kept += passes;
        let noun = if passes == 1 { "pass" } else { "passes" };
        assert!(output.stderr.contains(&format!("{passes} {noun} kept")), "{}", output.stderr);
        let shown = program.json("show last");
        assert_eq!(shape::trials(&shown).len(), usize::from(passes > 0));
        let text = program.line("show last").done().stdout;
        assert!(text.contains("\ninterrupted · "), "{text}");
    }
    assert!(kept > 0, "no moment was late enough");
}

#[test]
fn an_interrupted_run_is_resumed_where_it_stopped() {
    let program = Program::in_memory();
    let study = |blocks: &str| {
        format!(
            r#"study "s"
layout {{ file "f" size="4 MiB" }}
bind from="f" to="data"
workload time="100 ms" warm-up="0 s" passes=2 {{ streams "r" over="f" block="4 KiB" }}
vary {{ factor "block" of="r.block" {blocks} }}"#
        )
    };
    std::fs::write(program.path("data"), vec![7; 4 << 20]).unwrap();
    program.write("s.kdl", study(r#""4 KiB" "8 KiB" "16 KiB" "64 KiB""#));
    let line = "measure s.kdl --no-report --no-path";
    let running = program.start(line);
    program.await_passes(3);
    running.interrupt();
    running.wait().ends(130).tells(&["the same command with --resume 1"]);
    let stopped = program.json("show 1");
    let whole = program.json(&format!("{line} --resume 1"));
    let trials = shape::trials(&whole);
    let passes = |trial: &Value| trial["findings"]["passes"].as_array().unwrap().len();
    assert_eq!(trials.iter().map(passes).collect::<Vec<_>>(), [2; 4]);
    assert_eq!(trials[0], shape::trials(&stopped)[0], "it was not measured again");
    program.line(&format!("{line} --resume 2")).ends(3).tells(&["run 2 is finished"]);
    program.line(&format!("{line} --resume 9")).ends(3).tells(&["no run \"9\""]);
    let other = program.line(&format!("{line} --size 2MiB --target data --resume 1"));
    other.ends(3);
    program.line(&format!("{line} --resume 1 --store none.db")).ends(3);
    assert!(!program.path("none.db").exists());
    program.line("measure --resume 1").ends(3).tells(&["the quick study cannot be resumed"]);
    program.write("s.kdl", study(r#""8 KiB" "16 KiB""#));
    let other = program.line(&format!("{line} --resume 1"));
    other.ends(3).tells(&[
        "trial 1 had `",
        "block=\"4 KiB\"",
        "is planned with `",
        "measure s.kdl",
    ]);
}

#[test]
fn interrupted_while_reading_back_it_ends_too() {
    let program = Program::in_memory();
    // The moments are of a run that has begun.
    let line = "measure --target new --op write --verify --size 1GiB --time 50ms --warm-up 0s \
        --passes 100 --block 64KiB --no-path";
    for moment in [0, 100, 300, 700] {
        let _ = std::fs::remove_file(program.path("new"));
        let before = program.json("list")["count"].clone();
        let running = program.start(line);
        await_that("its run begins", || program.json("list")["count"] != before);
        std::thread::sleep(Duration::from_millis(moment));
        running.interrupt();
        running.wait().ends(130);
    }
}

#[test]
fn a_second_interrupt_does_not_wait_and_leaves_nothing_either() {
    let program = Program::in_memory();
    let running = program.start("measure --target . --size 1GiB --time 20s --warm-up 0s");
    program.await_passes(0);
    running.interrupt();
    // Two at once, as some terminals and `timeout` send them, count as one.
    std::thread::sleep(Duration::from_millis(700));
    running.interrupt();
    let struck = Instant::now();
    running.wait().ends(130);
    assert!(struck.elapsed() < Duration::from_secs(12), "{:?}", struck.elapsed());
    assert_eq!(program.names(), Vec::<String>::new());
    assert!(only_run(&program).unwrap()["verdict"].is_string());
}

#[test]
fn an_interrupted_run_still_prints_json() {
    let program = Program::in_memory();
    let running = program.start("measure --target . --size 16MiB --time 20s --warm-up 0s --json");
    program.await_passes(0);
    await_that("its pass begins", || {
        let line = program.line("watch --run 1 --count 1 --json").done().stdout;
        line.contains("pass 1\"")
    });
    running.interrupt();
    let output = running.wait().ends(130);
    let run = output.json();
    let findings = shape::only(&run);
    let kinds: Vec<_> = findings["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["kind"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"interrupted"), "{kinds:?}");
    assert_eq!(shape::broken(findings), Vec::<String>::new());
}

#[test]
fn killed_at_any_moment_it_leaves_no_file_and_a_readable_store() {
    let program = Program::in_memory();
    let before = used(&program.directory());
    let line = "measure --target . --size 256MiB --op write --time 60ms --warm-up 0s --passes 100 \
        --no-path";
    let mut begun = 0;
    for moment in MOMENTS_MS.map(Some).into_iter().chain([None]) {
        let mut running = program.start(line);
        match moment {
            Some(moment) => std::thread::sleep(Duration::from_millis(moment)),
            None => await_that("a pass is kept", || kept_passes(&program) > 0),
        }
        running.kill();
        running.wait().ends(128 + 9);
        assert_eq!(program.names(), Vec::<String>::new(), "{moment:?} ms");
        let runs = program.json("list")["runs"].as_array().unwrap().clone();
        assert!(runs.len() >= begun, "a run is gone");
        begun = runs.len();
    }
    let runs = program.json("list")["runs"].as_array().unwrap().clone();
    assert!(runs.iter().all(|run| run["verdict"].as_str().unwrap().starts_with("unfinished")));
    shape::trials(&program.json("show last"));
    let shown = program.line("show last").done().stdout;
    assert!(shown.contains("\nunfinished: under way, or killed · "), "{shown}");
    // Others use the same memory at the same time; a file of 256 MiB each time would show.
    assert!(used(&program.directory()) < before + 1024 * MIB);
    program.line("measure --target . --size 16MiB --time 50ms --warm-up 0s --passes 1").done();
}

#[test]
fn a_hang_up_or_termination_ends_as_an_interrupt_does() {
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::HUP] {
        let program = Program::in_memory();
        let running = program.start("measure --target . --size 16MiB --time 20s");
        program.await_passes(0);
        running.signal(signal);
        running.wait().ends(130).tells(&["interrupted: "]);
    }
}

#[test]
fn a_run_started_by_nohup_outlives_its_terminal() {
    let program = Program::in_memory();
    let iopath = env!("CARGO_BIN_EXE_iopath");
    let line = "measure --target . --size 16MiB --time 1s --passes 2 --no-path --no-report";
    let words: Vec<&str> = ["nohup", iopath].into_iter().chain(line.split_whitespace()).collect();
    let running = Running::start(&program, &mut program.command_of(&words));
    program.await_passes(0);
    running.signal(rustix::process::Signal::HUP);
    running.wait().done();
    assert_eq!(kept_passes(&program), 2);
}

#[test]
fn a_full_file_system_is_told_and_nothing_remains() {
    let program = Program::in_memory();
    let facts = rustix::fs::statvfs(program.directory()).unwrap();
    let free = facts.f_bavail * facts.f_frsize / MIB;
    let size = format!("{}MiB", free + 4096);
    let output = program.run(["measure", "--target", ".", "--size", &size]).ends(4);
    output.tells(&["free", "use a smaller size or another place"]);
    assert_eq!(program.names(), Vec::<String>::new());
    assert!(only_run(&program).is_none());
}

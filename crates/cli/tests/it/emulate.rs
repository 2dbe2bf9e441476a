//! `iopath emulate` and `validate --emulate`, with real daemons: small paths with low rates, so
//! that a busy machine keeps them.

use serde_json::Value;

use crate::emulations::{assert_nothing_left, directory, emulate, with};
use crate::program::{Output, not_run};

/// Two disks behind one adapter, which is full with both of them.
const TWO_DISKS: &str = r#"study "Two disks"
path {
    host "server" {
        hba read=(given)"12 MB/s" write=(given)"6 MB/s" {
            disk "disk" count=2 read=(given)"9 MB/s" size="64 MiB"
        }
    }
}
workload {
    streams "reader" over="server..disk" op="read" block="64 KiB" depth=2
}
vary {
    factor "disks" of="reader.over" "server.hba.disk[0]" "server..disk"
}
published {
    identity "one" throughput="9 MB/s" disks="server.hba.disk[0]"
    identity "both" throughput="12 MB/s" disks="server..disk"
}
"#;

/// How far a measurement may be from its model.
const OFF_PERCENT: f64 = 10.0;

/// What the program prints in JSON, run again, three times at most, while one of the figures that
/// `offs` picks is too far from the model: a machine that does other things delays what a throttle
/// lets through, but seldom each time.
fn close(run: impl Fn() -> Output, offs: impl Fn(&Value) -> Vec<f64>) -> Value {
    let mut seen = Vec::new();
    for _ in 0..3 {
        let output = run();
        let value = output.json();
        let offs = offs(&value);
        assert!(!offs.is_empty(), "not measured: {}", output.stderr);
        if offs.iter().all(|off| off.abs() < OFF_PERCENT) {
            return value;
        }
        seen.push(offs);
    }
    panic!("percent from the model: {seen:?}");
}

/// By how many percent each case of an emulation is off.
fn of_cases(value: &Value) -> Vec<f64> {
    cases(value).iter().map(|case| case["off_percent"].as_f64().unwrap()).collect()
}

fn cases(value: &Value) -> &Vec<Value> {
    assert_eq!(value["format"], "iopath-emulated/2");
    value["cases"].as_array().unwrap()
}

#[test]
fn streams_that_run_one_after_the_other_have_a_line_each() {
    let text = TWO_DISKS.split("workload").next().unwrap();
    let study = format!(
        "{text}workload {{
    streams \"w\" over=\"server..disk\" op=\"write\" block=\"64 KiB\" depth=2
    streams \"r\" over=\"server..disk\" op=\"read\" block=\"64 KiB\" depth=2 after=\"w\"
}}
"
    );
    let program = with(&study);
    let line = "study.kdl --run --scale 1:2 --time 2s --warm-up 1s --json";
    let epochs = |value: &Value| cases(value)[0]["epochs"].as_array().unwrap().clone();
    let off = |epoch: &Value| epoch["off_percent"].as_f64().unwrap();
    let offs = |value: &Value| epochs(value).iter().map(off).collect();
    let epochs = epochs(&close(|| emulate(&program, line).done(), offs));
    assert_eq!((&epochs[0]["streams"][0], &epochs[1]["streams"][0]), (&"w".into(), &"r".into()));
}

#[test]
fn volumes_of_one_controller_copy_to_the_same_cache_of_its_partner() {
    let study = r#"study "Mirrored caches"
path {
    host "h" { hba count=2 read=(given)"12 MB/s" write=(given)"12 MB/s" }
    array "a" {
        controller count=2 both=(given)"8 MB/s" {
            cache size="1 GiB" write="back" mirror=#true
            lun "lun" count=2 size="64 MiB" write=(given)"6 MB/s" { disk }
        }
    }
    wire from="h.hba" to="a.controller"
}
layout { stripe "s" unit="64 KiB" over="a..lun" }
workload { streams "w" over="s" op="write" block="64 KiB" depth=4 }
"#;
    let output = emulate(&with(study), "study.kdl --run --scale 1:1 --time 1s --json");
    let value = output.done().json();
    assert!(cases(&value)[0]["measured_bytes_per_sec"].as_f64() > Some(0.0), "{value}");
}

#[test]
fn every_case_is_measured_beside_the_model_and_nothing_remains() {
    let program = with(TWO_DISKS);
    let line = "study.kdl --run --scale 1:2 --time 2s --warm-up 1s --json";
    let value = close(|| emulate(&program, line).done(), of_cases);
    let all = cases(&value);
    let predicted: Vec<f64> =
        all.iter().map(|case| case["predicted_bytes_per_sec"].as_f64().unwrap()).collect();
    assert_eq!(predicted, [9e6, 12e6]);
    for case in all {
        assert_eq!((&case["scale"], &case["stretch"]), (&2.into(), &1.into()));
    }
    assert_eq!(all[1]["devices"], 2);
    assert_nothing_left(&program);
    let shown = program.json("show last");
    let emulated = &shown["trials"][0]["emulated"];
    assert_eq!((&emulated["scale"], &emulated["stretch"]), (&2.into(), &1.into()));
    let text = program.line("show last").done().stdout;
    assert!(text.contains("emulated at 1:2: "), "{text}");
}

#[test]
fn stretching_leaves_sizes_and_gives_the_figures_of_the_original() {
    let program = with(TWO_DISKS);
    let line = "study.kdl --run --case server..disk --stretch 3 --time 3s --warm-up 1s --json";
    let value = close(|| emulate(&program, line).done(), of_cases);
    let case = &cases(&value)[0];
    assert_eq!((&case["scale"], &case["stretch"]), (&1.into(), &3.into()));
    assert_nothing_left(&program);
}

#[test]
fn validate_puts_what_was_measured_beside_the_model() {
    let program = with(TWO_DISKS);
    let line = "validate study.kdl --emulate --case server..disk --time 2s --warm-up 1s";
    let off = |value: &Value| value["rows"][1]["measured_of_model_percent"].as_f64();
    let offs = |value: &Value| off(value).into_iter().collect();
    let value = close(|| program.line(&format!("{line} --json")), offs);
    assert_eq!(value["rows"][0].get("measured"), None, "{value}");
}

#[test]
fn what_is_up_serves_others_until_it_is_taken_down() {
    let program = with(TWO_DISKS);
    let up = emulate(&program, "study.kdl --up --case server..disk --scale 1:2").done();
    let paths: Vec<&str> = up
        .stdout
        .lines()
        .filter_map(|line| line.split_once("  "))
        .filter_map(|(path, name)| {
            (path.starts_with('/') && name.contains("disk[")).then_some(path)
        })
        .collect();
    assert_eq!(paths.len(), 2, "{}", up.stdout);
    let mut page = [0; 4096];
    for path in paths {
        let file = std::fs::File::open(path).unwrap();
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut page, 0).unwrap();
    }
    let down = emulate(&program, "--down").done();
    assert!(down.stderr.contains("1 emulated path taken away"), "{}", down.stderr);
    assert_nothing_left(&program);
}

#[test]
fn what_is_up_in_the_directory_of_a_session_is_told_to_go_with_it() {
    let program = with(TWO_DISKS);
    let runtime = program.path("session");
    std::fs::create_dir(&runtime).unwrap();
    let run = |line: &str| {
        let mut command = program.command(line.split(' '));
        program.run_command(command.env("XDG_RUNTIME_DIR", &runtime)).done()
    };
    let up = run("emulate study.kdl --up --case server..disk --scale 1:2");
    assert!(up.stderr.contains("take it away before you log out"), "{}", up.stderr);
    let down = run("emulate --down");
    assert!(down.stderr.contains("1 emulated path taken away"), "{}", down.stderr);
    assert_eq!(std::fs::read_dir(&runtime).unwrap().count(), 0);
}

#[test]
fn a_directory_that_another_user_made_under_our_name_is_not_used() {
    if !rustix::process::geteuid().is_root() {
        not_run("needs root");
        return;
    }
    let program = with(TWO_DISKS);
    let theirs = program.path("iopath-0");
    std::fs::create_dir(&theirs).unwrap();
    std::os::unix::fs::chown(&theirs, Some(65534), None).unwrap();
    let mut command = program.command(["emulate", "--down"]);
    // After `su` the directory of a session is that of another user: it is not ours.
    command.env("XDG_RUNTIME_DIR", &theirs).env("TMPDIR", program.directory());
    let output = program.run_command(&mut command);
    assert_eq!(output.code(), 1, "{}", output.stderr);
    let told = format!("{} belongs to user 65534", theirs.display());
    assert!(output.stderr.contains(&told), "{}", output.stderr);
}

#[test]
fn a_path_that_stands_goes_with_ctrl_c() {
    let program = with(TWO_DISKS);
    let line = format!(
        "emulate study.kdl --case server..disk --scale 1:2 --directory {}",
        directory(&program).display()
    );
    let run = program.start(&line);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let place = directory(&program).display().to_string();
    // The calibration comes first, and has other devices.
    while !std::fs::read_to_string("/proc/mounts").unwrap().contains(&format!("{place}/Two-disks"))
    {
        assert!(std::time::Instant::now() < deadline, "it does not come up");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    run.interrupt();
    let output = run.wait();
    // It may still have been coming up.
    assert!([0, 130].contains(&output.code()), "{}", output.stderr);
    assert_nothing_left(&program);
}

#[test]
fn what_cannot_be_emulated_is_told_before_anything_is_made() {
    let program = with(TWO_DISKS);
    for (line, told) in [
        ("study.kdl", "2 cases are selected"),
        ("study.kdl --run --scale 1:3", "a scale is a power of two"),
        ("study.kdl --run --scale 1:64", "the largest scale that works is 1:16"),
        ("study.kdl --run --stretch 0", "a stretch is a whole number"),
        ("study.kdl --run --time 0s", "a pass needs a length"),
        ("study.kdl --run --case nowhere", "no case matches \"nowhere\""),
        ("study.kdl --run --up", "cannot be used with"),
    ] {
        let output = emulate(&program, line);
        assert!(output.stderr.contains(told), "{line}: {}", output.stderr);
        assert_ne!(output.code(), 0, "{line}");
        assert_nothing_left(&program);
    }
}

#[test]
fn a_case_that_asks_for_more_than_this_machine_is_refused_with_a_scale() {
    let fast = TWO_DISKS.replace(" MB/s", " TB/s");
    let program = with(&fast);
    let output = emulate(&program, "study.kdl --run --scale 1:2 --case server..disk");
    assert!(output.stderr.contains("this machine serves"), "{}", output.stderr);
    assert!(output.stderr.contains("try 1:"), "{}", output.stderr);
    assert_nothing_left(&program);
}

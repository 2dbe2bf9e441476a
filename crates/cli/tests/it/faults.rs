//! Bad luck in mid-run: errors, devices that go away, full disks, files that shrink.
//!
//! Each ends with code 6, a message that says where, why and what to do, and keeps in the store
//! what was measured before.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::daemon::{Daemon, Medium};
use crate::loopback::{Bench, MIB, is_root, system};
use crate::program::{Program, Running, await_that};

const ENDED_EARLY: &str = "pass-failed";

/// Two cases: one on the sound beginning of a target, one that meets the fault.
fn study(target: &Path, workload: &str, stream: &str) -> String {
    format!(
        "study \"A fault in the second case\"\n\
         layout {{\n    file \"data\" size=\"8 MiB\"\n    bind from=\"data\" to=\"{}\"\n}}\n\
         workload passes=2 warm-up=\"0 s\" {workload} {{\n\
         streams \"load\" over=\"data\" block=\"64 KiB\" {stream}\n}}\n\
         vary {{ factor \"size\" of=\"data.size\" \"8 MiB\" \"32 MiB\" }}\n",
        target.display()
    )
}

/// The last run as the store has it.
fn stored(program: &Program) -> Value {
    program.json("show last")
}

/// Kinds of a trial's warnings.
fn warnings(trial: &Value) -> Vec<&str> {
    let all = trial["findings"]["warnings"].as_array().unwrap();
    all.iter().map(|warning| warning["kind"].as_str().unwrap()).collect()
}

/// The first case is whole, the second has what was done before the fault.
#[track_caller]
fn keeps_what_was_before(program: &Program) {
    let run = stored(program);
    let trials = run["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 2, "{run:#}");
    assert_eq!(trials[0]["findings"]["passes"].as_array().unwrap().len(), 2);
    assert!(!warnings(&trials[0]).contains(&ENDED_EARLY));
    assert!(warnings(&trials[1]).contains(&ENDED_EARLY), "{:?}", warnings(&trials[1]));
    let list = program.line("list").done();
    assert!(list.stdout.contains("failed"), "{}", list.stdout);
}

/// A run that goes on until something happens to it.
fn endless(program: &Program, target: &Path, more: &str) -> Running {
    let target = target.display();
    let running = program.start(&format!(
        "measure --target {target} --block 64KiB --time 100ms --warm-up 0s --passes 600 \
         --no-progress {more}"
    ));
    await_that("a pass is in the store", || passes(program) > 0);
    running
}

/// Passes of the last run that are in the store.
fn passes(program: &Program) -> usize {
    if !program.store().exists() {
        return 0;
    }
    let shown = program.line("show last --json");
    match shown.code() {
        0 => shown.json()["trials"][0]["findings"]["passes"].as_array().map_or(0, Vec::len),
        _ => 0,
    }
}

#[test]
fn an_error_of_the_device_ends_the_run_and_keeps_what_was_before() {
    if !is_root() {
        return;
    }
    for (op, engine) in [("read", "uring"), ("write", "uring"), ("read", "threads")] {
        let bench = Bench::new();
        let image = bench.file("disk.img", 32 * MIB);
        let daemon = Daemon::start(&bench, &image, Medium::Faulty { op, at: 20 * MIB });
        let program = Program::new();
        let workload = format!("time=\"10 s\" amount=\"32 MiB\" engine=\"{engine}\"");
        let text = study(daemon.file(), &workload, &format!("op=\"{op}\""));
        program.write("study.kdl", text);
        let exported = daemon.file().to_str().unwrap();
        let line = format!("measure study.kdl --allow-destroy {exported} --no-progress");
        let what = format!("{op} of 65536 bytes at {} of {exported} failed", 20 * MIB);
        program.line(&line).ends(6).tells(&[&what, "os error 5", "dmesg"]);
        keeps_what_was_before(&program);
    }
}

#[test]
fn a_sector_that_cannot_be_read_back_is_one_bad_block_and_the_rest_is_checked() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let image = bench.file("disk.img", 32 * MIB);
    let daemon = Daemon::start(&bench, &image, Medium::Faulty { op: "read", at: 20 * MIB });
    let program = Program::new();
    let workload = "amount=\"32 MiB\" verify=#true";
    program.write("study.kdl", study(daemon.file(), workload, "op=\"write\""));
    let exported = daemon.file().to_str().unwrap();
    let line = format!("measure study.kdl --allow-destroy {exported} --no-progress");
    let what = format!("offset {} cannot be read", 20 * MIB);
    program.line(&line).ends(6).tells(&["1 bad block (1 unreadable)", &what, "os error 5"]);
    let run = stored(&program);
    let trials = run["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 2, "{run:#}");
    let found = &trials[1]["findings"]["bad_blocks"];
    assert_eq!(found["counts"], serde_json::json!({ "unreadable": 1 }));
    assert_eq!(found["listed"][0]["offset_bytes"], 20 * MIB);
    assert!(!warnings(&trials[1]).contains(&ENDED_EARLY), "{:?}", warnings(&trials[1]));
}

#[test]
fn a_loop_device_whose_file_was_cut_reports_the_place() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    bench.work_alone();
    let node = bench.device("disk.img", 32 * MIB);
    let image = OpenOptions::new().write(true).open(bench.path("disk.img")).unwrap();
    image.set_len(12 * MIB).unwrap();
    let program = Program::new();
    let line = "--block 64KiB --depth 1 --time 20s --warm-up 0s --passes 1 --no-progress";
    let what = format!("read of 65536 bytes at {} of {node} failed", 12 * MIB);
    let output = program.line(&format!("measure --target {node} {line}")).ends(6);
    output.tells(&[&what, "os error 5", "dmesg"]);
    assert!(warnings(&stored(&program)["trials"][0]).contains(&ENDED_EARLY));
}

#[test]
fn a_device_that_goes_away_ends_the_run_at_once() {
    if !is_root() {
        return;
    }
    for engine in ["uring", "threads"] {
        let bench = Bench::new();
        let image = bench.file("disk.img", 32 * MIB);
        let mut daemon = Daemon::start(&bench, &image, Medium::Sound);
        let program = Program::new();
        let running = endless(&program, daemon.file(), &format!("--op read --engine {engine}"));
        daemon.kill();
        let output = running.wait().ends(6);
        output.tells(&[daemon.file().to_str().unwrap(), "has gone away"]);
        assert!(passes(&program) > 0);
    }
}

#[test]
fn space_that_is_not_there_is_seen_before_anything_is_written() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (_, at) = bench.ext4("mnt", 64 * MIB);
    let program = Program::under(&at);
    for target in ["", "--target new"] {
        let line = format!("measure --op write --size 80MiB --time 1s --passes 1 {target}");
        program.line(&line).ends(4).tells(&["free", "83.89 MB", "smaller size"]);
        assert!(program.names().is_empty(), "{:?}", program.names());
    }
}

#[test]
fn a_file_system_that_becomes_full_ends_the_run() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (_, at) = bench.ext4("mnt", 64 * MIB);
    // All of it holes: each write takes space that somebody else has taken meanwhile.
    let sparse = at.join("sparse");
    fs::File::create(&sparse).unwrap().set_len(32 * MIB).unwrap();
    let free = rustix::fs::statvfs(&at).unwrap();
    let free = free.f_bavail * free.f_frsize;
    fs::write(at.join("other"), vec![1; (free - 12 * MIB) as usize]).unwrap();
    for cache in ["direct", "buffered"] {
        let program = Program::new();
        let line = "--op write --block 64KiB --time 20s --warm-up 0s --passes 1 --no-progress";
        let sparse = sparse.display();
        let target = format!("--target {sparse} --allow-destroy {sparse} --cache {cache}");
        let output = program.line(&format!("measure {target} {line}")).ends(6);
        output.tells(&["write of", &sparse.to_string(), "os error 28", "the file system is full"]);
        assert!(warnings(&stored(&program)["trials"][0]).contains(&ENDED_EARLY));
    }
}

#[test]
fn a_file_that_shrinks_ends_the_run_whatever_the_engine() {
    for (engine, told) in [("uring", "ended at"), ("threads", "ended at"), ("mmap", "os error 5")] {
        let program = Program::new();
        let file = program.file("data", 16 << 20);
        let running = endless(&program, &file, &format!("--op read --engine {engine}"));
        OpenOptions::new().write(true).open(&file).unwrap().set_len(4 << 20).unwrap();
        running.wait().ends(6).tells(&[told, "data"]);
        assert!(passes(&program) > 0);
    }
}

#[test]
fn errors_that_the_page_cache_hides_until_later_are_told() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let image = bench.file("disk.img", 32 * MIB);
    let daemon = Daemon::start(&bench, &image, Medium::Faulty { op: "write", at: 20 * MIB });
    // The loop device on top takes the writes into its page cache and says yes to all of them.
    let node = bench.attach(daemon.file(), &[]);
    let program = Program::new();
    for engine in ["uring", "mmap"] {
        let line = "--op write --block 64KiB --warm-up 0s --time 10s --passes 1 --no-progress";
        // The second finds what the first wrote.
        let named = format!("--target {node} --allow-destroy {}", daemon.file().display());
        let target = format!("{named} --cache buffered --engine {engine}");
        let output = program.line(&format!("measure {target} {line}")).ends(6);
        output.tells(&[&node, "os error 5"]);
    }
    // Before the daemon goes, or the detaching waits for it.
    bench.undo_last();
}

#[test]
fn a_file_system_that_refuses_direct_requests_gives_no_figure_of_a_device() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let in_memory = bench.mount(&["-t", "ramfs", "ramfs"], "ramfs");
    let node = bench.device("disk.img", 64 * MIB);
    system("mkfs.ext4", ["-q", &node]);
    // With its data in the journal, ext4 serves direct requests out of the page cache, silently.
    let journal = bench.mount(&["-o", "data=journal", &node], "journal");
    for (directory, name) in [(in_memory, "ramfs"), (journal, "ext4")] {
        let program = Program::under(&directory);
        let line = "--size 8MiB --time 200ms --warm-up 0s --passes 1 --no-progress";
        for op in ["read", "write"] {
            let output = program.line(&format!("measure --op {op} {line}")).done();
            assert!(output.stdout.starts_with("page cache: "), "{name}:\n{}", output.stdout);
            assert!(output.stdout.contains("refuses direct I/O"), "{name}:\n{}", output.stdout);
        }
        let run = stored(&program);
        let trial = &run["trials"][0];
        assert!(warnings(trial).contains(&"direct-refused"), "{run:#}");
        assert_ne!(trial["findings"]["limit"]["cause"], "device");
        assert_eq!(trial["environment"]["target.target.cache"], "buffered (direct refused)");
    }
}

#[test]
fn nothing_is_left_of_a_scratch_file_after_kill() {
    let program = Program::new();
    let mut running = program.start(
        "measure --op write --size 64MiB --block 64KiB --time 100ms --passes 600 --warm-up 0s",
    );
    await_that("a pass is in the store", || passes(&program) > 0);
    running.kill();
    running.wait().ends(137);
    assert!(program.names().is_empty(), "{:?}", program.names());
    assert!(passes(&program) > 0);
}

#[test]
fn nothing_is_left_of_a_scratch_file_that_must_have_a_name_at_first() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let image = bench.file("disk.img", 128 * MIB);
    let at = bench.path("mnt");
    let [image, mounted] = [&image, &at].map(|path| path.to_str().unwrap());
    system("mkfs.ext4", ["-q", image]);
    fs::create_dir(&at).unwrap();
    // This driver (Debian package fuse2fs) knows no files without a name.
    system("fuse2fs", [image, mounted, "-o", "fakeroot"]);
    bench.undo_with(&["umount", mounted]);
    let program = Program::new();
    let mut running = program.start(&format!(
        "measure --target {mounted} --op write --size 16MiB --block 64KiB --time 100ms \
         --warm-up 0s --passes 600 --no-progress"
    ));
    await_that("a pass is in the store", || passes(&program) > 0);
    // While another process has it open, FUSE keeps what was removed under a name of its own.
    let names = || -> Vec<String> {
        let entries = fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).filter(|n| n != "lost+found").collect()
    };
    assert!(names().iter().all(|name| name.starts_with(".fuse_hidden")), "{:?}", names());
    running.kill();
    running.wait().ends(137);
    await_that("nothing is left", || names().is_empty());
}

#[test]
fn filling_a_slow_device_can_be_interrupted() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let image = bench.file("disk.img", 256 * MIB);
    let daemon = Daemon::start(&bench, &image, Medium::Slow { bytes_per_sec: 4 * MIB });
    let node = bench.attach(daemon.file(), &[]);
    system("mkfs.ext4", ["-q", "-O", "^has_journal", &node]);
    let at = bench.mount(&[&node], "mnt");
    let program = Program::new();
    let file = at.join("data");
    let running = program.start(&format!(
        "measure --target {} --op mix=50 --size 200MiB --warm-up 0s --passes 1 --no-progress",
        file.display()
    ));
    // It has its length before it is filled, which would take most of a minute.
    await_that("filling begins", || file.metadata().is_ok_and(|facts| facts.len() == 200 * MIB));
    running.interrupt();
    let begin = Instant::now();
    running.wait().ends(130);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    // Before the daemon goes, or the detaching waits for it.
    bench.undo_last();
    bench.undo_last();
}

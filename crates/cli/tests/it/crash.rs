//! Verification across a crash: a run is killed, and `iopath verify` says what it had written.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use serde_json::Value;

use crate::loopback::{Bench, MIB, is_root};
use crate::program::{Program, await_that};

const LOAD: &str = "--verify --op mix=30 --pattern random --block 8KiB --depth 4 --size 4MiB \
                    --time 60s --warm-up 0s --no-progress --no-path --no-report";
const UNIT: u64 = 4096;

fn journals(program: &Program) -> PathBuf {
    program.store().with_file_name("runs.db.journals")
}

fn journal(program: &Program) -> PathBuf {
    journals(program).join("1-0")
}

/// A run on `data` that is killed after it has flushed, before its first pass has ended.
fn killed(words: &str) -> Program {
    let program = Program::new();
    cut_off(&program, &format!("measure --target data --sync fdatasync=4 {LOAD} {words}"));
    program
}

fn cut_off(program: &Program, line: &str) {
    let mut running = program.start(line);
    await_that("it writes", || has_flushed(program));
    running.kill();
    running.wait().ends(128 + 9);
}

/// Flushes are counted in the journal; filling ends with the first of them.
fn has_flushed(program: &Program) -> bool {
    let mut flushes = [0; 8];
    let read = std::fs::File::open(journal(program))
        .and_then(|file| file.read_exact_at(&mut flushes, 128));
    read.is_ok() && u64::from_ne_bytes(flushes) > 5
}

fn target(found: &Value) -> &Value {
    &found["targets"][0]
}

#[test]
fn a_run_that_was_killed_before_its_first_pass_is_verified() {
    let program = killed("");
    let shown = program.line("verify last").done().stdout;
    assert!(shown.contains("run 1: all that was flushed is there"), "{shown}");
    let found = program.json("verify");
    assert_eq!(found["format"], "iopath-verification/1");
    assert_eq!((&found["run"], &found["is_current"]), (&"1".into(), &true.into()));
    assert_eq!(target(&found)["units"], 4 * MIB / UNIT);
    assert_eq!(target(&found)["intact_units"], 4 * MIB / UNIT, "{found:#}");
    // From elsewhere, by the same paths.
    let mut elsewhere = program.command(["verify", "1"]);
    program.run_command(elsewhere.current_dir("/")).done();
}

#[test]
fn what_a_flush_covers_and_is_not_there_is_damage_with_its_place() {
    let program = killed("");
    let file = OpenOptions::new().write(true).open(program.path("data")).unwrap();
    file.write_all_at(&[0; UNIT as usize], 7 * UNIT).unwrap();
    let output = program.line("verify last").ends(6);
    output.tells(&["wrong data: ", "1 bad block (1 unstamped)", "a flush of generation"]);
    let found = program.line("verify last --json").ends(6).json();
    let blocks = &target(&found)["bad_blocks"];
    assert_eq!(blocks["counts"]["unstamped"], 1);
    assert_eq!(blocks["listed"][0]["offset_bytes"], 7 * UNIT);
    assert_eq!(found["is_intact"], false);
}

#[test]
fn journals_go_with_forget_or_when_their_target_is_written() {
    let program = killed("");
    program.line("verify last --forget").done().tells(&["removed: 1 journal"]);
    assert!(!journals(&program).exists());
    program.line("verify last").ends(4).tells(&["run 1 has no journal"]);

    let program = killed("");
    let name = program.path("data").canonicalize().unwrap();
    let short = "--op write --size 4MiB --time 100ms --passes 1 --no-path --no-report";
    let line = format!("measure --target data {short} --allow-destroy {}", name.display());
    program.line(&line).done().tells(&["run 1 was cut off", "its journal is removed"]);
    program.line("verify 1").ends(4).tells(&["run 1 has no journal"]);
}

#[test]
fn a_run_that_ends_well_leaves_no_journal_and_an_interrupted_one_does() {
    let program = Program::new();
    let short = LOAD.replace("60s", "100ms");
    program.line(&format!("measure --target data {short}")).done();
    assert!(!journals(&program).exists());
    program.line("verify last").ends(4).tells(&["it ended normally"]);
    program.line("measure --target data --time 50ms --passes 1 --no-path --no-report").done();
    program.line("verify last").ends(4).tells(&["it ran without --verify"]);

    let program = Program::new();
    let running = program.start(&format!("measure --target data --sync fdatasync {LOAD}"));
    await_that("it writes", || has_flushed(&program));
    program.line("verify last").ends(4).tells(&["its run is still in progress"]);
    program.line("verify last --forget").ends(4).tells(&["run 1 is still in progress"]);
    running.interrupt();
    let told = ["to verify flushed writes: iopath verify 1", "and 1 journal next to the store"];
    running.wait().ends(130).tells(&told);
    program.line("verify last").done();
}

#[test]
fn a_run_that_wrote_nothing_itself_has_no_journal() {
    let program = Program::in_memory();
    let text = r#"study "s"
path { host "server" { nvme "drive" both=(given)"1 GB/s" } }
workload time="10 ms" { streams "app" over="server.drive" op="write" block="64 KiB" }
"#;
    program.write("s.kdl", text);
    program.line("simulate s.kdl --keep --no-report").done();
    program.line("verify last").ends(4).tells(&["it is a simulation, which writes nothing"]);
    program.line("watch --record --time 300ms --interval 100ms").done();
    program.line("verify last").ends(4).tells(&["it watched the I/O of other programs"]);
}

#[test]
fn scratch_files_have_no_journal() {
    let program = Program::new();
    let mut running = program.start(&format!("measure --target . {LOAD}"));
    await_that("it begins", || program.line("list").stdout.contains("unfinished"));
    running.kill();
    running.wait().ends(128 + 9);
    program.line("verify last").ends(4).tells(&["scratch files vanish with the program"]);
}

#[test]
fn what_cannot_be_checked_is_said_with_its_reason() {
    let program = killed("");
    let edit = |at: u64, byte: u8| {
        let file = OpenOptions::new().write(true).open(journal(&program)).unwrap();
        file.write_all_at(&[byte], at).unwrap();
    };
    edit(15, b'2');
    program.line("verify last").ends(4).tells(&["a newer version of iopath wrote it"]);
    edit(15, b'1');
    program.line("verify last").done();
    edit(4100, b'#');
    program.line("verify last").ends(4).tells(&["it is damaged (its checksum is wrong)"]);

    let program = killed("");
    let data = program.path("data");
    let file = OpenOptions::new().write(true).open(&data).unwrap();
    file.set_len(MIB).unwrap();
    program.line("verify last").ends(4).tells(&["it has 1048576 bytes, 4194304 during the run"]);
    std::fs::rename(&data, program.path("moved")).unwrap();
    program.line("verify last").ends(4).tells(&["restore it as it was during the run"]);
    program.file("data", 4 << 20);
    program.line("verify last").ends(4).tells(&["another file has its name"]);
}

#[test]
fn a_composed_volume_is_verified_through_its_layout() {
    let program = Program::new();
    for name in ["a", "b"] {
        std::fs::File::create(program.path(name)).unwrap().set_len(4 * MIB).unwrap();
    }
    program.write(
        "volume.kdl",
        "study \"v\"\npath { disk \"d\" count=2 }\n\
         layout { stripe \"s\" unit=\"64 KiB\" over=\"d\" }\n\
         bind from=\"d\" to=\"a,b\"\n\
         workload time=\"60 s\" warm-up=\"0 s\" verify=#true {\n\
         streams \"w\" over=\"s\" op=\"write\" pattern=\"random\" block=\"8 KiB\" depth=2 \
         sync=\"fdatasync\"\n}\n",
    );
    let names = ["a", "b"].map(|name| program.path(name).canonicalize().unwrap());
    let [a, b] = names.each_ref().map(|name| name.display());
    let allowed = format!("--allow-destroy {a} --allow-destroy {b}");
    cut_off(&program, &format!("measure volume.kdl --no-progress --no-report {allowed}"));
    let found = program.json("verify last");
    let units = target(&found)["units"].as_u64().unwrap();
    assert!(units > 0 && target(&found)["intact_units"] == units, "{found:#}");
    // The second member holds half of what was written.
    std::fs::write(&names[1], vec![0; 4 << 20]).unwrap();
    let found = program.line("verify last --json").ends(6).json();
    let bad = target(&found)["bad_units"].as_u64().unwrap();
    assert!((1..units).contains(&bad), "{bad} of {units}");
    let listed = target(&found)["bad_blocks"]["listed"].as_array().unwrap();
    let on_second = |block: &Value| block["offset_bytes"].as_u64().unwrap() / (64 << 10) % 2 == 1;
    assert!(listed.iter().all(on_second));
}

#[test]
fn without_room_for_its_journal_a_run_does_not_begin() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let small = bench.mount(&["-t", "tmpfs", "-o", "size=1M", "none"], "small");
    let program = Program::new();
    let load = LOAD.replace("4MiB", "1GiB").replace("mix=30", "write");
    let line = format!("measure --target data {load} --store {}/runs.db", small.display());
    program.line(&line).ends(4).tells(&["cannot be kept: no space for", "--store FILE"]);
    assert!(!small.join("runs.db.journals/1-0").exists());
}

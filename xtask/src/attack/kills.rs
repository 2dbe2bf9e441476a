//! kill -9 at random moments: the store stays whole, and nothing remains after 5 s.
//!
//! What may remain: the store, pages, and files that the command line names. What may not: scratch
//! and temporary files, mounts, loop devices, daemons.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Attack;
use super::bench::{Bench, finish, kill, report};
use crate::limits::Draw;
use crate::limits::rig::{Rig, said};

/// Where there is time for all.
const KILLS: u32 = 1_000;

/// How long something may remain.
const REST: Duration = Duration::from_secs(5);

const COMMANDS: &[&str] = &[
    "measure --target . --size 16MiB --block 64KiB --time 500ms --no-path",
    "measure --target named --op write --size 16MiB --block 64KiB --time 500ms --no-path",
    "measure --target . --op write --size 16MiB --block 4KiB --verify --time 500ms --no-path",
    "measure file.kdl --no-path",
    "simulate study.kdl",
    "validate study.kdl --no-report",
    "emulate study.kdl --run --time 500ms --warm-up 100ms",
    "emulate study.kdl --run --loops --time 500ms --warm-up 100ms",
    "discover",
    "report last",
    "export last out.iopath",
    "explain last",
    "watch --record --time 500ms --plain",
];

/// Kills [`KILLS`] commands, or as many as the time allows.
pub(super) fn run(attack: &Attack) -> Result<bool> {
    let mut kills = 0;
    let held = kill_all(attack, &mut kills);
    Ok(report(&format!("{kills} kills"), &held))
}

fn kill_all(attack: &Attack, kills: &mut u32) -> Result<()> {
    let rig = Rig::new()?;
    let bench = Bench { program: &attack.program, directory: rig.path("") };
    bench.studies()?;
    fs::create_dir(bench.path("tmp"))?;
    let mut draw = Draw::of("kills", attack.seed);
    let in_time = || attack.until.is_none_or(|until| Instant::now() < until);
    while *kills < KILLS && in_time() {
        *kills += 1;
        let words = draw.one(COMMANDS);
        let after = Duration::from_millis(draw.within(1, 1500));
        let child = bench.command(words).spawn().context("the program does not start")?;
        sleep(after);
        kill(child.id(), "KILL");
        // One that had ended by then is as good.
        finish(child)?;
        nothing_remains(&bench).with_context(|| format!("{words}, killed after {after:?}"))?;
    }
    Ok(())
}

fn nothing_remains(bench: &Bench<'_>) -> Result<()> {
    let begin = Instant::now();
    loop {
        let mut left = machine(bench)?;
        left.extend(strange_files(bench));
        left.extend(processes(bench));
        if left.is_empty() {
            break;
        }
        ensure!(begin.elapsed() < REST, "left behind: {left:?}");
        sleep(Duration::from_millis(20));
    }
    let store = bench.path("data/iopath/runs.db");
    if store.exists() {
        let said = said("sqlite3", &[&store.display().to_string(), "PRAGMA integrity_check"])?;
        ensure!(said == "ok", "the store is damaged: {said}");
    }
    bench.run("list")?.with(&[0])
}

/// Mounts and loop devices of the directory: others of the machine come and go.
fn machine(bench: &Bench<'_>) -> Result<Vec<String>> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let loops = said("losetup", &["--list", "--noheadings", "--output", "NAME,BACK-FILE"])?;
    let directory = bench.directory.display().to_string();
    let is_ours = |line: &&str| line.contains(&directory);
    Ok(mounts.lines().chain(loops.lines()).filter(is_ours).map(str::to_owned).collect())
}

/// Files that no command line names.
fn strange_files(bench: &Bench<'_>) -> Vec<String> {
    let folders = ["", "tmp", "data/iopath", "data/iopath/reports"].map(|name| bench.path(name));
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_known = |name: &String| {
        let fixed =
            ["study.kdl", "file.kdl", "data", "tmp", "named", "out.iopath", "iopath", "reports"];
        fixed.contains(&name.as_str()) || name.starts_with("runs.db") || name.ends_with(".html")
    };
    names.filter(|name| !is_known(name)).collect()
}

/// The program and what it started, known by the environment that they inherit.
fn processes(bench: &Bench<'_>) -> Vec<String> {
    let mark = bench.path("data").into_os_string().into_encoded_bytes();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let is_ours = |environment: Vec<u8>| {
        environment.split(|byte| *byte == 0).any(|variable| variable.ends_with(&mark))
    };
    let name = |entry: fs::DirEntry| {
        let environment = fs::read(entry.path().join("environ")).ok()?;
        is_ours(environment).then(|| fs::read_to_string(entry.path().join("comm")).ok())?
    };
    entries.flatten().filter_map(name).collect()
}

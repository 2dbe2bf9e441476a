//! A second process: this test program again, told by its environment what to do.

use std::env;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iopath_store::Store;

use crate::sample;

const ROLE: &str = "IOPATH_TEST_ROLE";
const STORE: &str = "IOPATH_TEST_STORE";

/// The name of the test below, for the filter of the test program.
const ENTRY: &str = "child::does_what_it_is_told";

/// The arguments that make this program run that test alone.
pub(crate) const ARGUMENTS: [&str; 3] = ["--exact", ENTRY, "--nocapture"];

/// This program, to be started in `role` on the store at `path`.
pub(crate) fn command(role: &str, path: &Path) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.args(ARGUMENTS);
    prepare(&mut command, role, path);
    command
}

pub(crate) fn prepare(command: &mut Command, role: &str, path: &Path) {
    command.env(ROLE, role).env(STORE, path).stdout(Stdio::piped()).stderr(Stdio::piped());
}

/// What a child said: its own lines, without those of the test program.
pub(crate) fn said(command: &mut Command) -> Vec<String> {
    let output = command.output().expect("a child starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the child fails: {text}{errors}");
    text.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_owned).collect()
}

#[test]
fn does_what_it_is_told() {
    let path = || PathBuf::from(env::var_os(STORE).expect("a child has a store"));
    match env::var(ROLE).as_deref() {
        Ok("write") => write(&path()),
        Ok("look") => look(&path()),
        Ok("fill") => fill(&path()),
        Ok(role) => panic!("no role {role}"),
        Err(_) => {
            let folder = tempfile::tempdir().unwrap();
            let lines = said(&mut command("write", &folder.path().join("runs.db")));
            assert_eq!(lines.len(), WRITTEN as usize);
        }
    }
}

fn say(line: &str) {
    writeln!(stdout(), "> {line}").expect("the parent listens");
}

/// Records that a writing child stores.
pub(crate) const WRITTEN: u32 = 40;

fn write(path: &Path) {
    let store = Store::open(path).expect("opens");
    let run = store.begin_run(&sample::run("child")).expect("begins");
    for trial in 0..WRITTEN {
        store.append(run, &sample::record(trial, 0)).expect("appends");
        say(&format!("{run} {trial}"));
    }
}

fn look(path: &Path) {
    match Store::open(path) {
        Ok(_) => say("open: yes"),
        Err(error) => say(&format!("open: {error}")),
    }
    match Store::open_existing(path).and_then(|store| store.records(store.resolve("1")?)) {
        Ok(records) => say(&format!("read: {}", records.len())),
        Err(error) => say(&format!("read: {error}")),
    }
}

/// Writes until nothing more fits, then reads what is there.
fn fill(path: &Path) {
    let store = Store::open(path).expect("opens");
    let run = store.begin_run(&sample::run("child")).expect("begins");
    let mut stored = 0;
    let error = loop {
        match store.append(run, &sample::record(stored, 0)) {
            Ok(()) => stored += 1,
            Err(error) => break error,
        }
    };
    drop(store);
    let store = Store::open_existing(path).expect("opens again");
    let found = store.records(run).expect("reads").len();
    say(&format!("{} {error}", found == stored as usize && stored > 0));
}

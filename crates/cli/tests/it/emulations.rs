//! What tests of emulated paths share: a study in a place of its own, and that nothing remains.

use std::path::PathBuf;

use crate::program::{Output, Program};

pub(crate) fn with(text: &str) -> Program {
    let program = Program::in_memory();
    program.write("study.kdl", text);
    program
}

/// Where the run directories of a test are.
pub(crate) fn directory(program: &Program) -> PathBuf {
    program.path("run")
}

pub(crate) fn emulate(program: &Program, rest: &str) -> Output {
    let directory = directory(program);
    program.line(&format!("emulate {rest} --directory {}", directory.display()))
}

/// Emulated paths of a test that are up; taken away with it, also when the test panics.
pub(crate) struct Standing<'p>(pub &'p Program);

impl Drop for Standing<'_> {
    fn drop(&mut self) {
        let down = emulate(self.0, "--down");
        if !std::thread::panicking() {
            down.done();
        }
    }
}

/// Nothing of any emulation remains: no mount, no process, no file.
pub(crate) fn assert_nothing_left(program: &Program) {
    let place = directory(program).display().to_string();
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap();
    assert!(!mounts.contains(&place), "{mounts}");
    let entries = std::fs::read_dir(&place).map_or(0, Iterator::count);
    assert_eq!(entries, 0, "{place}");
    assert_eq!(daemons(program), []);
}

/// The daemons of a test, rate-limited and live: their numbers and arguments.
pub(crate) fn daemons(program: &Program) -> Vec<(u32, String)> {
    let place = directory(program).display().to_string();
    let all = std::fs::read_dir("/proc").unwrap();
    let processes = all.filter_map(|entry| {
        let entry = entry.ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let number = entry.file_name().to_str()?.parse().ok()?;
        Some((number, String::from_utf8_lossy(&line).replace('\0', " ")))
    });
    let is_daemon = |line: &str| {
        line.contains(&place)
            && ["qemu-storage-daemon", "--serve"].iter().any(|word| line.contains(word))
    };
    processes.filter(|(_, line)| is_daemon(line)).collect()
}

//! Where the store lies: closed directories, read-only and full file systems.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::child::{self, ARGUMENTS};
use crate::fixtures::RUNS_DB;

/// Nobody, on Debian and most others; root passes every permission, so it becomes somebody else.
const NOBODY: u32 = 65_534;

fn is_root(folder: &TempDir) -> bool {
    folder.path().metadata().unwrap().uid() == 0
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn looks(folder: &TempDir, path: &Path) -> Vec<String> {
    let mut command = child::command("look", path);
    if is_root(folder) {
        command.uid(NOBODY).gid(NOBODY);
    }
    child::said(&mut command)
}

#[test]
fn a_closed_directory_can_be_read_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    fs::write(&path, RUNS_DB).unwrap();
    for file in [0o666, 0o444] {
        mode(&path, file);
        mode(folder.path(), 0o555);
        let lines = looks(&folder, &path);
        mode(folder.path(), 0o755);
        assert!(lines[0].starts_with("open: cannot "), "{lines:?}");
        assert!(lines[0].contains("--store"), "{lines:?}");
        assert_eq!(lines[1], "read: 3");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_without_permission_is_refused_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    fs::write(&path, RUNS_DB).unwrap();
    mode(&path, 0o000);
    mode(folder.path(), 0o755);
    for line in looks(&folder, &path) {
        assert!(line.contains("cannot open the store") && line.contains("permissions"), "{line}");
    }
    mode(folder.path(), 0o700);
    mode(&path, 0o600);
    if is_root(&folder) {
        for line in looks(&folder, &path) {
            assert!(line.contains("cannot "), "{line}");
        }
    }
}

/// Runs a child on a file system of its own, which goes away with it. A user without the right to
/// mount has nothing to run this on; root always has.
fn on_a_file_system(folder: &TempDir, script: &str, role: &str) -> Option<Vec<String>> {
    let own = if is_root(folder) { "-m" } else { "-rm" };
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args([own, "sh", "-ec", script]).current_dir(folder.path());
        command
    };
    let possible = unshare("mount -t tmpfs none .").output().is_ok_and(|o| o.status.success());
    if !possible && !is_root(folder) {
        return None;
    }
    let mut command = unshare(&format!("{script}; exec \"$0\" \"$@\""));
    command.arg(std::env::current_exe().unwrap()).args(ARGUMENTS);
    let mount = folder.path().join("mount");
    fs::create_dir(&mount).unwrap();
    child::prepare(&mut command, role, &mount.join("runs.db"));
    Some(child::said(&mut command))
}

#[test]
fn a_read_only_file_system_can_be_read_from() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("runs.db"), RUNS_DB).unwrap();
    let script = "mount -t tmpfs none mount; cp runs.db mount; mount -o remount,ro mount";
    if let Some(lines) = on_a_file_system(&folder, script, "look") {
        assert!(lines[0].starts_with("open: cannot write to the store"), "{lines:?}");
        assert_eq!(lines[1], "read: 3");
    }
}

#[test]
fn a_full_file_system_is_named_and_keeps_what_it_holds() {
    for size in ["200k", "400k"] {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("mount -t tmpfs -o size={size} none mount");
        if let Some(lines) = on_a_file_system(&folder, &script, "fill") {
            assert!(lines[0].starts_with("true no space left for the store"), "{lines:?}");
        }
    }
}

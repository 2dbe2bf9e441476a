//! What undo of a script does, by its functions in sh, on files and directories that stand for
//! those of a machine.
#![expect(clippy::disallowed_methods, reason = "sh reads and writes what a test looks at")]

use std::path::{Path, PathBuf};

use iopath_layout::Tool::{self, Mdadm, Zpool};

use crate::built;
use crate::script::sh;

const LAYOUT: &str = r#"stripe "v" largest-request="512 KiB" over="box.controller.lun[0-1]"
    filesystem "f" on="v""#;

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("iopath-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What lines say after the functions of a script, which has this directory as its /sys.
fn said(tool: Tool, scratch: &Scratch, lines: &str) -> (Option<i32>, String) {
    let script = built(LAYOUT, tool).script().replace("/sys/class/block", &scratch.path("sys"));
    let (functions, _) = script.split_once("\ncase \"${1-}\" in").unwrap();
    let done = sh(&["-s"], &format!("{functions}\n{lines}\n"));
    let text = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (done.status.code(), text.concat())
}

const SETS: &str = "DEV_LUN_0=/dev/none-a DEV_LUN_1=/dev/none-b\n";

/// /dev/loop11 is no partition of /dev/loop1, and /dev/loop1p1 is.
#[test]
fn a_device_of_a_pool_is_known_by_its_whole_name() {
    let scratch = Scratch::new("pool");
    scratch.write("sys/loop1/loop1p1/partition", "1");
    scratch.write("sys/loop11/dev", "7:11");
    scratch.write("sys/dm-1/holders/dm-2/dm/uuid", "part1-mpath-x");
    scratch.write("sys/dm-1/holders/dm-3/dm/uuid", "LVM-x");
    let nodes = |name: &str| said(Zpool, &scratch, &format!("nodes {name}")).1;
    assert_eq!(nodes("/dev/loop1"), "/dev/loop1\n/dev/loop1p1\n");
    assert_eq!(nodes("/dev/loop11"), "/dev/loop11\n");
    assert_eq!(nodes("/dev/dm-1"), "/dev/dm-1\n/dev/dm-2\n");
    let is_in = |pool: &str, device: &str| {
        let zpool = format!("zpool() {{ printf '\\t  %s  ONLINE 0 0 0\\n' {pool}; }}");
        let lines = format!("{zpool}\nif in_pool v {device}; then echo yes; fi");
        said(Zpool, &scratch, &lines).1 == "yes\n"
    };
    assert!(is_in("/dev/loop1", "/dev/loop1"));
    assert!(is_in("/dev/loop1p1", "/dev/loop1"));
    assert!(!is_in("/dev/loop11", "/dev/loop1"));
    assert!(!is_in("/dev/loop1", "/dev/loop11"));
    assert!(!is_in("/dev/loop1p11", "/dev/loop1"));
}

/// Labels go of the device and its partitions only, and of none that a pool uses (`-f`).
#[test]
fn labels_of_no_other_device_are_cleared() {
    let scratch = Scratch::new("labels");
    scratch.write("sys/loop1/loop1p1/partition", "1");
    scratch.write("sys/loop11/dev", "7:11");
    let log = scratch.path("log");
    let lines = format!(
        "zpool() {{ echo \"zpool $*\" >> {log}; }}\nwipefs() {{ echo \"wipefs $*\" >> {log}; }}\n\
         forget /dev/loop1"
    );
    assert_eq!(said(Zpool, &scratch, &lines), (Some(0), String::new()));
    let expected = "zpool labelclear /dev/loop1\nzpool labelclear /dev/loop1p1\n\
                    wipefs --quiet --all /dev/loop1\n";
    assert_eq!(std::fs::read_to_string(&log).unwrap(), expected);
}

/// A directory that was there before, whether empty or full, is left.
#[test]
fn only_a_directory_that_was_made_is_removed() {
    let scratch = Scratch::new("directory");
    let (made, there) = (scratch.path("made"), scratch.path("there"));
    std::fs::create_dir(&there).unwrap();
    let free = "findmnt() { return 1; }\n";
    let lines = format!("{free}unmount {there} m\nmake_directory {made} m\nunmount {made} other");
    assert_eq!(said(Mdadm, &scratch, &lines), (Some(0), String::new()));
    assert!(Path::new(&there).exists() && Path::new(&made).exists());
    let lines = format!("{free}unmount {made} m; echo $removals $leavings");
    assert_eq!(said(Mdadm, &scratch, &lines), (Some(0), "1 0\n".to_owned()));
    assert!(!Path::new(&made).exists());
    assert!(!Path::new(&scratch.path(".iopath-layout.made")).exists());
}

/// What is in it is not ours, and no reason to leave the rest.
#[test]
fn a_directory_that_is_full_does_not_end_undo() {
    let scratch = Scratch::new("full");
    let made = scratch.path("made");
    let lines = format!(
        "findmnt() {{ return 1; }}\nmake_directory {made} m\n: > {made}/file\nunmount {made} m \
         2> /dev/null; echo $removals $leavings"
    );
    assert_eq!(said(Mdadm, &scratch, &lines), (Some(0), "0 1\n".to_owned()));
    assert!(Path::new(&made).join("file").exists());
}

#[test]
fn undo_says_what_it_found() {
    let scratch = Scratch::new("found");
    let none = said(Mdadm, &scratch, &format!("{SETS}undo"));
    assert_eq!(none, (Some(1), "nothing of this script was found\n".to_owned()));
    let some = said(Mdadm, &scratch, &format!("{SETS}unmount() {{ removed; }}\nundo"));
    assert_eq!(some, (Some(0), "all that was made here is gone\n".to_owned()));
    let left = said(Mdadm, &scratch, &format!("{SETS}unmount() {{ left it stays; }}\nundo"));
    assert_eq!(left, (Some(1), "it stays\nnot all is gone\n".to_owned()));
}

#[test]
fn a_request_is_no_larger_than_the_device_takes() {
    let scratch = Scratch::new("request");
    scratch.write("sys/none-a/queue/max_hw_sectors_kb", "256\n");
    let set = |kib: u64| {
        scratch.write("sys/none-a/queue/max_sectors_kb", "");
        let (code, text) = said(Mdadm, &scratch, &format!("largest_request /dev/none-a {kib}"));
        assert_eq!(code, Some(0), "{text}");
        let set = std::fs::read_to_string(scratch.path("sys/none-a/queue/max_sectors_kb"));
        (set.unwrap(), text)
    };
    assert_eq!(set(128), ("128\n".to_owned(), String::new()));
    let (found, text) = set(512);
    assert_eq!(found, "256\n");
    assert_eq!(text, "/dev/none-a takes requests of 256 KiB at most: that is set, not 512 KiB\n");
}

//! `iopath layout`: scripts of studies, and file systems that are built on loop devices, discovered
//! and removed again, so that the machine is as it was.

use std::path::Path;
use std::process::{Command, Output as Done};

use crate::loopback::{Bench, MIB, checksum, is_root, system};
use crate::program::Program;
use crate::shape;

const VERITAS: &str = include_str!("../../../../studies/veritas-cfs.kdl");

const MANAGERS: [&str; 7] = ["lvm", "mdadm", "zpool", "btrfs", "mkfs", "multipath", "vxassist"];

/// A study of two drives with this layout.
fn study(layout: &str) -> String {
    format!(
        r#"study "t"
path {{ host "h" {{ disk "d" count=2 both="100 MB/s" }}; multipath policy="fixed" }}
layout {{
    {layout}
}}
workload time="1 s" {{ streams "r" over="h.d" block="1 MiB" }}
"#
    )
}

fn with(layout: &str) -> Program {
    let program = Program::in_memory();
    program.write("t.kdl", study(layout));
    program
}

/// Runs a script that was written.
fn sh(program: &Program, word: &str) -> Done {
    Command::new("sh").arg(program.path("t.sh")).arg(word).output().unwrap()
}

#[track_caller]
fn succeeds(done: &Done) -> String {
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{error}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[track_caller]
fn refuses(done: &Done) -> String {
    assert!(!done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    String::from_utf8_lossy(&done.stderr).into_owned()
}

#[test]
fn the_script_goes_to_stdout_or_to_a_file_with_its_steps_shown() {
    let program = with(r#"stripe "v" unit="64 KiB" over="h.d""#);
    let printed = program.line("layout t.kdl --for mdadm").done().stdout;
    assert!(printed.starts_with("#!/bin/sh\n"), "{printed}");
    let shown = program.line("layout t.kdl --for mdadm -o t.sh").done().stdout;
    assert_eq!(std::fs::read_to_string(program.path("t.sh")).unwrap(), printed);
    assert!(shown.contains("1 step by mdadm on 2 devices"), "{shown}");
    assert!(shown.contains("sh t.sh check"), "{shown}");
    let again = program.line("layout t.kdl --for mdadm -o t.sh").ends(5);
    assert!(again.stderr.contains("t.sh"), "{}", again.stderr);
}

#[test]
fn json_has_steps_and_script() {
    let program = with("stripe \"v\" over=\"h.d\"\n    filesystem \"f\" on=\"v\"");
    for manager in MANAGERS {
        shape::layout(&program.json(&format!("layout t.kdl --for {manager}")));
    }
}

/// The study that the columns, units and the readahead of VxFS come from.
#[test]
fn a_published_study_is_built_case_by_case() {
    let program = Program::in_memory();
    program.write("v.kdl", VERITAS);
    let several = program.line("layout v.kdl --for vxassist").ends(3).stderr;
    let choice =
        "different layouts: choose one\n  --case 'raw volume, one node' --case 'width=64 KiB'";
    assert!(several.contains(choice), "{several}");
    let words = ["layout", "v.kdl", "--for", "vxassist", "--case", "64 files"];
    let words = [&words[..], &["--case", "readahead=24"]].concat();
    let script = program.run(words).done().stdout;
    for expected in ["layout=stripe ncol=24 stripeunit=512k", "read_pref_io=524288,read_nstream=24"]
    {
        assert!(script.contains(expected), "{script}");
    }
}

#[test]
fn mistakes_name_their_line_and_what_to_do() {
    let program = with(r#"stripe "v" unit="96 KiB" over="h.d""#);
    let said = program.line("layout t.kdl --for lvm").ends(3).stderr;
    assert!(said.starts_with("t.kdl:4:"), "{said}");
    assert!(said.contains("power of two") && said.contains("hint: state such a unit"), "{said}");
    let rows = [
        ("--for mdadm --devices h.d[7]=/dev/x", "the devices are h.d[0], h.d[1]"),
        ("--for mdadm --devices h.d[0]=/dev/x,h.d[1]=/dev/x", "/dev/x is both h.d[0] and h.d[1]"),
        ("--for mdadm --devices none.txt", "cannot read"),
    ];
    for (words, expected) in rows {
        let output = program.line(&format!("layout t.kdl {words}"));
        assert!(output.stderr.contains(expected), "{words}: {}", output.stderr);
    }
    let said = program.line("layout t.kdl --for raidctl").ends(3).stderr;
    assert!(said.contains("there are lvm, mdadm"), "{said}");
}

/// What a test has made is removed, also when it fails.
struct Made<'a> {
    program: &'a Program,
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        let _ = sh(self.program, "undo");
    }
}

/// Whether anything of a file system is left: its mount, the directory, a note of read-ahead.
#[track_caller]
fn assert_gone(name: &str) {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&format!("/mnt/{name} ")), "{mounts}");
    let note = format!("/mnt/.iopath-layout.{name}");
    for path in [format!("/mnt/{name}"), note, format!("/run/iopath-layout.{name}.read-ahead")] {
        assert!(!Path::new(&path).exists(), "{path}");
    }
}

fn type_of(device: &str) -> String {
    let words = ["--probe", "-o", "value", "-s", "TYPE", device];
    let found = Command::new("blkid").args(words).output().unwrap();
    String::from_utf8_lossy(&found.stdout).trim().to_owned()
}

/// In KiB, as btrfs has it.
fn read_ahead_of_btrfs(device: &str) -> String {
    let uuid = system("blkid", ["--probe", "-o", "value", "-s", "UUID", device]);
    let file = format!("/sys/fs/btrfs/{}/bdi/read_ahead_kb", uuid.trim());
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

/// A file system of each kind: built, discovered, and gone with its mount and its signature.
#[test]
fn file_systems_are_built_discovered_and_removed() {
    if !is_root() {
        return;
    }
    for kind in ["ext4", "xfs", "btrfs"] {
        let mut bench = Bench::new();
        let device = bench.device("d.img", 320 * MIB);
        let name = format!("iopath-it-{kind}");
        let program = with(&format!(
            "filesystem \"{name}\" on=\"h.d[0]\" cache=\"buffered\" {{ readahead unit=\"64 KiB\" \
             streams=4 }}"
        ));
        let ahead = system("blockdev", ["--getra", &device]);
        let line = format!("layout t.kdl --for mkfs --devices h.d[0]={device} -o t.sh");
        program.line(&line).done();
        let made = Made { program: &program };
        succeeds(&sh(&program, "check"));
        succeeds(&sh(&program, "make"));
        assert_eq!(type_of(&device), kind);
        match kind {
            "btrfs" => assert_eq!(read_ahead_of_btrfs(&device), "256"),
            _ => assert_eq!(system("blockdev", ["--getra", &device]), "512"),
        }
        let again = refuses(&sh(&program, "make"));
        assert!(again.contains(&device), "{again}");
        let path = program.line(&format!("discover /mnt/{name}")).done().stdout;
        assert!(path.contains("filesystem "), "{path}");
        succeeds(&sh(&program, "undo"));
        assert_gone(&name);
        assert_eq!(type_of(&device), "");
        assert_eq!(system("blockdev", ["--getra", &device]), ahead);
        succeeds(&sh(&program, "check"));
        drop(made);
    }
}

/// A directory that was there is not taken, and undo leaves it as it is.
#[test]
fn a_directory_of_that_name_is_neither_taken_nor_removed() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let device = bench.device("d.img", 320 * MIB);
    let program = with(r#"filesystem "iopath-it-there" on="h.d[0]""#);
    program.line(&format!("layout t.kdl --for mkfs --devices h.d[0]={device} -o t.sh")).done();
    let there = Path::new("/mnt/iopath-it-there");
    std::fs::create_dir(there).unwrap();
    let said = refuses(&sh(&program, "make"));
    let undone = refuses(&sh(&program, "undo"));
    std::fs::remove_dir(there).unwrap();
    assert_eq!(said, "there is /mnt/iopath-it-there already\n");
    assert_eq!(undone, "nothing of this script was found\n");
}

/// btrfs is volume and file system in one.
#[test]
fn a_btrfs_over_two_devices_is_built_and_removed() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let devices = ["a.img", "b.img"].map(|name| bench.device(name, 256 * MIB));
    let program = with(
        r#"raid "v" level=1 over="h.d"
        filesystem "iopath-it-two" on="v" block="4 KiB""#,
    );
    program.write("devices.txt", format!("h.d[0] {}\nh.d[1] {}\n", devices[0], devices[1]));
    program.line("layout t.kdl --for btrfs --devices devices.txt -o t.sh").done();
    let made = Made { program: &program };
    succeeds(&sh(&program, "make"));
    let usage = system("btrfs", ["filesystem", "df", "/mnt/iopath-it-two"]);
    assert!(usage.contains("Data, RAID1") && usage.contains("Metadata, RAID1"), "{usage}");
    let path = program.line("discover /mnt/iopath-it-two").done().stdout;
    assert!(devices.iter().all(|device| path.contains(&device[5..])), "{path}");
    succeeds(&sh(&program, "undo"));
    assert_gone("iopath-it-two");
    assert_eq!(devices.map(|device| type_of(&device)), ["", ""]);
    drop(made);
}

/// Whatever a device holds, and whoever uses it, neither make nor undo changes a byte of it.
#[test]
fn what_holds_data_is_neither_taken_nor_removed() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let program = with(r#"filesystem "iopath-it-kept" on="h.d[0]""#);
    let holds: [(&str, &[&str]); 4] = [
        ("ext4", &["mkfs.ext4", "-q", "-L", "iopath-it-kept"]),
        ("xfs", &["mkfs.xfs", "-q", "-L", "iopath-it-ke"]),
        ("swap", &["mkswap"]),
        ("table", &["sfdisk", "--quiet"]),
    ];
    for (name, command) in holds {
        let device = bench.device(name, 320 * MIB);
        match name {
            "table" => partition(&device),
            _ => drop(system(command[0], [&command[1..], &[device.as_str()]].concat())),
        }
        assert_kept(&program, &device, &bench.path(name));
    }
    let (mounted, _) = bench.ext4("mounted", 64 * MIB);
    assert_kept(&program, &mounted, &bench.path("mounted.img"));
}

fn partition(device: &str) {
    let file = format!("echo ,16M | sfdisk --quiet --label gpt {device}");
    system("sh", ["-c", &file]);
}

#[track_caller]
fn assert_kept(program: &Program, device: &str, file: &Path) {
    let line = format!("layout t.kdl --for mkfs --devices h.d[0]={device}");
    let script = program.line(&line).done().stdout;
    program.write("t.sh", script);
    system("sync", [""; 0]);
    let length = file.metadata().unwrap().len();
    let sum = checksum(file, length);
    for word in ["check", "make"] {
        let said = refuses(&sh(program, word));
        assert!(said.starts_with(device), "{said}");
    }
    let undone = refuses(&sh(program, "undo"));
    assert!(undone.ends_with("nothing of this script was found\n"), "{undone}");
    assert_gone("iopath-it-kept");
    assert_eq!(checksum(file, length), sum);
}

/// A drive that is in a script twice, or in none, is told before anything is made.
#[test]
fn devices_from_the_environment_are_looked_at_too() {
    if !is_root() {
        return;
    }
    let program = with("raid \"v\" level=1 over=\"h.d\"\n    filesystem \"f\" on=\"v\"");
    program.line("layout t.kdl --for btrfs -o t.sh").done();
    let said = refuses(&sh(&program, "make"));
    assert!(said.starts_with("DEV_D_0 is not set: the device of h.d[0]"), "{said}");
    let twice = Command::new("sh")
        .arg(program.path("t.sh"))
        .arg("make")
        .env("DEV_D_0", "/dev/null")
        .env("DEV_D_1", "/dev/../dev/null")
        .output()
        .unwrap();
    assert_eq!(refuses(&twice), "named twice: /dev/null\n");
}

#[test]
fn the_page_names_every_manager() {
    let page = include_str!("../../../../docs/layout.md");
    let program = Program::in_memory();
    let help = program.line("layout --help").done().stdout;
    for manager in MANAGERS {
        assert!(page.contains(&format!("`{manager}`")), "{manager}");
        assert!(help.contains(manager), "{manager}");
    }
}

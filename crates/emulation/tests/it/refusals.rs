//! What is refused before or while it is made, with the reason, and nothing left.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use iopath_emulation::{Media, Rig, Trouble, standing, sweep};
use iopath_path::Burst;

use crate::bench::{Bench, MIB, bring_up, device, group, is_possible};

/// Tells the test binary, started anew, to bring an emulation up and say what comes of it.
const DIRECTORY: &str = "IOPATH_TEST_ATTEMPT_DIRECTORY";

fn rig(count: usize) -> Rig {
    let devices = (0..count).map(|index| device(index, MIB, &[0])).collect();
    Rig { groups: vec![group("bus", 1e9)], devices }
}

fn refused(rig: &Rig) -> String {
    let bench = Bench::new();
    let trouble = bring_up(rig, &bench.options(Media::Files)).unwrap_err();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    trouble.to_string()
}

#[test]
fn a_rig_that_makes_no_sense_is_refused_by_name() {
    let change = |change: fn(&mut Rig)| {
        let mut rig = rig(2);
        change(&mut rig);
        refused(&rig)
    };
    let no_burst = |rig: &mut Rig| {
        rig.groups[0].burst = Some(Burst { tokens: 0.0, rate: 1.0 });
    };
    for (told, expected) in [
        (change(|rig| rig.devices.clear()), "this path: it has no devices"),
        (change(|rig| rig.devices[1].bytes = 0), "array[1].lun: its 0 bytes are not a multiple"),
        (
            change(|rig| rig.devices[1].bytes = 700),
            "array[1].lun: its 700 bytes are not a multiple",
        ),
        (change(|rig| rig.devices[0].groups.push(1)), "array[0].lun: there is no group 1"),
        (change(|rig| rig.groups[0].per_sec = 0.0), "bus: its rate is 0 /s"),
        (change(|rig| rig.groups[0].per_sec = f64::NAN), "bus: its rate is NaN /s"),
        (change(no_burst), "bus: its burst is 0 tokens at 1 /s"),
    ] {
        assert!(told.starts_with(&format!("cannot emulate {expected}")), "{told}");
    }
}

#[test]
fn ways_to_one_medium_have_one_size() {
    let mut rig = rig(2);
    rig.devices[1].medium = 0;
    rig.devices[1].bytes = 2 * MIB;
    let expected = "cannot emulate array[1].lun: it has 2097152 bytes and array[0].lun, another \
    path to its medium, has 1048576";
    assert_eq!(refused(&rig), expected);
}

#[test]
fn too_many_devices_are_refused() {
    if is_possible() {
        let told = refused(&rig(1001));
        assert_eq!(told, "1001 devices are too many: at most 1000 can be emulated");
    }
}

/// Not a test by itself: what others start under conditions of their own.
#[test]
fn an_attempt_for_the_tests_that_need_another_process() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let mut options = Bench::new().options(Media::Null);
    options.directory = PathBuf::from(directory);
    let told = match bring_up(&rig(112), &options) {
        Ok(_) => "up".to_owned(),
        Err(trouble) => trouble.to_string(),
    };
    writeln!(std::io::stdout(), "told: {told}").unwrap();
}

/// What an attempt says that is started by `command` and its words.
fn attempt(command: &mut Command) -> String {
    let bench = Bench::new();
    command.args(["--exact", "--nocapture"]);
    command.arg("refusals::an_attempt_for_the_tests_that_need_another_process");
    let output = command.env(DIRECTORY, bench.directory()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    let told = text.lines().find_map(|line| line.split_once("told: ").map(|(_, told)| told));
    told.unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn a_missing_program_is_named_with_its_package() {
    let told = attempt(Command::new(std::env::current_exe().unwrap()).env("PATH", "/nowhere"));
    let expected = "qemu-storage-daemon is missing: install the Debian package qemu-system-common";
    assert_eq!(told, expected);
}

#[test]
fn a_limit_of_open_files_is_told_with_its_numbers() {
    if !is_possible() {
        return;
    }
    let exe = std::env::current_exe().unwrap();
    let told = attempt(Command::new("prlimit").arg("--nofile=500:500").arg(&exe));
    let expected = "112 devices need 736 open files in a daemon, and 500 are allowed: raise the \
                    limit (ulimit -n)";
    assert_eq!(told, expected);
    // The soft limit does not matter.
    let told = attempt(Command::new("prlimit").arg("--nofile=100:4096").arg(&exe));
    assert_eq!(told, "up");
}

#[test]
fn a_directory_that_cannot_be_used_is_refused() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let mut options = bench.options(Media::Null);
    options.directory = PathBuf::from("/dev/null/emulations");
    let trouble = bring_up(&rig(1), &options).unwrap_err().to_string();
    assert!(trouble.starts_with("cannot make /dev/null/emulations: "), "{trouble}");
    options.directory = bench.directory().join("x".repeat(90));
    let trouble = bring_up(&rig(1), &options).unwrap_err();
    assert!(matches!(trouble, Trouble::LongPath { .. }), "{trouble}");
    std::fs::remove_dir(bench.directory()).unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn a_directory_of_another_user_is_neither_used_nor_read() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let options = bench.options(Media::Null);
    std::fs::create_dir(&options.directory).unwrap();
    std::os::unix::fs::chown(&options.directory, Some(65534), None).unwrap();
    let why = format!("{} belongs to user 65534", options.directory.display());
    let trouble = bring_up(&rig(1), &options).unwrap_err().to_string();
    assert!(trouble.starts_with(&why), "{trouble}");
    let troubles = sweep(&options.directory).troubles;
    let found = standing(&options.directory).into_iter().filter_map(Result::err);
    let told: Vec<Trouble> = troubles.into_iter().chain(found).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|trouble| trouble.to_string().starts_with(&why)), "{told:?}");
    std::fs::remove_dir(&options.directory).unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

/// A file system in memory, which is unmounted in the end.
struct Memory {
    path: PathBuf,
}

impl Memory {
    fn mount(path: &Path, options: &str) -> Self {
        std::fs::create_dir_all(path).unwrap();
        let mut mount = Command::new("mount");
        let done = mount.args(["-t", "tmpfs", "-o", options, "none"]).arg(path).status().unwrap();
        assert!(done.success());
        Self { path: path.to_owned() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Best effort: a failure here must not hide the test's own.
        let _ = Command::new("umount").arg(&self.path).status();
    }
}

#[test]
fn a_full_file_system_is_told_and_nothing_is_left_on_it() {
    if !is_possible() {
        return;
    }
    // Bytes that are free but too few, and names that run out in the middle.
    for options in ["size=256k", "size=8m,nr_inodes=12"] {
        let bench = Bench::new();
        let memory = Memory::mount(&bench.directory(), options);
        let trouble = bring_up(&rig(20), &bench.options(Media::Files)).unwrap_err();
        assert!(matches!(trouble, Trouble::Full { .. }), "{trouble}");
        let left = std::fs::read_dir(&memory.path).unwrap().count();
        assert_eq!(left, 0, "{options}");
    }
}

#[test]
fn media_that_do_not_fit_fail_their_writer_and_nothing_else() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let memory = Memory::mount(&bench.directory(), "size=4m");
    let mut rig = rig(2);
    rig.devices.iter_mut().for_each(|device| device.bytes = 64 * MIB);
    let up = bring_up(&rig, &bench.options(Media::Files)).unwrap();
    let written = std::fs::OpenOptions::new().write(true).open(&up.paths()[0]).and_then(|file| {
        (&file).write_all(&vec![1; 8 << 20])?;
        file.sync_all()
    });
    written.unwrap_err();
    up.tear_down().unwrap();
    assert_eq!(std::fs::read_dir(&memory.path).unwrap().count(), 0);
}

//! Which targets share a limit: found on exports of `qemu-storage-daemon` whose throttle groups are
//! known, and refused where there is nothing to probe.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::loopback::{Bench, MIB, is_root};
use crate::program::{Program, await_that};

const MB: u64 = 1_000_000;

/// One daemon with an export for each medium, all behind one throttle group. Exports of one daemon
/// wait for one another, so each group has its own.
struct Exports {
    process: Child,
    files: Vec<String>,
}

impl Exports {
    fn start(bench: &Bench, rate: u64, media: &[usize]) -> Self {
        let group = format!("throttle-group,id=group,x-bps-read={rate}");
        let mut options = vec!["--object".to_owned(), group];
        let mut files = Vec::new();
        for medium in media {
            let image = bench.file(&format!("image{medium}"), 64 * MIB);
            let exported = bench.path(&format!("medium{medium}"));
            File::create(&exported).unwrap();
            let (image, at) = (image.display(), exported.display());
            for (option, value) in [
                ("--blockdev", format!("driver=file,node-name=file{medium},filename={image}")),
                (
                    "--blockdev",
                    format!(
                        "driver=throttle,node-name=node{medium},throttle-group=group,\
                         file=file{medium}"
                    ),
                ),
                (
                    "--export",
                    format!(
                        "type=fuse,id=export{medium},node-name=node{medium},mountpoint={at},\
                         writable=on"
                    ),
                ),
            ] {
                options.extend([option.to_owned(), value]);
            }
            files.push(exported.display().to_string());
        }
        let note = bench.path(&format!("exports{}.pid", media[0]));
        let process = Command::new("qemu-storage-daemon")
            .args(options)
            .args(["--pidfile", note.to_str().unwrap()])
            .stdin(Stdio::null())
            .spawn()
            .expect("qemu-storage-daemon (Debian package qemu-system-common)");
        let exports = Self { process, files };
        await_that("the exports are there", || {
            fs::read_to_string(&note).is_ok_and(|text| text.ends_with('\n'))
        });
        exports
    }
}

impl Drop for Exports {
    fn drop(&mut self) {
        // Best effort: a failure here must not hide the test's own.
        let _ = self.process.kill();
        let _ = self.process.wait();
        for file in &self.files {
            let _ = Command::new("umount").args(["--lazy", file]).output();
        }
    }
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

/// Limits are so low that a busy machine keeps them.
#[test]
fn two_of_four_exports_share_a_limit_and_are_found() {
    if !is_root() {
        return;
    }
    let bench = Bench::new();
    let exports = [[0, 2].as_slice(), &[1], &[3]];
    let exports = exports.map(|media| Exports::start(&bench, 10 * MB, media));
    let program = Program::in_memory();
    let targets: String = exports
        .iter()
        .flat_map(|daemon| &daemon.files)
        .map(|file| format!(" --target {file}"))
        .collect();
    let load = "--block 64KiB --depth 4 --time 300ms --warm-up 0s --passes 1";
    program.line(&format!("measure{targets} {load}")).done();
    let probe = program.line("explain --probe --json").done();
    assert!(probe.stderr.contains("probing 4 targets, reading only"), "{}", probe.stderr);
    assert!(probe.stderr.contains("reads of 64 KiB, 4 in flight at each"), "{}", probe.stderr);
    let value = probe.json();
    assert_eq!(value["format"], "iopath-probe/1");
    let groups = value["verdict"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{value:#}");
    assert_eq!(names(&groups[0]["members"]), ["medium0", "medium2"], "{value}");
    let rate = groups[0]["bytes_per_sec"].as_f64().unwrap();
    assert!((8e6..12e6).contains(&rate), "{rate}");
    assert_eq!(value["verdict"]["private"].as_array().unwrap().len(), 2);
    assert_eq!(value["verdict"]["advice"][0]["rule"], "shared-limit");
    // Stored as a run of its own, it is told again from its records.
    assert_eq!(program.json("explain 2"), value);
    let text = program.line("explain 2").done().stdout;
    assert!(text.starts_with("medium0 and medium2 share a limit; medium1 and medium3 share none"));
    assert!(program.line("show 2").done().stdout.contains("medium0 alone"));
}

#[test]
fn what_cannot_be_probed_says_why_and_reads_nothing() {
    let program = Program::in_memory();
    let load = "--time 100ms --warm-up 0s --passes 1 --block 4KiB --no-progress";
    for name in ["one", "two"] {
        program.file(name, MIB as usize);
    }
    program.line(&format!("measure --target one {load}")).done();
    program.line("explain --probe").ends(3).tells(&["nothing to probe", "one target", "--target"]);
    program.line(&format!("measure --target one --target two {load}")).done();
    program.line("explain --probe --time 1ms").ends(3).tells(&["--time", "too short"]);
    program.line("explain --time 1s").ends(3);
    fs::remove_file(program.path("two")).unwrap();
    program.line("explain --probe").ends(4).tells(&["two"]);
    assert_eq!(program.json("list")["runs"].as_array().unwrap().len(), 2);
}

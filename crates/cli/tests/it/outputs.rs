//! Output files: what they never destroy, however they are asked for.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

use crate::loopback::{Bench, MIB, is_root, system};
use crate::program::Program;

const SHORT: &str = "--time 60ms --warm-up 0s --passes 1 --block 64KiB --no-path";

/// A user who is not root.
const OTHER: u32 = 54_321;

fn with_data() -> Program {
    let program = Program::in_memory();
    program.file("data", 1 << 20);
    program
}

fn measure(program: &Program, options: &str) -> crate::program::Output {
    program.line(&format!("measure --target data {SHORT} {options}"))
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_page_named_as_a_mounted_device_is_refused_and_the_file_system_stays() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let device = bench.device("image", 32 * MIB);
    system("mkfs.ext4", ["-q", &device]);
    bench.mount(&[&device], "mounted");
    let program = with_data();
    measure(&program, "--no-report").done();
    for named in ["", &format!("--allow-destroy {device}")] {
        let told = [device.as_str(), "block device"];
        measure(&program, &format!("--report {device} {named}")).ends(5).tells(&told);
    }
    program.line(&format!("report 1 -o {device}")).ends(5).tells(&[&device]);
    program.line(&format!("export 1 {device}")).ends(5).tells(&[&device]);
    let link = program.path("link.html");
    symlink(&device, &link).unwrap();
    program.line("report 1 -o link.html").ends(5).tells(&["block device"]);
    system("blkid", ["--probe", &device]);
}

#[test]
fn a_page_over_a_file_of_the_user_is_refused_before_anything_is_measured() {
    let program = with_data();
    program.write("p.txt", "precious");
    program.write("p.html.part", "neighbour");
    let path = program.path("p.txt").canonicalize().unwrap();
    let permits = format!("--allow-destroy {}", path.display());
    measure(&program, "--report p.txt").ends(5).tells(&["p.txt exists (8 bytes)", &permits]);
    assert!(!program.store().exists(), "nothing has run");
    measure(&program, "").done();
    program.line("report 1 -o p.txt").ends(5).tells(&[&permits]);
    program.line("report 1 -o p.txt --allow-destroy p.txt").ends(5).tells(&[&permits]);
    program.line("export 1 p.txt").ends(5).tells(&[&permits]);
    program.write("study.kdl", include_str!("../../../../studies/cloud-token-bucket.kdl"));
    program.line("simulate study.kdl --no-progress --report p.txt").ends(5).tells(&[&permits]);
    program.line("validate study.kdl --no-progress --report p.txt").ends(5).tells(&[&permits]);
    assert_eq!(text(&path), "precious");
    program.line(&format!("report 1 -o p.txt {permits}")).done();
    assert!(text(&path).starts_with("<!DOCTYPE html>"));
    // It is a page of iopath now.
    program.line("report 1 -o p.txt").done();
    assert_eq!(text(&program.path("p.html.part")), "neighbour");
    assert_eq!(program.names(), ["data", "p.html.part", "p.txt", "study.kdl"]);
}

#[test]
fn a_target_is_never_the_page_whatever_is_named() {
    let program = with_data();
    let before = fs::read(program.path("data")).unwrap();
    fs::hard_link(program.path("data"), program.path("hard")).unwrap();
    for page in ["data", "./data", "hard"] {
        let canonical = program.path(page).canonicalize().unwrap();
        let options = format!("--report {page} --allow-destroy {}", canonical.display());
        measure(&program, &options).ends(5).tells(&["used by this run"]);
    }
    assert_eq!(fs::read(program.path("data")).unwrap(), before);
    let line = format!("measure --target new --op write --size 1MiB {SHORT} --report new");
    program.line(&line).ends(5).tells(&["new is used by this run"]);
    let line = format!("measure --target new --op write --size 1MiB {SHORT} --store new");
    program.line(&line).ends(5).tells(&["new is used by this run"]);
    assert_eq!(program.names(), ["data", "hard"]);
}

#[test]
fn the_file_below_a_loop_device_that_is_measured_is_never_the_page() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let device = bench.device("image", 4 * MIB);
    let (image, program) = (bench.path("image"), with_data());
    let name = image.display();
    let inode = fs::metadata(&image).unwrap().ino();
    let line = format!("measure --target {device} {SHORT} --report {name} --allow-destroy {name}");
    program.line(&line).ends(5).tells(&["used by this run"]);
    // Of another run, too: naming it gives up its data, not its use.
    let told = measure(&program, &format!("--report {name} --allow-destroy {name}")).ends(5);
    assert!(told.stderr.contains("loop"), "{}", told.stderr);
    assert_eq!(fs::metadata(&image).unwrap().ino(), inode);
}

#[test]
fn the_store_is_never_an_output() {
    let program = with_data();
    measure(&program, "").done();
    let store = program.store().canonicalize().unwrap();
    let store = store.display();
    program.line(&format!("export 1 {store} --allow-destroy {store}")).ends(5).tells(&["used by"]);
    program.line(&format!("report 1 -o {store} --allow-destroy {store}")).ends(5);
    program.line("show 1").done();
}

#[test]
fn places_that_cannot_be_written_are_obstacles_before_a_run() {
    let program = with_data();
    system("mkfifo", [program.path("fifo")]);
    for (place, told) in [
        ("fifo", "a FIFO"),
        ("/dev/full", "a character device"),
        (".", "a directory"),
        ("missing/page.html", "cannot open missing/page.html: No such file"),
        ("data/page.html", "cannot open data/page.html: Not a directory"),
        ("/dev/iopath-mistyped", "a new file below /dev"),
    ] {
        measure(&program, &format!("--report {place}")).ends(4).tells(&[told]);
    }
    assert!(!program.store().exists(), "nothing has run");
    assert_eq!(program.names(), ["data", "fifo"]);
}

#[test]
fn a_page_goes_to_stdout_where_that_is_meant() {
    let program = with_data();
    measure(&program, "").done();
    for stdout in ["-", "/dev/stdout"] {
        let page = program.line(&format!("report 1 -o {stdout}")).done().stdout;
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
        let run = program.line(&format!("export 1 {stdout}")).done().stdout;
        assert_eq!(run, program.line("export 1").done().stdout);
    }
    assert_eq!(program.names(), ["data"]);
}

#[test]
fn pages_of_two_stores_in_one_directory_are_two_pages() {
    let program = with_data();
    for store in ["a.db", "b.db", "runs.db"] {
        measure(&program, &format!("--store {store}")).done();
    }
    let pages = fs::read_dir(program.path("reports")).unwrap();
    let mut pages: Vec<_> = pages.map(|page| page.unwrap().file_name()).collect();
    pages.sort();
    assert_eq!(pages, ["a.db-run-1.html", "b.db-run-1.html", "run-1.html"]);
    let page = program.path("reports/run-1.html");
    let modes = [&page, &program.path("reports")].map(|path| path.metadata().unwrap().mode());
    assert_eq!(modes.map(|mode| mode & 0o777), [0o600, 0o700]);
    let before = page.metadata().unwrap().ino();
    program.line("report 1 --store runs.db").done();
    assert_ne!(page.metadata().unwrap().ino(), before, "an earlier page is replaced");
    fs::write(&page, "somebody's").unwrap();
    program.line("report 1 --store runs.db").ends(5).tells(&["run-1.html exists"]);
    assert_eq!(text(&page), "somebody's");
}

#[test]
fn root_follows_no_link_that_another_user_planted() {
    if !is_root() {
        return;
    }
    let program = with_data();
    let precious = program.write("precious", "root's");
    let his = program.path("his");
    fs::create_dir_all(his.join("reports")).unwrap();
    for name in ["run-1.html", "run-1.html.part", "x.db-run-1.html"] {
        symlink(&precious, his.join("reports").join(name)).unwrap();
    }
    chown(his.join("reports"), Some(OTHER), None).unwrap();
    // As in /tmp, where anybody can own `reports`.
    fs::set_permissions(&his, Permissions::from_mode(0o1777)).unwrap();
    let output = measure(&program, "--store his/x.db").done();
    assert!(output.stderr.contains("no report: "), "{}", output.stderr);
    assert!(output.stderr.contains(&format!("belongs to user {OTHER}")), "{}", output.stderr);
    chown(&his, Some(OTHER), None).unwrap();
    measure(&program, "--store his/y.db").ends(1).tells(&["only root can change"]);
    measure(&program, "--report his/page.html").ends(4).tells(&["only root can change"]);
    assert_eq!(text(&precious), "root's");
    assert!(!his.join("y.db").exists());
    // Who called root by sudo is trusted with what is his.
    let line = format!("measure --target data {SHORT} --report his/page.html");
    let mut command = program.command(line.split_whitespace());
    program.run_command(command.env("SUDO_UID", OTHER.to_string())).done();
    assert!(his.join("page.html").exists());
}

#[test]
fn a_link_to_nothing_is_no_store() {
    let program = with_data();
    symlink("nowhere.db", program.path("link.db")).unwrap();
    measure(&program, "--store link.db").ends(1).tells(&["a dangling symbolic link"]);
    assert_eq!(program.names(), ["data", "link.db"]);
}

#[test]
fn manual_pages_replace_manual_pages_and_nothing_else() {
    let program = Program::in_memory();
    program.line("manual man").done();
    program.line("manual man").done();
    let page = program.path("man/iopath-show.1");
    assert!(text(&page).contains(".TH iopath-show 1"));
    let first = program.path("man/iopath-check.1");
    let inode = first.metadata().unwrap().ino();
    fs::write(&page, "somebody's").unwrap();
    program.line("manual man").ends(5).tells(&["iopath-show.1 exists"]);
    assert_eq!(text(&page), "somebody's");
    assert_eq!(first.metadata().unwrap().ino(), inode, "no page was written");
}

#[test]
fn a_store_deleted_during_the_run_is_told_and_not_called_stored() {
    let program = with_data();
    let line = "measure --target data --time 100ms --warm-up 0s --passes 100 --no-path";
    let running = program.start(line);
    program.await_passes(0);
    for name in ["runs.db", "runs.db-wal", "runs.db-shm"] {
        fs::remove_file(program.store().with_file_name(name)).unwrap();
    }
    let output = running.wait().ends(1).tells(&["was deleted or replaced during the run"]);
    assert!(!output.stderr.contains("stored as run"), "{}", output.stderr);
}

/// Its simulation takes milliseconds.
const STUDY: &str = r#"study "drive"
path { host "h" { nvme "drive" read=(rated)"1 GB/s" } }
workload time="100 ms" { streams "reader" over="h.drive" block="1 MiB" depth=4 }
"#;

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_no_death_by_signal() {
    let program = with_data();
    let limited = |kib: u32, line: &str| {
        let shell = format!("ulimit -f {}; exec \"$0\" {line}", kib * 2);
        let mut command = program.command_of(&["sh", "-c", &shell]);
        program.run_command(command.arg(env!("CARGO_BIN_EXE_iopath")))
    };
    let write = format!("measure --target new --op write --size 8MiB {SHORT} --no-report");
    let output = limited(2048, &write);
    assert!([4, 6].contains(&output.code()), "{} {}", output.code(), output.stderr);
    assert!(output.stderr.contains("too large"), "{}", output.stderr);
    program.write("study.kdl", STUDY);
    let simulated = "simulate study.kdl --seeds 40 --threads 1 --keep --no-report --no-progress";
    let output = limited(160, simulated).ends(1).tells(&["results are shown but not stored"]);
    assert_eq!(output.stderr.matches("warning: ").count(), 1, "{}", output.stderr);
    assert!(output.stdout.starts_with("simulated: drive"), "{}", output.stdout);
    assert!(!output.stderr.contains("run 1"), "{}", output.stderr);
    let store = limited(8, &format!("measure --target data {SHORT}")).ends(1);
    assert!(store.stderr.contains("store"), "{}", store.stderr);
}

//! Block devices through the program: what is read and written, and what is refused.
//!
//! Every refusal is proved harmless: the backing file has the same content before and after.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::daemon::{Daemon, Medium};
use crate::loopback::{Bench, MIB, checksum, is_root, system};
use crate::program::{Output, Program, await_that};

/// Short passes that still move a few thousand requests.
const SHORT: &str = "--block 64KiB --time 200ms --warm-up 0s --passes 1 --no-progress";
/// Long enough for samples well inside the window, also on a busy machine.
const SAMPLED: &str = "--block 64KiB --time 1s --warm-up 0s --passes 1 --no-progress";

/// A loop device over a file full of bytes that are not zero.
fn full_device(bench: &mut Bench) -> String {
    let file = bench.file("disk.img", 32 * MIB);
    fs::write(&file, vec![0xa5; 32 << 20]).unwrap();
    bench.attach(&file, &[])
}

/// The device moved what the streams did.
fn assert_same_bytes_below(run: &Value) {
    let step = &run["trials"][0]["layers"]["steps"][0];
    assert_eq!((&step["lower"][0], &step["lower_layer"]), (&"target".into(), &"device".into()));
    let ratio = step["ratio"].as_f64().unwrap();
    assert!((0.97..=1.03).contains(&ratio), "device bytes {ratio} of the application's");
}

#[test]
fn reading_a_device_names_it_and_sees_the_same_bytes_below() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = full_device(&mut bench);
    let program = Program::new();
    let before = checksum(&bench.path("disk.img"), u64::MAX);
    let run = program.json(&format!("measure --target {node} --op read {SAMPLED}"));
    let environment = &run["trials"][0]["environment"];
    let name = node.strip_prefix("/dev/").unwrap();
    assert_eq!(environment["target.target.kind"], format!("block device {name}"));
    assert_eq!(environment["target.target.devices"], name);
    assert_eq!(environment["target.target.cache"], "direct");
    assert_eq!(environment["target.target.bytes"], (32 * MIB).to_string());
    assert_same_bytes_below(&run);
    let laws = run["trials"][0]["findings"]["audit"].as_array().unwrap();
    let mut busy = laws.iter().filter(|one| one["entity"] == "target");
    let busy = busy.find(|one| one["law"] == "utilisation").unwrap();
    assert!(busy["value"].as_f64().unwrap() > 0.0, "{busy}");
    assert_eq!(checksum(&bench.path("disk.img"), u64::MAX), before);
}

#[test]
fn an_empty_device_is_written_without_a_word() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img", 32 * MIB);
    let before = checksum(&bench.path("disk.img"), u64::MAX);
    let program = Program::new();
    let run = program.json(&format!("measure --target {node} --op write {SAMPLED}"));
    assert!(run["trials"][0]["findings"]["bytes"].as_u64().unwrap() > 0, "{run:#}");
    assert_same_bytes_below(&run);
    assert_ne!(checksum(&bench.path("disk.img"), u64::MAX), before);
}

#[test]
fn two_loop_devices_over_one_file_are_not_measured_as_two_targets() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let one = bench.device("disk.img", 32 * MIB);
    let hard = bench.path("hard.img");
    fs::hard_link(bench.path("disk.img"), &hard).unwrap();
    let other = bench.attach(&hard, &[]);
    let before = checksum(&hard, u64::MAX);
    for operation in ["read", "write"] {
        let line = format!("measure --target {one} --target {other} --op {operation} {SHORT}");
        Program::new().line(&line).ends(4).tells(&["share the same bytes: use one of them"]);
    }
    assert_eq!(checksum(&hard, u64::MAX), before);
}

#[test]
fn a_device_can_be_written_by_case_after_case_and_run_after_run() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img", 32 * MIB);
    let program = Program::new();
    let study = format!(
        "study \"Many short cases\"\n\
         path {{\n    part \"disk\"\n    bind from=\"disk\" to=\"{node}\"\n}}\n\
         workload passes=1 warm-up=\"0 s\" time=\"20 ms\" {{\n\
         streams \"load\" over=\"disk\" op=\"write\" block=\"64 KiB\" depth=32 count=4\n}}\n\
         vary {{ factor \"depth\" of=\"load.depth\" 1 2 3 4 5 6 7 8 }}\n"
    );
    program.write("study.kdl", study);
    let line = "measure study.kdl --no-progress";
    program.line(line).done();
    // A device cannot be marked: what the run left is data of somebody.
    let told = program.line(line).ends(5).stderr;
    assert!(told.contains("or an earlier measurement, which looks the same"), "{told}");
    let token = token_in(&told);
    for _ in 0..2 {
        program.line(&format!("{line} --allow-destroy {token}")).done();
    }
}

/// Tries to write one target of a bench and proves that nothing happened.
struct Attempt<'b> {
    program: Program,
    target: String,
    image: &'b Path,
    /// What is compared: this much of the image's beginning.
    bytes: u64,
}

impl<'b> Attempt<'b> {
    fn on(target: &str, image: &'b Path) -> Self {
        Self { program: Program::new(), target: target.to_owned(), image, bytes: u64::MAX }
    }

    /// A number that changes with the content.
    fn content(&self) -> u64 {
        checksum(self.image, self.bytes)
    }

    fn with(&self, more: &[&str]) -> Output {
        let line = format!("measure --op write {SHORT}");
        let words = line.split(' ').chain(["--target", &self.target]).chain(more.iter().copied());
        self.program.run(words)
    }

    /// Refused, and the content is as before; gives what was told.
    #[track_caller]
    fn refused(&self, more: &[&str]) -> String {
        let before = self.content();
        let output = self.with(more).ends(5);
        assert_eq!(self.content(), before, "{} was written", self.target);
        assert!(!self.program.store().exists() || output.stdout.is_empty());
        output.stderr
    }

    /// Refused whatever is named.
    #[track_caller]
    fn never(&self, expected: &[String]) {
        let image = self.image.to_str().unwrap();
        for named in [&[][..], &["--allow-destroy", image], &["--allow-destroy", &self.target]] {
            let text = self.refused(named);
            for part in expected {
                assert!(text.contains(part), "no {part:?} in:\n{text}");
            }
            assert!(!text.contains("--allow-destroy"), "an override is offered:\n{text}");
        }
        self.reads();
    }

    /// Refused but for who names it exactly as printed.
    #[track_caller]
    fn with_token_only(&self, expected: &[String]) {
        let text = self.refused(&[]);
        for part in expected {
            assert!(text.contains(part), "no {part:?} in:\n{text}");
        }
        let token = token_in(&text);
        self.refused(&["--allow-destroy", &format!("{token}x")]);
        self.refused(&["--allow-destroy", &token[..token.len() - 1]]);
        self.refused(&["--allow-destroy", "yes"]);
        self.reads();
        let before = self.content();
        self.with(&["--allow-destroy", &token]).done();
        assert_ne!(self.content(), before, "{} was not written", self.target);
        let record = self.program.line("export last").done().stdout;
        assert!(record.contains("given up"), "the record must say what was given up");
    }

    /// Reading is always permitted.
    #[track_caller]
    fn reads(&self) {
        let before = self.content();
        let target = &self.target;
        self.program.line(&format!("measure --target {target} --op read {SHORT}")).done();
        assert_eq!(self.content(), before);
    }
}

/// The name that a refusal offers, as a person would copy it.
#[track_caller]
fn token_in(text: &str) -> String {
    let (_, rest) = text.split_once("--allow-destroy ").unwrap_or_else(|| panic!("{text}"));
    let token = rest.split_whitespace().next().unwrap();
    token.trim_matches(|c| c == '\'' || c == '"').to_owned()
}

#[test]
fn a_mounted_partition_protects_itself_and_its_disk() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img", 64 * MIB);
    partition(&bench, &node, "label: gpt\nsize=40MiB\n");
    let part = format!("{node}p1");
    system("mkfs.ext4", ["-q", "-L", "precious", &part]);
    // Read-only, or the file system itself changes the content meanwhile.
    let at = bench.mount(&["-o", "ro", &part], "mnt");
    let image = bench.path("disk.img");
    let mounted = format!("{part} is mounted on {}", at.display());
    let lost = "ext4 \"precious\"".to_owned();
    Attempt::on(&node, &image).never(&[mounted.clone(), lost.clone()]);
    Attempt::on(&part, &image).never(&[mounted, lost]);
}

fn partition(bench: &Bench, node: &str, table: &str) {
    let script = bench.path("table");
    fs::write(&script, table).unwrap();
    let script = fs::File::open(script).unwrap();
    let done = Command::new("sfdisk").args(["-q", node]).stdin(script).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    if table.contains("size=") {
        system("partx", ["--update", node]);
    }
}

#[test]
fn a_file_system_is_safe_while_mounted_and_named_when_not() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img", 32 * MIB);
    system("mkfs.ext4", ["-q", &node]);
    let at = bench.mount(&["-o", "ro", &node], "mnt");
    let image = bench.path("disk.img");
    let attempt = Attempt::on(&node, &image);
    attempt.never(&[format!("{node} is mounted on {}", at.display())]);
    bench.undo_last();
    attempt.with_token_only(&["ext4".to_owned(), image.display().to_string()]);
}

#[test]
fn swap_is_safe_while_on_and_named_when_off() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("swap.img", 32 * MIB);
    system("mkswap", ["-q", &node]);
    system("swapon", [&node]);
    bench.undo_with(&["swapoff", &node]);
    let image = bench.path("swap.img");
    // The kernel may swap meanwhile: only the header stays as it is.
    Attempt { bytes: 4096, ..Attempt::on(&node, &image) }
        .never(&[format!("{node} is active swap")]);
    bench.undo_last();
    let attempt = Attempt::on(&node, &image);
    attempt.with_token_only(&["swap space".to_owned()]);
}

#[test]
fn what_is_written_to_a_device_is_stamped_and_read_back() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = bench.device("disk.img", 8 * MIB);
    let program = Program::new();
    let line = format!("measure --target {node} --op write --verify {SHORT}");
    program.line(&line).done();
    let record = program.line("export last").done().stdout;
    assert!(record.contains("stamp_seed"), "nothing was checked");
    // The stamps are those of `iopath_workload::stamp`: each begins with its magic.
    let image = fs::read(bench.path("disk.img")).unwrap();
    assert!(image.chunks(4096).any(|unit| unit.starts_with(b"iopath.2")));
}

#[test]
fn a_device_is_held_from_its_examination_to_the_end_of_the_run() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let first = bench.device("first.img", 32 * MIB);
    let second = bench.device("second.img", 32 * MIB);
    let program = Program::new();
    let study = format!(
        "study \"Two devices\"\n\
         path {{\n    part \"a\"\n    part \"b\"\n    bind from=\"a\" to=\"{first}\"\n    \
         bind from=\"b\" to=\"{second}\"\n}}\n\
         workload passes=1 warm-up=\"0 s\" time=\"2 s\" {{\n\
         streams \"load\" over=\"a\" op=\"write\" block=\"64 KiB\"\n}}\n\
         vary {{ factor \"device\" of=\"load.over\" \"a\" \"b\" }}\n"
    );
    program.write("study.kdl", study);
    let running = program.start("measure study.kdl --no-progress");
    // The run is in the store as soon as everything was examined.
    let begun = || {
        let list = program.line("list --json").json();
        list["runs"].as_array().is_some_and(|runs| !runs.is_empty())
    };
    await_that("the run begins", begun);
    let made = Command::new("mkfs.ext4").args(["-q", "-F", &second]).output().unwrap();
    assert!(!made.status.success(), "a file system was made on a device that will be written");
    running.wait().done();
}

#[test]
fn data_of_no_known_format_is_named() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = full_device(&mut bench);
    let image = bench.path("disk.img");
    Attempt::on(&node, &image).with_token_only(&["data in no known format".to_owned()]);
}

#[test]
fn members_tables_and_volumes_are_signatures() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (one, two) = (bench.device("one.img", 128 * MIB), bench.device("two.img", 128 * MIB));
    system("mkfs.btrfs", ["-q", "-m", "raid1", "-d", "raid1", &one, &two]);
    let image = bench.path("two.img");
    Attempt::on(&two, &image).with_token_only(&["btrfs".to_owned()]);
    // The kernel remembers members that it has seen.
    let _ = Command::new("btrfs").args(["device", "scan", "--forget"]).output();
    let node = bench.device("table.img", 32 * MIB);
    partition(&bench, &node, "label: gpt\n");
    let image = bench.path("table.img");
    Attempt::on(&node, &image).with_token_only(&["partition table: gpt".to_owned()]);
}

#[test]
fn a_file_behind_a_loop_device_is_never_written() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let node = full_device(&mut bench);
    let image = bench.path("disk.img");
    let attempt = Attempt::on(image.to_str().unwrap(), &image);
    attempt.never(&[format!("is behind {node}")]);
}

#[test]
fn a_users_file_is_safe_until_it_is_named() {
    let program = Program::new();
    let file = program.file("data", 4 << 20).canonicalize().unwrap();
    let attempt = Attempt::on(file.to_str().unwrap(), &file);
    attempt.with_token_only(&[file.display().to_string(), "4194304 bytes".to_owned()]);
    // Not all of it need have been overwritten, so it is no file of ours now.
    attempt.refused(&[]);
}

/// Whether files of a directory can carry attributes; says so otherwise.
pub(crate) fn can_mark(directory: &Path) -> bool {
    let probe = tempfile::tempfile_in(directory).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    let can = rustix::fs::fsetxattr(&probe, "user.iopath.probe", b"1", flags).is_ok();
    if !can {
        crate::program::not_run("the temporary directory has no extended attributes");
    }
    can
}

#[test]
fn a_file_that_a_run_made_is_known_by_the_next() {
    let program = Program::new();
    if !can_mark(&program.directory()) {
        return;
    }
    let line = format!("measure --target ours --op write --size 4MiB {SHORT}");
    program.line(&line).done();
    program.line(&line).done();
    program.line(&format!("measure --target ours --op mix=50 {SHORT}")).done();
    append(&program.path("ours"));
    program.line(&line).ends(5).tells(&["--allow-destroy", "ours"]);
}

#[test]
fn a_file_that_an_interrupted_run_made_is_known_by_the_next() {
    let program = Program::new();
    if !can_mark(&program.directory()) {
        return;
    }
    let line = "measure --target ours --op write --size 4MiB --warm-up 0s --passes 1 --time";
    let running = program.start(&format!("{line} 60s"));
    let path = program.path("ours");
    await_that("the run writes", || fs::metadata(&path).is_ok_and(|facts| facts.len() == 4 << 20));
    running.interrupt();
    running.wait().ends(130);
    program.line(&format!("{line} 200ms")).done();
}

fn append(path: &PathBuf) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(b"the user's own", 100).unwrap();
}

#[test]
fn blocks_smaller_than_the_devices_are_found_before_any_request() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let file = bench.file("disk.img", 32 * MIB);
    let node = bench.attach(&file, &["--sector-size", "4096"]);
    let program = Program::new();
    let line = format!("measure --target {node} --time 100ms --warm-up 0s --passes 1");
    for op in ["read", "write"] {
        let output = program.line(&format!("{line} --op {op} --block 512B")).ends(4);
        output.tells(&[&node, "multiple of 4096 bytes", "512 B"]);
    }
    program.line(&format!("{line} --op read --block 4KiB")).done();
    program.line(&format!("{line} --op read --block 512B --cache buffered")).done();
}

#[test]
fn both_devices_below_a_mirrored_btrfs_are_seen() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (one, two) = (bench.device("one.img", 256 * MIB), bench.device("two.img", 256 * MIB));
    system("mkfs.btrfs", ["-q", "-m", "raid1", "-d", "raid1", &one, &two]);
    system("btrfs", ["device", "scan", &one, &two]);
    bench.undo_with(&["btrfs", "device", "scan", "--forget"]);
    let at = bench.mount(&[&one], "mnt");
    let program = Program::under(&at);
    let run = program.json(&format!(
        "measure --target mirrored --size 16MiB --op mix=50 --pattern random --verify {SHORT}"
    ));
    let names = [&one, &two].map(|node| node.strip_prefix("/dev/").unwrap());
    let environment = &run["trials"][0]["environment"];
    let below = environment["target.target.devices"].as_str().unwrap();
    let mut below: Vec<_> = below.split(' ').collect();
    below.sort_unstable();
    let mut expected = names;
    expected.sort_unstable();
    assert_eq!(below, expected);
    let audit = run["trials"][0]["findings"]["audit"].as_array().unwrap();
    for name in names {
        let is_of_it = |law: &&Value| law["entity"] == name && law["law"] == "utilisation";
        let law = audit.iter().find(is_of_it).unwrap_or_else(|| panic!("{name}: {audit:#?}"));
        assert_eq!(law["holds"], true);
    }
}

#[test]
fn writes_to_a_scratch_file_are_in_flight_together_from_the_first() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let image = bench.file("disk.img", 256 * MIB);
    // Slow, so that it is the device where requests wait for one another.
    let daemon = Daemon::start(&bench, &image, Medium::Slow { bytes_per_sec: 32 * MIB });
    let node = bench.attach(daemon.file(), &[]);
    system("mkfs.ext4", ["-q", "-O", "^has_journal", &node]);
    let at = bench.mount(&[&node], "mnt");
    let program = Program::under(&at);
    // Once through the file: nobody has written there before.
    program.write(
        "study.kdl",
        "study \"One round\"\n\
         layout { file \"scratch\" size=\"32 MiB\" }\n\
         workload passes=1 warm-up=\"0 s\" amount=\"32 MiB\" {\n\
         streams \"writer\" over=\"scratch\" op=\"write\" block=\"64 KiB\" depth=8\n}\n",
    );
    let run = program.json("measure study.kdl");
    let name = node.strip_prefix("/dev/").unwrap();
    let tiers = run["trials"][0]["layers"]["tiers"].as_array().unwrap();
    let found = tiers.iter().find(|tier| tier["members"] == json!([name]));
    let device = found.unwrap_or_else(|| panic!("no {name} in {tiers:#?}"));
    // One after the other it is some 2: the device sees a block as more than one request.
    assert!(device["in_flight_mean"].as_f64().unwrap() > 4.0, "{device:#}");
    drop(program);
    // Before the daemon goes, or the detaching waits for it.
    bench.undo_last();
    bench.undo_last();
}

//! What is wrong is told all at once, with the exit code for its sort, before anything is touched.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use crate::program::{Program, not_run};

const MIB: usize = 1 << 20;

#[test]
fn wrong_options_are_told_all_at_once() {
    let program = Program::in_memory();
    let words = "measure --op foo --block 17 --depth 0 --size x --time 3 --cache no --engine no \
        --buffers b --rate 5 --arrivals p --pattern rnd,x --region r --streams 0 --seed -1 \
        --warm-up 1 --passes many --until-ci wide --set bla";
    let words: Vec<_> = words.split_whitespace().collect();
    let wrong: Vec<_> = words.iter().filter(|word| word.starts_with("--")).collect();
    // A value that begins with a dash is clap's to refuse, so the seed gets one it lets through.
    let words: Vec<_> = words.iter().map(|word| if *word == "-1" { "x" } else { word }).collect();
    let output = program.run(&words).ends(3);
    for option in wrong {
        assert!(output.stderr.contains(option), "no word about {option}:\n{}", output.stderr);
    }
    for text in ["\"rnd\" is not one of sequential", "\"17\" has no unit", "\"bla\" has no ="] {
        assert!(output.stderr.contains(text), "{text}:\n{}", output.stderr);
    }
    assert_eq!(output.stdout, "");
    assert!(!program.store().exists());
    assert_eq!(program.names(), Vec::<String>::new());
}

#[test]
fn arguments_that_contradict_are_mistakes() {
    let program = Program::in_memory();
    program.file("data", MIB);
    program.write("a.kdl", "study \"a\"");
    for (line, told) in [
        ("measure a.kdl --op write --verify", "leave out --op, --verify"),
        ("measure a.kdl --target data", "leave out --target"),
        ("measure --target data --arrivals poisson", "--arrivals: needs --rate"),
        ("measure --target data --engine mmap --cache direct", "cache=\"direct\" cannot hold"),
        ("measure --target data --pattern zipf", "needs theta"),
        ("measure --target data --target data", "bound to target0 already"),
        ("measure --target data --target a.kdl --streams 1", "1 streams for 2 targets"),
        ("measure --target data --op mix=101", "mix=101"),
        ("measure --target data --set target.colour=red", "colour"),
        ("measure --target data --set nothing.depth=3", "nothing"),
        ("measure --target data --frobnicate", "--frobnicate"),
        ("measure --target", "--target"),
        ("measur", "measure"),
        ("show", "<RUN>"),
        ("", "Usage: iopath"),
    ] {
        let output = program.line(line).ends(3);
        assert!(output.stderr.contains(told), "iopath {line}: no {told:?} in\n{}", output.stderr);
        assert_eq!(output.stdout, "", "iopath {line}");
    }
    assert!(!program.store().exists());
}

#[test]
fn a_path_is_read_from_the_file_beside_the_study() {
    let program = Program::in_memory();
    let study = "study \"a\"\npath file=\"box.kdl\"
workload { streams \"r\" over=\"box.disk\" block=\"4 KiB\" }";
    program.write("a.kdl", study);
    let output = program.line("plan a.kdl").ends(3);
    assert!(output.stderr.contains("a.kdl:2:11: file: "), "{}", output.stderr);
    assert!(output.stderr.contains("box.kdl cannot be read"), "{}", output.stderr);
    program.write("box.kdl", "path { enclosure \"box\" { disk count=\"x\" } }");
    let output = program.line("plan a.kdl").ends(3);
    assert!(output.stderr.starts_with("box.kdl:1:37: count: "), "{}", output.stderr);
    program.write("box.kdl", "path { enclosure \"box\" { disk count=3 } }");
    let output = program.line("plan a.kdl").ends(0);
    assert!(output.stdout.contains("over 3 targets"), "{}", output.stdout);
}

#[test]
fn a_study_is_told_every_mistake_with_its_line() {
    let program = Program::in_memory();
    let study = "study \"wrong\"\n\
        layout { file \"data\" size=\"4096\" colour=\"red\" }\n\
        workload time=\"10\" {\n\
        streams \"app\" over=\"dta\" block=\"4 KiB\" depth=0\n\
        }\n";
    program.write("wrong.kdl", study);
    for command in ["check", "plan", "measure"] {
        let output = program.line(&format!("{command} wrong.kdl --set app.depht=2")).ends(3);
        for place in ["wrong.kdl:2:", "wrong.kdl:3:", "wrong.kdl:4:", "has no unit", "colour"] {
            assert!(output.stderr.contains(place), "{command}, {place}:\n{}", output.stderr);
        }
        assert_eq!(output.stdout, "");
    }
    assert_eq!(program.names(), ["wrong.kdl"]);
}

#[test]
fn what_cannot_be_read_as_a_study_is_an_obstacle() {
    let program = Program::in_memory();
    program.file("data", MIB);
    program.file("large", 5 * MIB);
    for (line, told) in [
        ("measure nothing.kdl", "nothing.kdl: No such file"),
        ("check nothing.kdl", "nothing.kdl: No such file"),
        ("plan nothing.kdl", "nothing.kdl: No such file"),
        ("measure .", "it is not a file; to measure it: iopath measure --target .\n"),
        ("predict data", "it is not text; to measure it: iopath measure --target data\n"),
        ("measure large", "larger than 4 MiB"),
    ] {
        program.line(line).ends(4).tells(&[told]);
    }
}

#[test]
fn words_of_fio_are_understood_or_answered() {
    let program = Program::in_memory();
    program.file("data", MIB);
    let plan = program.line("plan --filename data --bs 16KiB --iodepth 2 --runtime 1s").done();
    for part in ["block=\"16 KiB\"", "depth=2", "time=\"1 s\""] {
        assert!(plan.stdout.contains(part), "{part}: {}", plan.stdout);
    }
    for (line, told) in [
        ("plan s.kdl --runtime 1s --bs 4KiB", "--block, --time, or use --set workload.time=…\n"),
        ("plan --filename data --op randread", "write --op read --pattern random"),
        ("plan --filename data --op randrw", "write --op mix=50 --pattern random"),
        ("plan --filename data --bs 4k", "fio's 4k is \"4 KiB\""),
    ] {
        program.line(line).ends(3).tells(&[told]);
    }
}

#[test]
fn obstacles_are_told_before_anything_is_touched() {
    let program = Program::new();
    program.file("data", MIB);
    program.file("empty", 0);
    std::fs::create_dir(program.path("full")).unwrap();
    let before = program.names();
    for (line, told) in [
        ("--target nothing", "nothing does not exist"),
        ("--target nothing", "a file to be read must exist"),
        ("--target nothing --op write", "nothing does not exist"),
        ("--target nothing --op write", "give its size: --size on the command line"),
        ("--target no/where --op write --size 1MiB", "directories are not"),
        ("--target data --target nothing --target none", "none does not exist"),
        ("--target empty", "no whole block"),
        ("--target data --size 2MiB", "1048576 bytes"),
        ("--target . --size 1000TB", "free"),
        ("--target new --op write --size 1000TB", "free"),
        ("--target data --block 1001B", "multiple of 512"),
        ("--target /dev/null", "neither a file nor a block device"),
    ] {
        let output = program.line(&format!("measure {line} --time 50ms")).ends(4);
        assert!(output.stderr.contains(told), "{line}: no {told:?} in\n{}", output.stderr);
        assert_eq!(output.stdout, "", "{line}");
        assert_eq!(program.names(), before, "{line}");
    }
    assert_eq!(std::fs::read(program.path("data")).unwrap(), vec![0xa5; MIB]);
    let listed = program.json("list");
    assert_eq!(listed["runs"].as_array().unwrap().len(), 0);
}

#[test]
fn all_missing_targets_are_told_together() {
    let program = Program::in_memory();
    let output = program.line("measure --target one --target two --time 50ms").ends(4);
    output.tells(&["one does not exist", "two does not exist"]);
}

#[test]
fn who_may_not_read_or_write_is_told_before() {
    if !rustix::process::geteuid().is_root() {
        return not_run("permissions of another user: needs root");
    }
    let program = Program::in_memory();
    let base = program.directory();
    let open = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open(base.parent().unwrap(), 0o777);
    open(&base.parent().unwrap().join("data"), 0o777);
    program.file("data", MIB);
    open(&program.path("data"), 0o600);
    program.write("empty", "");
    open(&program.path("empty"), 0o644);
    let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    // The built program may lie where only root can go.
    let copy = base.parent().unwrap().join("iopath");
    std::fs::copy(env!("CARGO_BIN_EXE_iopath"), &copy).unwrap();
    for (line, told) in [
        ("measure --target data --time 50ms", "data cannot be opened for reading"),
        ("measure --target empty --op write --size 1MiB --time 50ms", "opened for writing"),
    ] {
        let words: Vec<_> = other.iter().copied().chain([copy.to_str().unwrap()]).collect();
        let mut command = program.command_of(&words);
        command.args(line.split_whitespace());
        let output = program.run_command(&mut command).ends(4);
        assert!(output.stderr.contains(told), "{line}: no {told:?} in\n{}", output.stderr);
        assert!(output.stderr.contains("ermission denied"), "{line}:\n{}", output.stderr);
        assert_eq!(program.names(), ["data", "empty"], "{line}");
    }
}

#[test]
fn names_that_studies_cannot_hold_are_refused_as_such() {
    let program = Program::in_memory();
    for name in ["a,b", "a[1]", " a"] {
        program.file(name, MIB);
        let output = program.run(["measure", "--target", name]).ends(3);
        output.tells(&["--target:", "brackets, a comma or blanks"]);
    }
    let name = "two\nlines \\ \"quoted\"";
    program.file(name, MIB);
    let words = ["--time", "50ms", "--warm-up", "0s", "--passes", "1", "--block", "4KiB"];
    let output = program.run(["measure", "--target", name].iter().chain(&words)).done();
    assert!(output.stdout.contains("sequential read 4 KiB, depth 8, on two"), "{}", output.stdout);
}

#[test]
fn arguments_that_are_no_utf8_do_no_harm() {
    let program = Program::in_memory();
    program.file("data", MIB);
    let strange = OsStr::from_bytes(b"st\xffre.db");
    let words = "measure --target data --time 50ms --warm-up 0s --passes 1 --store";
    let words = words.split_whitespace().map(OsStr::new);
    program.run(words.chain([strange])).done();
    program.run(["list", "--store"].map(OsStr::new).into_iter().chain([strange])).done();
    let target = OsStr::from_bytes(b"t\xff");
    let words = ["measure", "--target"].map(OsStr::new).into_iter().chain([target]);
    program.run(words).ends(3).tells(&["is not UTF-8"]);
}

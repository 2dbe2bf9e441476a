//! The path that a measurement takes by itself, or from a study file.

use serde_json::Value;

use crate::loopback::{Bench, MIB, is_root};
use crate::program::Program;

const SHORT: &str = "--block 64KiB --time 60ms --warm-up 0s --passes 1";

fn text(run: &Value) -> &str {
    run["trials"][0]["case"]["text"].as_str().unwrap()
}

fn limits(run: &Value) -> (&Value, &Value) {
    let trial = &run["trials"][0];
    (&trial["environment"]["path.from"], &trial["findings"]["limit"])
}

/// A study whose adapter carries what is bound to a disk behind it.
fn path(node: &str, rate: &str) -> String {
    format!(
        "study \"a path\"\npath {{ host \"server\" {{ hba \"a\" both=(given)\"{rate}\" {{ disk \
         \"d\" size=\"16 MiB\" }} }}\nbind from=\"server.a.d\" to=\"{node}\" }}\n\
         workload time=\"1 s\" {{ streams \"r\" over=\"server.a.d\" block=\"4 KiB\" }}\n"
    )
}

#[test]
fn files_and_scratch_files_take_what_they_lie_on_and_their_record_can_be_measured_again() {
    let program = Program::in_memory();
    program.file("data", MIB as usize);
    for target in ["data", "."] {
        let run = program.json(&format!("measure --target {target} --size 1MiB {SHORT}"));
        assert!(text(&run).contains("filesystem \"shm\" on="), "{}", text(&run));
        assert!(text(&run).contains(" on=\"shm\""), "{}", text(&run));
        assert_eq!(limits(&run).0, "discovered");
        program.write("again.kdl", text(&run));
        let again = program.json("measure again.kdl");
        assert_eq!(text(&again), text(&run));
        assert_eq!(limits(&again).0, &Value::Null, "the study's own path wins");
    }
    let run = program.json(&format!("measure --target data --no-path {SHORT}"));
    assert!(!text(&run).contains("path {"), "{}", text(&run));
}

#[test]
fn names_that_clash_with_those_of_the_path_are_kept() {
    let program = Program::in_memory();
    program.write(
        "s.kdl",
        "study \"s\"\nlayout { file \"shm\" count=2 size=\"1 MiB\" }\nworkload time=\"50 ms\" { \
         streams \"r\" over=\"shm\" block=\"64 KiB\" }\n",
    );
    let run = program.json("measure s.kdl");
    assert!(text(&run).contains("filesystem \"shm-2\""), "{}", text(&run));
    assert_eq!(run["trials"][0]["findings"]["streams"].as_array().unwrap().len(), 2);
}

#[test]
fn a_device_takes_the_path_of_a_file_and_what_carries_it_is_in_the_record() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let image = bench.file("image", 16 * MIB);
    let node = bench.attach(&image, &[]);
    let program = Program::in_memory();
    let found = program.json(&format!("measure --target {node} {SHORT}"));
    assert!(text(&found).contains("concat \"target\" over=\"loop"), "{}", text(&found));
    program.write("p.kdl", path(&node, "1 TB/s"));
    let run = program.json(&format!("measure --target {node} --path p.kdl {SHORT}"));
    assert!(text(&run).contains("concat \"target\" over=\"server.a.d\""), "{}", text(&run));
    let (from, limit) = limits(&run);
    assert_eq!(from, "p.kdl");
    let evidence = limit["evidence"].as_array().unwrap();
    if limit["cause"] == "unknown" {
        assert!(evidence.iter().any(|line| line["entity"] == "server.a"), "{limit:#}");
    }
    let explained = program.json("explain last");
    let expected = &explained["trials"][0]["expected"]["throughput_bytes_per_sec"];
    assert!(expected.as_f64().unwrap() > 0.0, "{expected}");
}

#[test]
fn what_a_path_lacks_is_a_mistake_and_nothing_is_measured() {
    let program = Program::in_memory();
    program.file("data", MIB as usize);
    program.write("p.kdl", path("/dev/no-such-disk", "1 GB/s"));
    program.write(
        "bare.kdl",
        "study \"b\"\nlayout { file \"f\" size=\"1 MiB\" }\n\
         workload time=\"1 s\" { streams \"r\" over=\"f\" block=\"4 KiB\" }\n",
    );
    for (file, code, said) in [
        ("p.kdl", 3, "--path p.kdl: none of its components is bound to the device of data"),
        ("bare.kdl", 3, "--path bare.kdl: it describes no path"),
        ("none.kdl", 4, "cannot read the study none.kdl"),
    ] {
        let ended = program.line(&format!("measure --target data --path {file} {SHORT}"));
        ended.ends(code).tells(&[said]);
    }
    assert!(!program.store().exists());
}

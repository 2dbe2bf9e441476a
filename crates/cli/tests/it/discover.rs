//! `iopath discover` from outside: a study that other commands take, of imitated machines and of
//! file systems that this one makes.

use std::fs;

use iopath_imitation::machine;

use crate::loopback::{Bench, MIB, is_root, system};
use crate::program::Program;

/// A program with an imitated machine in the folder `machine` of its directory.
fn with_machine(name: &str) -> Program {
    let program = Program::in_memory();
    machine(name).unpack(&program.path("machine")).unwrap();
    program
}

#[test]
fn what_is_discovered_is_a_study_that_check_and_predict_take() {
    let program = with_machine("nvme-server");
    let found = program.line("discover --root machine").done();
    let about = "nvme7n1: the link from 0000:66:01.0 to 0000:68:00.0 runs at 16 GT/s x2";
    let found = found.tells(&["warning: ", about, "rule: degraded-link", "assumed: SAMSUNG"]);
    program.write("found.kdl", &found.stdout);
    assert_eq!(program.json("check found.kdl")["cases"], 1);
    let prediction = program.json("predict found.kdl");
    let carried = &prediction["cases"][0]["prediction"];
    let rate = carried["throughput_bytes_per_sec"].as_f64().unwrap();
    // No drive reads more than 7 GB/s, and no upper link carries more than 28.8.
    assert!(rate > 7e9 && rate < 4.0 * 28.81e9, "{rate}");
    // Another study takes the path as its own.
    program.write(
        "other.kdl",
        "study \"other\"\npath file=\"found.kdl\"\nworkload time=\"1 s\" { streams \"r\" \
         over=\"server..nvme7n1\" block=\"4 KiB\" }\n",
    );
    assert_eq!(program.json("check other.kdl")["cases"], 1);
}

#[test]
fn a_person_sees_the_tree_and_a_program_one_value() {
    let program = with_machine("san");
    let tree = program.line("discover --tree --root machine").done().stdout;
    for part in ["host server", "hba", "array netapp", "controller controller-b", "lun mpatha"] {
        assert!(tree.contains(part), "no {part} in\n{tree}");
    }
    let value = program.json("discover --root machine");
    assert_eq!(value["format"], "iopath-discovery/1");
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "assumed",
            "file_systems",
            "findings",
            "format",
            "not_known",
            "parts",
            "study",
            "title",
            "tree",
            "volumes"
        ]
    );
    assert_eq!(value["file_systems"][1]["on"][0], "dm-0");
}

#[test]
fn a_study_goes_into_a_new_file_only() {
    let program = with_machine("md");
    program.line("discover --root machine -o found.kdl").done().tells(&["stripe-hint"]);
    let text = fs::read_to_string(program.path("found.kdl")).unwrap();
    assert!(text.contains("raid \"md0\" level=5 segment=\"512 KiB\""), "{text}");
    program.line("discover --root machine -o found.kdl").ends(5).tells(&["found.kdl exists"]);
    assert_eq!(fs::read_to_string(program.path("found.kdl")).unwrap(), text);
    let missing = program.line("discover no-such-file").ends(4);
    missing.tells(&["no-such-file: name a file, a directory or a device that exists"]);
    program
        .line("discover --root nowhere")
        .ends(3)
        .tells(&["--root nowhere: no machine found there"]);
}

/// A file in memory lies on no device, and none is named.
#[test]
fn a_file_in_memory_lies_in_memory() {
    let program = Program::in_memory();
    program.file("data.bin", 1 << 20);
    let found = program.line("discover data.bin").done().stdout;
    assert!(found.contains("// tmpfs at /dev/shm"), "{found}");
    assert!(found.contains("part \"memory\"") && !found.contains("/dev/vd"), "{found}");
}

#[test]
fn a_file_on_a_loop_device_lies_on_all_below_it() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let (node, at) = bench.ext4("fs", 64 * MIB);
    let file = at.join("data.bin");
    fs::write(&file, vec![7; 2 << 20]).unwrap();
    let program = Program::new();
    let value = program.json(&format!("discover {}", file.display()));
    let name = node.strip_prefix("/dev/").unwrap();
    assert_eq!(value["file_systems"][0]["on"][0], name);
    let study = value["study"].as_str().unwrap();
    assert!(study.contains(&format!("concat \"{name}\" size=\"64 MiB\" over=")), "{study}");
    assert!(study.contains("file \"data-bin\" on=\"fs\" size=\"2 MiB\""), "{study}");
    program.write("found.kdl", study);
    let measured = "measure found.kdl --set workload.time=\"200ms\" --set workload.passes=1 \
                    --set workload.warm-up=\"0s\" --no-progress";
    let run = program.json(&measured.replace('"', ""));
    assert!(run["trials"][0]["findings"]["bytes"].as_u64().unwrap() > 0, "{run:#}");
}

#[test]
fn a_btrfs_over_two_loop_devices_is_a_stripe_over_them() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let one = bench.device("one.img", 256 * MIB);
    let two = bench.device("two.img", 256 * MIB);
    system("mkfs.btrfs", ["-q", "-d", "raid0", "-m", "raid1", &one, &two]);
    let at = bench.mount(&[&one], "fs");
    fs::write(at.join("data.bin"), vec![7; 1 << 20]).unwrap();
    let program = Program::new();
    let file = at.join("data.bin");
    let text = program.line(&format!("discover {}", file.display())).done().stdout;
    let [one, two] = [&one, &two].map(|node| node.strip_prefix("/dev/").unwrap());
    // Members have no order that the kernel would tell, and either may have the lower number.
    let stripe = |over: String| format!("stripe \"data-raid0\" unit=\"64 KiB\" over=\"{over}\"");
    let either = [format!("{one}, {two}"), format!("{two}, {one}")].map(stripe);
    assert!(either.iter().any(|stripe| text.contains(stripe)), "{text}");
    assert!(text.contains("filesystem \"fs\" on=\"data-raid0\""), "{text}");
}

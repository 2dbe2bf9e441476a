//! Volumes over devices through the program: nothing is written that is only read, and the load of
//! a layout is that of a file system with the same one.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::loopback::{Bench, MIB, checksum, is_root, system};
use crate::program::Program;

/// Empty devices.
fn devices(bench: &mut Bench, count: usize, bytes: u64) -> Vec<String> {
    (0..count).map(|number| bench.device(&format!("d{number}"), bytes)).collect()
}

fn program(study: &str, nodes: &[String]) -> Program {
    let program = Program::new();
    let text = study.replace("NODES", &nodes.join(","));
    fs::write(program.directory().join("study.kdl"), text).unwrap();
    program
}

fn checks_hold(run: &Value) {
    let audit = run["trials"][0]["findings"]["audit"].as_array().unwrap();
    assert!(audit.iter().any(|check| check["law"] == "members"), "{audit:#?}");
    let broken: Vec<_> = audit.iter().filter(|check| check["holds"] == false).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_layout_is_tried_on_devices_that_nothing_is_written_to() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let nodes: Vec<String> = (0..4)
        .map(|number| {
            let file = bench.file(&format!("d{number}"), 16 * MIB);
            fs::write(&file, vec![number as u8 + 1; 16 << 20]).unwrap();
            // Written back before it is read: else a first look at the device waits for that, and
            // is busy when the pass begins.
            fs::File::open(&file).unwrap().sync_all().unwrap();
            bench.attach(&file, &["--read-only"])
        })
        .collect();
    let before: Vec<u64> =
        (0..4).map(|n| checksum(&bench.path(&format!("d{n}")), u64::MAX)).collect();
    let study = r#"study "s"
path { disk "d" count=4 }
layout {
    mirror "m" { side of="d[0-1]"; side of="d[2-3]" }
    raid "vol" level=5 segment="64 KiB" over="d"
    stripe "s" unit="64 KiB" over="m"
}
bind from="d" to="NODES"
workload time="300 ms" warm-up="0 s" {
    streams "a" over="vol" op="read" block="192 KiB" depth=2
    streams "b" over="s" op="read" block="128 KiB" depth=2
}"#;
    let program = program(study, &nodes);
    let run = program.json("measure study.kdl --no-progress");
    checks_hold(&run);
    let environment = &run["trials"][0]["environment"];
    assert_eq!(environment["target.vol.bytes"], (48 * MIB).to_string());
    assert_eq!(environment["target.s.bytes"], (32 * MIB).to_string());
    let after: Vec<u64> =
        (0..4).map(|n| checksum(&bench.path(&format!("d{n}")), u64::MAX)).collect();
    assert_eq!(before, after);
    // A device that may not be written cannot have been opened for it.
    let writes = study.replace("op=\"read\" block=\"128", "op=\"write\" block=\"128");
    let refused = self::program(&writes, &nodes).line("measure study.kdl --no-progress");
    assert_ne!(refused.code(), 0);
}

/// Bytes that each device was asked to write since it was made.
fn written(nodes: &[String]) -> Vec<u64> {
    let field = |node: &String| {
        let name = node.strip_prefix("/dev/").unwrap();
        let text = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        512 * text.split_whitespace().nth(6).unwrap().parse::<u64>().unwrap()
    };
    nodes.iter().map(field).collect()
}

fn grown(nodes: &[String], work: impl FnOnce()) -> Vec<u64> {
    let before = written(nodes);
    work();
    system("sync", [""; 0]);
    written(nodes).iter().zip(before).map(|(after, before)| after - before).collect()
}

/// Largest over mean.
fn balance(bytes: &[u64]) -> f64 {
    let mean = bytes.iter().sum::<u64>() as f64 / bytes.len() as f64;
    *bytes.iter().max().unwrap() as f64 / mean
}

#[test]
fn the_load_of_a_layout_has_the_shape_of_btrfs_with_the_same_one() {
    if !is_root() {
        return;
    }
    const MOVED: u64 = 64 * MIB;
    let layouts = BTreeMap::from([
        ("raid0", (1, "stripe \"vol\" unit=\"64 KiB\" over=\"d\" size=\"64 MiB\"")),
        ("raid1", (2, "mirror \"vol\" size=\"64 MiB\" { side of=\"d[0]\"; side of=\"d[1]\" }")),
    ]);
    for (profile, (copies, layout)) in layouts {
        let mut bench = Bench::new();
        let nodes = devices(&mut bench, 2, 256 * MIB);
        let study = format!(
            "study \"s\"\npath {{ disk \"d\" count=2 }}\nlayout {{ {layout} }}\n\
             bind from=\"d\" to=\"NODES\"\nworkload {{ streams \"w\" over=\"vol\" op=\"write\" \
             pattern=\"sequential\" block=\"1 MiB\" depth=2 }}"
        );
        let program = program(&study, &nodes);
        let ours = grown(&nodes, || checks_hold(&program.json("measure study.kdl --no-progress")));
        assert_eq!(ours.iter().sum::<u64>(), copies * MOVED, "{profile}: exactly what is asked");
        let data = format!("--data={profile}");
        let made = ["-f", "-q", &data, "--metadata=raid1", &nodes[0], &nodes[1]];
        system("mkfs.btrfs", made);
        let place = bench.mount(&[&nodes[0]], "mounted");
        let theirs = grown(&nodes, || {
            let file = format!("of={}", place.join("file").display());
            system("dd", ["if=/dev/zero", &file, "bs=1M", "count=64", "oflag=direct"]);
        });
        // A file system writes metadata besides, and never less than the data.
        let total = theirs.iter().sum::<u64>();
        assert!((copies * MOVED..copies * MOVED + 8 * MIB).contains(&total), "{profile}: {total}");
        assert!(balance(&ours) < 1.01, "{profile}: {ours:?}");
        assert!(balance(&theirs) < 1.1, "{profile}: {theirs:?}");
    }
}

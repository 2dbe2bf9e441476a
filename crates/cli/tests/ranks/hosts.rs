//! Ranks on hosts of their own.

use std::fmt::Write as _;

use serde_json::Value;

use crate::exports::Exports;
use crate::loopback::Bench;
use crate::program::{Program, not_run};
use crate::{Ranks, entities, fact, records};

const NODES: &str = r#"study "s"
path { host "n" count=2 }
layout { file "f" count=2 size="2 MiB" }
bind from="f[0]" to="mine"
bind from="f[1]" to="own/yours"
workload time="300 ms" warm-up="100 ms" passes=2 {
    streams "a" over="f[0]" op="write" block="64 KiB" on="n[0]"
    streams "b" over="f[1]" op="write" block="64 KiB" on="n[1]"
}"#;

#[test]
fn each_node_is_a_host_and_its_targets_are_there() {
    let Some(hosts) = Ranks::hosts(2) else { return };
    let program = Program::new();
    program.write("s.kdl", NODES);
    hosts.run(&program, "measure s.kdl --no-progress").done();
    assert!(program.path("mine").exists());
    // It was made where only the other host sees it.
    assert!(!program.path("own/yours").exists());
    for record in records(&program) {
        assert_eq!(fact(&record, "ranks.hosts"), "host0 host1");
        assert_eq!(fact(&record, "ranks.node[1].streams"), "b");
        let names = entities(&record);
        assert!(names.contains(&"node[1].process".to_owned()), "{names:?}");
    }
}

/// Clocks are a day apart, and what is said of them is what a run can rely on.
#[test]
fn windows_of_hosts_are_one() {
    let Some(hosts) = Ranks::hosts(3) else { return };
    let program = Program::in_memory();
    program.write(
        "s.kdl",
        r#"study "s"
layout { file "f" count=3 size="1 MiB" }
workload time="500 ms" warm-up="200 ms" engine="null" {
    streams "reader" over="f" op="read" block="64 KiB" rate="300 /s"
}"#,
    );
    hosts.run(&program, "measure s.kdl --no-progress").done();
    let record = &records(&program)[0];
    let bound: u64 = fact(record, "ranks.clock_bound_ns").parse().unwrap();
    // Far less than the day between the clocks; how much is a matter of how busy the machine is.
    assert!(0 < bound && bound < 10_000_000_000, "{bound}");
    let windows = record["streams"].as_array().unwrap().iter().map(|stream| {
        let mut phases = stream["phases"].as_array().unwrap().iter();
        let window = phases.rfind(|phase| phase["phase"] == "window").unwrap();
        (window["from_ns"].as_u64().unwrap(), window["to_ns"].as_u64().unwrap())
    });
    let windows: std::collections::BTreeSet<_> = windows.collect();
    assert_eq!(windows.len(), 1, "{windows:?}");
}

#[test]
fn what_stands_in_the_way_on_any_host_is_said_together_and_nothing_begins() {
    let Some(hosts) = Ranks::hosts(2) else { return };
    let program = Program::new();
    program.write("s.kdl", NODES.replace("own/yours", "own/no/yours"));
    program.file("mine", 4096);
    let refused = hosts.run(&program, "measure s.kdl --no-progress").ends(5);
    refused.tells(&["host0: refusing to write to mine", "host1: own/no does not exist"]);
    assert!(program.json("list")["runs"].as_array().unwrap().is_empty());
}

/// Where the profile of a machine is.
fn profile(program: &Program, text: &str) {
    std::fs::create_dir_all(program.store().parent().unwrap()).unwrap();
    std::fs::write(program.store().with_file_name("runs-profile.json"), text).unwrap();
}

const PROFILE: &str = r#"{
  "format": "iopath-machine-profile/1",
  "values": [
    {"kernel":"(host)","property":"read","what":"host","value":"2 GB/s","origin":"measured"}
  ]
}"#;

/// What has a limit of 2 GB/s in the record is that host, once.
fn assert_limited(record: &Value, names: [&str; 2]) {
    let all = record["entities"].as_array().unwrap();
    for name in names {
        let found: Vec<&Value> = all.iter().filter(|entity| entity["name"] == *name).collect();
        assert_eq!(found.len(), 1, "{name}: {:?}", entities(record));
        assert_eq!(found[0]["limits"][0]["per_sec"], 2_000_000_000_u64, "{}", found[0]);
    }
}

/// A profile says what the machine reads at most, which is then a limit of each host; also where
/// the study names hosts and says no more of them.
#[test]
fn what_carries_the_targets_of_each_host_is_in_the_record() {
    let Some(hosts) = Ranks::hosts(2) else { return };
    let program = Program::new();
    profile(&program, PROFILE);
    program.file("mine", 2 << 20);
    if !program.line("discover mine --tree").done().stdout.contains("2.000 GB/s") {
        return not_run("what the file lies on cannot be discovered");
    }
    program.write(
        "s.kdl",
        r#"study "s"
path { host "n" count=2 }
layout { file "f" }
bind from="f" to="mine"
workload time="300 ms" warm-up="100 ms" {
    streams "a" over="f" op="read" block="64 KiB" on="n[0]"
    streams "b" over="f" op="read" block="64 KiB" on="n[1]"
}"#,
    );
    hosts.run(&program, "measure s.kdl --no-progress").done();
    let record = &records(&program)[0];
    assert_eq!(fact(record, "path.from"), "discovered");
    assert_limited(record, ["node[0].host0", "node[1].host1"]);
    hosts.run(&program, "measure s.kdl --no-progress --no-path").done();
    assert_eq!(fact(&records(&program)[0], "path.from"), "");
    profile(&program, &PROFILE.replace("\"origin\"", "\"host\":\"host0\",\"origin\""));
    hosts.run(&program, "measure s.kdl --no-progress").done();
    let names = entities(&records(&program)[0]);
    let of = |name: &str| names.iter().filter(|one| *one == name).count();
    assert_eq!([of("node[0].host0"), of("node[1].host1")], [1, 0], "{names:?}");
}

/// Ranks of one host have different targets, and what is below these is that host's, once.
#[test]
fn ranks_of_each_host_have_its_path_together() {
    let Some(hosts) = Ranks::on_hosts(2, 2) else { return };
    let program = Program::new();
    profile(&program, PROFILE);
    let names = ["a", "b", "c", "d"].map(|name| program.file(name, 2 << 20));
    if !program.line("discover a --tree").done().stdout.contains("2.000 GB/s") {
        return not_run("what the file lies on cannot be discovered");
    }
    let mut study = r#"study "s"
path { host "n" count=2 }
layout { file "f" count=4 }
workload time="300 ms" warm-up="100 ms" {
    streams "left" count=2 over="f[0-1]" op="read" block="64 KiB" on="n[0]"
    streams "right" count=2 over="f[2-3]" op="read" block="64 KiB" on="n[1]"
}
"#
    .to_owned();
    for (number, file) in names.iter().enumerate() {
        let _ = writeln!(study, "bind from=\"f[{number}]\" to=\"{}\"", file.display());
    }
    program.write("s.kdl", study);
    hosts.run(&program, "measure s.kdl --no-progress").done();
    let record = &records(&program)[0];
    assert_eq!(fact(record, "ranks.count"), "4");
    assert_eq!(fact(record, "ranks.hosts"), "host0 host1");
    assert_limited(record, ["node[0].host0", "node[1].host1"]);
    let names = entities(record);
    for name in ["node[0].process", "node[1].process"] {
        assert_eq!(names.iter().filter(|one| *one == name).count(), 1, "{names:?}");
    }
}

/// The kernel of another host may be set otherwise than this one's.
#[test]
fn settings_of_the_kernel_are_tuned_on_one_host() {
    let Some(hosts) = Ranks::hosts(2) else { return };
    let program = Program::new();
    program.write(
        "t.kdl",
        r#"study "t"
layout { file "f" count=2 size="1 MiB" }
workload time="100 ms" cache="drop" { streams "r" over="f" op="read" block="16 KiB" }
vary { factor "ahead" of="workload.kernel-readahead" "64 KiB" "128 KiB" }"#,
    );
    let line = "tune t.kdl --technique measure --no-report --no-progress";
    hosts.run(&program, line).ends(3).tells(&["\"ahead\" sets the kernel of 2 hosts"]);
    let depths = std::fs::read_to_string(program.path("t.kdl")).unwrap();
    let depths =
        depths.replace("workload.kernel-readahead\" \"64 KiB\" \"128 KiB\"", "r.depth\" 1 2");
    program.write("d.kdl", depths);
    hosts
        .run(&program, &format!("{} --fairness 0 --passes 3", line.replace("t.kdl", "d.kdl")))
        .done();
    let all = records(&program);
    assert!(!all.is_empty());
    assert!(all.iter().all(|record| fact(record, "ranks.hosts") == "host0 host1"));
}

/// What each host prints stands below its name, and JSON has it inside.
#[test]
fn each_host_discovers_and_watches_itself() {
    let Some(hosts) = Ranks::hosts(2) else { return };
    let program = Program::new();
    program.file("mine", 4096);
    let drawn = hosts.run(&program, "discover mine --tree").done().stdout;
    let heads: Vec<&str> = drawn.lines().filter(|line| line.starts_with("node[")).collect();
    assert_eq!(heads, ["node[0]: host0", "node[1]: host1"], "{drawn}");
    let of = |line: &str| {
        let lines = hosts.run(&program, line).done().stdout;
        let host = |line: &str| {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(value["format"].is_string() && value["node"].is_string(), "{line}");
            value["host"].as_str().unwrap().to_owned()
        };
        let mut all: Vec<String> = lines.lines().map(host).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(of("discover mine --json"), ["host0", "host1"]);
    let each_twice = ["host0", "host0", "host1", "host1"];
    assert_eq!(of("watch --json --count 2 --interval 50ms"), each_twice);
    let missing = hosts.run(&program, "discover none --tree").ends(4);
    missing.tells(&["host0: none:", "host1: none:"]);
}

/// Ranks of one host are one host, and print what it prints alone.
#[test]
fn one_host_discovers_itself_once() {
    let program = Program::new();
    program.file("mine", 4096);
    let alone = program.line("discover mine").done().stdout;
    assert_eq!(Ranks::here(3).run(&program, "discover mine").done().stdout, alone);
}

/// One host after the other, as they may share what is measured.
#[test]
fn each_host_profiles_its_own() {
    let Some(hosts) = Ranks::hosts(2) else { return };
    let program = Program::new();
    program.file("mine", 8 << 20);
    let profiled = hosts.run(&program, "profile mine --quick --time 200ms --no-progress");
    let printed = profiled.done().stdout;
    let at = |head: &str| printed.find(head).unwrap_or_else(|| panic!("{head}: {printed}"));
    assert!(at("node[0]: host0") < at("node[1]: host1"));
    assert_eq!(program.json("list")["runs"].as_array().unwrap().len(), 2);
}

/// Two hosts that read one file are as fast together as one of them: its throttle is beyond both.
/// The rate is so low that a busy machine keeps it.
#[test]
fn a_limit_that_hosts_share_is_beyond_them() {
    let Some(hosts) = Ranks::hosts(2) else { return };
    let bench = Bench::new();
    let exports = Exports::start(&bench, 10_000_000, &[0]);
    let program = Program::in_memory();
    let file = &exports.files[0];
    let load = "--block 64KiB --depth 4 --time 300ms --warm-up 0s --passes 1 --no-progress";
    program.line(&format!("measure --target {file} {load}")).done();
    program.line("explain --probe").ends(3).tells(&["only one target"]);
    let probe = hosts.run(&program, "explain --probe --json --no-progress").done();
    let value: Value = serde_json::from_str(&probe.stdout).unwrap();
    assert_eq!(value["members"], serde_json::json!(["medium0-node0", "medium0-node1"]));
    let groups = value["verdict"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{value:#}");
    assert_eq!(groups[0]["side"], "beyond-hosts", "{value:#}");
    let explained = program.line("explain last").done().stdout;
    assert!(explained.contains("the limit is the fabric or the storage"), "{explained}");
}

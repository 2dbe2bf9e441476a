//! Trims, as a user sees them.

use std::fs;

use serde_json::Value;

use crate::program::Program;
use crate::shape;

fn kinds(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_scratch_file_is_trimmed_once_and_its_rates_are_those_of_trims() {
    let program = Program::new();
    let line = "measure --target . --op trim --size 8MiB --block 64KiB --depth 4 --no-path";
    let shown = program.line(line).done().stdout;
    for part in ["/s trims, ", "(64 KiB, depth 4, direct, threads)"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("0 B/s") && !shown.contains("not flushed"), "{shown}");
    let run = program.line("show last --json").done().json();
    let findings = shape::only(&run);
    let [trims] = &findings["actions"].as_array().unwrap()[..] else { panic!("{findings}") };
    assert_eq!((&trims["action"], &trims["requests"]), (&"trim".into(), &128.into()));
    assert_eq!((&trims["bytes"], &findings["bytes"]), (&(8 << 20).into(), &0.into()));
    assert!(!kinds(&findings["warnings"]).contains(&"trimmed-again"));
    assert_eq!(run["trials"][0]["environment"]["engine.used"], "threads");
    program.line("explain last").done();
    let page = fs::read_to_string(program.store().with_file_name("reports").join("run-1.html"));
    assert!(page.is_ok_and(|page| page.contains("trims")), "the page has them");
}

#[test]
fn readers_next_to_trims_keep_their_figures_and_the_laws_hold() {
    let program = Program::new();
    program.write(
        "mixed.kdl",
        r#"study "mixed"
layout { file "f" directory="." size="16 MiB" }
workload time="300 ms" {
    streams "read" over="f" pattern="random" block="4 KiB"
    streams "trim" over="f" op="trim" pattern="random" block="64 KiB" rate="100 /s"
}
"#,
    );
    let run = program.line("measure mixed.kdl --no-path --json").done().json();
    let findings = shape::only(&run);
    assert!(findings["read"]["requests"].as_u64().unwrap() > 0, "{findings}");
    assert!(findings["write"].is_null());
    assert_eq!(findings["jain"], 1.0, "what moves no data has no share of it");
    assert_eq!(findings["min_stream"]["name"], "read");
    let laws = findings["audit"].as_array().unwrap();
    assert!(laws.iter().all(|law| law["holds"] == true), "{laws:?}");
    assert_eq!(run["trials"][0]["environment"]["engine.trim"], "threads");
}

#[test]
fn members_of_a_volume_discard_and_parity_is_refused() {
    let program = Program::new();
    let study = |volume: &str| {
        format!(
            r#"study "volume"
layout {{ file "f" count=4 directory="." size="2 MiB"; {volume} }}
workload block="256 KiB" {{ streams "trim" over="v" op="trim" }}
"#
        )
    };
    program.write("stripe.kdl", study("stripe \"v\" over=\"f\" unit=\"64 KiB\""));
    let run = program.line("measure stripe.kdl --no-path --json").done().json();
    let findings = shape::only(&run);
    assert_eq!(findings["actions"][0]["bytes"], 8 << 20);
    let laws = findings["audit"].as_array().unwrap();
    assert!(laws.iter().all(|law| law["holds"] == true), "{laws:?}");
    program.write("raid.kdl", study("raid \"v\" over=\"f\" level=5 segment=\"64 KiB\""));
    let refused = program.line("measure raid.kdl --no-path").ends(4);
    assert!(refused.stderr.contains("whose parity would not follow"), "{}", refused.stderr);
}

#[test]
fn what_trims_cannot_go_with_is_named() {
    let program = Program::new();
    for (options, part) in [
        ("--verify", "cannot be verified"),
        ("--sync fsync", "nothing to sync"),
        ("--engine mmap", "a mapping cannot"),
    ] {
        let line = format!("measure --target . --op trim --size 1MiB --block 4KiB {options}");
        let refused = program.line(&line).ends(3);
        assert!(refused.stderr.contains(part), "{options}: {}", refused.stderr);
    }
    program.write(
        "path.kdl",
        "study \"p\"\npath { host \"h\" { ssd \"d\" size=\"1 GB\" write=\"1 GB/s\" } }\n\
         workload block=\"1 MiB\" time=\"1 s\" { streams \"trim\" over=\"h.d\" op=\"trim\" }\n",
    );
    for command in ["predict", "simulate"] {
        let refused = program.line(&format!("{command} path.kdl")).ends(3);
        assert!(refused.stderr.contains("can only be measured"), "{}", refused.stderr);
    }
    program.line("check path.kdl").done();
}

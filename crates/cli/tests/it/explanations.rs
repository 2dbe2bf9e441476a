//! What limits the cases of the published studies, as simulated records explain it: the same laws
//! as for any record, and the names that the studies' authors found.

use serde_json::Value;

use crate::program::Program;
use crate::shape;

/// What is found of one case of a study.
fn findings(study: &str, names: &[&str]) -> Value {
    let program = Program::in_memory();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        std::fs::copy(&path, program.path(path.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    let mut words = vec!["simulate", study, "--json"];
    words.extend(names.iter().flat_map(|name| ["--case", name]));
    let value = program.run(words).done().json();
    let cases = shape::simulated(&value);
    assert_eq!(cases.len(), 1, "{study} {names:?}");
    cases[0]["findings"].clone()
}

/// What holds it back: the cause, and the entities of its evidence.
fn limit(study: &str, names: &[&str]) -> (String, Vec<String>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let limit = &findings(study, names)["limit"];
    let evidence = limit["evidence"].as_array().unwrap().iter();
    (text(&limit["cause"]), evidence.map(|line| text(&line["entity"])).collect())
}

fn component(study: &str, names: &[&str]) -> Vec<String> {
    let (cause, entities) = limit(study, names);
    assert_eq!(cause, "component", "{entities:?}");
    entities
}

#[test]
fn the_backplane_is_named_before_re_cabling_and_not_after() {
    let before = "hosts on ports 0-15, storage on 16-31";
    assert_eq!(component("p690.kdl", &["cabling", before])[0], "san[0]");
    let after = component("p690.kdl", &["cabling", "each pair on one ASIC"]);
    assert!(!after.iter().any(|name| name.contains("san")), "{after:?}");
    assert_eq!(after[0], "p690.drawer[0].planar");
}

#[test]
fn what_adapters_share_is_named_where_it_is_full() {
    let of = |part| component("p690.kdl", &["component profile", "op=read", part]);
    assert_eq!(of("part=link1"), ["p690.drawer[0].planar[0].link1"]);
    assert_eq!(of("part=link0"), ["p690.drawer[0].planar[0].link0.phb1.hba"]);
    assert_eq!(of("part=planar")[0], "p690.drawer[0].planar[0]");
}

#[test]
fn one_node_is_held_by_its_ports_and_two_by_the_arrays() {
    let names = |title| [title, "width=512 KiB"];
    let one = component("veritas-cfs.kdl", &names("raw volume, one node"));
    assert_eq!(one, ["node[0].hba.port"]);
    let (cause, entities) = limit("veritas-cfs.kdl", &names("raw volume, two nodes"));
    assert_eq!((cause.as_str(), entities[0].as_str()), ("cpu", "a.controller cpus"));
}

#[test]
fn without_readahead_nothing_is_full_and_requests_take_their_time() {
    let names = ["64 files", "readahead=0", "processes=64"];
    let (cause, entities) = limit("veritas-cfs.kdl", &names);
    assert_eq!((cause.as_str(), entities[0].as_str()), ("latency", "all streams"));
}

#[test]
fn readers_fall_into_groups_with_a_large_readahead_and_not_with_a_small_one() {
    let is_unfair = |readahead| {
        let found = findings("veritas-cfs.kdl", &["64 files", "processes=64", readahead]);
        found["warnings"].as_array().unwrap().iter().any(|warning| warning["kind"] == "unfair")
    };
    assert!(is_unfair("readahead=24"));
    assert!(!is_unfair("readahead=1"));
}

#[test]
fn serial_issue_fills_nothing_until_there_are_enough_at_once() {
    let of = |step| limit("gpfs.kdl", &["five steps", "op=read", step]);
    assert_eq!(of("step=3a").0, "latency", "sixteen processes, block after block");
    // Requests over all arrays wait for the slowest of them, each of which takes ten at a time.
    let (cause, entities) = of("step=5");
    assert_eq!((cause.as_str(), entities[0].as_str()), ("synchronisation", "lvm"));
}

#[test]
fn a_lock_of_one_writer_is_full_although_nothing_behind_it_is() {
    let names = ["one file", "block=1 MiB", "op=write"];
    assert_eq!(component("jfs2.kdl", &names)[0], "f[0]");
}

#[test]
fn a_slow_array_is_named_among_106() {
    let names = ["volumes=vol", "arrays=one slow", "op=write"];
    assert_eq!(component("p690.kdl", &names)[0], "fastt[0].controller[0].lun");
}

/// What one thread writes first and rewrites of its file on ZFS, in bytes per second.
fn zfs(array: &str, record: &str) -> [f64; 2] {
    let found = findings("storagetek-2540.kdl", &["iozone", array, "size=32 GiB", record]);
    let all = found["streams"].as_array().unwrap();
    ["write", "rewrite"].map(|name| {
        let stream = all.iter().find(|stream| stream["name"] == name).unwrap();
        stream["throughput_bytes_per_sec"].as_f64().unwrap()
    })
}

#[test]
fn what_zfs_changes_of_a_record_it_reads_first_whatever_the_array_does() {
    for array in ["array=before", "array=after"] {
        let ([written, halves], [_, whole]) = (zfs(array, "record=64 KiB"), zfs(array, "512 KiB"));
        assert!(halves < 0.9 * written, "{array}: {halves} beside {written}");
        assert!(halves < 0.8 * whole, "{array}: {halves} beside {whole}");
    }
}

#[test]
fn copies_and_flushes_of_caches_cost_zfs_a_third_and_growing_files_more() {
    let of = |array| zfs(array, "record=512 KiB");
    let ([first, again], [first_after, again_after]) = (of("array=before"), of("array=after"));
    assert!(again < 0.67 * again_after, "{again} beside {again_after}");
    assert!(first < 0.9 * again && first_after > 0.97 * again_after, "{first} {first_after}");
}

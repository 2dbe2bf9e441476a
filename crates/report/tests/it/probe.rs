//! Which targets share a limit, from the records of short experiments.

use iopath_analysis::probe::{Experiment, Members, Step, next};
use iopath_record::{Fact, Record};
use iopath_report::{Color, Look, PROBE_TITLE, Probed, RunReport, compose, probe_json};
use iopath_units::System;

use crate::load::Load;

const WIDE: Look = Look { width: 200, system: System::Decimal, color: Color::Never };

/// What each of some members gets: 100 MB/s alone, and `sda` and `sdb` together no more than that.
fn rates(set: &Members) -> Vec<u64> {
    let are_both = set.contains(&0) && set.contains(&1);
    set.iter().map(|member| if are_both && *member < 2 { 50 } else { 100 }).collect()
}

/// An experiment as a run leaves it.
fn record(trial: u32, set: &Members) -> Record {
    let streams = set.len() as u32;
    let mut record = Load { trial, streams, ..Load::new() }.record();
    record.case.study = PROBE_TITLE.to_owned();
    for ((at, member), rate) in set.iter().enumerate().zip(rates(set)) {
        record.entities[2 + at].name = ["sda", "sdb", "sdc"][*member].to_owned();
        for totals in &mut record.streams[at].phases {
            totals.read_bytes = rate * (totals.to_ns - totals.from_ns) / 1_000;
        }
    }
    record
}

/// The records of all experiments that decide it.
fn decided() -> Vec<Record> {
    let (mut done, mut records) = (Vec::new(), Vec::new());
    while let Step::Measure(members) = next(3, &done) {
        records.push(record(records.len() as u32, &members));
        let bytes_per_sec = rates(&members).into_iter().map(|mb| mb as f64 * 1e6).collect();
        done.push(Experiment { members, bytes_per_sec });
    }
    records
}

fn probed(records: &[Record]) -> Option<Probed> {
    Probed::of(&RunReport::from_records(Some("7".to_owned()), records).unwrap())
}

#[test]
fn a_group_is_told_with_what_its_members_get_alone_and_together() {
    let text = crate::brief(&compose::probe(&probed(&decided()).unwrap(), WIDE.system), &WIDE);
    let expected = "sda and sdb share a limit; sdc shares none\n\n\
        sda and sdb: 100.0 MB/s together, 200.0 MB/s without the limit\n  \
        - sda alone 100.0 MB/s, sdb alone 100.0 MB/s, together 100.0 MB/s; while all were read \
        100.0 MB/s [shared-limit]\n\nno limit shared\n  \
        - sdc alone 100.0 MB/s, while all were read 100.0 MB/s\n\n\
        all 3 together: 200.0 MB/s; ";
    assert!(text.starts_with(expected), "{text}");
    let advice = "sda and sdb carry 100.0 MB/s together, however many of them are read";
    assert!(text.contains(advice) && !text.contains("in doubt"), "{text}");
}

#[test]
fn json_has_the_group_and_every_experiment() {
    let records = decided();
    let value = probe_json(&probed(&records).unwrap(), WIDE.system);
    assert_eq!((&value["format"], &value["run"]), (&"iopath-probe/2".into(), &"7".into()));
    assert_eq!(value["members"], serde_json::json!(["sda", "sdb", "sdc"]));
    assert_eq!(value["experiments"].as_array().unwrap().len(), records.len());
    let verdict = &value["verdict"];
    let group = &verdict["groups"][0];
    assert_eq!(group["members"], serde_json::json!(["sda", "sdb"]));
    assert_eq!((&group["bytes_per_sec"], &group["within"]), (&1e8.into(), &serde_json::json!([])));
    assert_eq!(verdict["private"][0]["name"], "sdc");
    assert_eq!(verdict["advice"][0]["rule"], "shared-limit");
}

/// The group's side and the text, where disks have these names; read by two hosts, or by one.
fn side(names: [&str; 3], has_hosts: bool) -> (serde_json::Value, String) {
    let mut records = decided();
    for record in &mut records {
        for entity in &mut record.entities {
            let known = ["sda", "sdb", "sdc"].iter().position(|name| *name == entity.name);
            entity.name = known.map_or(entity.name.clone(), |at| names[at].to_owned());
        }
        let hosts = ["node[0]", "node[1]"].map(|node| Fact::NodeHost(node).is("a"));
        record.environment.extend(hosts.into_iter().filter(|_| has_hosts));
    }
    let of = probed(&records).unwrap();
    let side = probe_json(&of, WIDE.system)["verdict"]["groups"][0]["side"].clone();
    (side, crate::brief(&compose::probe(&of, WIDE.system), &WIDE))
}

/// Of hosts that read the same disks: two disks of one host share what the other host has not.
#[test]
fn a_limit_of_one_host_is_told_from_one_beyond_all() {
    let (of, text) = side(["sda-node0", "sdb-node0", "sdb-node1"], true);
    assert_eq!(of, serde_json::json!({ "host": { "node": "node[0]" } }));
    assert!(text.contains("the limit is node[0]'s own"), "{text}");
    let (of, text) = side(["sda-node0", "sda-node1", "sdb-node1"], true);
    assert_eq!(of, "beyond-hosts");
    assert!(text.contains("the limit is the fabric or the storage"), "{text}");
    // No other host reads the same, or there is no other host, whatever the disks are called.
    for (of, text) in [
        side(["sda-node0", "sdb-node0", "sdc-node1"], true),
        side(["sda-node0", "sda-node1", "sdb-node1"], false),
    ] {
        assert!(of.is_null() && !text.contains("the limit is"), "{text}");
    }
}

#[test]
fn experiments_that_are_missing_leave_it_undecided_and_other_runs_are_no_probe() {
    let records = decided();
    let some = probed(&records[..3]).unwrap();
    assert_eq!(
        crate::brief(&compose::probe(&some, WIDE.system), &WIDE),
        "not decided: experiments are missing\n"
    );
    assert!(probe_json(&some, WIDE.system)["verdict"].is_null());
    assert_eq!(probed(&[]), None);
    assert_eq!(probed(&[Load::new().record()]), None);
}

//! Each rule where it applies, and where it must be silent.

use iopath_record::{Limit, Record};

use crate::findings::analyse::analyse;
use crate::judges::advice::Advice;
use crate::sample::Sample;

fn advice(record: &Record) -> Vec<Advice> {
    analyse(std::slice::from_ref(record)).unwrap().advice
}

fn rules(record: &Record) -> Vec<&'static str> {
    advice(record).into_iter().map(|one| one.rule).collect()
}

fn with(sample: &Sample, facts: &[(&str, &str)]) -> Record {
    let mut record = sample.record();
    let device = [
        ("target.scratch.devices", "vda"),
        ("device.vda.queue", "/queues/vda"),
        ("workload.block", "128 KiB"),
        ("run.command", "iopath measure job.kdl"),
    ];
    for (key, value) in device.iter().chain(facts) {
        record.environment.insert((*key).to_owned(), (*value).to_owned());
    }
    record
}

#[test]
fn a_lone_request_gets_company() {
    let sample =
        Sample { streams: 1, depth: 1, device_busy: 0.9, device_in_flight: 0.9, ..Sample::new() };
    let record = with(&sample, &[]);
    let found = advice(&record);
    assert_eq!(found[0].rule, "more-in-flight");
    assert_eq!(found[0].commands, ["iopath measure job.kdl --set reader.depth=2"]);
    assert_eq!(found[0].undo, ["iopath measure job.kdl"]);
    assert!(found[0].risk.starts_with("none for data"));
    assert_eq!(rules(&with(&Sample::new(), &[])), [] as [&str; 0]);
    let writes = with(&Sample { write_percent: 50, ..sample.clone() }, &[]);
    assert!(advice(&writes)[0].risk.starts_with("it writes to its targets again"));
    // A sweep over depths says itself what more of it gives, and `--set` cannot.
    for varied in ["reader.depth", "a.block reader[0].depth"] {
        assert_eq!(rules(&with(&sample, &[("run.varied", varied)])), [] as [&str; 0], "{varied}");
    }
    assert_eq!(rules(&with(&sample, &[("run.varied", "reader.block")])), ["more-in-flight"]);
    let mut imported = with(&sample, &[]);
    imported.environment.remove("run.command");
    assert_eq!(rules(&imported), [] as [&str; 0], "there is no command to change");
}

#[test]
fn a_group_s_limit_is_lifted_and_set_again() {
    let mut record = with(&Sample::new(), &[]);
    record.entities[1].limits.push(Limit {
        measure: "operations".to_owned(),
        direction: "read".to_owned(),
        per_sec: 2_000,
        origin: "control group, /g/blkio.throttle.read_iops_device, device 7:0".to_owned(),
        tokens: None,
    });
    let found = advice(&record);
    let file = "/g/blkio.throttle.read_iops_device";
    assert_eq!(found[0].commands, [format!("echo '7:0 0' | sudo tee {file}")]);
    assert_eq!(found[0].undo, [format!("echo '7:0 2000' | sudo tee {file}")]);
    assert!(found[0].gain.contains("at most 2 times"), "{}", found[0].gain);
    record.entities[1].limits[0].origin = "control group, /g/io.max, device 8:16".to_owned();
    let found = advice(&record);
    assert_eq!(found[0].commands, ["echo '8:16 riops=max' | sudo tee /g/io.max"]);
    assert_eq!(found[0].undo, ["echo '8:16 riops=2000' | sudo tee /g/io.max"]);
}

#[test]
fn memory_s_figure_is_not_the_device_s() {
    let sample =
        Sample { cache: "buffered", device_share: 0.01, cached_share: 1.0, ..Sample::new() };
    let found = advice(&with(&sample, &[]));
    assert_eq!(found[0].commands, ["iopath measure job.kdl --set workload.cache=direct"]);
    assert_eq!((found.len(), found[0].rule), (1, "past-the-cache"));
    assert_eq!(rules(&with(&Sample { in_memory: "true", ..sample }, &[])), [] as [&str; 0]);
}

#[test]
fn a_full_thread_gets_help_while_processors_are_idle() {
    let sample = Sample { thread_user: 0.2, thread_system: 0.77, ..Sample::new() };
    let found = advice(&with(&sample, &[]));
    assert_eq!(found[0].commands, ["iopath measure job.kdl --set reader.count=4"]);
    assert_eq!((found.len(), found[0].rule), (1, "more-streams"));
    let busy = Sample { machine_busy: 0.9, streams: 4, ..sample };
    assert_eq!(rules(&with(&busy, &[])), [] as [&str; 0]);
}

#[test]
fn queues_that_split_or_hold_requests_are_widened() {
    let facts = [
        ("device.vda.max_sectors_kb", "64"),
        ("device.vda.max_hw_sectors_kb", "1024"),
        ("device.vda.nr_requests", "4"),
    ];
    let found = advice(&with(&Sample::new(), &facts));
    let rules: Vec<_> = found.iter().map(|one| one.rule).collect();
    assert_eq!(rules, ["transfer-limit", "queue-requests"]);
    assert_eq!(found[0].commands, ["echo 128 | sudo tee /queues/vda/max_sectors_kb"]);
    assert!(found[0].gain.starts_with("1 instead of 2 requests"), "{}", found[0].gain);
    assert_eq!(found[1].commands, ["echo 8 | sudo tee /queues/vda/nr_requests"]);
    assert_eq!(found[1].undo, ["echo 4 | sudo tee /queues/vda/nr_requests"]);
}

#[test]
fn buffered_readers_want_enough_ahead_of_them() {
    let sample = Sample { cache: "buffered", ..Sample::new() };
    let facts = [("workload.pattern", "Sequential"), ("device.vda.read_ahead_kb", "128")];
    assert_eq!(rules(&with(&sample, &facts)), ["readahead"]);
    let enough = [facts[0], ("device.vda.read_ahead_kb", "512")];
    assert_eq!(rules(&with(&sample, &enough)), [] as [&str; 0]);
    assert_eq!(rules(&with(&Sample::new(), &facts)), [] as [&str; 0]);
}

#[test]
fn small_requests_pass_without_a_scheduler_where_processors_are_short() {
    let sample = Sample { thread_user: 0.2, thread_system: 0.77, ..Sample::new() };
    let facts = [
        ("workload.block", "4 KiB"),
        ("device.vda.rotational", "0"),
        ("device.vda.scheduler", "mq-deadline"),
    ];
    let found = advice(&with(&sample, &facts));
    let last = found.last().unwrap();
    assert_eq!((last.rule, last.undo.len()), ("scheduler", 1));
    assert!(last.undo[0].contains("mq-deadline"));
    let rotating = [facts[0], ("device.vda.rotational", "1"), facts[2]];
    assert!(!rules(&with(&sample, &rotating)).contains(&"scheduler"));
}

#[test]
fn each_rule_is_told_in_the_guide() {
    let guide = include_str!("../../../../../docs/findings.md");
    let sources = [include_str!("load.rs"), include_str!("queue.rs"), include_str!("throttle.rs")];
    let named = |source: &'static str| source.split("rule: \"").skip(1);
    let rules: Vec<_> =
        sources.into_iter().flat_map(named).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(rules.len(), super::RULES.len());
    for rule in rules {
        assert!(guide.contains(&format!("\n| `{rule}` |")), "{rule}");
    }
}

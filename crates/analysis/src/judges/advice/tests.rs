//! Each rule where it applies, and where it must be silent.

use iopath_record::{Direction, Limit, Measure, Record};
use strum::VariantNames;

use crate::findings::analyse::analyse;
use crate::judges::advice::{Advice, Again, GroupLimit, Setting};
use crate::sample::Sample;

fn advice(record: &Record) -> Vec<Advice> {
    analyse(std::slice::from_ref(record)).unwrap().advice
}

fn rules(record: &Record) -> Vec<&'static str> {
    advice(record).into_iter().map(|one| one.rule()).collect()
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

fn again(path: &str, value: &str) -> Again {
    let (command, value) = ("iopath measure job.kdl".to_owned(), value.to_owned());
    Again { command, paths: vec![path.to_owned()], value, is_writing: false }
}

fn setting<T>(name: &'static str, now: T, next: T) -> Setting<T> {
    let file = format!("/queues/vda/{name}");
    Setting { device: "vda".to_owned(), name, file, now, next }
}

#[test]
fn a_lone_request_gets_company() {
    let sample =
        Sample { streams: 1, depth: 1, device_busy: 0.9, device_in_flight: 0.9, ..Sample::new() };
    let record = with(&sample, &[]);
    let found = advice(&record);
    let mut again = again("reader.depth", "2");
    let wanted = |again| Advice::MoreInFlight { again, slots: 1, depth: 2, times: 2 };
    assert_eq!(found, [wanted(again.clone())]);
    assert_eq!(rules(&with(&Sample::new(), &[])), [] as [&str; 0]);
    let writes = with(&Sample { write_percent: 50, ..sample.clone() }, &[]);
    again.is_writing = true;
    assert_eq!(advice(&writes)[0], wanted(again));
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
        measure: Measure::Operations,
        direction: Direction::Read,
        per_sec: 2_000,
        origin: "control group, /g/blkio.throttle.read_iops_device, device 7:0".into(),
        tokens: None,
    });
    let lifted = |record: &Record| {
        let Some(Advice::LiftGroupLimit { device, limit, busy }) = advice(record).pop() else {
            panic!("a limit of a group is to be lifted")
        };
        assert_eq!(device, "vda");
        assert!((0.4..0.67).contains(&busy.unwrap()), "{busy:?}");
        limit
    };
    let limit = GroupLimit {
        file: "/g/blkio.throttle.read_iops_device".to_owned(),
        number: "7:0".to_owned(),
        key: None,
        per_sec: 2000,
        measure: Measure::Operations,
    };
    assert_eq!(lifted(&record), limit);
    record.entities[1].limits[0].origin = "control group, /g/io.max, device 8:16".into();
    let (file, number) = ("/g/io.max".to_owned(), "8:16".to_owned());
    assert_eq!(lifted(&record), GroupLimit { file, number, key: Some("riops"), ..limit });
}

#[test]
fn memory_s_figure_is_not_the_device_s() {
    let sample =
        Sample { cache: "buffered", device_share: 0.01, cached_share: 1.0, ..Sample::new() };
    let found = advice(&with(&sample, &[]));
    assert_eq!(found, [Advice::PastTheCache(again("workload.cache", "direct"))]);
    assert_eq!(rules(&with(&Sample { in_memory: "true", ..sample }, &[])), [] as [&str; 0]);
}

#[test]
fn a_full_thread_gets_help_while_processors_are_idle() {
    let sample = Sample { thread_user: 0.2, thread_system: 0.77, ..Sample::new() };
    let found = advice(&with(&sample, &[]));
    let [Advice::MoreStreams { again: found, streams: 2, times: 2, .. }] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(*found, again("reader.count", "4"));
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
    let [Advice::TransferLimit { setting: first, block_kib: 128 }, second] = found.as_slice()
    else {
        panic!("{found:?}")
    };
    assert_eq!(*first, setting("max_sectors_kb", 64, 128));
    let Advice::QueueRequests { setting: second, .. } = second else { panic!("{second:?}") };
    assert_eq!(*second, setting("nr_requests", 4, 8));
}

#[test]
fn buffered_readers_want_enough_ahead_of_them() {
    let sample = Sample { cache: "buffered", ..Sample::new() };
    let facts = [("workload.pattern", "sequential"), ("device.vda.read_ahead_kb", "128")];
    assert_eq!(rules(&with(&sample, &facts)), ["readahead"]);
    let enough = [facts[0], ("device.vda.read_ahead_kb", "512")];
    assert_eq!(rules(&with(&sample, &enough)), [] as [&str; 0]);
    assert_eq!(rules(&with(&Sample::new(), &facts)), [] as [&str; 0]);
}

#[test]
fn a_window_below_the_kernel_s_default_is_widened_whatever_the_request() {
    let sample = Sample { cache: "buffered", ..Sample::new() };
    // As former versions wrote it.
    let small = [("workload.pattern", "Sequential"), ("workload.block", "4 KiB")];
    let ahead =
        |kib| advice(&with(&sample, &[small[0], small[1], ("device.vda.read_ahead_kb", kib)]));
    assert_eq!(ahead("16"), [Advice::Readahead(setting("read_ahead_kb", 16, 128))]);
    assert_eq!(ahead("128"), []);
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
    let wanted = setting("scheduler", "mq-deadline".to_owned(), "none".to_owned());
    assert_eq!(found.last(), Some(&Advice::Scheduler(wanted)));
    let rotating = [facts[0], ("device.vda.rotational", "1"), facts[2]];
    assert!(!rules(&with(&sample, &rotating)).contains(&"scheduler"));
}

#[test]
fn each_rule_is_told_in_the_guide() {
    let guide = include_str!("../../../../../docs/findings.md");
    assert_eq!(Advice::VARIANTS.len(), super::RULES.len());
    for rule in Advice::VARIANTS {
        assert!(guide.contains(&format!("\n| `{rule}` |")), "{rule}");
    }
}

//! What a person reads.

use insta::assert_snapshot;
use iopath_analysis::limit::{Cause, Evidence, Fact, MemberFact, Range};
use iopath_analysis::{RatePattern, SharedLimitHint, SharedLimitMember, Warning};
use iopath_record::{Limit, Record};
use iopath_report::{
    Color, Detail, ListedRun, Look, RunView, compose, explanation_json, text, verdict,
};
use iopath_units::System;

use crate::load::Load;
use crate::{brief, compared, view};

const PLAIN: Look = Look { width: 120, system: System::Decimal, color: Color::Never };

fn summary(run: &RunView, look: &Look) -> String {
    brief(&compose::summary(run, look.system), look)
}

fn explanation(run: &RunView, look: &Look) -> String {
    brief(&compose::explanation(run, look.system), look)
}

/// Four trials like those of a measurement without a study.
fn usual() -> Vec<Record> {
    let small = Load { block: 4096, requests_per_sec: 20_000, ..Load::new() };
    let trials = [
        Load { experiment: "sequential write", write_percent: 100, ..Load::new() },
        Load { trial: 1, ..Load::new() },
        Load { trial: 2, experiment: "random 4 KiB read", device_busy: 0.7, ..small },
        Load { trial: 3, experiment: "16 readers", streams: 16, ..Load::new() },
    ];
    trials.iter().flat_map(|load| load.passes(3)).collect()
}

#[test]
fn a_run_as_text() {
    assert_snapshot!(summary(&view(&usual()), &PLAIN));
}

#[test]
fn a_narrow_terminal_leaves_columns_out() {
    let text = summary(&view(&usual()), &Look { width: 80, ..PLAIN });
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_snapshot!(text);
}

#[test]
fn a_mix_in_an_open_loop() {
    let load = Load { experiment: "mix", write_percent: 30, is_open: true, ..Load::new() };
    let look = Look { system: System::Binary, ..PLAIN };
    assert_snapshot!(summary(&view(&load.passes(1)), &look));
}

/// Six of eight streams that get little, over a queue that splits requests and holds few.
fn warned_and_advised() -> Record {
    let mut record = Load { streams: 8, ..Load::new() }.record();
    for stream in &mut record.streams[..6] {
        stream.phases[1].read_bytes /= 10;
    }
    let facts = [
        ("workload.block", "1 MiB"),
        ("target.scratch.devices", "vda"),
        ("device.vda.queue", "/queues/vda"),
        ("device.vda.max_sectors_kb", "64"),
        ("device.vda.max_hw_sectors_kb", "1024"),
        ("device.vda.nr_requests", "4"),
    ];
    record.environment.extend(facts.map(|(key, value)| (key.to_owned(), value.to_owned())));
    record
}

#[test]
fn warnings_are_in_the_units_that_were_asked_for() {
    let sections = |system| {
        let text = summary(&view(&[warned_and_advised()]), &Look { system, ..PLAIN });
        let parts = text.split("\n\n").filter(|part| part.starts_with(['w', 'a']));
        parts.map(str::to_owned).collect::<Vec<_>>()
    };
    let [advice, warnings] = sections(System::Binary).try_into().unwrap();
    assert!(advice.starts_with("advice\n") && warnings.starts_with("warnings\n"));
    assert!(warnings.contains("100.0 MiB/s on average, the others 1000 MiB/s"), "{warnings}");
    let both = format!("{advice}\n{warnings}");
    assert!(["kB", "MB", "GB", "TB"].iter().all(|unit| !both.contains(unit)), "{both}");
    assert!(sections(System::Decimal)[1].contains("104.9 MB/s"));
}

#[test]
fn a_refused_direct_read_begins_with_the_page_cache() {
    let load = Load { cache: "buffered (direct refused)", device_share: 0.0, ..Load::new() };
    let text = summary(&view(&load.passes(1)), &PLAIN);
    assert!(text.starts_with("page cache: "), "{text}");
    assert_snapshot!(text);
}

#[test]
fn a_refused_direct_write_gives_no_device_figure_even_when_the_device_works() {
    let load = Load { cache: "buffered (direct refused)", ..Load::new() };
    let report = view(&load.passes(1));
    let text = verdict(&report.report.trials[0], System::Decimal);
    assert!(text.starts_with("page cache: ") && !text.contains("vda"), "{text}");
}

#[test]
fn a_file_of_twice_the_memory_may_be_the_device_s() {
    let load = Load { cache: "buffered (direct refused)", ..Load::new() };
    let mut record = load.record();
    record.environment.insert("target.scratch.bytes".to_owned(), "32000000000".to_owned());
    let text = verdict(&view(&[record]).report.trials[0], System::Decimal);
    assert!(text.starts_with("sequential read: ") && text.contains("vda"), "{text}");
}

#[test]
fn a_memory_file_system_has_no_device_whatever_else_limits_it() {
    let mut record = Load::new().record();
    record.environment.insert("target.scratch.in_memory".to_owned(), "true".to_owned());
    let text = verdict(&view(&[record.clone()]).report.trials[0], System::Decimal);
    assert!(text.starts_with("page cache: ") && text.ends_with("no device below"), "{text}");
    record.streams[0].phases.iter_mut().for_each(|totals| totals.user_ns = 10_000_000_000);
    let text = verdict(&view(&[record]).report.trials[0], System::Decimal);
    assert!(text.ends_with("limited by the load generator, not by the storage"), "{text}");
}

#[test]
fn a_member_that_is_the_limit_is_told_with_how_it_differs() {
    let mut report = view(&Load::new().passes(1));
    let busy = Range { least: 0.1, most: 0.1 };
    let odd = MemberFact::Odd { volume: "md0".to_owned(), others: 1, busy, times_ns: None };
    let even = MemberFact::Even { members: 2, busy, is_balanced: false };
    let line = |entity: &str, fact| Evidence {
        entity: entity.to_owned(),
        fact: Fact::Member(fact),
        value: 0.98,
        threshold: 0.98,
    };
    let limit = &mut report.report.trials[0].findings.limit;
    (limit.cause, limit.entity) = (Cause::Device, Some("sdb".to_owned()));
    limit.evidence = vec![line("sda", even), line("sdb", odd)];
    let text = verdict(&report.report.trials[0], System::Decimal);
    let told = "limited by the device sdb: busy 98.0 % of the time, the other 1 of md0 10.0 %";
    assert!(text.ends_with(told), "{text}");
}

#[test]
fn a_device_that_mostly_served_others_is_said_to_have() {
    let mut report = view(&Load::new().passes(1));
    let findings = &mut report.report.trials[0].findings;
    (findings.limit.cause, findings.limit.entity) = (Cause::Device, Some("vda".to_owned()));
    let of = |names: &str, ratio| {
        let devices = names.split(' ').map(str::to_owned).collect();
        Warning::OtherTraffic { devices, ratio }
    };
    for (warning, said) in [
        (of("vda", 20.0), ", 95 % of whose traffic this measurement did not request"),
        (of("vda", 1.5), ""),
        (of("vda vdb", 20.0), ""),
    ] {
        report.report.trials[0].findings.warnings = vec![warning];
        let text = verdict(&report.report.trials[0], System::Decimal);
        let end = text.split_once("the device vda").unwrap().1;
        assert!(end.ends_with(said) && said.is_empty() != end.contains("traffic"), "{text}");
    }
}

#[test]
fn one_target_in_memory_of_two_is_named() {
    let mut record = Load::new().record();
    let facts = [("target.scratch.in_memory", "false"), ("target.shm.in_memory", "true")];
    let facts = facts.map(|(key, value)| (key.to_owned(), value.to_owned()));
    record.environment.extend(facts);
    let text = verdict(&view(&[record]).report.trials[0], System::Decimal);
    assert!(text.starts_with("partly memory: "), "{text}");
    let told =
        "shm has no device below, its files are in memory; the total is not that of a device";
    assert!(text.contains(told), "{text}");
}

#[test]
fn nothing_completed_is_said() {
    let mut record = Load::new().record();
    record.streams.clear();
    let text = verdict(&view(&[record]).report.trials[0], System::Decimal);
    assert_eq!(text, "sequential read: no request completed");
    assert_eq!(summary(&view(&[]), &PLAIN), "no pass completed, so nothing was measured\n");
}

#[test]
fn a_sweep_is_told_by_its_ends() {
    let trial = |trial| Load { trial, depth: u64::from(trial) + 2, ..Load::new() }.record();
    let mut records: Vec<_> = (0..20).map(trial).collect();
    for (index, record) in records.iter_mut().enumerate() {
        record.case.levels.insert("depth".to_owned(), (index + 2).to_string());
    }
    let text = summary(&view(&records), &PLAIN);
    assert!(
        text.starts_with("sequential read: best of 20 trials is depth=2, 1.049 GB/s"),
        "{text}"
    );
    assert!(text.contains("\n  20 trials from 1.049 GB/s to 1.049 GB/s; the fastest: "), "{text}");
}

#[test]
fn a_broken_law_is_shown() {
    let mut record = Load { device_share: 0.5, ..Load::new() }.record();
    record.streams[0].phases[1].submitted = 0;
    assert_snapshot!(summary(&view(&[record]), &PLAIN));
}

#[test]
fn colours_only_when_asked() {
    let report = view(&Load::new().passes(1));
    assert!(!summary(&report, &PLAIN).contains('\x1b'));
    let colored = summary(&report, &Look { color: Color::Always, ..PLAIN });
    assert!(colored.starts_with("\x1b[1msequential read"), "{colored}");
}

#[test]
fn a_stored_run() {
    assert_snapshot!(brief(&compose::whole(&view(&usual()[..6]), System::Decimal), &PLAIN));
}

#[test]
fn a_stored_run_in_full_has_its_streams_environment_and_study() {
    let load = Load { streams: 2, ..Load::new() };
    let run = compose::whole(&view(&load.passes(1)), System::Decimal);
    assert_snapshot!(text::render(&run, Detail::Full, &PLAIN));
    assert!(!brief(&run, &PLAIN).contains("kernel.release"));
}

#[test]
fn a_list_of_runs() {
    let runs = [ListedRun {
        id: "7".to_owned(),
        started_unix_ns: 1_790_000_000_000_000_000,
        study: "storage under the current directory".to_owned(),
        command: "iopath measure".to_owned(),
        host: "server1".to_owned(),
        state: "finished".to_owned(),
        technique: "measurement".to_owned(),
        trials: 4,
        passes: 12,
        throughput_bytes_per_sec: Some(1.049e9),
        verdict: "sequential read: 1.049 GB/s".to_owned(),
    }];
    assert_snapshot!(brief(&compose::list(&runs, 1, System::Decimal), &PLAIN));
    let cut = brief(&compose::list(&runs, 101, System::Decimal), &PLAIN);
    assert!(cut.ends_with("\n100 earlier: see --last and --all\n"), "{cut}");
    let none = brief(&compose::list(&[], 0, System::Decimal), &PLAIN);
    assert!(none.starts_with("no run is stored yet"));
}

#[test]
fn two_runs_side_by_side() {
    let faster = Load { requests_per_sec: 1200, kernel: "6.17.0", ..Load::new() };
    let other = Load { trial: 1, experiment: "random read", ..Load::new() };
    let a = Load::new().passes(3);
    let b = [faster.passes(3), other.passes(1)].concat();
    assert_snapshot!(brief(&compared(&a, &b, System::Decimal), &PLAIN));
}

#[test]
fn two_runs_of_one_pass_give_no_confidence() {
    let a = Load::new().passes(1);
    let text = brief(&compared(&a, &a, System::Decimal), &PLAIN);
    assert!(text.contains("no confidence; a verdict needs 3 passes of each run"), "{text}");
    assert!(text.contains("environment: the same"), "{text}");
}

#[test]
fn a_load_sweep_of_loads_is_told_with_the_highest_within_the_limit() {
    let step = |(trial, per_sec): (u32, u64)| {
        let load = Load { trial, requests_per_sec: per_sec, is_open: true, ..Load::new() };
        let mut record = Load { experiment: "users", ..load }.record();
        record.case.levels.insert("load".to_owned(), per_sec.to_string());
        record
    };
    let mut run = view(&[(0, 1000), (1, 2000), (2, 4000)].map(step));
    let text = summary(&run, &PLAIN);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "by load: 4000 /s with a mean response within 30.00 ms";
    assert!(flat(&text).contains(told), "{text}");
    let steps: Vec<&str> = text.lines().filter(|line| line.ends_with("yes")).collect();
    assert_eq!(steps.len(), 3, "{text}");
    assert!(steps[0].trim_start().starts_with("1000"), "the lightest first: {text}");
    run.report.within = iopath_units::Nanos(1);
    let text = summary(&run, &PLAIN);
    assert!(flat(&text).contains("no step has a mean response within 1 ns"), "{text}");
}

#[test]
fn an_explanation_gives_each_line_its_law_and_each_advice_its_way_back() {
    let full = Load { streams: 2, ..Load::new() };
    let cached = Load { trial: 1, cache: "buffered", device_share: 0.0, ..Load::new() };
    let mut records = [full.passes(1), cached.passes(1)].concat();
    for record in &mut records {
        let facts = &mut record.environment;
        facts.insert("run.command".to_owned(), "iopath measure --target /data/file".to_owned());
    }
    let view = view(&records);
    assert_snapshot!(explanation(&view, &PLAIN));
    let value = explanation_json(&view);
    assert_eq!(value["format"], "iopath-explanation/1");
    assert_eq!(value["trials"][1]["limit"]["cause"], "page-cache");
    assert_eq!(value["trials"][1]["advice"][0]["rule"], "past-the-cache");
    assert!(value["trials"][0]["expected"].is_null());
    assert!(value["trials"][0]["alike"].is_null());
}

#[test]
fn where_limits_cannot_be_told_apart_the_command_is_named_that_can() {
    let mut view = view(&Load::new().passes(1));
    let member = |name: &str| SharedLimitMember { name: name.to_owned(), bytes_per_sec: 50e6 };
    let members = vec![member("sda"), member("sdb")];
    let hint = SharedLimitHint { how: RatePattern::EqualRates, members, bytes_per_sec: 100e6 };
    view.report.trials[0].shared_limit = Some(hint);
    let text = explanation(&view, &PLAIN);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("sda, sdb carry equal rates, 50.00 MB/s to 50.00 MB/s"), "{text}");
    assert!(text.contains("  $ iopath explain --probe 7\n"), "{text}");
    let value = &explanation_json(&view)["trials"][0]["alike"];
    assert_eq!(value["how"], "equal-rates");
    assert_eq!(value["command"], "iopath explain --probe 7");
}

/// A device at its rating, which it exceeds by 4.9 %.
#[test]
fn with_binary_units_an_explanation_has_no_decimal_ones() {
    let mut record = Load::new().record();
    record.entities[1].limits.push(Limit {
        measure: iopath_record::Measure::Bytes,
        direction: iopath_record::Direction::Both,
        per_sec: 1_000_000_000,
        origin: iopath_record::Origin::Rated,
        tokens: None,
    });
    let look = Look { width: 400, system: System::Binary, ..PLAIN };
    let text = explanation(&view(&[record]), &look);
    let line = "vda moved 1000 MiB/s, 105 % of its rating (953.7 MiB/s, rated)";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("no more bytes than the rated 953.7 MiB/s (rated)"), "{text}");
    for unit in [" kB", " MB", " GB", " TB", "bytes a second"] {
        assert!(!text.contains(unit), "{unit}: {text}");
    }
}

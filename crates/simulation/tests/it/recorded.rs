//! What a simulated record tells of components, held against what was asked for.

use iopath_analysis::limit::EvidenceLaw;
use iopath_record::{Counter, EntityId, Phase, Record, encode};
use iopath_simulation::{Settings, simulate};
use iopath_study::spc1::STREAMS;

use crate::model::{case, lasting, network, run};

const MIRROR: &str = r#"
path {
    host "h" cpus=4 { hba both="1 GB/s" outstanding=4 }
    enclosure "box" { disk count=2 both="100 MB/s" }
    wire from="h.hba" to="box"
}
layout { mirror "m" { side of="box.disk[0]"; side of="box.disk[1]" } }
workload { streams "s" count=8 on="h" over="m" op="write" pattern="random" block="64 KiB" }
"#;

fn entity(record: &Record, name: &str) -> EntityId {
    let position = record.entities.iter().position(|entity| entity.name == name);
    EntityId(position.unwrap_or_else(|| panic!("{name} is in the record")) as u32)
}

fn last(record: &Record, name: &str, counter: Counter) -> u64 {
    let entity = entity(record, name);
    let mine =
        |series: &&iopath_record::Series| series.entity == entity && series.counter == counter;
    record.series.iter().find(mine).map_or(0, |series| series.values().last().unwrap_or_default())
}

fn written(record: &Record) -> u64 {
    record.streams.iter().flat_map(|stream| &stream.phases).map(|phase| phase.write_bytes).sum()
}

#[test]
fn what_is_written_to_a_mirror_reappears_twice() {
    let record = run(MIRROR, 1);
    let written = written(&record);
    assert!(written > 0);
    assert_eq!(last(&record, "m", Counter::WriteBytes), written);
    for disk in ["box.disk[0]", "box.disk[1]"] {
        assert_eq!(last(&record, disk, Counter::WriteBytes), written);
        assert_eq!(last(&record, disk, Counter::ReadBytes), 0);
    }
    let copies = |upper: EntityId| {
        let relation = record.relations.iter().find(|relation| relation.upper == upper).unwrap();
        (relation.lower.len(), relation.write_copies_ppm)
    };
    assert_eq!(copies(entity(&record, "m")), (2, 2_000_000));
    assert_eq!(copies(record.streams[0].entity), (1, 1_000_000));
}

#[test]
fn what_streams_moved_over_time_adds_up_to_their_totals() {
    let record = run(&MIRROR.replace("op=\"write\"", "op=\"mix\" reads=0.7"), 1);
    for stream in &record.streams {
        let name = &record.entities[stream.entity.0 as usize].name;
        let phases = || stream.phases.iter();
        let bytes = [
            (Counter::ReadBytes, phases().map(|phase| phase.read_bytes).sum::<u64>()),
            (Counter::WriteBytes, phases().map(|phase| phase.write_bytes).sum()),
        ];
        for (counter, total) in bytes {
            assert!(total > 0);
            assert!(last(&record, name, counter).abs_diff(total) <= 4, "{name}: rounded by phase");
        }
        let completed: u64 = phases().map(|phase| phase.completed).sum();
        let [reads, writes] = [Counter::ReadOperations, Counter::WriteOperations]
            .map(|counter| last(&record, name, counter));
        assert_eq!(reads + writes, completed);
        assert_eq!(last(&record, name, Counter::InFlight), 0, "all are done at the end");
    }
    let mine = |series: &&iopath_record::Series| {
        series.entity == record.streams[0].entity && series.counter == Counter::InFlight
    };
    let in_flight = record.series.iter().find(mine).unwrap().values();
    assert_eq!(in_flight.max(), Some(1), "a closed loop of depth 1");
}

#[test]
fn a_disk_is_busy_as_long_as_its_rate_says_and_a_pool_is_as_full_as_it_is() {
    let record = run(MIRROR, 1);
    let span = *record.instants_ns.last().unwrap() as f64;
    let busy = last(&record, "box.disk[0]", Counter::BusyNs) as f64;
    let bytes = last(&record, "box.disk[0]", Counter::WriteBytes) as f64;
    assert!((busy / (bytes / 100e6 * 1e9) - 1.0).abs() < 1e-3);
    assert!(busy / span > 0.98, "two sides of one disk each wait for nothing else");
    // Each of eight requests has two parts in the adapter's pool of four or in front of it.
    let [held, waited] = [Counter::InFlightNs, Counter::PoolWaitNs]
        .map(|counter| last(&record, "h.hba", counter) as f64 / span);
    assert!(held > 3.9 && held <= 4.0, "{held}");
    assert!((held + waited - 16.0).abs() < 1.0, "{held} and {waited} with joins between");
}

#[test]
fn each_side_of_a_mirror_crosses_the_adapter_and_its_disk() {
    let record = run(MIRROR, 1);
    let requests = written(&record) / (64 * 1024);
    assert_eq!(record.environment["simulation.stages"], (4 * requests).to_string());
}

#[test]
fn finished_parts_wait_for_their_siblings() {
    let even = run(MIRROR, 1);
    let disks = "disk both=\"100 MB/s\"; disk \"slow\" both=\"50 MB/s\"";
    let uneven = MIRROR
        .replace("disk count=2 both=\"100 MB/s\"", disks)
        .replace("box.disk[0]", "box.disk")
        .replace("box.disk[1]", "box.slow");
    let uneven = run(&uneven, 1);
    let share = |record: &Record| {
        let waited = last(record, "m", Counter::JoinWaitNs) as f64;
        waited / last(record, "m", Counter::InFlightNs) as f64
    };
    assert!(share(&uneven) > share(&even) + 0.1, "{} {}", share(&uneven), share(&even));
    let streams = uneven.streams.iter().flat_map(|stream| &stream.phases);
    let joined: u64 = streams.map(|phase| phase.join_wait_ns).sum();
    let of_volume = last(&uneven, "m", Counter::JoinWaitNs);
    assert!(joined.abs_diff(of_volume) <= 100, "{joined} {of_volume}: rounded by phase");
}

#[test]
fn samples_lie_at_the_edges_and_are_neither_few_nor_many() {
    for seconds in [1, 7, 100] {
        let record = run(MIRROR, seconds);
        let instants = &record.instants_ns;
        assert!((16..=64).contains(&instants.len()), "{} in {seconds} s", instants.len());
        assert_eq!(record.heat.len() + 1, instants.len());
        let windows = record.streams.iter().flat_map(|stream| &stream.phases);
        for phase in windows.filter(|phase| phase.phase == Phase::Window) {
            assert!(instants.contains(&phase.from_ns) && instants.contains(&phase.to_ns));
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let case = case(&MIRROR.replace("both=\"100 MB/s\"", "both=\"100 MB/s\" variability=0.5"));
    let network = network(&case);
    let bytes = |seed: u64| encode(&simulate(&case, &network, &Settings { seed, ..lasting(1) }));
    assert!(bytes(7) == bytes(7));
    assert!(bytes(7) != bytes(8));
}

#[test]
fn a_host_that_does_nothing_changes_no_event() {
    let hash = |text: &str| run(text, 1).environment["simulation.order_hash"].clone();
    let varying = MIRROR.replace("both=\"100 MB/s\"", "both=\"100 MB/s\" variability=0.5");
    let other = "path {\n    host \"other\" cpus=2 { nvme both=\"1 GB/s\" }\n";
    assert_eq!(hash(&varying), hash(&varying.replace("path {\n", other)));
    assert_ne!(hash(&varying), hash(MIRROR));
}

#[test]
fn what_a_simulation_says_of_itself_is_in_its_record() {
    let case = case(MIRROR);
    let network = network(&case);
    let by = |settings: &Settings| {
        let record = simulate(&case, &network, settings);
        let kinds: Vec<String> = record.warnings.into_iter().map(|one| one.kind).collect();
        (record.environment["simulation.stopped_by"].clone(), kinds)
    };
    let not_precise = vec!["not-precise".to_owned()];
    assert_eq!(by(&lasting(1)), ("time".to_owned(), not_precise.clone()));
    let few = Settings { most_events: 10_000, ..Settings::default() };
    assert_eq!(by(&few), ("events".to_owned(), not_precise));
    let coarse = Settings { precision: 0.5, ..Settings::default() };
    assert_eq!(by(&coarse), ("precision".to_owned(), Vec::new()));
}

#[test]
fn a_narrow_interval_of_too_short_a_window_is_not_called_wide() {
    let case = case(MIRROR);
    let settings = Settings { precision: 0.9, most_events: 10_000, ..Settings::default() };
    let record = simulate(&case, &network(&case), &settings);
    let text = &record.warnings[0].text;
    assert!(text.contains("shorter than wanted") && !text.contains("was to be"), "{text}");
}

#[test]
fn the_sub_streams_of_a_load_keep_their_intensities_and_add_up_to_it() {
    let load = r#"
        path { host "h" { part "s" count=2 both="100 MB/s" latency="200 us" size="4 GB" } }
        workload {
            streams "spc" count=2 over="h.s" pattern="spc1-like" block="4 KiB" depth=64 \
                rate="4000 /s"
        }"#;
    let record = run(load, 60);
    let sum = |counters: &[Counter], name: &str| -> u64 {
        counters.iter().map(|counter| last(&record, name, *counter)).sum()
    };
    let both = [Counter::ReadOperations, Counter::WriteOperations];
    let names = STREAMS.iter().map(|sub| format!("spc/{}", sub.name));
    let done: Vec<u64> = names.clone().map(|name| sum(&both, &name)).collect();
    let out: u64 = names.map(|name| sum(&[Counter::Submitted], &name)).sum();
    let phases = || record.streams.iter().flat_map(|stream| &stream.phases);
    assert_eq!(done.iter().sum::<u64>(), phases().map(|phase| phase.completed).sum::<u64>());
    assert_eq!(out, phases().map(|phase| phase.submitted).sum::<u64>());
    assert_eq!(sum(&[Counter::WriteOperations], "spc/ASU1-3"), 0, "it only reads");
    assert_eq!(sum(&[Counter::ReadOperations], "spc/ASU3-1"), 0, "it only writes");
    let findings = iopath_analysis::analyse(&[record]).expect("one pass");
    assert_eq!(findings.intensities.len(), STREAMS.len());
    for (one, sub) in findings.intensities.iter().zip(&STREAMS) {
        assert_eq!(one.stream, format!("spc/{}", sub.name));
        assert!((one.wanted_per_sec - 4000.0 * sub.share.as_f64()).abs() < 1.0, "{one:?}");
        assert_eq!(one.kept, Some(true), "{one:?}");
    }
}

/// Processor time of all streams in the kernel.
fn system_ns(record: &Record) -> u64 {
    record.streams.iter().flat_map(|stream| &stream.phases).map(|phase| phase.system_ns).sum()
}

#[test]
fn what_threads_spend_is_all_that_their_processors_do() {
    let direct = r#"
        path { host "h" cpus=4 {
            cost request="20 us" prepare="1 GB/s"
            part "s" count=4 both="400 MB/s" size="1 GB"
        } }
        workload { streams "s" count=4 depth=4 over="h.s" pattern="random" block="64 KiB" }"#;
    let record = run(direct, 5);
    let cpus = last(&record, "h cpus", Counter::SystemNs);
    let threads = system_ns(&record);
    assert!(cpus > 0 && threads.abs_diff(cpus) <= 16, "{threads} of {cpus}: rounded by phase");
    for phase in record.streams.iter().flat_map(|stream| &stream.phases) {
        assert!(phase.system_ns <= phase.to_ns - phase.from_ns, "one thread: {phase:?}");
    }
    let window = &record.streams[0].phases.iter().find(|one| one.phase == Phase::Window).unwrap();
    // 20 µs and 65,536 bytes at 1 GB/s for each request.
    let wanted = window.operations_ppm as f64 / 1e6 * 85_536.0;
    assert!((window.system_ns as f64 / wanted - 1.0).abs() < 0.01, "{window:?}");
}

#[test]
fn a_thread_that_only_prepares_is_the_limit() {
    let prepared = r#"
        path { host "h" cpus=4 {
            cost prepare="1 GB/s"
            part "s" both="4 GB/s" size="1 GB"
        } }
        workload { streams "s" depth=8 over="h.s" pattern="random" block="1 MB" }"#;
    let record = run(prepared, 5);
    let limit = iopath_analysis::analyse(&[record]).expect("one pass").limit;
    let law = limit.evidence[0].law();
    assert_eq!(
        (limit.cause.name(), limit.entity.as_deref(), law),
        ("cpu", Some("s"), EvidenceLaw::ThreadTime)
    );
}

#[test]
fn copies_through_a_page_cache_are_spent_by_a_thread_for_each_request() {
    let record = |depth: u32| {
        let text = format!(
            r#"path {{ host "h" cpus=8 memory="1 GiB" {{
                ssd "d" both="16 GB/s" size="64 GiB"; cost use="free"
            }} }}
            layout {{
                filesystem "fs" on="h.d" cache="buffered" {{ cost copy="1 GB/s" }}
                file "f" on="fs" size="8 GiB"
            }}
            workload {{
                streams "w" on="h" over="f" op="write" depth={depth} pattern="random" block="1 MB"
            }}"#
        );
        run(&text, 2)
    };
    for depth in [1, 4] {
        let record = record(depth);
        let threads = record.environment.get("simulation.threads.w").map(String::as_str);
        assert_eq!(threads, (depth > 1).then_some("4"), "one thread needs no telling");
        // One byte a nanosecond.
        let (copied, written) = (system_ns(&record) as f64, written(&record) as f64);
        assert!((copied / written - 1.0).abs() < 1e-3, "{copied} ns for {written} bytes");
        let limit = iopath_analysis::analyse(&[record]).expect("one pass").limit;
        let law = limit.evidence[0].law();
        assert_eq!((limit.cause.name(), law), ("cpu", EvidenceLaw::ThreadTime), "{limit:?}");
    }
}

#[test]
fn what_a_file_system_does_is_simulated_and_not_told_as_left_out() {
    let record = run(
        r#"path { host "h" cpus=4 memory="1 GiB" { ssd "d" both="200 MB/s" size="1 TB" } }
layout {
    filesystem "fs" on="h.d" record="128 KiB" cache="buffered" { commit interval="1 s" }
    file "f" on="fs" size="100 GB"
}
workload { streams "s" over="f" op="write" pattern="random" block="8 KiB" }"#,
        5,
    );
    let left_out = record.warnings.iter().filter(|one| one.kind == "not-simulated");
    assert_eq!(left_out.collect::<Vec<_>>(), Vec::<&iopath_record::Warning>::new());
}

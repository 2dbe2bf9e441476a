//! One record for each cause, and near misses that must stay unknown.

use iopath_record::{Counter, Direction, Latency, LatencyHistogram, Measure, Series};
use iopath_units::Op;

use strum::VariantNames;

use super::{Cause, Evidence, EvidenceLaw, Fact, Flushed, Limiting, RateOf, judge, rate};
use crate::judges::metrics::{TargetUse, TrialMetrics};
use crate::sample::{Sample, equal};
use crate::usage::pass::Pass;

fn limit(sample: &Sample) -> Limiting {
    let record = sample.record();
    judge(&TrialMetrics::of(&[Pass::of(&record)]))
}

fn laws(limit: &Limiting) -> Vec<EvidenceLaw> {
    limit.evidence.iter().map(Evidence::law).collect()
}

#[test]
fn a_rate_that_is_reached_with_free_slots_is_the_limit() {
    let mut record = Sample { wanted_per_sec: Some(1000), ..Sample::new() }.record();
    for stream in &mut record.streams {
        stream.phases.iter_mut().for_each(|totals| totals.in_flight_ns /= 2);
    }
    let found = judge(&TrialMetrics::of(&[Pass::of(&record)]));
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Rate, Some("all streams")));
    assert_eq!(laws(&found), [EvidenceLaw::WantedRate, EvidenceLaw::FreeSlots]);
}

#[test]
fn a_rate_is_no_limit_with_all_slots_taken_or_out_of_reach() {
    let full = Sample { wanted_per_sec: Some(1000), ..Sample::new() };
    assert_eq!(limit(&full).cause, Cause::Unknown);
    let missed = Sample { wanted_per_sec: Some(2000), ..Sample::new() };
    assert_eq!(limit(&missed).cause, Cause::Unknown);
}

#[test]
fn the_worse_of_requests_and_bytes_decides() {
    let mut record = Sample { wanted_per_sec: Some(1000), ..Sample::new() }.record();
    let last = record.entities.last_mut().unwrap();
    let rate = last.limits.iter_mut().find(|limit| limit.tokens.is_none()).unwrap();
    // The second stream moves 131 MB/s of the 262 MB/s that it shall.
    (rate.measure, rate.per_sec) = (Measure::Bytes, 262_144_000);
    let line = rate::reached(&TrialMetrics::of(&[Pass::of(&record)])).unwrap();
    let is_of_bytes = matches!(line.fact, Fact::WantedRate { measure: RateOf::Bytes, .. });
    assert!((line.value - 0.5).abs() < 1e-6 && is_of_bytes, "{line:?}");
}

#[test]
fn rates_that_are_rounded_to_nothing_say_nothing() {
    let none = Sample { wanted_per_sec: Some(0), ..Sample::new() }.record();
    assert_eq!(rate::reached(&TrialMetrics::of(&[Pass::of(&none)])), None);
}

#[test]
fn the_generator_is_named_near_its_ceiling() {
    let at = |ceiling| Sample { ceiling: Some(ceiling), ..Sample::new() };
    assert_eq!(limit(&at(3_999)).cause, Cause::Generator);
    assert_eq!(limit(&at(4_001)).cause, Cause::Unknown);
    assert_eq!(limit(&at(2_000)).cause, Cause::Generator);
    // The run did more than that, so the generator can.
    assert_eq!(limit(&at(1_999)).cause, Cause::Generator);
    let disproved = limit(&at(1_800));
    assert_eq!(disproved.cause, Cause::Unknown);
    assert!(!laws(&disproved).contains(&EvidenceLaw::GeneratorCeiling), "{disproved:?}");
    let spins = Sample { thread_user: 0.6, thread_system: 0.38, ..Sample::new() };
    assert_eq!(limit(&spins).cause, Cause::Generator);
    let null = Sample { engine: "null", ..Sample::new() };
    assert_eq!(limit(&null).cause, Cause::Generator);
}

#[test]
fn a_thread_that_never_rests_in_the_kernel_is_a_processor_limit() {
    let found = limit(&Sample { thread_user: 0.2, thread_system: 0.77, ..Sample::new() });
    assert_eq!(found.cause, Cause::Cpu);
    let is_limit = |line: &Evidence| matches!(line.fact, Fact::ThreadTime { is_limit: true, .. });
    assert!(found.evidence.iter().any(is_limit), "{found:?}");
    let copies = Sample { engine: "mmap", thread_user: 0.9, thread_system: 0.08, ..Sample::new() };
    assert_eq!(limit(&copies).cause, Cause::Cpu);
}

#[test]
fn no_processor_left_is_a_processor_limit_and_steal_is_told() {
    let sample = Sample { streams: 8, machine_busy: 0.9, machine_steal: 0.08, ..Sample::new() };
    let found = limit(&sample);
    // One stream needs a twentieth of it: the others' work is no limit of its own.
    assert_eq!(limit(&Sample { streams: 1, ..sample }).cause, Cause::Unknown);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Cpu, Some("cpu")));
    let Fact::ProcessorTime { steal, .. } = found.evidence[0].fact else { unreachable!() };
    assert!((steal - 0.08).abs() < 1e-9, "{steal}");
}

#[test]
fn a_memory_file_system_has_no_device() {
    let found = limit(&Sample { in_memory: "true", ..Sample::new() });
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::PageCache, Some("scratch")));
    assert_eq!(
        laws(&found),
        [EvidenceLaw::NoDevice, EvidenceLaw::ProcessorTime, EvidenceLaw::ThreadTime]
    );
}

#[test]
fn one_memory_target_of_two_proves_nothing() {
    let record = Sample::new().record();
    let mut metrics = TrialMetrics::of(&[Pass::of(&record)]);
    let memory = TargetUse {
        name: "shm".to_owned(),
        cache: Some("buffered".to_owned()),
        in_memory: true,
        cached: None,
    };
    metrics.targets.push(memory);
    let found = judge(&metrics);
    assert_eq!(found.cause, Cause::Unknown);
    assert!(laws(&found).contains(&EvidenceLaw::NoDevice));
}

#[test]
fn reads_that_no_device_saw_came_from_the_page_cache() {
    let sample = Sample { device_share: 0.01, cached_share: 1.0, ..Sample::new() };
    let found = limit(&Sample { cache: "buffered", ..sample.clone() });
    assert_eq!(found.cause, Cause::PageCache);
    assert_eq!(laws(&found)[..2], [EvidenceLaw::DeviceBytes, EvidenceLaw::CachedShare]);
    // Direct reads that no device saw are holes: nothing is proved, and the line is shown.
    let direct = limit(&sample);
    assert_eq!(direct.cause, Cause::Unknown);
    assert!(laws(&direct).contains(&EvidenceLaw::DeviceBytes));
}

#[test]
fn a_cached_file_alone_proves_nothing_while_the_device_works() {
    let sample = Sample { cache: "buffered", cached_share: 1.0, ..Sample::new() };
    assert_eq!(limit(&sample).cause, Cause::Unknown);
}

#[test]
fn without_a_device_to_watch_cachestat_is_the_proof() {
    let mut record = Sample { cache: "buffered", cached_share: 0.99, ..Sample::new() }.record();
    record.relations.pop();
    let found = judge(&TrialMetrics::of(&[Pass::of(&record)]));
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::PageCache, Some("scratch")));
}

/// The only target, many times, with these shares in the page cache.
fn of_targets(sample: &Sample, shares: &[Option<f64>]) -> Limiting {
    let mut record = sample.record();
    record.relations.pop();
    let mut metrics = TrialMetrics::of(&[Pass::of(&record)]);
    let one = metrics.targets.remove(0);
    let named = |(index, share): (usize, &Option<f64>)| TargetUse {
        name: format!("f[{index}]"),
        cached: *share,
        cache: one.cache.clone(),
        in_memory: one.in_memory,
    };
    metrics.targets = shares.iter().enumerate().map(named).collect();
    judge(&metrics)
}

/// Of which targets, in percent.
fn cached(limit: &Limiting) -> Vec<(&str, f64)> {
    let lines = limit.evidence.iter().filter(|line| line.law() == EvidenceLaw::CachedShare);
    lines.map(|line| (line.entity.as_str(), (line.value * 100.0).round())).collect()
}

#[test]
fn targets_that_are_alike_are_told_in_one_line() {
    let sample = Sample { cache: "buffered", ..Sample::new() };
    let cold = of_targets(&sample, &[Some(0.0); 64]);
    assert_eq!(cold.cause, Cause::Unknown);
    assert_eq!(cached(&cold), [("page cache", 0.0)]);
    let of_all = |line: &Evidence| line.fact == Fact::CachedShare { targets: 64 };
    assert!(cold.evidence.iter().any(of_all), "{cold:?}");
    let warm = of_targets(&sample, &[Some(0.99), Some(0.96), Some(1.0)]);
    assert_eq!((warm.cause, warm.entity.as_deref()), (Cause::PageCache, Some("page cache")));
    assert_eq!(cached(&warm), [("page cache", 96.0)]);
    let mixed = of_targets(&sample, &[Some(0.1), Some(0.99), Some(0.2)]);
    assert_eq!(mixed.cause, Cause::Unknown);
    assert_eq!(cached(&mixed), [("f[1]", 99.0), ("page cache", 10.0)]);
    // What is not known of one is no proof.
    let partly = of_targets(&sample, &[Some(1.0), None]);
    assert_eq!(partly.cause, Cause::Unknown);
}

#[test]
fn writes_that_stay_in_memory_are_the_page_cache() {
    let sample = Sample {
        write_percent: 100,
        cache: "buffered",
        device_share: 0.3,
        dirty_bytes: 2_000_000_000,
        ..Sample::new()
    };
    let found = limit(&sample);
    assert_eq!(found.cause, Cause::PageCache);
    assert!(laws(&found).contains(&EvidenceLaw::DirtyBytes));
    assert_eq!(limit(&Sample { device_share: 0.7, ..sample }).cause, Cause::Unknown);
}

#[test]
fn a_device_that_never_idles_is_the_limit() {
    let found = limit(&Sample { device_busy: 0.99, device_in_flight: 3.0, ..Sample::new() });
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Device, Some("vda")));
    let Fact::Utilisation { in_flight, .. } = found.evidence[0].fact else { unreachable!() };
    assert!(
        (found.evidence[0].value - 0.99).abs() < 1e-9 && (in_flight.unwrap() - 3.0).abs() < 1e-9
    );
    assert_eq!(found.evidence.last().map(Evidence::law), Some(EvidenceLaw::Depth));
}

#[test]
fn a_reader_s_device_that_is_full_of_what_is_read_ahead_is_the_limit() {
    let sample = Sample { streams: 1, depth: 1, cache: "buffered", ..Sample::new() };
    let with = |device_busy, device_in_flight| {
        let mut record = Sample { device_busy, device_in_flight, ..sample.clone() }.record();
        // The first request of all came from the cache.
        for totals in record.streams.iter_mut().flat_map(|stream| &mut stream.phases) {
            totals.latency.iter_mut().for_each(|kept| kept.histogram.min_ns = 1_000);
        }
        for series in &mut record.series {
            // Its rate varies, so no limit is set from outside.
            if matches!(series.counter, Counter::ReadBytes) {
                let uneven = (0..14).map(|at: u64| at.min(12) * 131_072_000 + at % 2 * 20_000_000);
                let values: Vec<u64> = uneven.collect();
                *series = Series::from_values(series.entity, series.counter, &values);
            }
        }
        judge(&TrialMetrics::of(&[Pass::of(&record)])).cause
    };
    assert_eq!(with(1.0, 8.0), Cause::Device);
    assert_eq!(with(1.0, 1.2), Cause::Latency, "hardly more than the reader waits for");
    assert_eq!(with(0.9, 1.8), Cause::Latency, "the device rests");
}

#[test]
fn one_request_at_a_time_shows_a_latency_and_no_device() {
    let sample =
        Sample { streams: 1, depth: 1, device_busy: 0.9, device_in_flight: 0.9, ..Sample::new() };
    let found = limit(&sample);
    assert_eq!((found.cause, found.capacity), (Cause::Latency, None));
    assert!(matches!(found.evidence[0].fact, Fact::Unqueued { slots: 1, .. }), "{found:?}");
    // At its rating it is the device that decides, whatever the depth.
    let mut record = sample.record();
    record.entities[1].limits.push(rating(1_020, "data sheet"));
    let rated = judge(&TrialMetrics::of(&[Pass::of(&record)]));
    assert_eq!((rated.cause, rated.evidence[0].law()), (Cause::Device, EvidenceLaw::Rating));
}

/// A record whose only stream has flushes of so many ns a second each, so many a second.
fn flushing(per_sec: u64, ns: u64) -> iopath_record::Record {
    let sample = Sample { streams: 1, depth: 1, write_percent: 100, ..Sample::new() };
    flushed(&sample, 1, per_sec, ns)
}

/// The same of the first streams of any sample.
fn flushed(sample: &Sample, streams: usize, per_sec: u64, ns: u64) -> iopath_record::Record {
    let mut record = sample.record();
    record.environment.insert("workload.sync".to_owned(), "fdatasync=1".to_owned());
    let first = record.streams.iter_mut().take(streams);
    for totals in first.flat_map(|stream| &mut stream.phases) {
        let seconds = (totals.to_ns - totals.from_ns) / 1_000_000_000;
        for (what, ns) in [(Latency::Flush, ns), (Latency::Commit, ns + 50_000)] {
            let histogram = equal(ns, per_sec * seconds);
            totals.latency.push(LatencyHistogram { what, op: Op::Write, histogram });
        }
    }
    record
}

#[test]
fn flushes_are_the_limit_where_one_is_out_most_of_the_time() {
    let found = judge(&TrialMetrics::of(&[Pass::of(&flushing(800, 1_000_000))]));
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Flush, Some("all streams")));
    let Fact::Flushes(Flushed::Streams { per_sec, mean_ns, .. }) = found.evidence[0].fact else {
        unreachable!("{found:?}")
    };
    assert!((found.evidence[0].value - 0.8).abs() < 1e-3, "{found:?}");
    assert!((per_sec - 800.0).abs() < 0.5 && (mean_ns - 1e6).abs() < 500.0, "{found:?}");
    let found = judge(&TrialMetrics::of(&[Pass::of(&flushing(300, 1_000_000))]));
    assert_ne!(found.cause, Cause::Flush, "less than half of the time");
    let mut imported = flushing(800, 1_000_000);
    imported.environment.remove("workload.sync");
    let found = judge(&TrialMetrics::of(&[Pass::of(&imported)]));
    assert_ne!(found.cause, Cause::Flush, "others may have several outstanding");
}

#[test]
fn streams_that_keep_their_rate_do_not_hide_the_flushes_of_others() {
    let beside = |wanted_per_sec| {
        let wanted_per_sec = Some(wanted_per_sec);
        let sample = Sample { streams: 4, depth: 1, wanted_per_sec, ..Sample::new() };
        let mut record = flushed(&sample, 1, 800, 1_000_000);
        let first = record.streams[0].entity.0 as usize;
        record.entities[first].limits.retain(|limit| limit.tokens.is_some());
        judge(&TrialMetrics::of(&[Pass::of(&record)]))
    };
    let found = beside(1_000);
    assert_eq!(found.cause, Cause::Flush, "{found:?}");
    assert_ne!(found.entity.as_deref(), Some("all streams"));
    assert!((found.evidence[0].value - 0.8).abs() < 1e-3, "{found:?}");
    assert_ne!(beside(2_000).cause, Cause::Flush, "they are held by something else");
}

#[test]
fn flushes_of_the_device_are_those_of_synchronous_writes_where_they_are_as_many() {
    let with = |flushes: f64| {
        let sample = Sample { streams: 1, depth: 1, write_percent: 100, ..Sample::new() };
        let mut record = sample.record();
        record.environment.insert("workload.sync".to_owned(), "dsync".to_owned());
        for (counter, per_sec) in
            [(Counter::FlushOperations, flushes), (Counter::FlushNs, flushes * 8e5)]
        {
            let values: Vec<u64> =
                (0..record.instants_ns.len()).map(|at| (at as f64 * per_sec) as u64).collect();
            record.series.push(Series::from_values(iopath_record::EntityId(1), counter, &values));
        }
        judge(&TrialMetrics::of(&[Pass::of(&record)]))
    };
    let found = with(1_000.0);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Flush, Some("vda")));
    assert_ne!(with(300.0).cause, Cause::Flush, "others' flushes");
}

#[test]
fn requests_that_never_wait_are_too_few() {
    let mut record = Sample { device_busy: 0.99, device_in_flight: 7.5, ..Sample::new() }.record();
    assert_eq!(judge(&TrialMetrics::of(&[Pass::of(&record)])).cause, Cause::Device);
    // The first request took as long as all others: nothing waits for anything.
    for totals in record.streams.iter_mut().flat_map(|stream| &mut stream.phases) {
        totals.latency.iter_mut().for_each(|kept| kept.histogram.min_ns = 3_000_000);
    }
    let found = judge(&TrialMetrics::of(&[Pass::of(&record)]));
    assert_eq!((found.cause, found.evidence[0].law()), (Cause::Latency, EvidenceLaw::Unqueued));
    assert!(matches!(found.evidence[0].fact, Fact::Unqueued { slots: 8, .. }), "{found:?}");
}

#[test]
fn requests_that_wait_above_resting_devices_are_held_back() {
    let sample = Sample { device_busy: 0.3, device_in_flight: 0.4, ..Sample::new() };
    let found = limit(&sample);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Throttle, Some("vda")));
    assert_eq!(laws(&found), [EvidenceLaw::ThrottledTime, EvidenceLaw::HeldAbove]);
    assert!((found.evidence[1].value - 0.4 / 8.0).abs() < 1e-9, "{found:?}");
    let capacity = found.capacity.unwrap();
    assert!((capacity.operations_per_sec.unwrap() - 2_000.0).abs() < 1.0, "{capacity:?}");
    // A busy device, a busy thread and buffered requests have other reasons to wait.
    for other in [
        Sample { device_busy: 0.92, ..sample.clone() },
        Sample { thread_system: 0.82, ..sample.clone() },
        Sample { cache: "buffered", ..sample },
    ] {
        assert_ne!(limit(&other).cause, Cause::Throttle, "{other:?}");
    }
}

#[test]
fn a_control_groups_limit_that_is_reached_is_named_with_its_file() {
    let group = |per_sec| {
        let mut record = Sample::new().record();
        let mut limit = rating(per_sec, "control group, /a/blkio.throttle.read_iops_device");
        limit.direction = Direction::Read;
        record.entities[1].limits.push(limit);
        judge(&TrialMetrics::of(&[Pass::of(&record)]))
    };
    let found = group(2_050);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Throttle, Some("vda")));
    let line = found.evidence.iter().find(|line| line.law() == EvidenceLaw::GroupLimit).unwrap();
    let Fact::GroupLimit { limit, .. } = &line.fact else { unreachable!() };
    assert!(limit.origin.as_str().ends_with("read_iops_device"), "{line:?}");
    assert!((line.value - 2_000.0 / 2_050.0).abs() < 1e-6, "{line:?}");
    assert_eq!(group(2_500).cause, Cause::Unknown);
}

fn rating(per_sec: u64, origin: &str) -> iopath_record::Limit {
    iopath_record::Limit {
        measure: Measure::Operations,
        direction: Direction::Both,
        per_sec,
        origin: origin.into(),
        tokens: None,
    }
}

#[test]
fn threads_of_one_stream_share_its_processor_time() {
    // Four threads: 1.2 processors are 30 % of each, and nobody's limit.
    let sample =
        Sample { engine: "threads", thread_user: 0.2, thread_system: 1.0, ..Sample::new() };
    assert_eq!(limit(&sample).cause, Cause::Unknown);
    assert_eq!(limit(&Sample { thread_system: 3.8, ..sample }).cause, Cause::Cpu);
}

#[test]
fn what_an_engine_reached_does_not_hide_its_name() {
    let found = limit(&Sample { engine: "null (one thread)", ..Sample::new() });
    assert_eq!(found.cause, Cause::Generator);
}

#[test]
fn time_in_the_devices_counts_for_direct_requests_only() {
    let sample = Sample { device_busy: 0.9, device_in_flight: 7.5, ..Sample::new() };
    assert_eq!(limit(&sample).cause, Cause::Device);
    let ahead = limit(&Sample { cache: "drop", ..sample });
    assert_eq!(ahead.cause, Cause::Unknown);
    assert!(!laws(&ahead).contains(&EvidenceLaw::Residence));
}

#[test]
fn requests_that_were_merged_are_in_the_device_as_well() {
    let sample = Sample { device_busy: 0.9, device_in_flight: 4.5, ..Sample::new() };
    assert_eq!(limit(&sample).cause, Cause::Unknown);
    let mut record = sample.record();
    let merged = record.series.iter_mut().find(|one| one.counter == Counter::Merged).unwrap();
    // One more for each of the 2,000 requests a second.
    let values: Vec<u64> = (0..14).map(|second: u64| second.min(12) * 2_000).collect();
    *merged = Series::from_values(merged.entity, Counter::Merged, &values);
    assert_eq!(judge(&TrialMetrics::of(&[Pass::of(&record)])).cause, Cause::Device);
}

#[test]
fn a_device_s_rate_is_over_the_load_s_own_time() {
    let mut record = Sample { device_busy: 0.99, device_in_flight: 7.5, ..Sample::new() }.record();
    let found = judge(&TrialMetrics::of(&[Pass::of(&record)])).capacity.unwrap();
    assert!((found.operations_per_sec.unwrap() - 2_000.0).abs() < 1.0, "{found:?}");
    // Samples that lie beside the edges change nothing of what streams moved.
    record.instants_ns[2] += 100_000_000;
    let found = judge(&TrialMetrics::of(&[Pass::of(&record)])).capacity.unwrap();
    assert!((found.operations_per_sec.unwrap() - 2_000.0).abs() < 1.0, "{found:?}");
    // Buffered requests reach devices at another time.
    for fact in record.environment.iter_mut().filter(|(key, _)| key.ends_with("cache")) {
        *fact.1 = "buffered".to_owned();
    }
    let found = judge(&TrialMetrics::of(&[Pass::of(&record)])).capacity.unwrap();
    assert!((found.operations_per_sec.unwrap() - 2_000.0).abs() > 10.0, "{found:?}");
}

#[test]
fn a_rating_that_is_reached_is_the_limit() {
    let mut record = Sample::new().record();
    record.entities[1].limits.push(rating(2_050, "data sheet"));
    let found = judge(&TrialMetrics::of(&[Pass::of(&record)]));
    assert_eq!(found.cause, Cause::Device);
    assert_eq!(found.evidence[0].law(), EvidenceLaw::Rating);
}

/// Two streams that move 262 MB/s over an emulated path that carries `most`.
fn emulated(most: u64, is_labelled: bool) -> Limiting {
    let mut record = Sample::new().record();
    let label = iopath_record::Emulated { scale: 2, stretch: 1 };
    record.technique = iopath_record::Technique::Measurement {
        engine: "uring".to_owned(),
        emulated: is_labelled.then_some(label),
    };
    for (key, value) in [
        ("name", "server.hba".to_owned()),
        ("limit", "265 MB/s, assumed".to_owned()),
        ("at_bytes_per_sec", most.to_string()),
    ] {
        record.environment.insert(format!("emulation.full.{key}"), value);
    }
    judge(&TrialMetrics::of(&[Pass::of(&record)]))
}

#[test]
fn what_an_emulated_path_fills_is_the_limit() {
    let found = emulated(262_144_000, true);
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Component, Some("server.hba")));
    assert_eq!(laws(&found), [EvidenceLaw::EmulatedPath]);
    assert!((found.evidence[0].value - 1.0).abs() < 1e-6, "{found:?}");
    // Less leaves room, more refutes the description, and other paths are not emulated.
    assert_eq!(emulated(262_144_000 * 100 / 97, true).cause, Cause::Unknown);
    assert_eq!(emulated(262_144_000 * 100 / 111, true).cause, Cause::Unknown);
    assert_eq!(emulated(262_144_000, false).cause, Cause::Unknown);
}

#[test]
fn time_held_back_is_a_throttle() {
    let found = limit(&Sample { throttled: 0.3, ..Sample::new() });
    assert_eq!((found.cause, found.entity.as_deref()), (Cause::Throttle, Some("vda")));
}

#[test]
fn unknown_tells_what_was_ruled_out() {
    let found = limit(&Sample::new());
    assert_eq!(found.cause, Cause::Unknown);
    for law in [
        EvidenceLaw::DeviceBytes,
        EvidenceLaw::ProcessorTime,
        EvidenceLaw::ThreadTime,
        EvidenceLaw::Utilisation,
        EvidenceLaw::Residence,
    ] {
        assert!(laws(&found).contains(&law), "{law}");
    }
}

#[test]
fn nothing_done_has_no_limit() {
    let mut record = Sample::new().record();
    record.streams.clear();
    let found = judge(&TrialMetrics::of(&[Pass::of(&record)]));
    assert_eq!(found.cause, Cause::Unknown);
    assert_eq!(laws(&found), [EvidenceLaw::Completions]);
}

#[test]
fn each_law_and_cause_is_told_in_the_guide() {
    let guide = include_str!("../../../../../docs/findings.md");
    for law in EvidenceLaw::VARIANTS.iter().chain(crate::judges::audit::Law::VARIANTS) {
        assert!(guide.contains(&format!("`{law}`")), "{law}");
    }
    let causes = ["device", "cpu", "generator", "page-cache", "rate", "throttle", "component"];
    for cause in causes.into_iter().chain(["synchronisation", "latency"]) {
        assert!(guide.contains(&format!("\n| `{cause}` |")), "{cause}");
    }
}

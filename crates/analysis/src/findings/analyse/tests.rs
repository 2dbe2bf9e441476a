//! Closed forms of steady loads, and properties of sums over passes.

use proptest::prelude::*;

use super::{NoFindings, analyse};
use crate::findings::LatencyOf;
use crate::sample::{BLOCK, RATE, Sample};
use iopath_record::{Phase, Record};

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-6 * right.abs()
}

#[test]
fn a_steady_load_has_its_closed_form() {
    let findings = analyse(&[Sample::new().record()]).unwrap();
    let rate = (2 * RATE * BLOCK) as f64;
    assert!(near(findings.throughput_bytes_per_sec, rate));
    assert!(near(findings.deskewed_throughput_bytes_per_sec.unwrap(), rate));
    assert!(near(findings.operations_per_sec, 2_000.0));
    assert_eq!((findings.requests, findings.bytes), (20_000, 20_000 * BLOCK));
    assert_eq!((findings.duration_ns, findings.window_ns), (10_000_000_000, 10_000_000_000));
    assert_eq!(findings.latency_of, LatencyOf::Window);
    assert_eq!(findings.latency_ns_mean, Some(4e6));
    assert_eq!(findings.latency_ns_p999, Some(4_000_000));
    assert_eq!(findings.intended_latency_ns_mean, None);
    assert_eq!(findings.jain, Some(1.0));
    assert_eq!((findings.skew_ns.front, findings.skew_ns.back), (1_000, 500));
    assert_eq!(findings.confidence, None);
    assert_eq!((findings.read, findings.write), (None, None));
}

#[test]
fn without_a_distribution_the_mean_is_the_time_in_flight_over_the_requests() {
    let mut record = Sample::new().record();
    for totals in record.streams.iter_mut().flat_map(|stream| &mut stream.phases) {
        totals.latency.clear();
    }
    let findings = analyse(&[record.clone()]).unwrap();
    assert_eq!((findings.latency_ns_mean, findings.latency_ns_p50), (Some(4e6), None));
    for totals in record.streams.iter_mut().flat_map(|stream| &mut stream.phases) {
        totals.in_flight_ns = 0;
    }
    assert_eq!(analyse(&[record]).unwrap().latency_ns_mean, None, "nobody counted");
}

#[test]
fn processor_time_counts_the_kernel_s_workers() {
    // Two threads for 10 s: 0.1 user, 0.2 kernel, and workers half of the kernel's.
    let findings = analyse(&[Sample::new().record()]).unwrap();
    assert!(near(findings.cpu_user_ns.unwrap(), 2e9));
    assert!(near(findings.cpu_system_ns.unwrap(), 6e9));
    assert!(near(findings.cpu_worker_ns.unwrap(), 2e9));
    assert!(near(findings.cpu_ns_per_request.unwrap(), 8e9 / 20_000.0));
    let mut record = Sample::new().record();
    record.series.clear();
    let findings = analyse(&[record]).unwrap();
    assert!(near(findings.cpu_system_ns.unwrap(), 4e9));
    assert_eq!(findings.cpu_worker_ns, None);
}

#[test]
fn a_mix_is_split_by_operation() {
    let findings = analyse(&[Sample { write_percent: 30, ..Sample::new() }.record()]).unwrap();
    let (read, write) = (findings.read.unwrap(), findings.write.unwrap());
    assert_eq!((read.requests, write.requests), (14_000, 6_000));
    assert_eq!(read.bytes + write.bytes, findings.bytes);
    assert!(near(write.operations_per_sec, 600.0));
    assert_eq!(write.latency_ns_p50, Some(4_000_000));
}

#[test]
fn an_open_loop_has_latency_from_the_intended_start() {
    let sample = Sample { wanted_per_sec: Some(1_000), ..Sample::new() };
    let findings = analyse(&[sample.record()]).unwrap();
    assert_eq!(findings.intended_latency_ns_mean, Some(5e6));
    assert_eq!(findings.intended_latency_ns_max, Some(5_000_000));
    assert_eq!(findings.latency_ns_max, Some(4_000_000));
}

#[test]
fn an_empty_window_has_no_deskewed_figures() {
    let findings = analyse(&[Sample { window: false, ..Sample::new() }.record()]).unwrap();
    assert_eq!(findings.deskewed_throughput_bytes_per_sec, None);
    assert_eq!(findings.deskewed_operations_per_sec, None);
    assert_eq!(findings.latency_of, LatencyOf::Counted);
    assert_eq!(findings.latency_ns_mean, Some(4e6));
    assert_eq!((findings.jain, findings.min_stream), (None, None));
    assert_eq!(findings.streams[0].throughput_bytes_per_sec, None);
    assert!(findings.throughput_bytes_per_sec > 0.0);
}

#[test]
fn one_stream_is_fair_by_definition() {
    let sample = Sample { streams: 1, window: false, ..Sample::new() };
    assert_eq!(analyse(&[sample.record()]).unwrap().jain, Some(1.0));
}

#[test]
fn the_slow_and_the_fast_stream_are_named() {
    let mut record = Sample::new().record();
    record.streams[1].phases[1].read_bytes *= 3;
    let findings = analyse(&[record]).unwrap();
    assert_eq!(findings.min_stream.unwrap().name, "reader[0]");
    assert_eq!(findings.max_stream.unwrap().name, "reader[1]");
    // Shares 1 and 3: 16 / (2 × 10).
    assert!(near(findings.jain.unwrap(), 0.8));
}

#[test]
fn each_stream_has_its_rate_in_each_pass() {
    let pass = |pass, speed| Sample { pass, speed, ..Sample::new() }.record();
    let findings = analyse(&[pass(0, 1), pass(1, 9), pass(2, 1)]).unwrap();
    let usual = (RATE * BLOCK) as f64;
    for stream in &findings.streams {
        let passes = stream.passes_bytes_per_sec.iter().map(|rate| rate / usual);
        assert_eq!(passes.map(f64::round).collect::<Vec<_>>(), [1.0, 9.0, 1.0]);
        assert!(near(stream.throughput_bytes_per_sec.unwrap(), 11.0 / 3.0 * usual));
    }
}

#[test]
fn passes_give_a_confidence() {
    let pass = |pass, speed| Sample { pass, speed, ..Sample::new() }.record();
    let findings = analyse(&[pass(0, 1), pass(1, 1), pass(2, 1)]).unwrap();
    let confidence = findings.confidence.unwrap();
    assert_eq!((confidence.half_width_percent, confidence.passes), (0.0, 3));
    let findings = analyse(&[pass(0, 1), pass(1, 3)]).unwrap();
    assert!(near(findings.confidence.unwrap().mean, findings.throughput_bytes_per_sec));
    assert_eq!(findings.passes.iter().map(|p| p.pass).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn records_of_different_trials_are_refused() {
    assert_eq!(analyse(&[]), Err(NoFindings::NoPass));
    let trial = |trial| Sample { trial, ..Sample::new() }.record();
    let refused = analyse(&[trial(0), trial(3)]);
    assert_eq!(refused, Err(NoFindings::SeveralTrials { first: 0, other: 3 }));
}

#[test]
fn a_record_without_streams_is_all_unknown() {
    let mut record = Sample::new().record();
    record.streams.clear();
    let findings = analyse(&[record]).unwrap();
    assert_eq!((findings.requests, findings.throughput_bytes_per_sec), (0, 0.0));
    assert_eq!((findings.latency_ns_mean, findings.cpu_ns_per_request), (None, None));
}

/// Streams of unequal bytes.
fn unequal(bytes: &[u64]) -> Record {
    let mut record = Sample { streams: bytes.len() as u32, ..Sample::new() }.record();
    for (stream, bytes) in record.streams.iter_mut().zip(bytes) {
        let window = stream.phases.iter_mut().find(|totals| totals.phase == Phase::Window);
        window.unwrap().read_bytes = *bytes;
    }
    record
}

proptest! {
    #[test]
    fn jain_lies_between_one_over_n_and_one(
        bytes in proptest::collection::vec(1u64..1 << 40, 1..20),
    ) {
        let findings = analyse(&[unequal(&bytes)]).unwrap();
        let jain = findings.jain.unwrap();
        let least = 1.0 / bytes.len() as f64;
        prop_assert!(jain >= least - 1e-9 && jain <= 1.0 + 1e-9, "{jain}");
    }

    #[test]
    fn streams_add_up_to_the_trial(bytes in proptest::collection::vec(0u64..1 << 40, 1..20)) {
        let findings = analyse(&[unequal(&bytes)]).unwrap();
        prop_assert_eq!(findings.streams.iter().map(|s| s.bytes).sum::<u64>(), findings.bytes);
        let rates = findings.streams.iter().filter_map(|s| s.throughput_bytes_per_sec);
        let deskewed = findings.deskewed_throughput_bytes_per_sec.unwrap();
        prop_assert!((rates.sum::<f64>() - deskewed).abs() <= 1e-6 * deskewed);
    }

    #[test]
    fn passes_together_lie_between_the_passes(speeds in proptest::collection::vec(1u64..40, 1..6)) {
        let passes: Vec<_> = (0..).zip(&speeds).map(|(pass, speed)| {
            Sample { pass, speed: *speed, ..Sample::new() }.record()
        }).collect();
        let findings = analyse(&passes).unwrap();
        let rates = || findings.passes.iter().map(|pass| pass.throughput_bytes_per_sec);
        let (low, high) = (rates().fold(f64::MAX, f64::min), rates().fold(0.0, f64::max));
        let together = findings.throughput_bytes_per_sec;
        prop_assert!(together >= low * (1.0 - 1e-9) && together <= high * (1.0 + 1e-9));
        prop_assert_eq!(findings.requests, speeds.iter().map(|s| s * 20_000).sum::<u64>());
    }

    #[test]
    fn equal_passes_merge_to_one_of_them(speed in 1u64..40, count in 1u32..5) {
        let passes: Vec<_> =
            (0..count).map(|pass| Sample { pass, speed, ..Sample::new() }.record()).collect();
        let (all, one) = (analyse(&passes).unwrap(), analyse(&passes[..1]).unwrap());
        prop_assert!(near(all.throughput_bytes_per_sec, one.throughput_bytes_per_sec));
        prop_assert_eq!(all.latency_ns_p99, one.latency_ns_p99);
        prop_assert_eq!(all.latency_ns_mean, one.latency_ns_mean);
        prop_assert_eq!(all.limit.cause, one.limit.cause);
    }
}

/// The second of two streams runs after the first, for as long.
fn one_after_the_other() -> Record {
    const LATER: u64 = 20_000_000_000;
    let mut record = Sample::new().record();
    let second = &mut record.streams[1];
    for totals in &mut second.phases {
        (totals.from_ns, totals.to_ns) = (totals.from_ns + LATER, totals.to_ns + LATER);
    }
    second.first_issue_ns += LATER;
    second.first_done_ns += LATER;
    second.last_done_ns += LATER;
    record
}

#[test]
fn what_runs_one_after_the_other_is_not_added() {
    let one = analyse(&[Sample { streams: 1, ..Sample::new() }.record()]).unwrap();
    let both = analyse(&[one_after_the_other()]).unwrap();
    assert_eq!(both.window_ns, 2 * one.window_ns);
    assert!(near(both.throughput_bytes_per_sec, one.throughput_bytes_per_sec), "{both:?}");
    let deskewed = |findings: &crate::Findings| findings.deskewed_throughput_bytes_per_sec.unwrap();
    assert!(near(deskewed(&both), deskewed(&one)));
    for stream in &both.streams {
        assert!(near(stream.throughput_bytes_per_sec.unwrap(), deskewed(&one)), "{stream:?}");
    }
    assert_eq!((both.jain, both.skew_ns.front), (Some(1.0), 0));
    let kinds: Vec<_> = both.warnings.iter().map(crate::Warning::kind).collect();
    assert!(!kinds.contains(&"skew"), "{kinds:?}");
}

//! Passes end when they should, and what they leave is whole.

use std::collections::BTreeSet;

use iopath_measurement::Ending;
use iopath_record::{Counter, Latency, Phase, PhaseTotals, Progress, Record};
use iopath_study::case::{Arrivals, EngineKind, Pacing, Pattern, Rate, Until};
use iopath_units::{Bytes, Nanos, OperationRate, Ratio};

use crate::cases::{case, phase, run, run_interrupted, stream};

#[test]
fn a_pass_without_time_covers_its_region_once() {
    let place = tempfile::tempdir().unwrap();
    for engine in [EngineKind::Uring, EngineKind::Threads] {
        let mut case = case(place.path());
        case.workload.engine = engine;
        case.workload.until = Until { time: None, amount: None };
        case.streams[0].pattern = Pattern::Sequential;
        let left = run(&case);
        let bytes: u64 =
            left.records[0].streams[0].phases.iter().map(|phase| phase.read_bytes).sum();
        assert_eq!(bytes, 8 << 20, "{engine:?}");
    }
}

#[test]
fn an_amount_ends_a_pass_when_it_is_reached() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.workload.until =
        Until { time: Some(Nanos(30_000_000_000)), amount: Some(Bytes(256 << 20)) };
    case.workload.warm_up = Nanos(6_000_000_000);
    let left = run(&case);
    let record = &left.records[0];
    let all: u64 = record.streams[0].phases.iter().map(|phase| phase.read_bytes).sum();
    assert_eq!(all, 256 << 20);
    let warm_up = phase(record, Phase::WarmUp).unwrap().read_bytes;
    // A sixth of the amount warms up; a busy machine may notice that later.
    assert!((all / 6..all).contains(&warm_up), "{warm_up} of {all}");
    assert!(phase(record, Phase::Window).unwrap().to_ns < 30_000_000_000);
}

#[test]
fn each_pass_draws_its_own_requests() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.workload.passes = 3;
    case.workload.until = Until { time: None, amount: None };
    case.streams[0].reads = Ratio(500_000);
    let left = run(&case);
    let sum = |record: &Record, of: fn(&PhaseTotals) -> u64| -> u64 {
        record.streams[0].phases.iter().map(of).sum()
    };
    assert_eq!(left.records.iter().map(|record| record.case.pass).collect::<Vec<_>>(), [0, 1, 2]);
    let all = |record| sum(record, |phase| phase.read_bytes + phase.write_bytes);
    assert!(left.records.iter().all(|record| all(record) == 8 << 20));
    let reads: BTreeSet<u64> =
        left.records.iter().map(|record| sum(record, |phase| phase.read_bytes)).collect();
    assert_eq!(reads.len(), 3, "{reads:?}");
    let seeds = left.records.iter().map(|record| record.case.seed);
    assert!(seeds.eq((0..3).map(|pass| case.workload.seed + pass)));
}

#[test]
fn an_interrupted_trial_keeps_what_it_measured() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.workload.until.time = Some(Nanos(60_000_000_000));
    let left = run_interrupted(&case);
    assert!(matches!(left.ending, Ending::Interrupted));
    assert!(phase(&left.records[0], Phase::Window).unwrap().completed > 0);
    assert!(left.records[0].warnings.iter().any(|warning| warning.kind == "interrupted"));
}

#[test]
fn an_open_loop_keeps_its_rate_and_both_latencies() {
    let place = tempfile::tempdir().unwrap();
    for (engine, arrivals) in
        [(EngineKind::Uring, Arrivals::Constant), (EngineKind::Threads, Arrivals::Poisson)]
    {
        let mut case = case(place.path());
        case.workload.engine = engine;
        // Each of 2,048 blocks once, at 4,096 a second. A busy machine may make it later, and
        // nothing may make it earlier or lose a request.
        case.workload.until = Until { time: None, amount: None };
        let rate = Rate::Operations(OperationRate(4_096_000));
        case.streams[0].pacing = Pacing::Open { rate, streams: 1, arrivals };
        let left = run(&case);
        let stream = &left.records[0].streams[0];
        let phases = &stream.phases;
        assert_eq!(phases.iter().map(|phase| phase.completed).sum::<u64>(), 2_048, "{engine:?}");
        // The last is due after 2,047 distances; Poisson: five standard deviations less.
        let least_ns = if arrivals == Arrivals::Poisson { 440_000_000 } else { 499_000_000 };
        assert!(stream.last_done_ns >= least_ns, "{engine:?}: {}", stream.last_done_ns);
        let kinds: Vec<_> =
            phases.iter().flat_map(|phase| &phase.latency).map(|latency| latency.what).collect();
        assert!(kinds.contains(&Latency::Total) && kinds.contains(&Latency::Intended));
        assert!(phases.iter().map(|phase| phase.idle_ns).sum::<u64>() > 0);
    }
}

#[test]
fn samples_share_the_clock_of_the_pass() {
    let place = tempfile::tempdir().unwrap();
    let left = run(&case(place.path()));
    let record = &left.records[0];
    // One at the begin, one at the end; how many between depends on how busy the machine is.
    assert!(record.instants_ns.len() >= 2, "{:?}", record.instants_ns);
    let heat: u64 = record.heat.iter().map(iopath_record::Histogram::count).sum();
    let completed: u64 = record.streams[0].phases.iter().map(|phase| phase.completed).sum();
    assert_eq!(heat, completed, "every request is in one interval");
    for counter in [Counter::UserNs, Counter::IdleNs, Counter::DirtyBytes, Counter::ResidentBytes] {
        assert!(record.series.iter().any(|series| series.counter == counter), "{counter:?}");
    }
}

#[test]
fn every_stream_is_sampled_and_its_samples_end_at_its_totals() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.workload.engine = EngineKind::Threads;
    case.workload.until = Until { time: None, amount: None };
    case.streams = vec![stream("reader", 0, 2), stream("reader", 1, 2)];
    case.streams[1].reads = Ratio(500_000);
    let left = run(&case);
    let record = &left.records[0];
    for totals in &record.streams {
        let of = |counter| {
            let mut all = record.series.iter();
            all.find(|one| (one.entity, one.counter) == (totals.entity, counter))
        };
        let grown = |counter| {
            let last = of(counter).and_then(|series| series.values().last());
            last.unwrap_or_default() - of(counter).map_or(0, |series| series.first)
        };
        let sum = |of: fn(&PhaseTotals) -> u64| totals.phases.iter().map(of).sum::<u64>();
        assert_eq!(grown(Counter::ReadBytes), sum(|phase| phase.read_bytes));
        assert_eq!(grown(Counter::WriteBytes), sum(|phase| phase.write_bytes));
        let requests = grown(Counter::ReadOperations) + grown(Counter::WriteOperations);
        assert_eq!(requests, sum(|phase| phase.completed));
        assert_eq!(of(Counter::InFlight).and_then(|series| series.values().last()), Some(0));
    }
    let writes = |at: usize| {
        let mut all = record.series.iter().filter(|one| one.counter == Counter::WriteBytes);
        all.any(|one| one.entity == record.streams[at].entity)
    };
    assert!(!writes(0) && writes(1), "only who writes has a column of it");
}

#[test]
fn a_file_that_will_be_read_is_filled_first() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    let left = run(&case);
    assert!(left.told.iter().any(|told| matches!(told, Progress::Preparing { .. })));
    case.streams[0].reads = Ratio(0);
    let left = run(&case);
    assert!(!left.told.iter().any(|told| matches!(told, Progress::Preparing { .. })));
}

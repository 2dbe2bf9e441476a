//! Reading behind writing, on real files.

use iopath_measurement::{Ending, Targets};
use iopath_record::{Counter, Record};
use iopath_study::Case;
use iopath_study::case::{Behind, EngineKind, Modelled, Pattern, Sharing, Until, Verify};
use iopath_units::{Bytes, Nanos, Ratio};
use std::sync::atomic::AtomicBool;

use crate::cases::{case, run, run_interrupted, stream};

const ENGINES: [EngineKind; 5] =
    [EngineKind::Uring, EngineKind::Calls, EngineKind::Threads, EngineKind::Mmap, EngineKind::Null];

/// Writers and as many readers behind them, on one file of 8 MiB, for one round.
fn pairs(directory: &std::path::Path, count: u32, lockstep: bool) -> Case {
    let mut case = case(directory);
    let group = |name: &str, reads: Ratio, behind: Option<Behind>| {
        (0..count)
            .map(|index| {
                let mut stream = stream(name, index, count);
                stream.reads = reads;
                stream.pattern = Pattern::Sequential;
                stream.block = Bytes(64 << 10);
                stream.modelled = Modelled { behind: behind.clone(), ..Modelled::default() };
                stream
            })
            .collect::<Vec<_>>()
    };
    let behind = Some(Behind { group: "writer".to_owned(), lockstep });
    case.streams = group("writer", Ratio(0), None);
    case.streams.extend(group("reader", Ratio::ONE, behind));
    case.workload.until = Until { time: None, amount: None };
    case
}

/// Bytes that each stream moved.
fn moved(record: &Record) -> Vec<u64> {
    let sum = |stream: &iopath_record::StreamTotals| {
        stream.phases.iter().map(|phase| phase.read_bytes + phase.write_bytes).sum()
    };
    record.streams.iter().map(sum).collect()
}

fn lags(record: &Record) -> Vec<u64> {
    let lags = record.series.iter().filter(|series| series.counter == Counter::LagBytes);
    lags.flat_map(|series| series.values().collect::<Vec<_>>()).collect()
}

#[test]
fn every_engine_reads_all_that_is_written() {
    let place = tempfile::tempdir().unwrap();
    for engine in ENGINES {
        for lockstep in [true, false] {
            let mut case = pairs(place.path(), 2, lockstep);
            case.workload.engine = engine;
            let left = run(&case);
            assert!(matches!(left.ending, Ending::Finished), "{engine:?} {:?}", left.ending);
            let record = &left.records[0];
            assert_eq!(moved(record), [4 << 20; 4], "{engine:?} {lockstep}");
            let lags = lags(record);
            assert!(!lags.is_empty() && lags.iter().all(|lag| *lag <= 4 << 20), "{lags:?}");
            if lockstep {
                assert!(lags.iter().all(|lag| *lag <= 64 << 10), "{lags:?}");
            }
        }
    }
}

#[test]
fn in_lockstep_of_a_pair_one_moves_at_a_time() {
    let place = tempfile::tempdir().unwrap();
    for (block, depth) in [(64 << 10, 1), (16 << 10, 4), (256 << 10, 2)] {
        let mut case = pairs(place.path(), 1, true);
        case.workload.until.time = Some(Nanos(300_000_000));
        case.streams[1].block = Bytes(block);
        case.streams[1].depth = depth;
        let left = run(&case);
        let record = &left.records[0];
        let [written, read] = moved(record)[..] else { panic!("two streams") };
        assert!(read > 0 && read <= written, "{read} of {written}");
        assert!(written - read < block.max(64 << 10) + (64 << 10), "{read} of {written}");
        // Each instant belongs to one of them: the times in flight fit into the pass, but for
        // those of several requests of one reader.
        let in_flight = |stream: usize| {
            let phases = record.streams[stream].phases.iter();
            phases.map(|phase| phase.in_flight_ns).sum::<u64>()
        };
        let end_ns = record.streams.iter().map(|stream| stream.last_done_ns).max().unwrap();
        assert!(in_flight(0) + in_flight(1) / u64::from(depth) <= end_ns, "{end_ns}");
    }
}

#[test]
fn a_follower_is_never_ahead_and_several_may_follow() {
    let place = tempfile::tempdir().unwrap();
    let mut case = pairs(place.path(), 1, false);
    let mut second = case.streams[1].clone();
    "second".clone_into(&mut second.name);
    "second".clone_into(&mut second.group);
    second.block = Bytes(128 << 10);
    case.streams.push(second);
    case.workload.until.time = Some(Nanos(200_000_000));
    let left = run(&case);
    let moved = moved(&left.records[0]);
    assert!(moved[1] > 0 && moved[2] > 0, "{moved:?}");
    assert!(moved[1] <= moved[0] && moved[2] <= moved[0], "{moved:?}");
    assert!(lags(&left.records[0]).iter().all(|lag| *lag <= moved[0]));
}

#[test]
fn what_a_reader_finds_is_what_its_writer_wrote() {
    let place = tempfile::tempdir().unwrap();
    for lockstep in [true, false] {
        let mut case = pairs(place.path(), 2, lockstep);
        case.workload.verify = Verify::Stamps;
        // Several rounds: the writer overtakes a slow follower, which then finds the newer data.
        case.workload.until = Until { time: None, amount: Some(Bytes(64 << 20)) };
        let left = run(&case);
        assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
        let moved = moved(&left.records[0]);
        assert!(moved.iter().sum::<u64>() >= (64 << 20) - (4 << 16), "{moved:?}");
    }
}

/// A pass whose writer issues one request in a minute, so that its reader is held.
fn held(directory: &std::path::Path, lockstep: bool) -> Case {
    use iopath_study::case::{Arrivals, Pacing, Rate};
    let mut case = pairs(directory, 1, lockstep);
    let rate = Rate::Operations(iopath_units::OperationRate(16));
    let arrivals = Arrivals::Constant;
    case.streams[0].pacing = Pacing::Open { rate, streams: 1, arrivals };
    case
}

#[test]
fn a_pass_that_is_cut_while_a_stream_is_held_ends_in_time() {
    let place = tempfile::tempdir().unwrap();
    for engine in ENGINES {
        let mut case = held(place.path(), engine == EngineKind::Uring);
        case.workload.engine = engine;
        case.workload.until.time = Some(Nanos(100_000_000));
        let left = run(&case);
        assert!(matches!(left.ending, Ending::Finished), "{engine:?}");
        let [_, reader] = &left.records[0].streams[..] else { panic!("two streams") };
        let waited = reader.phases.iter().map(|phase| phase.pool_wait_ns).sum::<u64>();
        assert!(waited > 0, "{engine:?}");
    }
}

#[test]
fn an_interrupt_ends_a_wait() {
    let place = tempfile::tempdir().unwrap();
    let case = held(place.path(), true);
    let left = run_interrupted(&case);
    assert!(matches!(left.ending, Ending::Interrupted));
}

/// A mistake that is made in a case.
type Change = fn(&mut Case);

#[test]
fn who_cannot_follow_is_told_before_any_request() {
    let place = tempfile::tempdir().unwrap();
    let told = |change: Change| {
        let mut case = pairs(place.path(), 2, true);
        change(&mut case);
        let mut targets = Targets::new(iopath_machine::Root::live(), std::env::temp_dir());
        let obstacles =
            targets.obstacles(std::slice::from_ref(&case), &[], &AtomicBool::new(false));
        obstacles.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(told(|_| ()), "");
    let cases: [(Change, &str); 5] = [
        (|case| case.streams[2].region.sharing = Sharing::Shared, "no stream of writer has the"),
        (|case| drop(case.streams.remove(1)), "reader[1] is behind writer, but no stream"),
        (|case| case.streams[3].pattern = Pattern::Random, "must run with the pattern sequential"),
        (|case| case.streams[0].reads = Ratio::ONE, "must only read and writer[0] only write"),
        (|case| case.streams[2].block = Bytes(48 << 10), "do not divide"),
    ];
    for (change, words) in cases {
        assert!(told(change).contains(words), "{words}: {}", told(change));
    }
}

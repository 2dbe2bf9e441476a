//! Streams that begin after others have ended.

use std::fs;
use std::sync::atomic::AtomicBool;

use iopath_measurement::Ending;
use iopath_measurement::residency::residency;
use iopath_record::{Latency, Phase, Progress, Record, StreamTotals};
use iopath_study::Case;
use iopath_study::case::{
    After, Arrivals, EngineKind, Pacing, Pattern, Prepare, Rate, Stream, Until, Verify,
};
use iopath_units::{Bytes, Nanos, OperationRate, Ratio};

use crate::cases::{case, run, run_on, stream, targets};

const ROUND: Until = Until { time: None, amount: None };

/// A sequential stream of one depth.
fn one(group: &str, reads: Ratio) -> Stream {
    Stream { reads, depth: 1, pattern: Pattern::Sequential, ..stream(group, 0, 1) }
}

fn after(group: &str, start_delay: Nanos, prepare: Prepare) -> Option<After> {
    Some(After { group: group.to_owned(), start_delay, prepare })
}

/// iozone's order: write, rewrite, read, reread.
fn in_order(place: &std::path::Path) -> Case {
    let mut case = case(place);
    case.workload.until = ROUND;
    let groups = ["write", "rewrite", "read", "reread"];
    let ops = [Ratio(0), Ratio(0), Ratio::ONE, Ratio::ONE];
    case.streams = groups.into_iter().zip(ops).map(|(group, reads)| one(group, reads)).collect();
    for at in 1..groups.len() {
        case.streams[at].after = after(groups[at - 1], Nanos(0), Prepare::None);
    }
    case
}

fn bytes(stream: &StreamTotals) -> u64 {
    stream.phases.iter().map(|phase| phase.read_bytes + phase.write_bytes).sum()
}

fn was_filled(told: &[Progress]) -> bool {
    told.iter().any(|told| matches!(told, Progress::Preparing { .. }))
}

#[test]
fn each_begins_when_those_before_have_ended_and_finds_their_data() {
    let place = tempfile::tempdir().unwrap();
    for engine in [EngineKind::Uring, EngineKind::Calls, EngineKind::Threads, EngineKind::Mmap] {
        let mut case = in_order(place.path());
        case.workload.engine = engine;
        case.workload.verify = Verify::Stamps;
        case.workload.passes = 2;
        let left = run(&case);
        assert!(matches!(left.ending, Ending::Finished), "{engine:?}: {:?}", left.ending);
        assert!(!was_filled(&left.told), "{engine:?}: the first stream writes all of it");
        for record in &left.records {
            assert!(record.streams.iter().all(|stream| bytes(stream) == 8 << 20), "{engine:?}");
            for pair in record.streams.windows(2) {
                assert!(pair[0].last_done_ns <= pair[1].first_issue_ns, "{engine:?}");
                let ends = pair[0].phases.iter().map(|phase| phase.to_ns).max();
                let begins = pair[1].phases.iter().map(|phase| phase.from_ns).min();
                assert!(ends <= begins, "{engine:?}: {ends:?} {begins:?}");
            }
        }
    }
}

#[test]
fn each_has_its_warm_up_its_time_and_the_pause_before_it() {
    let place = tempfile::tempdir().unwrap();
    let mut case = in_order(place.path());
    let ms = |ms: u64| Nanos(ms * 1_000_000);
    (case.workload.until.time, case.workload.warm_up) = (Some(ms(600)), ms(200));
    case.streams.truncate(2);
    case.streams[1].after = after("write", ms(150), Prepare::Sync);
    assert_eq!(case.pass_time(), Some(ms(2 * 800 + 150)));
    let left = run(&case);
    let record = &left.records[0];
    for stream in &record.streams {
        let span = |phase: Phase| stream.phases.iter().find(|totals| totals.phase == phase);
        let warm_up = span(Phase::WarmUp).unwrap();
        assert_eq!(warm_up.to_ns - warm_up.from_ns, ms(200).0);
        let drain = span(Phase::Drain).map_or(u64::MAX, |drain| drain.from_ns);
        assert_eq!(drain - warm_up.to_ns, ms(600).0);
    }
    let [first, second] = [0, 1].map(|at| &record.streams[at]);
    assert!(second.first_issue_ns - first.last_done_ns >= ms(150).0);
}

#[test]
fn each_moves_the_amount() {
    let place = tempfile::tempdir().unwrap();
    let mut case = in_order(place.path());
    case.workload.until.amount = Some(Bytes(1 << 20));
    let left = run(&case);
    assert!(left.records[0].streams.iter().all(|stream| bytes(stream) == 1 << 20));
}

#[test]
fn what_is_read_and_was_not_written_is_filled_before_that() {
    let place = tempfile::tempdir().unwrap();
    let mut case = in_order(place.path());
    // Half of what will be read.
    case.workload.until.amount = Some(Bytes(4 << 20));
    case.streams.truncate(3);
    case.workload.verify = Verify::Stamps;
    let left = run(&case);
    assert!(was_filled(&left.told));
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
}

#[test]
fn parallel_writers_fill_a_file_for_its_readers() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.workload.until = ROUND;
    let writer = |at| Stream { region: stream("w", at, 4).region, ..one("w", Ratio(0)) };
    case.streams = (0..4).map(writer).collect();
    case.streams
        .push(Stream { after: after("w", Nanos(0), Prepare::Drop), ..one("r", Ratio::ONE) });
    let left = run(&case);
    assert!(!was_filled(&left.told) && bytes(&left.records[0].streams[4]) == 8 << 20);
}

#[test]
fn an_open_loop_counts_from_its_own_begin() {
    let place = tempfile::tempdir().unwrap();
    let mut case = in_order(place.path());
    case.streams.truncate(2);
    let ms = |ms: u64| Nanos(ms * 1_000_000);
    case.workload.until.time = Some(ms(300));
    let rate = Rate::Operations(OperationRate(100_000));
    case.streams[1].pacing = Pacing::Open { rate, streams: 1, arrivals: Arrivals::Constant };
    let left = run(&case);
    let phases = &left.records[0].streams[1].phases;
    let requests: u64 = phases.iter().map(|phase| phase.completed).sum();
    // 100 a second for 0.3 s, and no crowd of those that were due before it began.
    assert!((1..=31).contains(&requests), "{requests}");
    let intended = phases.iter().flat_map(|phase| &phase.latency);
    let mut intended = intended.filter(|one| one.what == Latency::Intended);
    assert!(intended.all(|one| one.histogram.max_ns < ms(300).0));
}

#[test]
fn data_is_dropped_from_the_page_cache_where_that_is_wanted() {
    // Where the repository lies there is a disk; temporary directories may be memory.
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let resident = |prepare: Prepare| {
        let mut case = in_order(place.path());
        case.streams = vec![one("w", Ratio(0)), one("r", Ratio::ONE)];
        let slow = Rate::Operations(OperationRate(20_000));
        let pacing = Pacing::Open { rate: slow, streams: 1, arrivals: Arrivals::Constant };
        (case.streams[1].pacing, case.streams[1].pattern) = (pacing, Pattern::Random);
        case.streams[1].after = after("w", Nanos(0), prepare);
        case.workload.until = Until { time: Some(Nanos(300_000_000)), amount: None };
        let path = place.path().join(format!("{prepare:?}"));
        case.targets[0].binding = Some(path.display().to_string());
        run(&case);
        residency(&fs::File::open(path).unwrap(), 8 << 20).unwrap().cached_bytes
    };
    let [kept, dropped] = [Prepare::None, Prepare::Drop].map(resident);
    // Some six reads, with what the kernel reads ahead of each.
    assert!(kept > 6 << 20 && dropped < 4 << 20, "{kept} {dropped}");
}

#[test]
fn after_an_error_or_ctrl_c_no_more_begin() {
    let place = tempfile::tempdir().unwrap();
    let mut case = in_order(place.path());
    let path = place.path().join("shrinks");
    fs::write(&path, vec![7; 8 << 20]).unwrap();
    case.targets[0].binding = Some(path.display().to_string());
    case.streams.drain(..2);
    case.streams[0].after = None;
    let mut opened = targets(&case);
    fs::File::options().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();
    let left = run_on(&case, &mut opened, &AtomicBool::new(false));
    assert!(matches!(left.ending, Ending::Failed(_)), "{:?}", left.ending);
    let is_untouched = |record: &Record| {
        let last = record.streams.last().unwrap();
        last.phases.is_empty() && last.first_issue_ns == 0
    };
    assert!(is_untouched(&left.records[0]));

    let mut case = in_order(place.path());
    case.workload.until.time = Some(Nanos(60_000_000_000));
    let left = crate::cases::run_interrupted(&case);
    assert!(matches!(left.ending, Ending::Interrupted));
    assert!(is_untouched(&left.records[0]));
}

//! The load like that of SPC-1 on a real file: sizes, counts by sub-stream, and stamps.

use iopath_measurement::Ending;
use iopath_record::{Counter, Phase, Record};
use iopath_study::Case;
use iopath_study::case::{Arrivals, EngineKind, Pacing, Pattern, Rate, Verify};
use iopath_study::spc1::{READS, STREAMS};
use iopath_units::{Bytes, Nanos, OperationRate};

use crate::cases::{case, phase, run, stream};

/// Two streams of the load on a file of 256 MiB.
fn load(directory: &std::path::Path, engine: EngineKind) -> Case {
    let mut case = case(directory);
    case.workload.engine = engine;
    case.workload.until.time = Some(Nanos(300_000_000));
    case.targets[0].size = Some(Bytes(256 << 20));
    case.streams = (0..2).map(|index| stream("spc", index, 2)).collect();
    let rate = Rate::Operations(OperationRate(2_000_000));
    for stream in &mut case.streams {
        stream.pattern = Pattern::Spc1Like;
        stream.reads = READS;
        stream.depth = 8;
        stream.pacing = Pacing::Open { rate, streams: 2, arrivals: Arrivals::Poisson };
    }
    case
}

/// What a counter of a sub-stream grew to.
fn grown(record: &Record, name: &str, counter: Counter) -> u64 {
    let at = record.entities.iter().position(|entity| entity.name == name).expect(name);
    let of = |series: &&iopath_record::Series| {
        series.entity.0 as usize == at && series.counter == counter
    };
    record.series.iter().find(of).and_then(|series| series.values().last()).expect("sampled")
}

#[test]
fn sub_streams_are_counted_one_by_one_with_every_engine() {
    let place = tempfile::tempdir().unwrap();
    for engine in [EngineKind::Uring, EngineKind::Threads, EngineKind::Mmap] {
        let left = run(&load(place.path(), engine));
        assert!(matches!(left.ending, Ending::Finished), "{engine:?}: {:?}", left.ending);
        let record = &left.records[0];
        let sum = |counter| {
            let each = STREAMS.map(|sub| grown(record, &format!("spc/{}", sub.name), counter));
            each.iter().sum::<u64>()
        };
        let completed: u64 =
            Phase::ALL.iter().filter_map(|one| phase(record, *one)).map(|p| p.completed).sum();
        assert!(completed > 0);
        assert_eq!(sum(Counter::Submitted), completed, "{engine:?}");
        let (reads, writes) = (sum(Counter::ReadOperations), sum(Counter::WriteOperations));
        assert_eq!(reads + writes, completed, "{engine:?}");
        assert_eq!(grown(record, "spc/ASU3-1", Counter::ReadOperations), 0);
        assert_eq!(grown(record, "spc/ASU1-3", Counter::WriteOperations), 0);
        let shares = &record.environment["intensity.spc.shares_ppm"];
        assert!(shares.starts_with("ASU1-1 35000 ASU1-2 281000 "), "{shares}");
    }
}

#[test]
fn stamps_hold_for_requests_of_any_size() {
    let place = tempfile::tempdir().unwrap();
    for engine in [EngineKind::Uring, EngineKind::Threads] {
        let mut case = load(place.path(), engine);
        case.workload.verify = Verify::Stamps;
        case.streams.iter_mut().for_each(|stream| stream.pacing = Pacing::Closed);
        let left = run(&case);
        assert!(matches!(left.ending, Ending::Finished), "{engine:?}: {:?}", left.ending);
    }
}

//! Every engine moves what was asked for, and says what it was.

use iopath_record::{Phase, Technique};
use iopath_study::case::{BufferKind, CacheMode, EngineKind, Pattern, Verify};
use iopath_units::{Bytes, Ratio};

use crate::cases::{case, phase, run, stream};

const ENGINES: [EngineKind; 4] =
    [EngineKind::Uring, EngineKind::Threads, EngineKind::Mmap, EngineKind::Null];

#[test]
fn every_engine_reads_and_counts_the_same_way() {
    let place = tempfile::tempdir().unwrap();
    for engine in ENGINES {
        let mut case = case(place.path());
        case.workload.engine = engine;
        let left = run(&case);
        let record = &left.records[0];
        let window = phase(record, Phase::Window).unwrap();
        assert!(window.completed > 100, "{engine:?}: {window:?}");
        assert_eq!(window.write_bytes, 0);
        let whole = window.operations_ppm * 4096;
        let difference = whole.abs_diff(window.read_bytes * 1_000_000);
        assert!(difference <= 4096 * 2_000_000, "{engine:?}: bytes and operations disagree");
        let Technique::Measurement { engine: used, .. } = &record.technique else { panic!() };
        let name = format!("{engine:?}").to_lowercase();
        assert!(used.starts_with(&name), "{used} for {name}");
    }
}

#[test]
fn every_engine_writes_and_reads_back_what_it_wrote() {
    let place = tempfile::tempdir().unwrap();
    for engine in &ENGINES[..3] {
        let mut case = case(place.path());
        case.workload.engine = *engine;
        case.workload.verify = Verify::Stamps;
        case.streams[0].reads = Ratio(500_000);
        let left = run(&case);
        assert!(matches!(left.ending, iopath_measurement::Ending::Finished), "{:?}", left.ending);
        let window = phase(&left.records[0], Phase::Window).unwrap();
        assert!(window.read_bytes > 0 && window.write_bytes > 0);
    }
}

#[test]
fn every_kind_of_buffer_serves() {
    let place = tempfile::tempdir().unwrap();
    for buffers in [BufferKind::Heap, BufferKind::Shared, BufferKind::Huge] {
        let mut case = case(place.path());
        case.workload.buffers = buffers;
        let left = run(&case);
        let environment = &left.records[0].environment;
        let huge: u64 = environment["buffers.huge_bytes"].parse().unwrap();
        assert!(huge == 0 || buffers == BufferKind::Huge, "{buffers:?}: {huge}");
    }
}

#[test]
fn direct_io_is_used_or_said_to_be_refused() {
    // On the disk of the checkout, as the temporary directory may be in memory.
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut case = case(place.path());
    case.workload.cache = CacheMode::Direct;
    case.streams[0].pattern = Pattern::Sequential;
    case.streams[0].block = Bytes(64 << 10);
    let left = run(&case);
    let record = &left.records[0];
    let refused = record.warnings.iter().any(|warning| warning.kind == "direct-refused");
    let cache = &record.environment["target.data.cache"];
    assert_eq!(refused, cache == "buffered (direct refused)", "{cache}");
}

#[test]
fn many_streams_share_a_file_in_own_regions() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.streams = (0..8).map(|index| stream("reader", index, 8)).collect();
    let left = run(&case);
    assert_eq!(left.records[0].streams.len(), 8);
    for stream in &left.records[0].streams {
        assert!(stream.phases.iter().any(|phase| phase.completed > 0));
    }
}

//! Damage that somebody else does is found and named; our own concurrency raises no alarm.

use std::os::unix::fs::FileExt;

use iopath_measurement::{Ending, Failure};
use iopath_study::case::{EngineKind, Pattern, Sharing, Verify};
use iopath_units::{Bytes, Nanos, Ratio};

use crate::cases::{case, run, run_on, stream, targets};

#[test]
fn many_streams_on_one_small_region_raise_no_alarm() {
    let place = tempfile::tempdir().unwrap();
    for engine in [EngineKind::Uring, EngineKind::Threads] {
        let mut case = case(place.path());
        case.workload.engine = engine;
        case.workload.verify = Verify::Stamps;
        case.workload.until.time = Some(Nanos(500_000_000));
        case.targets[0].size = Some(Bytes(1 << 20));
        case.streams = (0..4).map(|index| stream("mixed", index, 4)).collect();
        for stream in &mut case.streams {
            stream.region.sharing = Sharing::Shared;
            stream.reads = Ratio(500_000);
            stream.depth = 16;
            stream.block = Bytes(8192);
        }
        let left = run(&case);
        assert!(matches!(left.ending, Ending::Finished), "{engine:?}: {:?}", left.ending);
    }
}

#[test]
fn a_byte_that_somebody_changed_is_found() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("data");
    let mut case = case(place.path());
    case.targets[0].binding = Some(path.display().to_string());
    case.workload.verify = Verify::Stamps;
    case.streams[0].reads = Ratio(0);
    case.streams[0].pattern = Pattern::Sequential;
    case.workload.until.time = None;
    let mut on = targets(&case);
    let left = run_on(&case, &mut on, &false.into());
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);

    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(b"x", 5_000_000).unwrap();
    case.streams[0].reads = Ratio::ONE;
    let left = run_on(&case, &mut on, &false.into());
    let Ending::Failed(Failure::Damaged { damage, .. }) = left.ending else {
        panic!("{:?}", left.ending)
    };
    let unit = 5_000_000 / 4096 * 4096;
    assert!(damage.to_string().contains(&unit.to_string()), "{damage}");
}

#[test]
fn what_was_never_stamped_is_not_taken_for_good() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("data");
    std::fs::write(&path, vec![3; 1 << 20]).unwrap();
    let mut case = case(place.path());
    case.targets[0].binding = Some(path.display().to_string());
    case.targets[0].size = None;
    case.workload.verify = Verify::Stamps;
    let left = run(&case);
    assert!(matches!(left.ending, Ending::Failed(Failure::Damaged { .. })), "{:?}", left.ending);
}

#[test]
fn what_the_null_engine_seems_to_write_is_not_there() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.workload.engine = EngineKind::Null;
    case.streams[0].reads = Ratio(0);
    case.streams[0].pattern = Pattern::Sequential;
    let mut on = targets(&case);
    let left = run_on(&case, &mut on, &false.into());
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    assert_eq!(on.filled_bytes(&case.targets[0]), 0);
}

#[test]
fn an_end_before_a_pass_leaves_no_pass() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.streams[0].reads = Ratio(0);
    let left = run_on(&case, &mut targets(&case), &true.into());
    assert!(matches!(left.ending, Ending::Interrupted), "{:?}", left.ending);
    assert!(left.records.is_empty(), "{} records", left.records.len());
}

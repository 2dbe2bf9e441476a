//! Damage that somebody else does is found and named; our own concurrency raises no alarm.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use iopath_measurement::{Ending, Failure};
use iopath_record::{BadBlocks, BadKind, Progress};
use iopath_study::Case;
use iopath_study::case::{EngineKind, Pattern, Sharing, Verify};
use iopath_units::{Bytes, Nanos, Ratio};

use crate::cases::{Left, case, run, run_hearing, run_on, stream, targets};
use crate::volumes;

const UNIT: u64 = 4096;
/// The middle of a target of `case`.
const HALF: u64 = 4 << 20;

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

/// A new file that one stream writes from its beginning to its end, once.
fn written_once(place: &Path) -> Case {
    let mut case = case(place);
    case.targets[0].binding = Some(place.join("data").display().to_string());
    case.workload.verify = Verify::Stamps;
    case.workload.until.time = None;
    case.streams[0].reads = Ratio(0);
    case.streams[0].pattern = Pattern::Sequential;
    case
}

/// A new file that the run fills, and of which one stream uses the first sixteenth.
fn filled(place: &Path) -> Case {
    let mut case = written_once(place);
    case.streams[0].reads = Ratio(500_000);
    case.streams[0].region.count = 16;
    case
}

#[track_caller]
fn found(left: &Left) -> (&BadBlocks, &BadBlocks) {
    let Ending::Failed(Failure::Damaged { found, read_back }) = &left.ending else {
        panic!("{:?}", left.ending)
    };
    (found, read_back)
}

/// Kind and place of each, by place.
fn places(blocks: &BadBlocks) -> Vec<(BadKind, u64)> {
    let mut places: Vec<_> =
        blocks.listed.iter().map(|block| (block.kind, block.offset_bytes / UNIT)).collect();
    places.sort_by_key(|(_, unit)| *unit);
    places
}

/// Damages five blocks in five ways: units 3, 40, 41, 900 and 1000.
fn damage(path: &Path) {
    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
    let mut unit = vec![0; UNIT as usize];
    file.write_all_at(b"x", 3 * UNIT + 5).unwrap();
    file.read_exact_at(&mut unit, 7 * UNIT).unwrap();
    file.write_all_at(&unit, 40 * UNIT).unwrap();
    file.write_all_at(&vec![0; UNIT as usize], 41 * UNIT).unwrap();
    file.write_all_at(&unit[..512], 900 * UNIT).unwrap();
    file.write_all_at(&unit[..2048], 1000 * UNIT + 2048).unwrap();
}

const DAMAGED: [(BadKind, u64); 5] = [
    (BadKind::Corrupt, 3),
    (BadKind::Misplaced, 40),
    (BadKind::Unstamped, 41),
    (BadKind::Torn, 900),
    (BadKind::Corrupt, 1000),
];

#[test]
fn several_bad_blocks_of_several_kinds_are_all_found_by_reads() {
    let place = tempfile::tempdir().unwrap();
    let mut case = written_once(place.path());
    let mut on = targets(&case);
    let left = run_on(&case, &mut on, &false.into());
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    assert!(left.records[0].bad_blocks.is_empty());

    damage(&place.path().join("data"));
    case.streams[0].reads = Ratio::ONE;
    case.workload.passes = 2;
    let left = run_on(&case, &mut on, &false.into());
    let (all, read_back) = found(&left);
    assert_eq!(places(all), DAMAGED);
    assert!(read_back.is_empty(), "each is found once: {read_back}");
    assert_eq!(left.records.len(), 2, "the second pass is made, too");
    assert_eq!(places(&left.records[0].bad_blocks), DAMAGED);
    assert!(left.records[1].bad_blocks.is_empty());
    let misplaced = &all.listed[1];
    assert_eq!(misplaced.found_offset_bytes, Some(7 * UNIT), "{misplaced:?}");
    assert_eq!((misplaced.wanted_generation, misplaced.found_generation), (Some(0), Some(0)));
}

/// The usual victim of a misplaced write: blocks that were filled and that no request comes to.
#[test]
fn bad_blocks_that_no_request_came_to_are_found_by_reading_back() {
    let place = tempfile::tempdir().unwrap();
    let case = filled(place.path());
    let path = place.path().join("data");
    let hear = |progress: &Progress| {
        if matches!(progress, Progress::PassStarted { .. }) {
            OpenOptions::new().write(true).open(&path).unwrap().write_all_at(b"x", HALF).unwrap();
        }
    };
    let left = run_hearing(&case, &mut targets(&case), &hear);
    let (all, read_back) = found(&left);
    assert_eq!(places(all), [(BadKind::Corrupt, HALF / UNIT)]);
    assert_eq!(all, read_back);
}

#[test]
fn what_an_earlier_case_filled_is_read_back_by_a_smaller_one() {
    let place = tempfile::tempdir().unwrap();
    let mut case = filled(place.path());
    let mut on = targets(&case);
    let left = run_on(&case, &mut on, &false.into());
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    damage(&place.path().join("data"));
    case.targets[0].size = Some(Bytes(128 << 10));
    case.streams[0].reads = Ratio::ONE;
    case.streams[0].region.count = 1;
    let left = run_on(&case, &mut on, &false.into());
    assert_eq!(places(found(&left).0), DAMAGED);
}

/// The kernel's way to a file without a name that this process has open.
fn scratch_file(directory: &Path) -> std::path::PathBuf {
    let is_in_it = |entry: &std::fs::DirEntry| {
        std::fs::read_link(entry.path()).is_ok_and(|file| file.starts_with(directory))
    };
    let mut open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    open.find(is_in_it).expect("the targets keep it open").path()
}

#[test]
fn what_an_earlier_case_knew_is_known_in_a_larger_one() {
    let place = tempfile::tempdir().unwrap();
    let mut case = filled(place.path());
    let whole = case.targets[0].size;
    // A named file that somebody has written to would not be made longer.
    case.targets[0].binding = None;
    case.targets[0].size = Some(Bytes(256 << 10));
    let mut on = targets(&case);
    let left = run_on(&case, &mut on, &false.into());
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    let file = OpenOptions::new().write(true).open(scratch_file(place.path())).unwrap();
    file.write_all_at(&[0; 4096], 9 * UNIT).unwrap();
    case.targets[0].size = whole;
    case.streams[0].reads = Ratio::ONE;
    let left = run_on(&case, &mut on, &false.into());
    assert_eq!(places(found(&left).0), [(BadKind::Unstamped, 9)]);
}

/// A volume of the same name may lie otherwise on its files in the next case.
#[test]
fn a_volume_that_is_laid_anew_raises_no_alarm() {
    let place = tempfile::tempdir().unwrap();
    let text = |unit: &str| {
        let text = r#"
layout { file "a" count=2 size="1 MiB" directory="DIR"
 stripe "vol" unit="UNIT" over="a" }
workload verify=#true { streams "app" over="vol" op="mix" reads="50 %" block="64 KiB" }"#;
        volumes::case(&text.replace("UNIT", unit), place.path())
    };
    let mut on = targets(&text("64 KiB"));
    for unit in ["64 KiB", "128 KiB"] {
        let left = run_on(&text(unit), &mut on, &false.into());
        assert!(matches!(left.ending, Ending::Finished), "{unit}: {:?}", left.ending);
    }
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
    let (all, _) = found(&left);
    assert_eq!(all.counts.keys().collect::<Vec<_>>(), [&BadKind::Unstamped]);
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

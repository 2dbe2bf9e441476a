//! Trims: holes in files, discards of devices, and what is counted of them.

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::AtomicBool;

use iopath_machine::Root;
use iopath_measurement::target::preflight::Obstacle;
use iopath_measurement::{Ending, Targets};
use iopath_record::{Counter, Phase, Progress, Record};
use iopath_study::Case;
use iopath_study::case::{
    After, EngineKind, Pattern, Prepare, Stream, Target, TargetKind, Until, Verify,
};
use iopath_units::{Action, Bytes, Nanos, Ratio};

use crate::cases::{case, run, run_on, stream};
use crate::kernel::Loop;

const ROUND: Until = Until { time: None, amount: None };
const SIZE: u64 = 8 << 20;
const BLOCK: u64 = 64 << 10;

fn one(group: &str, action: Action, reads: Ratio, after: Option<&str>) -> Stream {
    let begins = |group: &str| After {
        group: group.to_owned(),
        start_delay: Nanos(0),
        prepare: Prepare::None,
    };
    Stream {
        action,
        reads,
        block: Bytes(BLOCK),
        pattern: Pattern::Sequential,
        after: after.map(begins),
        ..stream(group, 0, 1)
    }
}

fn trimming(place: &std::path::Path) -> Case {
    let mut case = case(place);
    case.workload.until = ROUND;
    case.streams = vec![one("trim", Action::Trim, Ratio(0), None)];
    case
}

/// Bytes read, written and trimmed.
fn moved(record: &Record, stream: usize) -> [u64; 3] {
    let phases = record.streams[stream].phases.iter();
    phases.fold([0; 3], |[read, written, trimmed], one| {
        [read + one.read_bytes, written + one.write_bytes, trimmed + one.trim_bytes]
    })
}

#[test]
fn each_range_of_a_file_is_given_up_once_and_the_file_keeps_its_length() {
    let place = tempfile::tempdir().unwrap();
    for engine in [EngineKind::Auto, EngineKind::Calls, EngineKind::Threads] {
        let path = place.path().join(format!("{engine:?}"));
        let mut case = trimming(place.path());
        case.workload.engine = engine;
        case.targets[0].binding = Some(path.display().to_string());
        let left = run(&case);
        assert!(matches!(left.ending, Ending::Finished), "{engine:?}: {:?}", left.ending);
        let is_filled = |told: &Progress| matches!(told, Progress::Preparing { .. });
        assert!(left.told.iter().any(is_filled), "there must be something to trim");
        let [record] = &left.records[..] else { panic!("one pass") };
        assert_eq!(moved(record, 0), [0, 0, SIZE], "{engine:?}");
        assert_eq!(record.streams[0].action, Action::Trim);
        assert!(!record.warnings.iter().any(|one| one.kind == "trimmed-again"));
        let facts = path.metadata().unwrap();
        // A block of the file system's own may be left, for attributes.
        assert_eq!((facts.len(), facts.blocks() / 64), (SIZE, 0), "{engine:?}");
        let mut data = vec![1; SIZE as usize];
        File::open(&path).unwrap().read_exact_at(&mut data, 0).unwrap();
        assert!(data.iter().all(|byte| *byte == 0));
    }
}

#[test]
fn a_trim_after_a_writer_has_its_own_turn_and_a_reader_finds_data_again() {
    let place = tempfile::tempdir().unwrap();
    let mut case = trimming(place.path());
    case.workload.passes = 2;
    case.streams = vec![
        one("write", Action::Transfer, Ratio(0), None),
        one("trim", Action::Trim, Ratio(0), Some("write")),
        one("read", Action::Transfer, Ratio::ONE, Some("trim")),
    ];
    let left = run(&case);
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    assert_eq!(left.records.len(), 2);
    for record in &left.records {
        let of = |stream| moved(record, stream);
        assert_eq!([of(0), of(1), of(2)], [[0, SIZE, 0], [0, 0, SIZE], [SIZE, 0, 0]]);
        assert_eq!(record.environment["engine.trim"], "threads");
        let words: Vec<&str> = record.warnings.iter().map(|one| one.kind.as_str()).collect();
        assert!(!words.contains(&"trimmed-again"), "{words:?}");
    }
    let is_filled = |told: &Progress| matches!(told, Progress::Preparing { .. });
    assert!(left.told.iter().any(is_filled), "what was trimmed is written before it is read");
}

#[test]
fn what_is_trimmed_or_read_holds_data_in_each_pass() {
    let place = tempfile::tempdir().unwrap();
    let mut case = trimming(place.path());
    case.workload.passes = 2;
    case.streams = vec![
        one("read", Action::Transfer, Ratio::ONE, None),
        one("trim", Action::Trim, Ratio(0), Some("read")),
    ];
    for streams in [case.streams.clone(), vec![one("trim", Action::Trim, Ratio(0), None)]] {
        case.streams = streams;
        let left = run(&case);
        let begins = |told: &&Progress| match told {
            Progress::Preparing { done_bytes, .. } => *done_bytes == 0,
            _ => false,
        };
        assert_eq!(left.told.iter().filter(begins).count(), 2, "filled before each pass");
        let warned = left.records.iter().flat_map(|record| &record.warnings);
        assert_eq!(warned.filter(|one| one.kind == "trimmed-again").count(), 0);
    }
}

#[test]
fn trims_of_what_was_trimmed_are_named() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("theirs");
    std::fs::write(&path, vec![7; SIZE as usize]).unwrap();
    let mut case = trimming(place.path());
    case.targets[0].binding = Some(path.display().to_string());
    case.workload.passes = 2;
    let mut targets = Targets::new(Root::live(), std::env::temp_dir());
    let stop = AtomicBool::new(false);
    let refused = targets.obstacles(std::slice::from_ref(&case), &[], &stop);
    let [Obstacle::Unsafe(refusal)] = &refused[..] else { panic!("{refused:?}") };
    let named = [refusal.override_token.clone().expect("it can be given up")];
    assert!(targets.obstacles(std::slice::from_ref(&case), &named, &stop).is_empty());
    let left = run_on(&case, &mut targets, &stop);
    let is_named =
        |record: &Record| record.warnings.iter().any(|warning| warning.kind == "trimmed-again");
    assert_eq!(left.records.iter().map(is_named).collect::<Vec<_>>(), [false, true]);
    let next = run_on(&case, &mut targets, &stop);
    assert!(is_named(&next.records[0]), "the next case finds what this one has left");
    case.workload.passes = 1;
    case.targets[0].binding = None;
    case.workload.until = Until { time: None, amount: Some(Bytes(2 * SIZE)) };
    assert!(is_named(&run(&case).records[0]), "a second round in one pass");
}

#[test]
fn a_device_discards_what_is_trimmed() {
    let Some(device) = Loop::new() else { return };
    let mut case = trimming(&std::env::temp_dir());
    case.workload.verify = Verify::Off;
    case.targets[0] = Target {
        kind: TargetKind::Device,
        binding: Some(device.node.clone()),
        size: Some(Bytes(SIZE)),
        directory: None,
        ..case.targets[0].clone()
    };
    let mut targets = Targets::new(Root::live(), std::env::temp_dir());
    let cases = std::slice::from_ref(&case);
    let stop = AtomicBool::new(false);
    let refused = targets.obstacles(cases, &[], &stop);
    let [Obstacle::Unsafe(refusal)] = &refused[..] else { panic!("{refused:?}") };
    let named = [refusal.override_token.clone().expect("it can be given up")];
    let obstacles = targets.obstacles(cases, &named, &stop);
    assert!(obstacles.is_empty(), "{obstacles:?}");
    let left = run_on(&case, &mut targets, &stop);
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    let record = &left.records[0];
    assert_eq!(moved(record, 0), [0, 0, SIZE]);
    let counted = |counter| {
        let of_device = record.series.iter().find(|series| {
            let entity = &record.entities[series.entity.0 as usize];
            entity.binding.as_deref() == Some(&*device.node) && series.counter == counter
        });
        let values: Vec<u64> = of_device.expect("its counters were sampled").values().collect();
        values.last().unwrap() - values[0]
    };
    assert_eq!(counted(Counter::DiscardBytes), SIZE, "the kernel counts the same");
    assert_eq!(counted(Counter::WriteBytes), 0);
    let data = device.backing();
    assert!(data[..SIZE as usize].iter().all(|byte| *byte == 0), "a loop device punches holes");
    assert!(data[SIZE as usize..].iter().all(|byte| *byte == 7), "what is behind stays");
    let window = record.streams[0].phases.iter().filter(|one| one.phase == Phase::Window);
    assert!(window.map(|one| one.completed).sum::<u64>() > 0);
}

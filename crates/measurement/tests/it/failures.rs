//! A target that goes wrong while it is measured ends the pass with a word on what and where.

use std::fs::OpenOptions;
use std::time::Instant;

use iopath_machine::Root;
use iopath_measurement::{Ending, Failure, Host, Next, Part, Targets, measure};
use iopath_record::Progress;
use iopath_study::case::EngineKind;
use iopath_units::{Bytes, Nanos};

use crate::cases::{case, stream, targets};

#[test]
fn a_file_that_is_cut_while_it_is_read_ends_all_streams() {
    let place = tempfile::tempdir().unwrap();
    let engines = [EngineKind::Uring, EngineKind::Calls, EngineKind::Threads, EngineKind::Mmap];
    for engine in engines {
        let path = place.path().join(format!("{engine:?}"));
        std::fs::write(&path, vec![1; 8 << 20]).unwrap();
        let mut case = case(place.path());
        case.targets[0].binding = Some(path.display().to_string());
        case.targets[0].size = Some(Bytes(8 << 20));
        case.workload.engine = engine;
        case.workload.until.time = Some(Nanos(60_000_000_000));
        case.streams = (0..3).map(|index| stream("reader", index, 3)).collect();
        let mut records = Vec::new();
        let began = Instant::now();
        let host = Host {
            root: &Root::live(),
            interrupted: &false.into(),
            // All streams work by the time progress is told. The last of them is hit.
            tell: &mut |told| {
                if matches!(told, Progress::Running { .. }) {
                    OpenOptions::new().write(true).open(&path).unwrap().set_len(6 << 20).unwrap();
                }
            },
            keep: &mut |record| {
                records.push(record);
                Next::Enough
            },
            ranks: None,
        };
        let ending = measure(Part::whole(&case), 0, &mut targets(&case), host).unwrap();
        assert!(began.elapsed().as_secs() < 50, "{engine:?} went on to the end of the pass");
        let Ending::Failed(failure) = ending else { panic!("{engine:?}: {ending:?}") };
        let (target, offset) = match &failure {
            Failure::Ended { target, offset } => (target, *offset),
            Failure::Request { target, offset, source, .. } if engine == EngineKind::Mmap => {
                assert_eq!(source.raw_os_error(), Some(libc::EIO));
                (target, *offset)
            }
            other => panic!("{engine:?}: {other}"),
        };
        assert_eq!(*target, path.display().to_string());
        assert!((6 << 20..8 << 20).contains(&offset), "{engine:?}: {offset}");
        assert_eq!(records.len(), 1, "what was measured is kept");
        for stream in &records[0].streams {
            let sum = |of: fn(&iopath_record::PhaseTotals) -> u64| -> u64 {
                stream.phases.iter().map(of).sum()
            };
            assert_eq!(sum(|p| p.submitted), sum(|p| p.completed) + sum(|p| p.failed));
            assert!(sum(|phase| phase.completed) > 0);
        }
        assert!(records[0].warnings.iter().any(|warning| warning.kind == "pass-failed"));
    }
}

#[test]
fn an_interrupted_check_looks_at_no_further_target() {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.targets[0].binding = Some(place.path().join("missing").display().to_string());
    case.targets[0].size = None;
    case.streams = vec![stream("reader", 0, 1)];
    let cases = [case];
    let found = |interrupted: bool| {
        let mut targets = Targets::new(Root::live(), place.path().to_owned());
        targets.obstacles(&cases, &[], &interrupted.into()).len()
    };
    assert_eq!((found(false), found(true)), (1, 0));
}

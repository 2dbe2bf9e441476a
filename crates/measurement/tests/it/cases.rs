//! Cases made by hand, so that these tests do not depend on the study language.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_machine::Root;
use iopath_measurement::{Ending, Host, Next, Part, Targets, measure};
use iopath_record::{Phase, PhaseTotals, Progress, Record};
use iopath_study::Case;
use iopath_study::case::{
    Advice, BufferKind, CacheMode, EngineKind, KernelSettings, Pacing, Pattern, Region, Sharing,
    Stream, Target, TargetKind, Until, Verify, Workload,
};
use iopath_units::{Action, Bytes, Nanos, Ratio};

/// One stream of random 4 KiB reads on a scratch file of 8 MiB in `directory`, for 0.2 s.
pub(crate) fn case(directory: &std::path::Path) -> Case {
    Case {
        study: "test".to_owned(),
        experiment: "test".to_owned(),
        levels: Vec::new(),
        system: iopath_study::System::default(),
        targets: vec![Target {
            below: std::sync::Arc::default(),
            name: "data".to_owned(),
            part: iopath_study::PartId(0),
            kind: TargetKind::File,
            binding: None,
            size: Some(Bytes(8 << 20)),
            directory: Some(directory.display().to_string()),
            tree: None,
        }],
        workload: Workload {
            until: Until { time: Some(Nanos(200_000_000)), amount: None },
            warm_up: Nanos(0),
            passes: 1,
            pass_delay: Nanos(0),
            until_ci: None,
            engine: EngineKind::Uring,
            buffers: BufferKind::Heap,
            cache: CacheMode::Buffered,
            kernel: KernelSettings::default(),
            verify: Verify::Off,
            seed: 1,
            sample_interval: Nanos(50_000_000),
        },
        streams: vec![stream("reader", 0, 1)],
        failures: Vec::new(),
        text: String::new(),
    }
}

pub(crate) fn stream(group: &str, index: u32, count: u32) -> Stream {
    Stream {
        name: if count == 1 { group.to_owned() } else { format!("{group}[{index}]") },
        group: group.to_owned(),
        ordinal: index,
        place: iopath_study::source::Place::default(),
        target: 0,
        action: Action::Transfer,
        reads: Ratio::ONE,
        pattern: Pattern::Random,
        region: Region { sharing: Sharing::Own, index, count },
        block: Bytes(4096),
        depth: 4,
        pacing: Pacing::Closed,
        advice: Advice::Normal,
        sync: iopath_study::case::SyncMode::None,
        after: None,
        modelled: iopath_study::case::Modelled::default(),
    }
}

/// What a trial left.
pub(crate) struct Left {
    pub records: Vec<Record>,
    pub ending: Ending,
    pub told: Vec<Progress>,
}

/// Measures with fresh targets.
pub(crate) fn run(case: &Case) -> Left {
    run_on(case, &mut targets(case), &AtomicBool::new(false))
}

pub(crate) fn targets(case: &Case) -> Targets {
    let mut targets = Targets::new(Root::live(), std::env::temp_dir());
    let obstacles = targets.obstacles(std::slice::from_ref(case), &[], &AtomicBool::new(false));
    assert!(obstacles.is_empty(), "{obstacles:?}");
    targets
}

pub(crate) fn run_on(case: &Case, targets: &mut Targets, interrupted: &AtomicBool) -> Left {
    measured(case, targets, interrupted, &|_| ())
}

/// Measures while somebody hears what happens.
pub(crate) fn run_hearing(case: &Case, targets: &mut Targets, hear: &dyn Fn(&Progress)) -> Left {
    measured(case, targets, &AtomicBool::new(false), hear)
}

/// Measures until a pass runs and tells so: then somebody interrupts.
pub(crate) fn run_interrupted(case: &Case) -> Left {
    let interrupted = AtomicBool::new(false);
    let hear = |progress: &Progress| {
        if matches!(progress, Progress::Running { .. }) {
            interrupted.store(true, Relaxed);
        }
    };
    measured(case, &mut targets(case), &interrupted, &hear)
}

fn measured(
    case: &Case,
    targets: &mut Targets,
    interrupted: &AtomicBool,
    hear: &dyn Fn(&Progress),
) -> Left {
    let (mut records, mut told) = (Vec::new(), Vec::new());
    let root = Root::live();
    let host = Host {
        root: &root,
        interrupted,
        tell: &mut |progress| {
            hear(&progress);
            told.push(progress);
        },
        keep: &mut |record| {
            assert_eq!(record.validate(), Vec::new(), "a record must keep its own rules");
            records.push(record);
            Next::Enough
        },
        ranks: None,
    };
    let ending = measure(Part::whole(case), 0, targets, host).unwrap();
    Left { records, ending, told }
}

/// The totals of one phase over all streams.
pub(crate) fn phase(record: &Record, phase: Phase) -> Option<PhaseTotals> {
    let phases = record.streams.iter().flat_map(|stream| &stream.phases);
    let merged = iopath_record::merge::merge_phases(phases.filter(|totals| totals.phase == phase));
    merged.into_iter().next()
}

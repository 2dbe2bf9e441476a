//! A case over several ranks: threads of this process with a link between them, each with clocks
//! of its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use iopath_machine::Root;
use iopath_measurement::clock::monotonic_now_ns;
use iopath_measurement::{Ending, Host, Lender, Next, Part, Targets, measure};
use iopath_ranks::{Communicator, Threads};
use iopath_record::{Phase, Progress, Record};
use iopath_study::Case;
use iopath_study::deal::{Dealt, Keepers, Nodes};

use crate::volumes::case;

/// What a rank left.
struct Left {
    record: Option<Record>,
    /// None where it could not begin.
    ending: Option<Ending>,
    /// What happened, one word each.
    told: Vec<&'static str>,
}

/// Measures a case on so many ranks, the clock of each a day ahead of that before it.
fn over(ranks: usize, case: &Case, interrupted: &AtomicBool) -> Vec<Left> {
    let hosts: Vec<usize> = (0..ranks).collect();
    let dealt = Dealt::of(case, &Nodes::of([case]), &hosts).unwrap();
    let keepers = Keepers::default();
    World { dealt, ranks, keepers, interrupted, ended: AtomicUsize::new(0) }.run()
}

/// What all ranks know.
struct World<'w> {
    dealt: Dealt<'w>,
    ranks: usize,
    keepers: Keepers,
    interrupted: &'w AtomicBool,
    ended: AtomicUsize,
}

impl World<'_> {
    fn run(&self) -> Vec<Left> {
        std::thread::scope(|scope| {
            let links = Threads::world(self.ranks as u32).into_iter().enumerate();
            let threads: Vec<_> =
                links.map(|(rank, link)| scope.spawn(move || of_rank(link, self, rank))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }
}

fn of_rank(link: Threads, world: &World<'_>, rank: usize) -> Left {
    let World { dealt, keepers, interrupted, ended, .. } = world;
    let mut ranks = Communicator::new(Box::new(link), Box::new(monotonic_now_ns));
    if ranks.is_root() {
        ranks.synchronise().unwrap();
        (1..ranks.size()).for_each(|to| ranks.send(to, b"go").unwrap());
    } else {
        // Whoever follows looks until it is told what to do.
        ranks.receive(Duration::from_secs(60), &|| true).unwrap().unwrap();
    }
    let ranks = RefCell::new(ranks);
    let share = dealt.share(rank, keepers);
    let (mut record, told) = (None, RefCell::new(Vec::new()));
    let host = Host {
        root: &Root::live(),
        interrupted,
        tell: &mut |progress| {
            told.borrow_mut().push(match progress {
                Progress::Preparing { .. } => "filled",
                Progress::PassStarted { .. } => "began",
                _ => return,
            });
        },
        keep: &mut |one| {
            record = Some(one);
            Next::Enough
        },
        ranks: Some(&ranks),
    };
    let part = Part { runs: &share.runs, holds: &share.holds, path: None };
    let mut targets = Targets::new(Root::live(), ".".into());
    let here = |path: String| (PathBuf::from(path), Lender::Here);
    targets.borrow(keepers.borrowed(rank).into_iter().map(here));
    // What may be written is known from here on; what stands in the way is met when it is opened.
    targets.obstacles(std::slice::from_ref(&share.holds), &[], interrupted);
    let ending = measure(part, 0, &mut targets, host).ok();
    if ending.is_none() {
        ranks.borrow_mut().give_up().unwrap();
    }
    // No link goes before all have ended, and each answers until then.
    ended.fetch_add(1, Relaxed);
    while ended.load(Relaxed) < world.ranks {
        drop(ranks.borrow_mut().look_after());
        std::thread::sleep(Duration::from_millis(1));
    }
    Left { record, ending, told: told.into_inner() }
}

/// The window of a stream.
fn windows(record: &Record) -> Vec<(u64, u64)> {
    let window = |stream: &iopath_record::StreamTotals| {
        let phases = stream.phases.iter();
        phases.filter(|one| one.phase == Phase::Window).map(|one| (one.from_ns, one.to_ns)).next()
    };
    record.streams.iter().filter_map(window).collect()
}

#[test]
fn windows_of_all_ranks_open_and_close_at_once() {
    let text = r#"
layout { file "f" count=5 size="1 MiB" }
workload time="600 ms" warm-up="100 ms" engine="null" {
    streams "app" over="f" op="read" block="4 KiB"
}"#;
    let place = tempfile::tempdir().unwrap();
    let case = case(text, place.path());
    let left = over(3, &case, &AtomicBool::new(false));
    let records: Vec<&Record> = left.iter().filter_map(|one| one.record.as_ref()).collect();
    let counts: Vec<usize> = records.iter().map(|one| one.streams.len()).collect();
    assert_eq!(counts, [2, 2, 1]);
    let all: Vec<(u64, u64)> = records.iter().flat_map(|record| windows(record)).collect();
    // Clocks of one machine that agree within their bound: a busy one keeps a message for long.
    let (from, to) = all[0];
    for (other_from, other_to) in all {
        assert!(from.abs_diff(other_from) < 5_000_000, "{from} {other_from}");
        assert!(to.abs_diff(other_to) < 5_000_000, "{to} {other_to}");
    }
    assert!(left.iter().all(|one| matches!(one.ending, Some(Ending::Finished))));
}

#[test]
fn an_amount_is_moved_by_all_together() {
    let text = r#"
layout { file "f" count=4 size="1 MiB" }
workload amount="10 MiB" engine="null" {
    streams "app" over="f" op="read" block="4 KiB"
}"#;
    let place = tempfile::tempdir().unwrap();
    let case = case(text, place.path());
    let left = over(3, &case, &AtomicBool::new(false));
    let streams = left.iter().filter_map(|one| one.record.as_ref()).flat_map(|one| &one.streams);
    let bytes: u64 = streams.flat_map(|stream| &stream.phases).map(|phase| phase.read_bytes).sum();
    assert_eq!(bytes, 10 << 20);
}

#[test]
fn a_rank_without_streams_waits_for_the_others() {
    let text = r#"
layout { file "f" size="1 MiB" }
workload time="200 ms" engine="null" {
    streams "app" over="f" op="read" block="4 KiB"
}"#;
    let place = tempfile::tempdir().unwrap();
    let case = case(text, place.path());
    let left = over(3, &case, &AtomicBool::new(false));
    let counts: Vec<usize> =
        left.iter().map(|one| one.record.as_ref().unwrap().streams.len()).collect();
    assert_eq!(counts, [1, 0, 0]);
}

#[test]
fn what_stops_one_rank_stops_all() {
    let text = r#"
layout { file "f" count=2 size="1 MiB" }
workload time="60 s" engine="null" {
    streams "app" over="f" op="read" block="4 KiB"
}"#;
    let place = tempfile::tempdir().unwrap();
    let case = case(text, place.path());
    let interrupted = AtomicBool::new(false);
    let left = std::thread::scope(|scope| {
        let left = scope.spawn(|| over(2, &case, &interrupted));
        std::thread::sleep(Duration::from_millis(500));
        interrupted.store(true, Relaxed);
        left.join().unwrap()
    });
    assert!(left.iter().all(|one| matches!(one.ending, Some(Ending::Interrupted))));
}

/// The others wait for its streams, in the very first pass.
#[test]
fn a_rank_whose_target_cannot_be_opened_ends_all() {
    let text = r#"
layout { file "f" count=2 size="1 MiB" }
bind from="f[0]" to="DIR/here"
bind from="f[1]" to="DIR/missing/there"
workload time="60 s" { streams "app" over="f" op="read" block="4 KiB" }"#;
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("here"), vec![0; 1 << 20]).unwrap();
    let case = case(text, place.path());
    let left = over(2, &case, &AtomicBool::new(false));
    assert!(left[1].ending.is_none(), "it cannot be opened");
    assert!(matches!(left[0].ending, Some(Ending::Interrupted)), "{:?}", left[0].ending);
    assert!(left[0].record.is_none());
}

/// Each reads what the other has written: nobody writes to it between.
#[test]
fn what_another_rank_has_written_is_not_filled() {
    let text = r#"
path { host "n" count=2 }
layout { file "f" count=2 size="4 MiB" }
bind from="f" to="DIR/f[0-1]"
workload {
    streams "w0" over="f[0]" op="write" block="64 KiB" on="n[0]"
    streams "w1" over="f[1]" op="write" block="64 KiB" on="n[1]"
    streams "r0" over="f[1]" op="read" block="64 KiB" on="n[0]" after="w1"
    streams "r1" over="f[0]" op="read" block="64 KiB" on="n[1]" after="w0"
}"#;
    let place = tempfile::tempdir().unwrap();
    let case = case(text, place.path());
    let dealt = Dealt::of(&case, &Nodes::of([&case]), &[0, 1]).unwrap();
    let found = || {
        let paths = case.targets.iter().map(|target| target.binding.clone().unwrap());
        paths.map(|path| (path.clone(), path)).collect::<BTreeMap<_, _>>()
    };
    let keepers = Keepers::of_identities(&[found(), found()]);
    let interrupted = &AtomicBool::new(false);
    let ended = AtomicUsize::new(0);
    let left = World { dealt, ranks: 2, keepers, interrupted, ended }.run();
    assert!(left.iter().all(|one| matches!(one.ending, Some(Ending::Finished))));
    for one in left {
        let began = one.told.iter().position(|word| *word == "began").unwrap();
        assert!(!one.told[began..].contains(&"filled"), "{:?}", one.told);
    }
}

/// Between examination and opening somebody may have put another file in its place.
#[test]
fn what_another_rank_keeps_must_be_what_was_examined() {
    let text = r#"
layout { file "f" size="1 MiB" }
bind from="f" to="DIR/f"
workload time="50 ms" { streams "w" over="f" op="write" block="64 KiB" }"#;
    let place = tempfile::tempdir().unwrap();
    let (path, other) = (place.path().join("f"), place.path().join("other"));
    std::fs::write(&path, vec![1; 1 << 20]).unwrap();
    let case = case(text, place.path());
    let (root, interrupted) = (Root::live(), AtomicBool::new(false));
    for is_replaced in [false, true] {
        let mut targets = Targets::new(root.clone(), ".".into());
        targets.borrow([(path.clone(), Lender::Elsewhere)]);
        let named = [path.display().to_string()];
        let obstacles = targets.obstacles(std::slice::from_ref(&case), &named, &interrupted);
        assert!(obstacles.is_empty(), "{obstacles:?}");
        if is_replaced {
            std::fs::write(&other, vec![2; 1 << 20]).unwrap();
            std::fs::rename(&other, &path).unwrap();
        }
        let host = Host {
            root: &root,
            interrupted: &interrupted,
            tell: &mut |_| {},
            keep: &mut |_| Next::Enough,
            ranks: None,
        };
        let part = Part { runs: &case, holds: &case, path: None };
        let ended = measure(part, 0, &mut targets, host).map_err(|error| error.to_string());
        match ended {
            Ok(_) => assert!(!is_replaced),
            Err(why) => assert!(is_replaced && why.contains("it was replaced since"), "{why}"),
        }
    }
    let data = std::fs::read(&path).unwrap();
    assert!(data.iter().all(|byte| *byte == 2), "the other file was written to");
}

//! A case over several ranks: threads of this process with a link between them, each with clocks
//! of its own.

use std::cell::RefCell;
use std::sync::Barrier;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use iopath_machine::Root;
use iopath_measurement::clock::monotonic_now_ns;
use iopath_measurement::{Ending, Host, Next, Part, Targets, measure};
use iopath_ranks::{Communicator, Threads};
use iopath_record::{Phase, Record};
use iopath_study::Case;
use iopath_study::deal::{Dealt, Keepers};

use crate::volumes::case;

/// What a rank left.
struct Left {
    record: Option<Record>,
    ending: Ending,
}

/// Measures a case on so many ranks, the clock of each a day ahead of that before it.
fn over(ranks: usize, case: &Case, interrupted: &AtomicBool) -> Vec<Left> {
    let hosts: Vec<usize> = (0..ranks).collect();
    let dealt = Dealt::of(case, &hosts).unwrap();
    let (dealt, all_know) = (&dealt, &Barrier::new(ranks));
    std::thread::scope(|scope| {
        let links = Threads::world(ranks as u32).into_iter().enumerate();
        let threads: Vec<_> = links
            .map(|(rank, link)| {
                scope.spawn(move || of_rank(link, (dealt, rank), (interrupted, all_know)))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn of_rank(
    link: Threads,
    (dealt, rank): (&Dealt<'_>, usize),
    (interrupted, all_know): (&AtomicBool, &Barrier),
) -> Left {
    let mut ranks = Communicator::new(Box::new(link), Box::new(monotonic_now_ns));
    if ranks.is_root() {
        ranks.synchronise().unwrap();
    }
    let ranks = RefCell::new(ranks);
    let share = dealt.share(rank, &Keepers::default());
    let mut record = None;
    let host = Host {
        root: &Root::live(),
        interrupted,
        tell: &mut |_| {},
        keep: &mut |one| {
            record = Some(one);
            Next::Enough
        },
        ranks: Some(&ranks),
    };
    let part = Part { runs: &share.runs, holds: &share.holds };
    let mut targets = Targets::new(Root::live(), ".".into());
    let ending = measure(part, 0, &mut targets, host).unwrap();
    // No link goes before all know how it ended.
    all_know.wait();
    Left { record, ending }
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
    assert!(left.iter().all(|one| matches!(one.ending, Ending::Finished)));
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
        interrupted.store(true, std::sync::atomic::Ordering::Relaxed);
        left.join().unwrap()
    });
    assert!(left.iter().all(|one| matches!(one.ending, Ending::Interrupted)));
}

//! What passes through groups: rates, shares, directions, delays, bursts.
//!
//! That nothing is too fast holds on any machine. That nothing is too slow is seen in the best of
//! several windows, for a busy machine may stop a daemon for longer than a bucket remembers.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use iopath_emulation::{Counts, Group, Media, Rig};
use iopath_path::{Burst, Direction};
use iopath_units::Nanos;

use crate::bench::{Bench, MIB, bring_up, device, group, is_possible};

const REQUEST: usize = 16 << 10;
const WINDOW: Duration = Duration::from_secs(2);
const WINDOWS: usize = 5;

fn open(path: &Path) -> File {
    let direct = rustix::fs::OFlags::DIRECT.bits().cast_signed();
    OpenOptions::new().read(true).write(true).custom_flags(direct).open(path).unwrap()
}

/// Reads all files at once, a request in flight each, and gives bytes per second of each from each
/// window, until one of them is as wanted.
fn windows(paths: &[PathBuf], is_wanted: impl Fn(&[f64]) -> bool) -> Vec<Vec<f64>> {
    let done: Vec<AtomicU64> = paths.iter().map(|_| AtomicU64::new(0)).collect();
    let enough = AtomicBool::new(false);
    thread::scope(|scope| {
        for (path, done) in paths.iter().zip(&done) {
            let enough = &enough;
            scope.spawn(move || {
                let (file, mut buffer) = (open(path), vec![0; REQUEST]);
                for request in 0.. {
                    let offset = request * REQUEST as u64 % MIB;
                    file.read_exact_at(&mut buffer, offset).unwrap();
                    done.fetch_add(REQUEST as u64, Ordering::Relaxed);
                    if enough.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        // The credit that buckets begin with is used up in it.
        thread::sleep(Duration::from_millis(500));
        let mut seen: Vec<Vec<f64>> = Vec::new();
        while seen.len() < WINDOWS && !seen.last().is_some_and(|last| is_wanted(last)) {
            let counts =
                || done.iter().map(|done| done.load(Ordering::Relaxed)).collect::<Vec<_>>();
            let (began, before) = (Instant::now(), counts());
            thread::sleep(WINDOW);
            let (took, after) = (began.elapsed().as_secs_f64(), counts());
            let rates =
                before.iter().zip(after).map(|(before, after)| (after - before) as f64 / took);
            seen.push(rates.collect());
        }
        enough.store(true, Ordering::Relaxed);
        seen
    })
}

/// Each device carries what is expected of it, within a tenth.
fn check(rig: &Rig, expected: &[f64]) {
    let bench = Bench::new();
    let up = bring_up(rig, &bench.options(Media::Null)).unwrap();
    let near = |rate: &f64, expected: &f64| (rate / expected - 1.0).abs() <= 0.1;
    let is_wanted = |rates: &[f64]| rates.iter().zip(expected).all(|(rate, want)| near(rate, want));
    let seen = windows(up.paths(), is_wanted);
    assert!(seen.last().is_some_and(|last| is_wanted(last)), "{expected:?}, but {seen:?}");
    up.tear_down().unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn devices_behind_one_group_share_it_evenly() {
    if is_possible() {
        let devices = (0..4).map(|index| device(index, MIB, &[0])).collect();
        check(&Rig { groups: vec![group("bus", 8e6)], devices }, &[2e6; 4]);
    }
}

#[test]
fn each_device_keeps_its_own_rate_beside_a_slow_one_behind_stacked_groups() {
    if is_possible() {
        let rates = [4e6, 4e6, 4e6, 4e5, 4e6, 4e6, 4e6, 4e6];
        let mut groups: Vec<Group> = rates.map(|rate| group("adapter", rate)).to_vec();
        groups.extend([group("planar", 1e8), group("bridge", 1e8)]);
        let devices = (0..8).map(|index| device(index, MIB, &[index, 8, 9])).collect();
        check(&Rig { groups, devices }, &rates);
    }
}

#[test]
fn a_group_that_stands_twice_is_used_up_twice() {
    if is_possible() {
        let devices = vec![device(0, MIB, &[0, 0]), device(1, MIB, &[1])];
        let groups = vec![group("memory", 4e6), group("bus", 2e6)];
        check(&Rig { groups, devices }, &[2e6, 2e6]);
    }
}

/// A rig of one device behind one group.
fn one(group: Group) -> Rig {
    Rig { groups: vec![group], devices: vec![device(0, MIB, &[0])] }
}

fn read(file: &File, requests: u64) {
    let mut buffer = vec![0; REQUEST];
    for request in 0..requests {
        file.read_exact_at(&mut buffer, request * REQUEST as u64 % MIB).unwrap();
    }
}

#[test]
fn operations_are_counted_whatever_their_size() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let rig = one(Group { counts: Counts::Operations, ..group("controller", 50.0) });
    let up = bring_up(&rig, &bench.options(Media::Null)).unwrap();
    let began = Instant::now();
    read(&open(&up.paths()[0]), 60);
    // 100 ms of credit are five, and the last one waits for those before it.
    assert!(began.elapsed() >= Duration::from_millis(1000), "{:?}", began.elapsed());
}

#[test]
fn a_group_of_reads_does_not_hold_writes() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let rig = one(Group { direction: Direction::Read, ..group("port", 1e4) });
    let up = bring_up(&rig, &bench.options(Media::Null)).unwrap();
    let (file, buffer) = (open(&up.paths()[0]), vec![0; REQUEST]);
    let began = Instant::now();
    for request in 0..64 {
        file.write_all_at(&buffer, request * REQUEST as u64).unwrap();
    }
    // As reads this would take 100 s.
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn a_delay_is_added_to_each_request() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let mut rig = one(group("bus", 1e9));
    rig.devices[0].latency = Nanos(20_000_000);
    let up = bring_up(&rig, &bench.options(Media::Null)).unwrap();
    let (file, began) = (open(&up.paths()[0]), Instant::now());
    read(&file, 20);
    assert!(began.elapsed() >= Duration::from_millis(400), "{:?}", began.elapsed());
}

#[test]
fn a_burst_lets_its_tokens_through_and_then_the_rate() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let burst = Some(Burst { tokens: 2e6, rate: f64::INFINITY });
    let groups = vec![Group { burst, ..group("bucket", 5e5) }, group("plain", 5e5)];
    let devices = (0..2).map(|index| device(index, MIB, &[index])).collect();
    let up = bring_up(&Rig { groups, devices }, &bench.options(Media::Null)).unwrap();
    assert_eq!(up.notes(), []);
    let files = [0, 1].map(|index| open(&up.paths()[index]));
    let began = Instant::now();
    let plain = thread::scope(|scope| {
        let plain = scope.spawn(|| {
            // 1.5 MB at 0.5 MB/s.
            read(&files[1], 92);
            began.elapsed()
        });
        // 2.5 MB, of which 2 MB at once.
        read(&files[0], 153);
        let bursting = began.elapsed();
        assert!(bursting >= Duration::from_millis(800), "{bursting:?}");
        assert!(!plain.is_finished(), "a burst is not slower than what has none");
        plain.join().unwrap()
    });
    assert!(plain >= Duration::from_millis(2500), "{plain:?}");
}

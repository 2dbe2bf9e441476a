//! Up and down: the devices are there, and then nothing of them is.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use iopath_emulation::{Media, Removed, Rig, State, Trouble, standing, sweep, tear_down};
use iopath_machine::{Root, loops};

use crate::bench::{Bench, MIB, bring_up, daemons, device, group, is_possible};

/// As many as the largest of the studies has, each behind six groups of a hierarchy.
fn large() -> Rig {
    let shared = [(1, 2e9), (4, 1e9), (14, 4e8), (28, 2e8), (56, 1e8), (112, 5e7)];
    let mut groups = Vec::new();
    let mut first = Vec::new();
    for (level, (count, per_sec)) in shared.iter().enumerate() {
        first.push(groups.len());
        let name = |index: usize| format!("level[{level}].row[{index}]");
        groups.extend((0..*count).map(|index| group(&name(index), *per_sec)));
    }
    let behind = |index: usize| {
        let of = |level: usize| first[level] + index * shared[level].0 / 112;
        (0..shared.len()).rev().map(of).collect::<Vec<usize>>()
    };
    let devices = (0..112).map(|index| device(index, 64 * MIB, &behind(index))).collect();
    Rig { groups, devices }
}

#[test]
fn a_hundred_and_twelve_devices_behind_six_groups_come_and_go() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let rig = large();
    let mut up = bring_up(&rig, &bench.options(Media::Null)).unwrap();
    assert_eq!(up.paths().len(), 112);
    assert!(up.failed().is_none());
    let mut buffer = vec![0; 64 << 10];
    for path in up.paths() {
        assert_eq!(fs::metadata(path).unwrap().len(), 64 * MIB);
        File::open(path).unwrap().read_exact_at(&mut buffer, 64 * MIB - (64 << 10)).unwrap();
    }
    assert_eq!(daemons(up.directory().to_str().unwrap()).len(), 2);
    assert_eq!(up.tear_down().unwrap(), Removed::default());
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn devices_of_one_medium_have_the_same_data_and_others_their_own() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let mut devices: Vec<_> = (0..3).map(|index| device(index, MIB, &[0, index])).collect();
    devices[1].medium = 0;
    // Behind no group at all.
    devices[2].groups.clear();
    let groups = ["a", "b", "c"].map(|name| group(name, 1e9)).to_vec();
    let up = bring_up(&Rig { groups, devices }, &bench.options(Media::Files)).unwrap();
    let write = |path: &PathBuf| OpenOptions::new().write(true).open(path).unwrap();
    let first = write(&up.paths()[0]);
    first.write_all_at(&[7; 4096], 8192).unwrap();
    first.sync_all().unwrap();
    let read = |path: &PathBuf| {
        let mut buffer = [1; 4096];
        File::open(path).unwrap().read_exact_at(&mut buffer, 8192).unwrap();
        buffer
    };
    assert_eq!(read(&up.paths()[1]), [7; 4096]);
    assert_eq!(read(&up.paths()[2]), [0; 4096]);
    drop(first);
    drop(up);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn loop_devices_on_top_come_and_go() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let devices = (0..3).map(|index| device(index, 8 * MIB, &[0])).collect();
    let rig = Rig { groups: vec![group("bus", 1e9)], devices };
    let mut options = bench.options(Media::Null);
    options.loops = true;
    let up = bring_up(&rig, &options).unwrap();
    let present = loops::read(&Root::live()).unwrap();
    for path in up.paths() {
        let found = present.iter().find(|found| found.node == *path).unwrap();
        assert!(found.backing.starts_with(up.directory()), "{found:?}");
    }
    up.tear_down().unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn a_kept_emulation_stays_until_it_is_taken_down_by_its_name() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let devices = (0..2).map(|index| device(index, MIB, &[0])).collect();
    let rig = Rig { groups: vec![group("bus", 1e9)], devices };
    let mut options = bench.options(Media::Null);
    options.kept = true;
    let up = bring_up(&rig, &options).unwrap();
    let paths = up.paths().to_vec();
    drop(up);
    assert!(sweep(&options.directory).removed.is_empty());
    let found = standing(&options.directory).pop().unwrap().unwrap();
    assert_eq!((found.state, found.label.as_str()), (State::Kept, "study"));
    let expected: Vec<(String, PathBuf)> =
        rig.devices.iter().map(|device| device.name.clone()).zip(paths.clone()).collect();
    assert_eq!(found.devices, expected);
    assert_eq!(fs::metadata(&paths[0]).unwrap().len(), MIB);
    let again = bring_up(&rig, &options).unwrap_err();
    assert!(matches!(&again, Trouble::Standing { path } if *path == found.directory), "{again}");
    tear_down(&found).unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
    // Once more is no mistake.
    tear_down(&found).unwrap();
}

#[test]
fn an_interruption_leaves_nothing() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let interrupted = AtomicBool::new(true);
    let options = bench.options(Media::Files);
    let trouble = iopath_emulation::bring_up(&large(), &options, &interrupted).unwrap_err();
    assert!(matches!(trouble, Trouble::Interrupted), "{trouble}");
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

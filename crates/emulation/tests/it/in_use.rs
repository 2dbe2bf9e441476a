//! Devices that somebody has open when they are taken away.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::Duration;

use iopath_emulation::{Media, Rig, Trouble, standing, tear_down};
use iopath_machine::processes::Holder;

use crate::bench::{Bench, MIB, bring_up, device, group, is_possible};

fn rig(per_sec: f64) -> Rig {
    let devices = (0..2).map(|index| device(index, MIB, &[0])).collect();
    Rig { groups: vec![group("bus", per_sec)], devices }
}

fn is_own(holder: &Holder) -> bool {
    holder.process.id == std::process::id()
}

#[test]
fn who_has_a_file_open_is_named_and_gets_errors() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let up = bring_up(&rig(1e9), &bench.options(Media::Null)).unwrap();
    let path = up.paths()[1].clone();
    let file = File::open(&path).unwrap();
    let removed = up.tear_down().unwrap();
    assert!(removed.in_use.iter().all(is_own) && removed.in_use[0].path == path, "{removed:?}");
    assert_eq!(removed.killed, []);
    file.read_exact_at(&mut [0; 512], 0).unwrap_err();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn a_loop_device_that_is_open_is_told_of_and_goes_with_the_next_attempt() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let mut options = bench.options(Media::Null);
    options.loops = true;
    let up = bring_up(&rig(1e9), &options).unwrap();
    let path = up.paths()[1].clone();
    let file = File::open(&path).unwrap();
    let trouble = up.tear_down().unwrap_err();
    let Trouble::Left { what, .. } = &trouble else { panic!("{trouble}") };
    assert_eq!(what, &[format!("{}: another process has it open", path.display())]);
    drop(file);
    let left = standing(&options.directory).pop().unwrap().unwrap();
    tear_down(&left).unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn requests_that_wait_for_a_slow_group_do_not_hold_the_way_down() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    // A second request waits for more than an hour.
    let up = bring_up(&rig(100.0), &bench.options(Media::Null)).unwrap();
    let file = File::open(&up.paths()[0]).unwrap();
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut buffer = vec![0; 512 << 10];
            file.read_at(&mut buffer, 0).and_then(|_| file.read_at(&mut buffer, 512 << 10))
        });
        // Whether it has begun does not show; if not, less is asked for.
        thread::sleep(Duration::from_millis(200));
        up.tear_down().unwrap();
        // It has got an error, or what was under way.
        let _ = reader.join().unwrap();
    });
    drop(file);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

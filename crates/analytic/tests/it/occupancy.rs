//! What requests keep busy.

use iopath_analytic::{Occupancies, Occupancy, occupancies};
use iopath_path::Network;
use iopath_study::{Case, Source, parse};

fn of(path: &str, streams: &str) -> Occupancies {
    varied(path, streams, "")
}

fn varied(path: &str, streams: &str, vary: &str) -> Occupancies {
    let text = format!("study \"s\"\npath {{ {path} }}\nworkload {{ {streams} }}\n{vary}");
    let source = Source { name: "s.kdl".into(), text };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let [case]: [Case; 1] = study.cases().unwrap().try_into().unwrap();
    occupancies(&case, &Network::build(&case, &Default::default()).unwrap())
}

/// How many components are busy by the limit that keeps most of them so.
fn busy(all: &Occupancies, one: &Occupancy, name: &str) -> f64 {
    let its = all.limits.iter().zip(&one.busy).filter(|(limit, _)| limit.of == name);
    its.map(|(_, busy)| *busy).fold(0.0, f64::max)
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * other.abs()
}

/// Four adapters of 1 GB/s, two disks of 100 MB/s: a request of 1 MB keeps a thousandth of one
/// busy, and a hundredth of the other, however many there are.
#[test]
fn a_request_keeps_as_much_busy_as_it_demands_of_all() {
    for (adapters, disks) in [(1, 1), (4, 2), (3, 7)] {
        let path = format!(
            "host \"h\" {{ drawer \"hba\" count={adapters} both=\"1 GB/s\" {{
                disk \"d\" count={disks} read=\"100 MB/s\" write=\"50 MB/s\" }} }}"
        );
        let all =
            of(&path, "streams \"r\" over=\"h..d\" op=\"read\" block=\"1 MB\" depth=9 count=3");
        // Streams at different disks are classes of their own.
        assert_eq!(all.classes.len(), adapters * disks);
        for one in &all.classes {
            assert_eq!(one.bytes, [1e6, 0.0]);
            assert!(near(busy(&all, one, "h.hba"), 1e-3), "{one:?}");
            assert!(near(busy(&all, one, "h.hba.d"), 1e-2), "{one:?}");
        }
    }
}

/// Each of two copies is written; a RAID 5 of n disks writes n shares of n - 1.
#[test]
fn copies_and_parity_are_demanded_too() {
    let write = |level: u32, disks: u32| {
        let path = format!(
            "array \"a\" {{ raid \"r\" level={level} segment=\"128 KiB\" {{
                ssd \"d\" count={disks} read=\"100 MB/s\" write=\"100 MB/s\" }} }}"
        );
        let streams = "streams \"w\" over=\"a.r\" op=\"write\" block=\"12 MiB\" depth=9";
        let all = of(&path, streams);
        busy(&all, &all.classes[0], "a.r.d") * 1e8 / (12.0 * 1_048_576.0)
    };
    assert!(near(write(1, 2), 2.0), "{}", write(1, 2));
    for disks in [3, 4, 5] {
        let parity = f64::from(disks) / f64::from(disks - 1);
        assert!(near(write(5, disks), parity), "{disks}: {}", write(5, disks));
    }
}

/// Where disks of one declaration differ, each counts as the fastest; of two limits the tighter.
#[test]
fn what_is_busy_is_never_too_much() {
    let busy_disks = |rate: &str| {
        let path = format!("host \"h\" {{ disk \"d\" count=2 read=\"100 MB/s\" ops=\"{rate}\" }}");
        let streams = "streams \"r\" over=\"h.d\" op=\"read\" block=\"1 MB\" depth=9";
        let vary = "vary { factor \"fast\" of=\"h.d[1].read\" \"200 MB/s\" }";
        let all = varied(&path, streams, vary);
        busy(&all, &all.classes[0], "h.d")
    };
    assert!(near(busy_disks("50 /s"), 1.0 / 50.0), "{}", busy_disks("50 /s"));
    assert!(near(busy_disks("500 /s"), 1.0 / 200.0), "{}", busy_disks("500 /s"));
}

/// Streams one after the other share nothing at one time.
#[test]
fn of_turns_nothing_is_said() {
    let path = "host \"h\" { disk \"d\" read=\"100 MB/s\" write=\"100 MB/s\" }";
    let streams = "streams \"w\" over=\"h.d\" op=\"write\" block=\"1 MB\"
        streams \"r\" over=\"h.d\" op=\"read\" block=\"1 MB\" after=\"w\"";
    assert!(of(path, streams).classes.is_empty());
}

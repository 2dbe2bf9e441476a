//! The least time of a rebuild against closed forms.

use std::collections::BTreeSet;

use iopath_path::{Network, Rebuild, rebuilds};
use iopath_study::Case;
use iopath_units::Bytes;

use crate::text::case;

/// The rebuild of the first disk of a volume, without other losses.
fn without_a_disk(case: &Case) -> Vec<Rebuild> {
    let disk = case.system.ids().find(|id| case.system.part(*id).name.ends_with("disk[0]"));
    let removed = BTreeSet::from([disk.expect("there are disks")]);
    let network = |removed| Network::build(case, removed).expect("the path holds");
    rebuilds(case, &network(&BTreeSet::new()), &network(&removed))
}

/// Disks of 100 MB/s behind one adapter of a host that computes parity at 1 GB/s on 2 processors.
fn disks(adapter: &str, level: &str, count: u32) -> Case {
    let path = format!(
        r#"path {{ host "h" cpus=2 {{
            cost request="0 s" parity="1 GB/s"
            hba {adapter} {{ disk count={count} stream="100 MB/s" position="8 ms" size="1 TB" }}
        }} }}"#
    );
    let layout = format!(r#"raid "md" {level} segment="64 KiB" over="h.hba.disk""#);
    case(&path, &layout, "streams \"s\" over=\"md\" block=\"64 KiB\"")
}

fn rate(adapter: &str, level: &str, count: u32) -> f64 {
    let case = disks(adapter, level, count);
    let [one] = &without_a_disk(&case)[..] else { panic!("one volume lost a disk") };
    assert_eq!(one.bytes, Some(Bytes(1_000_000_000_000)));
    one.bytes_per_sec
}

fn assert_near(found: f64, wanted: f64) {
    assert!((found / wanted - 1.0).abs() < 1e-9, "{found} is not {wanted}");
}

#[test]
fn drives_limit_where_nothing_else_does() {
    for level in ["level=5", "level=6", "level=10", "level=1", "level=60 width=4"] {
        assert_near(rate("read=\"9 GB/s\"", level, 8), 100e6);
    }
}

#[test]
fn what_all_reads_cross_limits_by_their_sum() {
    // Seven are read for one that is written; of level 60 with two groups of four only two.
    assert_near(rate("read=\"350 MB/s\"", "level=5", 8), 50e6);
    assert_near(rate("read=\"150 MB/s\"", "level=60", 8), 75e6);
    assert_near(rate("both=\"400 MB/s\"", "level=5", 8), 50e6);
    assert_near(rate("read=\"50 MB/s\"", "level=10", 8), 50e6);
}

#[test]
fn parity_is_computed_of_all_that_is_read() {
    // 2 GB/s on both processors, of which 40 members are read for one; one thread does half of it.
    assert_near(rate("read=\"90 GB/s\"", "level=5", 41), 50e6);
    assert_near(rate("read=\"90 GB/s\"", "level=5 parity-threads=1", 41), 25e6);
}

#[test]
fn a_spare_is_noticed_and_a_stripe_has_no_rebuild() {
    let spare = without_a_disk(&disks("", "level=5 spares=1", 8));
    assert!(spare[0].has_spare);
    assert_eq!((spare[0].reads, spare.len()), (6, 1));
    let array = disks("", "level=5 spares=1", 8);
    let is_lost = |name: &str| name.ends_with("disk[0]") || name.ends_with("disk[7]");
    let parts = array.system.ids().filter(|id| is_lost(&array.system.part(*id).name)).collect();
    let network = |removed: BTreeSet<_>| Network::build(&array, &removed).expect("it holds");
    let found = rebuilds(&array, &network(BTreeSet::new()), &network(parts));
    assert!(!found[0].has_spare, "the spare is gone, too");
    let path = r#"path { host "h" { disk count=2 stream="100 MB/s"; disk "other" } }"#;
    let layout = r#"stripe "v" over="h.disk""#;
    let streams = r#"streams "s" over="v" block="64 KiB"
        streams "t" over="h.other" block="64 KiB""#;
    assert_eq!(without_a_disk(&case(path, layout, streams)), []);
}

//! What carries devices that somebody counts.

use std::collections::BTreeMap;

use iopath_entities::{CountedDevice, SharedComponents, carriers};
use iopath_path::{ComponentId, Network};
use iopath_record::{EntityId, Origin};

use crate::text::case;

/// Of these components, in this order, whether what they move goes on; entities of carriers
/// begin at 10.
fn of(network: &Network, counted: &[(&str, bool)]) -> SharedComponents {
    let of = |(entity, (name, hands_on)): (u32, &(&str, bool))| {
        let at = network.components.iter().position(|component| component.name == *name);
        let device = CountedDevice { entity: EntityId(entity), hands_on: *hands_on };
        (ComponentId(at.expect(name) as u32), device)
    };
    let devices: BTreeMap<_, _> = (0..).zip(counted).map(of).collect();
    carriers(network, &devices, &|_| true, 10)
}

/// Each relation as the carrier's name, its devices, and the copies of reads and writes.
fn told(found: &SharedComponents) -> Vec<(String, Vec<u32>, [u64; 2])> {
    let name = |id: EntityId| found.entities[id.0 as usize - 10].name.clone();
    let told = found.relations.iter().map(|one| {
        let lower = one.lower.iter().map(|id| id.0).collect();
        (name(one.upper), lower, [one.read_copies_ppm, one.write_copies_ppm])
    });
    told.collect()
}

const TWO: &str = r#"host "h" {
    hba both=(given)"100 MB/s" { disk count=2 read="80 MB/s" }
}"#;

#[test]
fn what_carries_two_disks_has_the_sum_of_both_and_its_own_limits() {
    let streams = r#"streams "s" over="h..disk" op="read" block="64 KiB""#;
    let (_, network) = case(TWO, "", streams);
    let found = of(&network, &[("h.hba.disk[0]", true), ("h.hba.disk[1]", true)]);
    let one = [1_000_000, 1_000_000];
    assert_eq!(told(&found), [("h.hba".to_owned(), vec![0, 1], one)]);
    // The host has no limit and contains one that has; the disks are counted themselves.
    let names: Vec<&str> = found.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names, ["h", "h.hba"]);
    let hba = &found.entities[1];
    assert_eq!((hba.kind.as_str(), hba.parent), ("hba", Some(EntityId(10))));
    let limits: Vec<_> = hba.limits.iter().map(|limit| (limit.per_sec, &limit.origin)).collect();
    assert_eq!(limits, [(100_000_000, &Origin::Given)]);
}

#[test]
fn a_volume_of_the_kernel_is_followed_to_what_carries_its_members() {
    let path = r#"host "h" {
        hba "a" both="100 MB/s" { disk "d" }
        hba "b" both="100 MB/s" { disk "e" }
    }"#;
    let layout = r#"stripe "v" unit="64 KiB" over="h.a.d, h.b.e""#;
    let streams = r#"streams "s" over="v" op="read" block="64 KiB""#;
    let (_, network) = case(path, layout, streams);
    let half = [2_000_000, 2_000_000];
    let found = of(&network, &[("v", true)]);
    let wanted = [("h.a".to_owned(), vec![0], half), ("h.b".to_owned(), vec![0], half)];
    assert_eq!(told(&found), wanted);
    // A loop device over it is answered from memory, too.
    assert!(of(&network, &[("v", false)]).entities.is_empty());
    // A member that is counted itself is not counted twice.
    let one = [1_000_000, 1_000_000];
    let found = of(&network, &[("v", true), ("h.a.d", true)]);
    let wanted = [("h.a".to_owned(), vec![1], one), ("h.b".to_owned(), vec![0], half)];
    assert_eq!(told(&found), wanted);
}

#[test]
fn both_sides_of_a_mirror_are_written_and_one_is_read() {
    let path = r#"host "h" {
        hba "a" both="100 MB/s" { disk "d" }
        hba "b" both="100 MB/s" { disk "e" }
    }"#;
    let layout = r#"mirror "v" { side of="h.a.d"; side of="h.b.e" }"#;
    let streams = r#"streams "s" over="v" op="mix" reads="50 %" block="64 KiB""#;
    let (_, network) = case(path, layout, streams);
    let copies: Vec<[u64; 2]> =
        told(&of(&network, &[("v", true)])).into_iter().map(|(_, _, copies)| copies).collect();
    assert_eq!(copies, [[2_000_000, 1_000_000]; 2]);
}

#[test]
fn nothing_carries_what_nobody_asks_for() {
    let streams = r#"streams "s" over="h.hba.disk[0]" op="read" block="64 KiB""#;
    let (_, network) = case(TWO, "", streams);
    assert_eq!(of(&network, &[("h.hba.disk[1]", true)]), SharedComponents::default());
}

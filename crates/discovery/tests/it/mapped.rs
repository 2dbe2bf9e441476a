//! What device-mapper makes is drawn by its table, and said to be assumed without one.

use iopath_discovery::{Discovered, Facts, discover};
use iopath_imitation::{Tree, machine};
use iopath_machine::Root;

use crate::goldens::{found, study};

fn drawn(tree: &Tree) -> Discovered {
    let folder = tree.unpacked().unwrap();
    let found = found(folder.path(), &[]);
    study(&found);
    found
}

/// A volume in words: kind, and what it lies on.
fn volume(found: &Discovered, name: &str) -> String {
    let volume = found.volumes.iter().find(|volume| volume.name == name).unwrap();
    format!("{} {}", volume.kind, volume.over.join(" "))
}

/// The kernel deals by the table, not by the order of numbers.
#[test]
fn members_stand_in_the_order_of_the_table() {
    let mut tree = machine("lvm");
    let line = "0 7999997952 striped 4 128 259:3 2048 259:0 2048 259:2 2048 259:1 2048";
    tree.table("fast-scratch", line);
    let expected = "stripe nvme3n1 nvme0n1 nvme2n1 nvme1n1";
    assert_eq!(volume(&drawn(&tree), "fast-scratch"), expected);
}

#[test]
fn lines_that_go_on_with_one_device_are_one_volume() {
    let mut tree = machine("stacks");
    tree.table("vg-two", "0 1000000 linear 259:0 2048\n1000000 1000000 linear 259:0 1500000");
    assert_eq!(volume(&drawn(&tree), "vg-two"), "concat nvme0n1");
    // Extended by a stripe: a part of each kind.
    tree.table(
        "vg-two",
        "0 1000000 linear 259:0 2048\n1000000 1000000 striped 2 128 259:1 2048 259:4 300000",
    );
    let found = drawn(&tree);
    assert_eq!(volume(&found, "vg-two"), "concat dm-0 1 dm-0 2");
    assert_eq!(volume(&found, "vg-two-2"), "stripe nvme1n1 nvme4n1");
}

#[test]
fn a_raid_of_lvm_is_its_images() {
    let mut tree = machine("stacks");
    let line = "0 163840 raid raid0_meta 1 128 2 253:15 253:16 253:17 253:18";
    tree.table("vg-m", line);
    assert_eq!(volume(&drawn(&tree), "vg-m"), "stripe dm-16 dm-18");
    // One image is gone: what is left alone has no copy.
    tree.table("vg-m", "0 163840 raid raid1 1 0 2 253:15 253:16 - -");
    let found = drawn(&tree);
    assert_eq!(volume(&found, "vg-m"), "concat dm-16");
    assert!(found.unread.contains(&"vg-m: 1 of its members are missing".to_owned()));
}

/// Who is not root still is not shown metadata as data.
#[test]
fn without_its_table_a_volume_lies_on_what_the_names_say() {
    let folder = machine("stacks").unpacked().unwrap();
    let mut facts = Facts::read(&Root::at(folder.path()), &[]).unwrap();
    for table in facts.tables.values_mut() {
        *table = Err("its table is readable only for root".to_owned());
    }
    let found = discover(&facts);
    study(&found);
    for (name, expected) in [
        ("vg-pool-tpool", "concat dm-2"),
        ("vg-snap", "concat dm-7"),
        ("vg-big", "concat dm-11"),
        ("vg-m", "mirror dm-16 dm-18"),
        ("vg-two", "concat nvme0n1 nvme1n1"),
    ] {
        assert_eq!(volume(&found, name), expected, "{name}");
    }
    let text = "vg-two: its table is readable only for root; members are assumed to be consecutive";
    let mapped: Vec<&String> = found.assumed.iter().filter(|text| text.contains("table")).collect();
    assert_eq!(mapped, [text]);
}

/// Not even through what stands on it, and files in it.
#[test]
fn no_more_is_promised_than_there_is() {
    let folder = machine("stacks").unpacked().unwrap();
    let file = std::fs::File::create(folder.path().join("secret/holes")).unwrap();
    file.set_len(200 << 20).unwrap();
    let found = found(folder.path(), &["/secret/holes"]);
    let text = study(&found);
    assert!(!text.contains("200 MiB") && !text.contains("300 MiB"), "{text}");
    assert!(text.contains("concat \"secret\" over=\"vg-thin\""), "{text}");
    let left_out = |line: &&String| line.ends_with("its size is left out");
    assert_eq!(found.unread.iter().filter(left_out).count(), 3, "{:?}", found.unread);
}

#[test]
fn all_paths_that_are_up_are_drawn() {
    let wires = |tree: &Tree| {
        let found = drawn(tree);
        found.wires.iter().filter(|wire| wire.to.contains("of sd")).count()
    };
    let mut tree = machine("dual");
    assert_eq!(wires(&tree), 4);
    let path = "/sys/devices/pci0000:00/0000:00:03.0/virtio0/host0/target0:0:0/0:0:0:0";
    tree.attribute(path, "state", "offline");
    assert_eq!(wires(&tree), 3);
}

#[test]
fn paths_are_chosen_as_the_table_says() {
    let policy = |table: &str| {
        let mut tree = machine("san");
        tree.table("mpatha", table);
        drawn(&tree).policy.unwrap()
    };
    let groups = "round-robin 0 1 1 8:16 1 round-robin 0 1 1 8:48 1";
    let one = "round-robin 0 2 1 8:16 1 8:48 1";
    assert_eq!(policy(&format!("0 4294967296 multipath 0 0 1 1 {one}")), "round-robin");
    // Each path waits for the one before it to fail.
    assert_eq!(policy(&format!("0 4294967296 multipath 0 0 2 1 {groups}")), "fixed");
}

/// A unit with two names is one disk: the one in use, else the first.
#[test]
fn a_unit_that_nothing_joins_is_drawn_once() {
    let mut tree = machine("dual");
    let disks = |found: &Discovered| {
        let text = found.study();
        ["sdc", "sdd"].map(|name| text.contains(&format!("part \"{name}\"")))
    };
    assert_eq!(disks(&drawn(&tree)), [true, false]);
    tree.mount("8:48", "/data", "ext4", ("/dev/sdd", "rw"));
    assert_eq!(disks(&drawn(&tree)), [false, true]);
}

/// A backing device works without a cache, too.
#[test]
fn of_bcache_the_backing_device_is_drawn() {
    let mut tree = machine("stacks");
    let cached = "/sys/devices/virtual/block/bcache0";
    assert_eq!(volume(&drawn(&tree), "bcache0"), "concat nvme5n1");
    tree.remove(&format!("{cached}/slaves/nvme6n1"));
    let found = drawn(&tree);
    assert_eq!(volume(&found, "bcache0"), "concat nvme5n1");
    assert!(!found.unread.iter().any(|text| text.contains("its cache on nvme6n1")));
}

//! Safety through device-mapper tables and over several paths to one unit, on imitated machines.

use std::fs;
use std::path::{Path, PathBuf};

use iopath_machine::safety::{
    Permission, Reason, Refusal, Shared, Survey, may_write, shares_bytes,
};

use crate::tree::Tree;

fn ask(tree: &Tree, target: &str, named: &[&str]) -> Result<Permission, Refusal> {
    may_write(&Survey::read(&tree.root()), Path::new(target), named)
}

/// Refused whatever is named; returns the message.
fn never(tree: &Tree, target: &str) -> String {
    let refusal = ask(tree, target, &[]).unwrap_err();
    assert_eq!(refusal.override_token, None, "{refusal}");
    let again = ask(tree, target, &[target, "SER-1", "/dev/sda", "/dev/sdb"]).unwrap_err();
    assert_eq!(refusal, again);
    refusal.to_string()
}

/// The reasons alone, one a line.
fn reasons(tree: &Tree, target: &str) -> Vec<String> {
    let text = never(tree, target);
    text.lines().filter_map(|line| line.strip_prefix("  - ")).map(str::to_owned).collect()
}

/// Two disks of 64 MiB.
fn machine() -> Tree {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    tree.disk("sdb", "8:16");
    tree
}

/// A device-mapper device with a table of its own.
fn mapped(tree: &Tree, name: &str, map: &str, table: &str, lower: &[&str]) {
    let number = format!("253:{}", name.strip_prefix("dm-").unwrap());
    tree.mapper(name, &number, (map, ""), lower);
    tree.table(map, table);
}

#[test]
fn a_mapped_device_over_the_bytes_of_a_mounted_one_is_refused() {
    let tree = machine();
    mapped(&tree, "dm-0", "whole", "0 100000 linear 8:0 0", &["sda"]);
    mapped(&tree, "dm-1", "part", "0 40000 linear 8:0 20000", &["sda"]);
    tree.mount("253:0", "/data", "ext4", "/dev/mapper/whole");
    assert_eq!(
        reasons(&tree, "/dev/mapper/part"),
        [
            "/dev/dm-0 is mounted on /data",
            "/dev/sda is held by device-mapper device whole (/dev/dm-0)",
        ]
    );
    // What stands on the other device counts, too.
    let tree = machine();
    mapped(&tree, "dm-0", "whole", "0 100000 linear 8:0 0", &["sda"]);
    mapped(&tree, "dm-1", "part", "0 40000 linear 8:0 20000", &["sda"]);
    mapped(&tree, "dm-2", "secret", "0 99000 crypt aes - 0 253:0 1000", &["dm-0"]);
    tree.append("/proc/swaps", "/dev/dm-2 partition\t65536\t0\t-2\n");
    assert!(never(&tree, "/dev/dm-1").contains("/dev/dm-2 is active swap"));
}

#[test]
fn a_volume_that_lies_elsewhere_on_the_disk_of_a_mounted_one_stays_writable() {
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    mapped(
        &tree,
        "dm-0",
        "vg-home",
        "0 8000 linear 8:1 2048\n8000 4000 linear 8:16 2048",
        &["sda/sda1", "sdb"],
    );
    mapped(
        &tree,
        "dm-1",
        "vg-free",
        "0 4000 linear 8:16 6048\n4000 8000 linear 8:1 10048",
        &["sda/sda1", "sdb"],
    );
    tree.mount("253:0", "/home", "ext4", "/dev/mapper/vg-home");
    assert!(ask(&tree, "/dev/mapper/vg-free", &[]).unwrap().overridden.is_empty());
    assert_eq!(reasons(&tree, "/dev/mapper/vg-home"), ["/dev/dm-0 is mounted on /home"]);
    // One sector more, and they meet.
    let longer = "0 4000 linear 8:16 6048\n4000 8001 linear 8:1 10047";
    tree.table("vg-free", longer);
    assert!(never(&tree, "/dev/mapper/vg-free").contains("/dev/dm-0 is mounted on /home"));
    // A stripe is followed as a whole, but no further than it reaches.
    tree.table("vg-free", "0 8000 striped 2 128 8:1 10048 8:16 6048");
    ask(&tree, "/dev/mapper/vg-free", &[]).unwrap();
    tree.table("vg-free", "0 8000 striped 2 128 8:1 10047 8:16 6048");
    never(&tree, "/dev/mapper/vg-free");
}

/// A volume with a snapshot, as LVM makes them.
fn snapshot() -> Tree {
    let tree = machine();
    mapped(&tree, "dm-0", "vg-linear-real", "0 8000 linear 8:0 2048", &["sda"]);
    mapped(&tree, "dm-1", "vg-snap-cow", "0 800 linear 8:0 10048", &["sda"]);
    mapped(&tree, "dm-2", "vg-linear", "0 8000 snapshot-origin 253:0", &["dm-0"]);
    mapped(&tree, "dm-3", "vg-snap", "0 8000 snapshot 253:0 253:1 P 8", &["dm-0", "dm-1"]);
    mapped(&tree, "dm-4", "vg-other", "0 800 linear 8:0 10848", &["sda"]);
    tree
}

#[test]
fn the_origin_of_a_mounted_snapshot_is_refused_and_the_other_way_round() {
    let tree = snapshot();
    tree.mount("253:3", "/mnt/snap", "ext4", "/dev/mapper/vg-snap");
    assert_eq!(
        reasons(&tree, "/dev/mapper/vg-linear"),
        [
            "/dev/dm-0 is held by device-mapper device vg-snap (/dev/dm-3)",
            "/dev/dm-3 is mounted on /mnt/snap",
        ]
    );
    for part in ["vg-linear-real", "vg-snap-cow", "vg-snap"] {
        let text = never(&tree, &format!("/dev/mapper/{part}"));
        assert!(text.contains("/dev/dm-3 is mounted on /mnt/snap"), "{part}: {text}");
    }
    ask(&tree, "/dev/mapper/vg-other", &[]).unwrap();
    let tree = snapshot();
    tree.mount("253:2", "/mnt/linear", "ext4", "/dev/mapper/vg-linear");
    for part in ["vg-snap", "vg-linear-real", "vg-linear"] {
        let text = never(&tree, &format!("/dev/mapper/{part}"));
        assert!(text.contains("/dev/dm-2 is mounted on /mnt/linear"), "{part}: {text}");
    }
    assert!(
        never(&tree, "/dev/mapper/vg-snap-cow").contains("held by device-mapper device vg-snap")
    );
}

/// A thin pool with two volumes, as LVM makes them; its own name for the pool is a linear device.
fn thin() -> Tree {
    let tree = machine();
    mapped(&tree, "dm-0", "vg-pool_tmeta", "0 800 linear 8:0 2048", &["sda"]);
    mapped(&tree, "dm-1", "vg-pool_tdata", "0 80000 linear 8:16 2048", &["sdb"]);
    let pool = "0 80000 thin-pool 253:0 253:1 128 0 1 skip_block_zeroing";
    mapped(&tree, "dm-2", "vg-pool-tpool", pool, &["dm-0", "dm-1"]);
    mapped(&tree, "dm-3", "vg-pool", "0 80000 linear 253:2 0", &["dm-2"]);
    mapped(&tree, "dm-4", "vg-thin1", "0 90000 thin 253:2 1", &["dm-2"]);
    mapped(&tree, "dm-5", "vg-thin2", "0 90000 thin 253:2 2", &["dm-2"]);
    tree.mount("253:4", "/thin1", "ext4", "/dev/mapper/vg-thin1");
    tree
}

#[test]
fn a_thin_volume_is_free_though_its_neighbour_is_mounted_but_their_pool_is_in_use() {
    let tree = thin();
    ask(&tree, "/dev/mapper/vg-thin2", &[]).unwrap();
    for part in ["vg-thin1", "vg-pool", "vg-pool-tpool", "vg-pool_tdata", "vg-pool_tmeta"] {
        let text = never(&tree, &format!("/dev/mapper/{part}"));
        assert!(text.contains("/dev/dm-4 is mounted on /thin1"), "{part}: {text}");
    }
    // Something else over the pool's data would be overwritten by any volume.
    mapped(&tree, "dm-6", "odd", "0 100 linear 8:16 50000", &["sdb"]);
    tree.mount("253:6", "/odd", "ext4", "/dev/mapper/odd");
    assert!(never(&tree, "/dev/mapper/vg-thin2").contains("/dev/dm-6 is mounted on /odd"));
}

#[test]
fn legs_of_mirrors_and_devices_below_caches_are_in_use_when_the_device_above_is() {
    for (table, lower) in [
        ("0 8000 mirror disk 2 253:2 1024 2 253:0 0 253:1 0 0", &["dm-0", "dm-1", "dm-2"][..]),
        ("0 8000 raid raid1 3 0 region_size 1024 2 253:2 253:0 - 253:1", &["dm-0", "dm-1", "dm-2"]),
        ("0 8000 cache 253:1 253:2 253:0 128 0 smq 0", &["dm-0", "dm-1", "dm-2"]),
        ("0 8000 unheard-of 253:0 x:253:1 253:2", &["dm-0", "dm-1", "dm-2"]),
    ] {
        let tree = machine();
        mapped(&tree, "dm-0", "one", "0 8000 linear 8:0 2048", &["sda"]);
        mapped(&tree, "dm-1", "two", "0 8000 linear 8:0 10048", &["sda"]);
        mapped(&tree, "dm-2", "three", "0 8000 linear 8:16 2048", &["sdb"]);
        mapped(&tree, "dm-3", "four", "0 8000 linear 8:16 10048", &["sdb"]);
        mapped(&tree, "dm-4", "top", table, lower);
        ask(&tree, "/dev/mapper/top", &[]).unwrap();
        tree.mount("253:4", "/top", "ext4", "/dev/mapper/top");
        for part in ["one", "two", "three"] {
            let text = never(&tree, &format!("/dev/mapper/{part}"));
            assert!(text.contains("held by device-mapper device top"), "{table}: {text}");
            assert!(text.contains("/dev/dm-4 is mounted on /top"), "{table}: {text}");
        }
        ask(&tree, "/dev/mapper/four", &[]).unwrap();
    }
}

#[test]
fn without_the_table_a_mapped_device_is_refused() {
    for (what, table) in
        [("4 linear nothing", "0 4 linear nothing"), ("unheard-of", "0 4 unheard-of 7")]
    {
        let tree = machine();
        mapped(&tree, "dm-0", "odd", table, &["sda"]);
        let text = never(&tree, "/dev/mapper/odd");
        assert!(
            text.contains("it cannot be judged") && text.contains("odd.table"),
            "{what}: {text}"
        );
    }
    let tree = machine();
    mapped(&tree, "dm-0", "one", "0 8000 linear 8:0 0", &["sda"]);
    mapped(&tree, "dm-1", "two", "0 8000 linear 8:0 8000", &["sda"]);
    ask(&tree, "/dev/mapper/one", &[]).unwrap();
    fs::remove_file(tree.at("/dev/mapper/two.table")).unwrap();
    assert!(never(&tree, "/dev/mapper/one").contains("it cannot be judged"));
}

/// One unit over two paths, and a third disk.
fn paths(wwid: [Option<&str>; 2]) -> Tree {
    let tree = machine();
    tree.disk("sdc", "8:32");
    for (name, wwid) in ["sda", "sdb"].iter().zip(wwid) {
        let folder = format!("/sys/block/{name}/device");
        tree.file(&format!("{folder}/vendor"), "QEMU    \n");
        tree.file(&format!("{folder}/model"), "HARDDISK\n");
        tree.file(&format!("{folder}/vpd_pg80"), b"\0\x80\0\x05UNIT0");
        if let Some(wwid) = wwid {
            tree.file(&format!("{folder}/wwid"), wwid);
        }
    }
    // udev gives the link to the one that it looked at last.
    tree.link("/dev/disk/by-id/scsi-0QEMU_UNIT0", "../../sda");
    tree
}

const NAME: Option<&str> = Some("naa.5000c50015ea71aa");

#[test]
fn another_path_to_a_unit_in_use_is_in_use() {
    for wwid in [[NAME, NAME], [None, None], [NAME, None]] {
        let tree = paths(wwid);
        tree.mount("8:16", "/unit", "ext4", "/dev/sdb");
        assert_eq!(
            reasons(&tree, "/dev/sda"),
            [
                "/dev/sdb looks like another path to the same unit as /dev/sda",
                "/dev/sdb is mounted on /unit",
            ]
        );
        ask(&tree, "/dev/sdc", &[]).unwrap();
    }
}

#[test]
fn a_path_that_was_taken_out_of_a_mounted_multipath_device_is_in_use() {
    let tree = paths([NAME, NAME]);
    let table = "0 131072 multipath 0 0 1 1 service-time 0 1 2 8:16 1 1";
    mapped(&tree, "dm-0", "mpatha", table, &["sdb"]);
    mapped(&tree, "dm-1", "mpatha1", "0 2000 linear 253:0 2048", &["dm-0"]);
    mapped(&tree, "dm-2", "mpatha2", "0 2000 linear 253:0 4048", &["dm-0"]);
    tree.mount("253:1", "/unit", "ext4", "/dev/mapper/mpatha1");
    let text = never(&tree, "/dev/sda");
    assert!(text.contains("/dev/sdb is held by device-mapper device mpatha"), "{text}");
    assert!(text.contains("/dev/dm-1 is mounted on /unit"), "{text}");
    // The path that is out is not in use itself, but the device over the other one need not know.
    let refusal = ask(&tree, "/dev/mapper/mpatha2", &[]).unwrap_err();
    let expected = Reason::OtherPath { device: "/dev/sdb".into(), other: "/dev/sda".into() };
    assert_eq!(refusal.reasons, [expected]);
    // With both paths in the map nothing is to be said.
    tree.table("mpatha", "0 131072 multipath 0 0 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1");
    tree.stack("dm-0", &["sda"]);
    ask(&tree, "/dev/mapper/mpatha2", &[]).unwrap();
}

#[test]
fn a_partition_of_another_path_counts_where_it_lies_on_the_same_bytes() {
    let tree = paths([NAME, NAME]);
    for (disk, base) in [("sda", 0), ("sdb", 16)] {
        tree.partition(disk, 1, &format!("8:{}", base + 1));
        tree.partition(disk, 2, &format!("8:{}", base + 2));
    }
    tree.mount("8:17", "/unit", "ext4", "/dev/sdb1");
    assert!(never(&tree, "/dev/sda1").contains("/dev/sdb1 is mounted on /unit"));
    assert!(never(&tree, "/dev/sda").contains("/dev/sdb1 is mounted on /unit"));
    let refusal = ask(&tree, "/dev/sda2", &[]).unwrap_err();
    assert_eq!(refusal.override_token.as_deref(), Some("/dev/sda-part2"), "{refusal}");
}

#[test]
fn another_path_at_rest_is_mentioned_and_the_name_stays_the_same() {
    let tree = paths([NAME, NAME]);
    let refusal = ask(&tree, "/dev/sda", &[]).unwrap_err();
    let expected = Reason::OtherPath { device: "/dev/sda".into(), other: "/dev/sdb".into() };
    assert_eq!(refusal.reasons, [expected]);
    assert_eq!(refusal.override_token.as_deref(), Some("/dev/sda"));
    // The link by which udev knows the unit goes to the other path.
    fs::remove_file(tree.at("/dev/disk/by-id/scsi-0QEMU_UNIT0")).unwrap();
    tree.link("/dev/disk/by-id/scsi-0QEMU_UNIT0", "../../sdb");
    assert_eq!(ask(&tree, "/dev/sda", &[]).unwrap_err(), refusal);
    ask(&tree, "/dev/sda", &["/dev/sda"]).unwrap();
    let other = ask(&tree, "/dev/sdb", &["scsi-0QEMU_UNIT0"]).unwrap_err();
    assert_eq!(other.override_token.as_deref(), Some("/dev/sdb"));
}

#[test]
fn a_name_under_by_id_that_two_devices_claim_is_not_offered() {
    let tree = machine();
    tree.poke("sda", 0, b"XFSB");
    tree.link("/dev/disk/by-id/usb-bridge-0:0", "../../sda");
    let token = || ask(&tree, "/dev/sda", &[]).unwrap_err().override_token.unwrap();
    let claims = r"/run/udev/links/\x2fdisk\x2fby-id\x2fusb-bridge-0:0";
    tree.file(&format!("{claims}/b8:0"), "");
    assert_eq!(token(), "usb-bridge-0:0");
    tree.file(&format!("{claims}/b8:16"), "");
    assert_eq!(token(), "/dev/sda");
}

#[test]
fn drives_that_a_bridge_gives_one_serial_number_are_told_apart_by_their_bytes() {
    let tree = paths([None, None]);
    tree.mount("8:16", "/unit", "ext4", "/dev/sdb");
    for at in [0, 32 << 20, (64 << 20) - 1] {
        tree.poke("sda", at, b"a");
        let refusal = ask(&tree, "/dev/sda", &[]).err();
        assert!(refusal.is_none_or(|refusal| refusal.override_token.is_some()), "{at}");
        tree.poke("sdb", at, b"a");
        assert!(never(&tree, "/dev/sda").contains("/dev/sdb is mounted on /unit"));
    }
    // A world-wide name is believed, and so is another one.
    tree.poke("sdb", 0, b"b");
    tree.file("/sys/block/sda/device/wwid", "naa.1\n");
    tree.file("/sys/block/sdb/device/wwid", "naa.1\n");
    assert!(never(&tree, "/dev/sda").contains("/dev/sdb is mounted on /unit"));
    tree.poke("sdb", 0, b"a");
    tree.file("/sys/block/sdb/device/wwid", "naa.2\n");
    assert!(ask(&tree, "/dev/sda", &[]).unwrap_err().override_token.is_some());
}

#[test]
fn two_loop_devices_that_may_be_over_one_file_are_both_refused() {
    let tree = Tree::new();
    tree.disk("loop0", "7:0");
    tree.disk("loop1", "7:1");
    tree.file("/images/other-name.img", vec![0; 4096]);
    tree.file("/sys/block/loop0/loop/backing_file", "/images/gone.img (deleted)\n");
    tree.file("/sys/block/loop1/loop/backing_file", "/images/other-name.img\n");
    for (one, other) in [("loop0", "loop1"), ("loop1", "loop0")] {
        let expected =
            format!("it may use the same file as /dev/{other}, which cannot be excluded");
        assert_eq!(reasons(&tree, &format!("/dev/{one}")), [expected]);
    }
    // Their bytes differ.
    tree.poke("loop1", 32 << 20, b"other");
    for name in ["/dev/loop0", "/dev/loop1"] {
        ask(&tree, name, &[]).unwrap();
    }
}

#[test]
fn targets_with_bytes_in_common_are_found_under_all_their_names() {
    let tree = paths([NAME, NAME]);
    for (disk, base) in [("sda", 0), ("sdb", 16)] {
        tree.partition(disk, 1, &format!("8:{}", base + 1));
        tree.partition(disk, 2, &format!("8:{}", base + 2));
    }
    mapped(&tree, "dm-0", "one", "0 8000 linear 8:32 0", &["sdc"]);
    mapped(&tree, "dm-1", "two", "0 8000 linear 8:32 7999", &["sdc"]);
    mapped(&tree, "dm-2", "three", "0 8000 linear 8:32 8000", &["sdc"]);
    tree.link("/dev/disk/by-id/c", "../../sdc");
    for name in ["loop0", "loop1"] {
        tree.disk(name, &format!("7:{}", &name[4..]));
        tree.file(&format!("/sys/block/{name}/loop/backing_file"), "/images/a.img\n");
    }
    tree.file("/images/a.img", "a");
    tree.file("/images/b.img", "b");
    fs::hard_link(tree.at("/images/a.img"), tree.at("/images/c.img")).unwrap();
    let pairs = |paths: &[&str]| {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        shares_bytes(&Survey::read(&tree.root()), &paths)
    };
    for [one, other] in [
        ["/dev/sda", "/dev/sda1"],
        ["/dev/sda", "/dev/sdb"],
        ["/dev/sda2", "/dev/sdb2"],
        ["/dev/sda2", "/dev/sdb"],
        ["/dev/sdc", "/dev/disk/by-id/c"],
        ["/dev/sdc", "/dev/mapper/one"],
        ["/dev/mapper/one", "/dev/mapper/two"],
        ["/dev/loop0", "/dev/loop1"],
        ["/images/a.img", "/dev/loop1"],
        ["/images/a.img", "/images/c.img"],
    ] {
        let found = Shared { one: one.into(), other: other.into() };
        assert_eq!(pairs(&[one, "/nothing/here", other]), [found]);
    }
    let apart = ["/dev/sda1", "/dev/sdb2", "/dev/mapper/one", "/dev/mapper/three", "/images/b.img"];
    assert_eq!(pairs(&apart), []);
}

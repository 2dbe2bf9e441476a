//! The device graph on imitated sysfs trees: partitions, LVM, md, multipath, crypt, loop.

use std::collections::BTreeSet;
use std::path::Path;

use iopath_machine::Devices;
use iopath_machine::devices::DeviceKind;
use iopath_machine::location::device_of_file;
use iopath_machine::target::{self, DirectIo, TargetKind};

use crate::not_run;
use crate::tree::Tree;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Two disks; sda1+sda2 partitions; md0 over sda2 and sdb; LVM on md0; crypt on the volume.
fn stacked() -> Tree {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    tree.partition("sda", 1, "8:1");
    tree.partition("sda", 2, "8:2");
    tree.disk("sdb", "8:16");
    tree.disk("md0", "9:0");
    tree.file("/sys/block/md0/md/level", "raid1\n");
    tree.file("/sys/block/md0/md/array_state", "clean\n");
    tree.stack("md0", &["sda/sda2", "sdb"]);
    tree.mapper("dm-0", "253:0", ("vg-home", "LVM-abc"), &["md0"]);
    tree.mapper("dm-1", "253:1", ("secret", "CRYPT-LUKS2-def-secret"), &["dm-0"]);
    tree.mount("253:1", "/home", "ext4", "/dev/mapper/secret");
    tree
}

#[test]
fn stacks_are_followed_up_and_down() {
    let tree = stacked();
    let devices = Devices::read(&tree.root()).unwrap();
    assert_eq!(devices.above("sdb"), set(&["md0", "dm-0", "dm-1"]));
    assert_eq!(devices.above("sda"), set(&["sda1", "sda2", "md0", "dm-0", "dm-1"]));
    assert_eq!(devices.leaves("dm-1"), set(&["sda", "sdb"]));
    assert_eq!(devices.below("dm-1"), set(&["dm-0", "md0", "sda2", "sda", "sdb"]));
    assert_eq!(devices.whole_of("sda2"), "sda");
    let nouns: Vec<_> =
        ["sda1", "md0", "dm-0", "dm-1"].map(|name| devices.find(name).unwrap().noun()).to_vec();
    assert_eq!(nouns, ["partition", "md array", "LVM volume", "encrypted volume"]);
    let md = &devices.find("md0").unwrap().kind;
    let level = "raid1".into();
    assert_eq!(md, &DeviceKind::Array { level, disks: None, missing: None });
}

#[test]
fn only_partitions_whose_ranges_meet_overlap() {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    for index in 1..=3 {
        tree.partition("sda", index, &format!("8:{index}"));
    }
    // Partition 3 is an extended one that encloses partition 2.
    tree.file("/sys/block/sda/sda3/start", "34816\n");
    let devices = Devices::read(&tree.root()).unwrap();
    assert_eq!(devices.overlapping("sda1"), set(&["sda"]));
    assert_eq!(devices.overlapping("sda2"), set(&["sda", "sda3"]));
    assert_eq!(devices.overlapping("sda"), set(&["sda1", "sda2", "sda3"]));
}

#[test]
fn a_serial_number_is_found_where_each_kind_of_drive_keeps_it() {
    let tree = Tree::new();
    for (index, name) in ["sda", "vda", "nvme0n1"].iter().enumerate() {
        tree.disk(name, &format!("8:{index}"));
    }
    tree.file("/sys/block/sda/device/vpd_pg80", b"\0\x80\0\x0aWD-12345  ");
    tree.file("/sys/block/sda/device/wwid", "naa.50014ee2b5d5d5d5\n");
    tree.file("/sys/block/vda/serial", "virtio-7");
    tree.file("/sys/block/nvme0n1/device/serial", "S4EWNX0N   \n");
    tree.file("/sys/block/nvme0n1/wwid", "eui.0025385b71b00001\n");
    tree.link("/dev/disk/by-id/wwn-0x50014ee2b5d5d5d5", "../../sda");
    tree.link("/dev/disk/by-id/ata-WDC", "../../sda");
    let devices = Devices::read(&tree.root()).unwrap();
    let of = |name| devices.find(name).unwrap();
    let serial = |name| of(name).identity.serial.clone().unwrap();
    assert_eq!(
        [serial("sda"), serial("vda"), serial("nvme0n1")],
        ["WD-12345", "virtio-7", "S4EWNX0N"]
    );
    assert_eq!(of("nvme0n1").identity.wwid.as_deref(), Some("eui.0025385b71b00001"));
    assert_eq!(of("sda").by_id, ["ata-WDC", "wwn-0x50014ee2b5d5d5d5"]);
}

#[test]
fn a_hidden_path_without_a_number_is_left_out_and_a_torn_number_is_an_error() {
    let tree = Tree::new();
    tree.disk("nvme0n1", "259:0");
    tree.file("/sys/block/nvme0c0n1/hidden", "1\n");
    assert_eq!(Devices::read(&tree.root()).unwrap().iter().count(), 1);
    tree.file("/sys/block/nvme0n1/dev", "259\n");
    let error = Devices::read(&tree.root()).unwrap_err().to_string();
    assert!(error.contains("nvme0n1/dev") && error.contains("259"), "{error}");
}

#[test]
fn a_file_is_traced_to_its_drives() {
    let tree = stacked();
    tree.file("/home/user/data", "x");
    let devices = Devices::read(&tree.root()).unwrap();
    let found = device_of_file(&tree.root(), &devices, Path::new("/home/user/data")).unwrap();
    assert_eq!(found.mount.unwrap().fs_type, "ext4");
    assert_eq!((found.devices, found.leaves), (set(&["dm-1"]), set(&["sda", "sdb"])));
}

#[test]
fn btrfs_gives_all_its_members_and_memory_gives_none() {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    tree.disk("sdb", "8:16");
    tree.mount("0:45", "/data", "btrfs", "/dev/sda");
    tree.mount("0:46", "/dev/shm", "tmpfs", "tmpfs");
    tree.mount("0:47", "/net", "nfs4", "server:/export");
    tree.link("/sys/fs/btrfs/uuid-1/devices/sda", "../../../../block/sda");
    tree.link("/sys/fs/btrfs/uuid-1/devices/sdb", "../../../../block/sdb");
    for place in ["/data/f", "/dev/shm/f", "/net/f"] {
        tree.file(place, "x");
    }
    let devices = Devices::read(&tree.root()).unwrap();
    for (place, fs_type, names) in [
        ("/data/f", "btrfs", &["sda", "sdb"][..]),
        ("/dev/shm/f", "tmpfs", &[]),
        ("/net/f", "nfs4", &[]),
    ] {
        let found = device_of_file(&tree.root(), &devices, Path::new(place)).unwrap();
        assert_eq!(found.mount.unwrap().fs_type, fs_type);
        assert_eq!(found.devices, set(names), "{place}");
    }
}

#[test]
fn a_loop_device_is_followed_to_the_drive_under_its_file() {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    tree.disk("loop0", "7:0");
    tree.disk("loop1", "7:1");
    tree.mount("8:0", "/images", "xfs", "/dev/sda");
    tree.file("/images/disk.img", "x");
    tree.file("/sys/block/loop0/loop/backing_file", "/images/disk.img\n");
    tree.file("/sys/block/loop1/loop/backing_file", "/dev/loop0\n");
    let devices = Devices::read(&tree.root()).unwrap();
    let found = device_of_file(&tree.root(), &devices, Path::new("/dev/loop1")).unwrap();
    assert_eq!((found.devices, found.leaves), (set(&["loop1"]), set(&["sda"])));
}

#[test]
fn target_facts_of_a_device_a_file_and_a_directory() {
    let tree = stacked();
    tree.file("/home/user/data", "12345");
    tree.file("/sys/block/sda/queue/logical_block_size", "4096\n");
    let devices = Devices::read(&tree.root()).unwrap();
    let facts = |path: &str| target::read(&tree.root(), &devices, Path::new(path)).unwrap();
    let part = facts("/dev/sda1").unwrap();
    assert_eq!(part.kind, TargetKind::BlockDevice("sda1".into()));
    assert_eq!((part.bytes, part.logical_block_bytes), (16 << 20, Some(4096)));
    assert_eq!(part.direct_io, DirectIo::Unstated { assumed_bytes: 4096 });
    let file = facts("/home/user/data").unwrap();
    assert_eq!((file.kind, file.bytes), (TargetKind::RegularFile, 5));
    assert_eq!(file.file_system.unwrap().type_name, "ext4");
    assert_eq!(facts("/home").unwrap().kind, TargetKind::Directory);
}

#[test]
fn memory_file_systems_are_known_as_such_on_this_machine() {
    let root = iopath_machine::Root::live();
    let devices = Devices::read(&root).unwrap();
    let Ok(Some(facts)) = target::read(&root, &devices, Path::new("/dev/shm")) else {
        return not_run("no /dev/shm");
    };
    let file_system = facts.file_system.unwrap();
    assert!(file_system.in_memory && file_system.type_name == "tmpfs", "{file_system:?}");
    assert!(file_system.free_bytes <= file_system.total_bytes);
}

#[test]
fn a_real_file_tells_its_size_its_file_system_and_its_alignment() {
    let root = iopath_machine::Root::live();
    let devices = Devices::read(&root).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), [1; 5000]).unwrap();
    let facts = target::read(&root, &devices, file.path()).unwrap().unwrap();
    assert_eq!((&facts.kind, facts.bytes), (&TargetKind::RegularFile, 5000));
    let file_system = facts.file_system.unwrap();
    assert!(!file_system.read_only && file_system.free_bytes <= file_system.total_bytes);
    if let DirectIo::Aligned { memory_bytes, offset_bytes } = facts.direct_io {
        assert!(memory_bytes.is_power_of_two() && offset_bytes.is_power_of_two());
    }
    assert_eq!(target::read(&root, &devices, Path::new("/dev/null")).unwrap(), None);
    assert!(target::read(&root, &devices, Path::new("/nothing/here")).unwrap_err().is_missing());
}

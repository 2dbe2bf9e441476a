//! Who devices and files are to other hosts, on imitated machines.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use iopath_machine::identity::{Known, Machine, Reach};
use iopath_machine::{Devices, Root, mounts};

use crate::tree::Tree;

fn machine(boot: &str) -> Tree {
    let tree = Tree::new();
    tree.file("/proc/sys/kernel/random/boot_id", format!("{boot}\n"));
    tree
}

fn known(root: &Root, path: &str) -> Option<Known> {
    let devices = Devices::read(root).unwrap();
    let mounts = mounts::read(root).unwrap();
    Machine { root, devices: &devices, mounts: &mounts }.path(Path::new(path)).unwrap()
}

fn name(tree: &Tree, path: &str) -> String {
    known(&tree.root(), path).unwrap().name
}

fn disk(tree: &Tree, name: &str, facts: &[(&str, &str)]) {
    let minor: u32 = name.bytes().map(u32::from).sum();
    tree.disk(name, &format!("8:{minor}"));
    for (fact, text) in facts {
        tree.file(&format!("/sys/block/{name}/{fact}"), format!("{text}\n"));
    }
}

#[test]
fn a_unit_is_known_by_its_world_wide_name_whatever_the_kernel_calls_it() {
    let naa = [("device/wwid", "naa.600a098000a1b2c3")];
    for device in ["sda", "sdq"] {
        let tree = machine("a");
        disk(&tree, device, &naa);
        let found = known(&tree.root(), &format!("/dev/{device}")).unwrap();
        assert_eq!((found.name.as_str(), found.reach), ("naa.600a098000a1b2c3", Reach::World));
    }
    let tree = machine("a");
    disk(&tree, "nvme0n1", &[("wwid", "eui.36584e3000000001")]);
    assert_eq!(name(&tree, "/dev/nvme0n1"), "eui.36584e3000000001");
    let serial = [("device/serial", "S4EWNX0N123"), ("device/model", "SSD 970")];
    disk(&tree, "nvme1n1", &serial);
    assert_eq!(name(&tree, "/dev/nvme1n1"), "serial..SSD_970.S4EWNX0N123");
}

#[test]
fn what_hypervisors_make_up_is_a_name_on_one_kernel_only() {
    let tree = machine("boot-7");
    let model = [("device/model", "QEMU HARDDISK"), ("device/vendor", "ATA")];
    let made_up = ("device/wwid", "t10.ATA     QEMU HARDDISK     QM00001");
    disk(&tree, "sda", &[model[0], model[1], made_up]);
    disk(&tree, "vda", &[("serial", "root")]);
    disk(&tree, "vdb", &[("serial", "vol0123456789abcdef")]);
    let found = known(&tree.root(), "/dev/sda").unwrap();
    assert_eq!(found.reach, Reach::Kernel);
    assert!(found.name.starts_with("kernel.boot-7/8:"), "{}", found.name);
    assert_eq!(known(&tree.root(), "/dev/vda").unwrap().reach, Reach::Kernel);
    assert_eq!(name(&tree, "/dev/vdb"), "serial...vol0123456789abcdef");
}

#[test]
fn an_image_of_a_cluster_is_the_same_on_all_its_clients() {
    let image = [
        ("device/cluster_fsid", "9f1c0a6e-0d2b-4f4e-8a55-1c2d3e4f5a6b"),
        ("device/pool_id", "2"),
        ("device/image_id", "10b36b8b4567"),
        ("device/current_snap", "-"),
    ];
    let expected = "rbd.9f1c0a6e-0d2b-4f4e-8a55-1c2d3e4f5a6b/2//10b36b8b4567@-";
    for device in ["rbd0", "rbd7"] {
        let tree = machine("a");
        disk(&tree, device, &image);
        let found = known(&tree.root(), &format!("/dev/{device}")).unwrap();
        assert_eq!((found.name.as_str(), found.reach), (expected, Reach::World));
    }
    let tree = machine("a");
    disk(&tree, "rbd0", &image);
    tree.file("/sys/block/rbd0/device/current_snap", "monday\n");
    assert_ne!(name(&tree, "/dev/rbd0"), expected, "a snapshot is another thing");
    disk(&tree, "rbd1", &image[1..]);
    assert_eq!(known(&tree.root(), "/dev/rbd1").unwrap().reach, Reach::Kernel, "of which cluster?");
}

#[test]
fn a_multipath_unit_is_the_unit_that_another_host_has_one_way_to() {
    let tree = machine("a");
    disk(&tree, "sda", &[("device/wwid", "naa.600a0980")]);
    disk(&tree, "sdb", &[("device/wwid", "naa.600a0980")]);
    tree.mapper("dm-0", "253:0", ("mpatha", "mpath-3600a0980"), &["sda", "sdb"]);
    assert_eq!(name(&tree, "/dev/mapper/mpatha"), "naa.600a0980");
    assert!(name(&tree, "/dev/sda").starts_with("kernel.a/8:"), "a way is its kernel's own");
    let tree = machine("b");
    disk(&tree, "sdc", &[]);
    tree.mapper("dm-0", "253:0", ("mpatha", "mpath-3600a0980"), &["sdc"]);
    assert_eq!(name(&tree, "/dev/dm-0"), "naa.600a0980", "as scsi_id prints it");
}

#[test]
fn parts_volumes_and_arrays_have_names_of_their_own() {
    let tree = machine("a");
    disk(&tree, "sda", &[("device/wwid", "naa.1")]);
    tree.partition("sda", 1, "8:1");
    assert_eq!(name(&tree, "/dev/sda1"), "naa.1@1048576+16777216");
    tree.mapper("dm-3", "253:3", ("vg-lv", "LVM-abcDEF"), &["sda"]);
    assert_eq!(name(&tree, "/dev/mapper/vg-lv"), "dm.LVM-abcDEF");
    disk(&tree, "md0", &[("md/level", "raid1"), ("md/uuid", "5A2b-01ff")]);
    disk(&tree, "md1", &[("md/level", "raid1")]);
    tree.link("/dev/disk/by-id/md-uuid-5a2b:01fe", "../../md1");
    assert_eq!(name(&tree, "/dev/md0"), "md.5a2b01ff");
    assert_eq!(name(&tree, "/dev/md1"), "md.5a2b01fe");
}

#[test]
fn a_device_with_a_cache_is_known_by_its_backing_device() {
    let uuid = "d7d7e025-b8d2-43cb-a5df-c240ba1418dc";
    for device in ["bcache0", "bcache7"] {
        let tree = machine("a");
        disk(&tree, device, &[("bcache/backing_dev_uuid", uuid)]);
        let found = known(&tree.root(), &format!("/dev/{device}")).unwrap();
        assert_eq!((found.name, found.reach), (format!("bcache.{uuid}"), Reach::World));
    }
    // An old kernel, or a volume on the cache alone.
    let tree = machine("boot-7");
    disk(&tree, "bcache0", &[("bcache/label", "")]);
    let found = known(&tree.root(), "/dev/bcache0").unwrap();
    assert_eq!(found.reach, Reach::Kernel);
    assert!(found.name.starts_with("kernel.boot-7/8:"), "{}", found.name);
}

#[test]
fn a_file_is_an_inode_of_what_its_file_system_is_on() {
    let tree = machine("boot-7");
    disk(&tree, "sda", &[("device/wwid", "naa.1")]);
    let number = format!("8:{}", "sda".bytes().map(u32::from).sum::<u32>());
    tree.mount(&number, "/cluster", "gfs2", "/dev/sda");
    tree.mount("0:52", "/home", "nfs4", "filer:/export/home");
    tree.mount("0:53", "/smb", "cifs", "//filer/share");
    tree.mount("0:54", "/tmp", "tmpfs", "tmpfs");
    tree.mount("0:55", "/b", "btrfs", "/dev/sda");
    for (file, system) in [
        ("/cluster/a", Some("naa.1")),
        ("/home/a", Some("nfs4.filer:/export/home")),
        ("/smb/a", None),
        ("/tmp/a", None),
        ("/b/a", None),
    ] {
        tree.file(file, "x");
        let inode = std::fs::metadata(tree.at(file)).unwrap().ino();
        let found = known(&tree.root(), file).unwrap();
        match system {
            Some(system) => assert_eq!(found.name, format!("{system}#{inode}"), "{file}"),
            None => assert!(found.name.starts_with("kernel.boot-7/"), "{file}: {}", found.name),
        }
        assert_eq!(found.reach == Reach::World, system.is_some(), "{file}");
    }
}

#[test]
fn a_loop_device_is_the_part_of_a_file_that_it_shows() {
    let tree = machine("a");
    tree.mount("0:52", "/home", "nfs4", "filer:/x");
    tree.file("/home/image", "x");
    disk(&tree, "loop0", &[("loop/backing_file", "/home/image"), ("loop/offset", "4096")]);
    let file = name(&tree, "/home/image");
    assert_eq!(name(&tree, "/dev/loop0"), format!("loop.{file}@4096+0"));
}

#[test]
fn a_machine_that_says_nothing_of_itself_knows_nobody() {
    let tree = Tree::new();
    disk(&tree, "sda", &[]);
    assert_eq!(known(&tree.root(), "/dev/sda"), None);
}

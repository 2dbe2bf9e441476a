//! Safety on imitated machines: what the test machine itself cannot hold.

use std::fs;
use std::path::{Path, PathBuf};

use iopath_machine::safety::{Permission, Permitted, Reason, Refusal, Survey, may_write};

use crate::tree::Tree;

fn ask(tree: &Tree, target: &str, named: &[&str]) -> Result<Permission, Refusal> {
    may_write(&Survey::read(&tree.root()), Path::new(target), named)
}

/// Refused whatever is named; returns the message.
fn never(tree: &Tree, target: &str) -> String {
    let refusal = ask(tree, target, &[]).unwrap_err();
    assert_eq!(refusal.override_token, None, "{refusal}");
    let guesses = ["SER-1", "/dev/sda", target, "", "SER-1-part1"];
    let again = ask(tree, target, &guesses).unwrap_err();
    assert_eq!(refusal, again);
    refusal.to_string()
}

/// A disk with a serial number.
fn machine() -> Tree {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    tree.file("/sys/block/sda/device/serial", "SER-1\n");
    tree
}

#[test]
fn an_empty_unused_disk_may_be_written_by_any_of_its_names() {
    let tree = machine();
    tree.link("/dev/disk/by-id/ata-SER-1", "../../sda");
    for name in ["/dev/sda", "/dev/disk/by-id/ata-SER-1"] {
        let permission = ask(&tree, name, &[]).unwrap();
        assert_eq!(permission.permitted, Permitted::Device);
        assert!(permission.overridden.is_empty());
    }
}

#[test]
fn a_mounted_partition_protects_its_disk_but_not_its_neighbour() {
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    tree.partition("sda", 2, "8:2");
    tree.mount("8:1", "/mnt/my\\040data", "ext4", "/dev/sda1");
    let text = never(&tree, "/dev/sda");
    assert!(text.contains("/dev/sda1 is mounted on /mnt/my data"), "{text}");
    assert!(never(&tree, "/dev/sda1").contains("mounted"));
    ask(&tree, "/dev/sda2", &[]).unwrap();
}

#[test]
fn a_disk_mounted_as_a_whole_protects_its_partitions() {
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    tree.mount("8:0", "/data", "xfs", "/dev/sda");
    assert!(never(&tree, "/dev/sda1").contains("/dev/sda is mounted on /data"));
}

#[test]
fn an_overlapping_partition_protects() {
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    tree.partition("sda", 2, "8:2");
    tree.file("/sys/block/sda/sda2/start", "4096\n");
    tree.mount("8:2", "/data", "xfs", "/dev/sda2");
    assert!(never(&tree, "/dev/sda1").contains("/dev/sda2 is mounted"));
}

#[test]
fn every_kind_of_holder_protects_what_it_stands_on() {
    for (map, uuid, noun) in [
        ("vg-home", "LVM-abc", "LVM volume vg-home"),
        ("mpatha", "mpath-360a", "multipath device mpatha"),
        ("secret", "CRYPT-LUKS2-def-secret", "encrypted volume secret"),
        ("mpatha1", "part1-mpath-360a", "mapped partition mpatha1"),
        ("odd", "", "device-mapper device odd"),
    ] {
        let tree = machine();
        tree.mapper("dm-0", "253:0", (map, uuid), &["sda"]);
        let text = never(&tree, "/dev/sda");
        assert!(text.contains(&format!("/dev/sda is held by {noun} (/dev/dm-0)")), "{text}");
        // The device on top holds nothing itself.
        ask(&tree, &format!("/dev/mapper/{map}"), &[]).unwrap();
    }
    let tree = machine();
    tree.disk("md127", "9:127");
    tree.file("/sys/block/md127/md/array_state", "inactive\n");
    tree.stack("md127", &["sda"]);
    assert!(never(&tree, "/dev/sda").contains("held by md array /dev/md127"));
    let tree = machine();
    tree.file("/sys/block/sda/bcache/state", "clean\n");
    assert!(never(&tree, "/dev/sda").contains("held by bcache"));
}

#[test]
fn a_mount_at_the_top_of_a_stack_is_told_at_the_bottom() {
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    tree.mapper("dm-0", "253:0", ("vg-home", "LVM-abc"), &["sda/sda1"]);
    tree.mapper("dm-1", "253:1", ("secret", "CRYPT-x"), &["dm-0"]);
    tree.mount("253:1", "/home", "ext4", "/dev/mapper/secret");
    let text = never(&tree, "/dev/sda");
    for line in [
        "/dev/sda1 is held by LVM volume vg-home (/dev/dm-0)",
        "/dev/dm-0 is held by encrypted volume secret (/dev/dm-1)",
        "/dev/dm-1 is mounted on /home",
        "  /dev/dm-1 (secret): mounted on /home",
    ] {
        assert!(text.contains(line), "{line} in:\n{text}");
    }
}

#[test]
fn swap_protects_as_a_device_and_as_a_file_on_one() {
    let tree = machine();
    tree.append("/proc/swaps", "/dev/sda                partition\t65536\t0\t-2\n");
    assert!(never(&tree, "/dev/sda").contains("/dev/sda is active swap"));
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    tree.mapper("dm-0", "253:0", ("vg-root", "LVM-abc"), &["sda/sda1"]);
    tree.mount("253:0", "/data", "ext4", "/dev/mapper/vg-root");
    tree.file("/data/swap file", "x");
    tree.append("/proc/swaps", "/data/swap\\040file    file\t4\t0\t-2\n");
    assert!(never(&tree, "/dev/sda").contains("/data/swap file is active swap"));
    assert!(never(&tree, "/data/swap file").contains("active swap"));
}

#[test]
fn all_members_of_a_mounted_btrfs_are_protected() {
    let tree = machine();
    tree.disk("sdb", "8:16");
    tree.link("/sys/fs/btrfs/uuid-1/devices/sda", "../../../../block/sda");
    tree.link("/sys/fs/btrfs/uuid-1/devices/sdb", "../../../../block/sdb");
    assert!(never(&tree, "/dev/sdb").contains("btrfs mounted out of sight"));
    tree.mount("0:45", "/pool", "btrfs", "/dev/sda");
    assert!(never(&tree, "/dev/sdb").contains("/dev/sdb is mounted on /pool"));
}

#[test]
fn members_and_logs_named_only_in_the_mount_table_are_protected() {
    let tree = machine();
    for (name, number) in [("sdb", "8:16"), ("sdc", "8:32"), ("sdd", "8:48")] {
        tree.disk(name, number);
    }
    tree.mount("0:50", "/many", "bcachefs", "/dev/sda:/dev/sdb");
    let line = "90 22 8:32 / /xfs rw - xfs /dev/sdc rw,noquota,logdev=/dev/sdd\n";
    tree.append("/proc/self/mountinfo", line);
    for name in ["/dev/sda", "/dev/sdb"] {
        assert!(never(&tree, name).contains("mounted on /many"));
    }
    for name in ["/dev/sdc", "/dev/sdd"] {
        assert!(never(&tree, name).contains("mounted on /xfs"));
    }
}

#[test]
fn a_suspended_device_is_refused_without_being_read() {
    let tree = machine();
    tree.mapper("dm-0", "253:0", ("vg-x", "LVM-abc"), &["sda"]);
    tree.file("/sys/block/dm-0/dm/suspended", "0\n");
    ask(&tree, "/dev/dm-0", &[]).unwrap();
    tree.file("/sys/block/dm-0/dm/suspended", "1\n");
    assert!(never(&tree, "/dev/dm-0").contains("/dev/dm-0 is suspended"));
}

/// Puts a ZFS label of pool "tank" on a device.
fn make_zfs(tree: &Tree, name: &str) {
    tree.poke(name, 132 << 10, &0x00BA_B10C_u64.to_le_bytes());
    let mut list = vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    for word in [32_u32, 32, 4] {
        list.extend(word.to_be_bytes());
    }
    list.extend(b"name");
    for word in [9_u32, 1, 4] {
        list.extend(word.to_be_bytes());
    }
    list.extend(b"tank");
    tree.poke(name, 16 << 10, &list);
}

#[test]
fn a_zfs_member_is_protected_by_its_label_and_for_ever_while_imported() {
    let tree = machine();
    make_zfs(&tree, "sda");
    let refusal = ask(&tree, "/dev/sda", &[]).unwrap_err();
    assert!(refusal.to_string().contains("part of a volume: ZFS member \"tank\""), "{refusal}");
    assert_eq!(refusal.override_token.as_deref(), Some("SER-1"));
    ask(&tree, "/dev/sda", &["SER-1"]).unwrap();
    tree.file("/proc/spl/kstat/zfs/tank/state", "ONLINE\n");
    assert!(never(&tree, "/dev/sda").contains("held by the imported ZFS pool \"tank\""));
}

#[test]
fn a_partition_of_a_disk_that_is_itself_a_volume_member_is_signed() {
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    let mut label = [0_u8; 64];
    label[..8].copy_from_slice(b"LABELONE");
    label[24..32].copy_from_slice(b"LVM2 001");
    tree.poke("sda", 512, &label);
    let refusal = ask(&tree, "/dev/sda1", &[]).unwrap_err();
    let is_parent = |reason: &Reason| {
        matches!(reason, Reason::Signed { device, signature }
            if device == Path::new("/dev/sda") && signature.kind == "LVM2 member")
    };
    assert!(refusal.reasons.iter().any(is_parent), "{refusal}");
    assert_eq!(refusal.override_token.as_deref(), Some("SER-1-part1"));
    // The disk's own serial number does not give up a partition, nor the other way round.
    ask(&tree, "/dev/sda1", &["SER-1"]).unwrap_err();
    ask(&tree, "/dev/sda1", &["SER-1-part1"]).unwrap();
}

#[test]
fn what_lies_in_a_neighbour_does_not_count_against_a_partition() {
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    tree.partition("sda", 2, "8:2");
    tree.file("/sys/block/sda/sda2/size", "96256\n"); // To the end of the disk.
    // An md superblock of version 1.0 at the end of the last partition, and so of the disk.
    tree.poke("sda", (64 << 20) - 8192, b"\xFC\x4E\x2B\xA9\x01\0\0\0");
    ask(&tree, "/dev/sda1", &[]).unwrap();
    tree.file("/sys/block/sda/sda2/size", "32768\n");
    ask(&tree, "/dev/sda1", &[]).unwrap_err();
}

#[test]
fn a_signature_is_given_up_only_by_the_exact_name() {
    let tree = machine();
    tree.poke("sda", 512, b"EFI PART");
    tree.partition("sda", 1, "8:1");
    tree.poke("sda1", 0x10040, b"_BHRfS_M");
    tree.poke("sda1", 0x1012B, b"data");
    let refusal = ask(&tree, "/dev/sda", &[]).unwrap_err();
    let text = refusal.to_string();
    assert!(text.contains("/dev/sda carries a partition table: gpt"), "{text}");
    assert!(text.contains("\n  /dev/sda1: btrfs \"data\""), "{text}");
    assert!(text.ends_with("--allow-destroy SER-1"), "{text}");
    for wrong in ["ser-1", "SER-1 ", "SER", "", "/dev/sda", "*"] {
        ask(&tree, "/dev/sda", &[wrong]).unwrap_err();
    }
    let permission = ask(&tree, "/dev/sda", &["other", "SER-1"]).unwrap();
    assert_eq!(permission.overridden, refusal.reasons);
}

#[test]
fn data_of_no_known_format_at_either_end_must_be_given_up_by_name() {
    for at in [0, 12_345, (1 << 20) - 1, (63 << 20), (64 << 20) - 1] {
        let tree = machine();
        tree.poke("sda", at, b"\x01");
        let refusal = ask(&tree, "/dev/sda", &[]).unwrap_err();
        assert_eq!(refusal.reasons, [Reason::UnknownData { device: "/dev/sda".into() }], "{at}");
        let text = refusal.to_string();
        for part in ["earlier measurement", "\n  /dev/sda: data in no known format"] {
            assert!(text.contains(part), "{part} in:\n{text}");
        }
        assert!(text.ends_with("--allow-destroy SER-1"), "{text}");
        assert_eq!(ask(&tree, "/dev/sda", &["SER-1"]).unwrap().overridden, refusal.reasons);
    }
}

#[test]
fn data_in_a_partition_protects_its_disk_but_not_its_neighbour() {
    let tree = machine();
    tree.partition("sda", 1, "8:1");
    tree.partition("sda", 2, "8:2");
    tree.poke("sda1", 4096, b"raw");
    // As the disk shows it, with the boot code before the partitions.
    tree.poke("sda", (1 << 20) - 3, b"boot code");
    let partition = Reason::UnknownData { device: "/dev/sda1".into() };
    assert!(ask(&tree, "/dev/sda", &[]).unwrap_err().reasons.contains(&partition));
    assert_eq!(ask(&tree, "/dev/sda1", &[]).unwrap_err().reasons, [partition]);
    ask(&tree, "/dev/sda2", &[]).unwrap();
}

#[test]
fn what_the_kernel_refuses_about_many_devices_is_told_once() {
    let tree = machine();
    for index in 1..4 {
        tree.partition("sda", index, &format!("8:{index}"));
        fs::remove_file(tree.at(&format!("/dev/sda{index}"))).unwrap();
    }
    let text = never(&tree, "/dev/sda");
    assert!(text.contains("cannot read /dev/sda1, /dev/sda2, /dev/sda3: No such file"), "{text}");
    assert_eq!(text.matches("No such file").count(), 1, "{text}");
}

#[test]
fn the_name_is_the_first_that_is_this_devices_alone() {
    let tree = Tree::new();
    for (name, number) in [("sda", "8:0"), ("sdb", "8:16"), ("sdc", "8:32"), ("sdd", "8:48")] {
        tree.disk(name, number);
        tree.poke(name, 0, b"XFSB");
    }
    let token = |target: &str| ask(&tree, target, &[]).unwrap_err().override_token.unwrap();
    // A bridge gives two drives one number; one of them has a world-wide name.
    tree.file("/sys/block/sda/device/serial", "0000\n");
    tree.file("/sys/block/sdb/device/serial", "0000\n");
    tree.file("/sys/block/sda/device/wwid", "naa.5000c500\n");
    tree.link("/dev/disk/by-id/usb-bridge-0:0", "../../sdb");
    tree.link("/dev/disk/by-id/usb-stick", "../../sdc");
    assert_eq!(token("/dev/sda"), "naa.5000c500");
    // udev would give the name to whichever of the two it looked at last.
    assert_eq!(token("/dev/sdb"), "/dev/sdb");
    assert_eq!(token("/dev/sdc"), "usb-stick");
    assert_eq!(token("/dev/sdd"), "/dev/sdd");
}

#[test]
fn a_read_only_or_empty_device_is_refused_for_ever() {
    let tree = machine();
    tree.file("/sys/block/sda/ro", "1\n");
    assert!(never(&tree, "/dev/sda").contains("/dev/sda is read-only"));
    let tree = machine();
    tree.file("/sys/block/sda/size", "0\n");
    assert!(never(&tree, "/dev/sda").contains("no capacity"));
}

#[test]
fn what_cannot_be_looked_at_is_refused() {
    let tree = machine();
    fs::remove_file(tree.at("/proc/self/mountinfo")).unwrap();
    assert!(never(&tree, "/dev/sda").contains("mountinfo"));
    let tree = machine();
    fs::remove_file(tree.at("/dev/sda")).unwrap();
    assert!(never(&tree, "/dev/sda").contains("cannot read /dev/sda"));
    let tree = machine();
    tree.append("/proc/self/mountinfo", "torn line\n");
    assert!(never(&tree, "/dev/sda").contains("torn line"));
}

#[test]
fn loop_devices_protect_each_other_through_the_same_file() {
    let tree = machine();
    for index in 0..3 {
        tree.disk(&format!("loop{index}"), &format!("7:{index}"));
    }
    tree.file("/images/a.img", vec![1_u8; 4096]);
    fs::hard_link(tree.at("/images/a.img"), tree.at("/images/b.img")).unwrap();
    tree.file("/sys/block/loop0/loop/backing_file", "/images/a.img\n");
    tree.file("/sys/block/loop1/loop/backing_file", "/images/b.img\n");
    tree.file("/sys/block/loop2/loop/backing_file", "/dev/loop0\n");
    // The file itself, by both names.
    for name in ["/images/a.img", "/images/b.img"] {
        let text = never(&tree, name);
        assert!(text.contains("behind /dev/loop0") && text.contains("behind /dev/loop1"), "{text}");
    }
    assert!(never(&tree, "/dev/loop0").contains("/dev/loop0 is behind /dev/loop2"));
    // Nothing is mounted, so writing through the topmost harms nobody else.
    ask(&tree, "/dev/loop2", &[]).unwrap();
    tree.mount("7:1", "/mnt", "ext4", "/dev/loop1");
    assert!(never(&tree, "/dev/loop2").contains("/dev/loop1 is mounted on /mnt"));
}

#[test]
fn a_tower_of_loop_devices_is_no_use_of_itself() {
    let tree = machine();
    tree.file("/images/a.img", vec![1_u8; 4096]);
    for (name, number, backing) in [
        ("loop0", "7:0", "/images/a.img"),
        ("loop1", "7:1", "/dev/loop0"),
        ("loop2", "7:2", "/dev/loop1"),
    ] {
        tree.disk(name, number);
        tree.file(&format!("/sys/block/{name}/loop/backing_file"), format!("{backing}\n"));
    }
    ask(&tree, "/dev/loop2", &[]).unwrap();
    assert!(never(&tree, "/dev/loop1").contains("/dev/loop1 is behind /dev/loop2"));
}

#[test]
fn a_file_really_called_deleted_is_not_taken_for_a_deleted_one() {
    let tree = machine();
    tree.disk("loop0", "7:0");
    tree.file("/images/odd (deleted)", "12345");
    tree.file("/sys/block/loop0/loop/backing_file", "/images/odd (deleted)\n");
    assert!(never(&tree, "/images/odd (deleted)").contains("behind /dev/loop0"));
}

#[test]
fn a_nameless_file_behind_a_loop_device_is_known_by_its_bytes() {
    let tree = Tree::new();
    tree.disk("loop0", "7:0");
    tree.file("/sys/block/loop0/loop/backing_file", "/images/gone.img (deleted)\n");
    let content: Vec<u8> = (0..64_u32 << 20).map(|n| (n >> 12) as u8).collect();
    tree.file("/dev/loop0", &content);
    tree.file("/images/other-name.img", &content);
    tree.file("/images/unrelated.img", vec![7_u8; 64 << 20]);
    tree.file("/images/longer.img", [&content[..], &[0; 512]].concat());
    let is_free = |name: &str| ask(&tree, name, &[]).unwrap_err().override_token.is_some();
    assert!(never(&tree, "/images/other-name.img").contains("behind /dev/loop0"));
    assert!(is_free("/images/unrelated.img"));
    tree.file("/images/shorter.img", &content[..32 << 20]);
    assert!(is_free("/images/shorter.img"));
    // It may have grown since.
    assert!(never(&tree, "/images/longer.img").contains("behind /dev/loop0"));
    // When the device cannot be read, the size alone must do.
    fs::remove_file(tree.at("/dev/loop0")).unwrap();
    assert!(never(&tree, "/images/unrelated.img").contains("behind /dev/loop0"));
}

#[test]
fn a_file_with_data_must_be_named_by_its_true_path() {
    let tree = Tree::new();
    tree.file("/srv/real file", "precious");
    tree.link("/srv/link", "real file");
    let refusal = ask(&tree, "/srv/link", &[]).unwrap_err();
    assert_eq!(refusal.reasons, [Reason::ExistingData { bytes: 8 }]);
    assert_eq!(refusal.override_token.as_deref(), Some("/srv/real file"));
    assert!(refusal.to_string().ends_with("--allow-destroy '/srv/real file'"));
    ask(&tree, "/srv/link", &["/srv/link"]).unwrap_err();
    let permission = ask(&tree, "/srv/link", &["/srv/real file"]).unwrap();
    assert_eq!(permission.permitted, Permitted::NamedFile);
}

#[test]
fn a_disk_image_says_what_it_is() {
    let tree = Tree::new();
    tree.file("/srv/vm.qcow2", b"QFI\xFB\0\0\0\x03");
    let refusal = ask(&tree, "/srv/vm.qcow2", &[]).unwrap_err();
    assert!(refusal.to_string().contains("carries a disk image: qcow image"), "{refusal}");
    assert_eq!(refusal.would_lose, ["/srv/vm.qcow2: qcow image, 8 bytes"]);
}

#[test]
fn new_and_empty_files_may_be_written() {
    let tree = Tree::new();
    tree.file("/srv/empty", "");
    assert_eq!(ask(&tree, "/srv/empty", &[]).unwrap().permitted, Permitted::EmptyFile);
    assert_eq!(ask(&tree, "/srv/new", &[]).unwrap().permitted, Permitted::NewFile);
    tree.link("/srv/dangling", "nowhere");
    assert!(never(&tree, "/srv/dangling").contains("a dangling symbolic link"));
    assert!(never(&tree, "/srv/none/new").contains("does not exist"));
    assert!(never(&tree, "/srv/empty/new").contains("srv/empty/new"));
    assert!(never(&tree, "/srv").contains("a directory"));
    // A mistyped device name.
    tree.mount("0:6", "/dev", "devtmpfs", "devtmpfs");
    assert!(never(&tree, "/dev/sdz").contains("no device of this machine"));
}

#[test]
fn a_permission_holds_only_for_the_thing_that_was_examined() {
    let tree = Tree::new();
    tree.file("/srv/empty", "");
    let permission = ask(&tree, "/srv/empty", &[]).unwrap();
    let opened = fs::File::open(tree.at("/srv/empty")).unwrap();
    assert!(permission.is_for(&opened).unwrap());
    tree.file("/srv/other", "x");
    let other = fs::File::open(tree.at("/srv/other")).unwrap();
    assert!(!permission.is_for(&other).unwrap());
    let new = ask(&tree, "/srv/new", &[]).unwrap();
    assert!(!new.is_for(&other).unwrap(), "made with data in it meanwhile");
    assert_eq!(new.target, PathBuf::from("/srv/new"));
}

/// A machine with a file of data, which its name permits to write.
fn with_a_file() -> Tree {
    let tree = machine();
    tree.file("/data/old", "data");
    let name = tree.root().name_of(&tree.at("/data/old").canonicalize().unwrap());
    ask(&tree, "/data/old", &[name.to_str().unwrap()]).unwrap();
    tree
}

type Hide = (&'static str, fn(&Tree));

#[test]
fn what_is_hidden_of_proc_and_sys_stands_in_the_way_of_all_that_exists() {
    let hidden: [Hide; 8] = [
        ("/sys/block does not exist", |tree| fs::remove_dir_all(tree.at("/sys/block")).unwrap()),
        ("/sys/dev/block has block devices that /sys/block does not: 7:3", |tree| {
            tree.link("/sys/dev/block/7:3", "../../devices/virtual/block/loop3");
        }),
        ("/proc/partitions has block devices that /sys/block does not: 7:3", |tree| {
            tree.file("/proc/partitions", "major minor  #blocks  name\n\n   7   3   9 loop3\n");
        }),
        ("/sys/block/loop3/loop/backing_file cannot be read", |tree| tree.disk("loop3", "7:3")),
        ("/sys/block/sda/holders cannot be read", |tree| {
            fs::remove_dir(tree.at("/sys/block/sda/holders")).unwrap();
        }),
        ("a file system is mounted over /sys/block", |tree| {
            tree.mount("0:9", "/sys/block", "tmpfs", "none");
        }),
        ("a file system is mounted over /proc/swaps", |tree| {
            tree.mount("0:9", "/proc/swaps", "fuse.lxcfs", "lxcfs");
        }),
        ("/proc/swaps does not list the active swap", |tree| {
            fs::remove_file(tree.at("/proc/swaps")).unwrap();
            tree.file("/proc/meminfo", "SwapTotal:  1024 kB\n");
        }),
    ];
    for (what, hide) in hidden {
        let tree = with_a_file();
        hide(&tree);
        let text = never(&tree, "/data/old");
        assert!(text.contains("it cannot be judged") && text.contains(what), "{what}:\n{text}");
        assert_eq!(ask(&tree, "/data/new", &[]).unwrap().permitted, Permitted::NewFile, "{what}");
    }
}

#[test]
fn a_kernel_without_swap_and_mounts_over_other_parts_of_sys_hide_nothing() {
    let tree = with_a_file();
    fs::remove_file(tree.at("/proc/swaps")).unwrap();
    tree.file("/proc/meminfo", "MemTotal:  9 kB\nSwapTotal:  0 kB\n");
    // What containers mount: firmware, power readings, control groups.
    for at in ["/sys/firmware", "/sys/devices/virtual/powercap", "/sys/fs/cgroup", "/proc/kcore"] {
        tree.mount("0:9", at, "tmpfs", "none");
    }
    assert!(ask(&tree, "/data/old", &[]).unwrap_err().override_token.is_some());
}

//! Counters of the layers above and below block devices: network, NFS, ZFS, btrfs, Fibre Channel,
//! SCSI, interrupts, NUMA, the page cache. Texts of real kernels; torn and missing ones.

use iopath_machine::counters::{
    block_stat, btrfs, fc_hosts, interrupts, network, nfs, numa, scsi, virtual_memory, zfs,
};
use iopath_machine::{Root, file_systems};

use crate::tree::Tree;

const NET_DEV: &str = include_str!("../fixtures/net-dev-linux-6.18");
const MOUNTSTATS_10: &str = include_str!("../fixtures/mountstats-linux-3.10");
const MOUNTSTATS_11: &str = include_str!("../fixtures/mountstats-linux-6.1");
const INTERRUPTS: &str = include_str!("../fixtures/interrupts-linux-6.18");
const NUMASTAT: &str = include_str!("../fixtures/numastat-linux-6.18");
const VMSTAT: &str = include_str!("../fixtures/vmstat-linux-6.18");

#[test]
fn interfaces_are_read_also_where_the_name_touches_the_bytes() {
    let tree = Tree::new();
    let old = "  bond0:4294967301 7 1 2 3 4 5 6 700 8 9 10 11 12 13 14\n";
    tree.file("/proc/net/dev", format!("{NET_DEV}{old}"));
    let all = network::read(&tree.root()).unwrap();
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["lo", "ifb0", "ifb1", "eth0", "bond0"]);
    let bond = &all[4];
    assert_eq!((bond.received.bytes, bond.received.errors), (4_294_967_301, 1));
    assert_eq!((bond.sent.bytes, bond.sent.packets, bond.sent.errors), (700, 8, 9));
    assert!(all[3].received.bytes > all[3].sent.bytes);
}

#[test]
fn a_torn_line_of_an_interface_is_an_error() {
    let tree = Tree::new();
    for torn in ["  eth1: 1 2 3 4 5 6 7 8 9 10", "  eth1", "  eth1: x"] {
        tree.file("/proc/net/dev", format!("{NET_DEV}{torn}"));
        let error = network::read(&tree.root()).unwrap_err();
        assert!(error.to_string().contains("line 7 of"), "{error}");
    }
    assert!(network::read(&Root::at("/nonexistent")).unwrap_err().is_missing());
}

#[test]
fn nfs_mounts_are_read_with_both_versions_of_statistics() {
    let tree = Tree::new();
    tree.file("/proc/self/mountstats", [MOUNTSTATS_10, MOUNTSTATS_11].concat());
    let mounts = nfs::read(&tree.root()).unwrap();
    assert_eq!(mounts.len(), 2, "other file systems are none");
    let old = &mounts[0];
    assert_eq!(
        (old.export.as_str(), old.mount_point.to_str()),
        ("ifs10G.example.com:/ifs", Some("/ifs"))
    );
    let bytes = old.bytes.unwrap();
    assert_eq!(bytes.server_read, 1_268_384_471_881);
    let reads = old.reads.unwrap();
    assert_eq!((reads.operations, reads.timeouts), (38_707_793, 2));
    assert_eq!((reads.total_ns, reads.errors), (78_500_300_000_000, None));
    let new = &mounts[1];
    assert_eq!(new.mount_point.to_str(), Some("/mnt/my data"));
    assert_eq!(new.export, "192.168.1.10:/tank/my data");
    assert_eq!((new.reads.unwrap().errors, new.writes.unwrap().operations), (Some(1), 6));
}

#[test]
fn torn_statistics_of_nfs_are_an_error_and_not_a_mount_without_writes() {
    let tree = Tree::new();
    let at = MOUNTSTATS_11.find("WRITE:").unwrap();
    for torn in [&MOUNTSTATS_11[..at], &MOUNTSTATS_11[..at + 12], "device a mounted somewhere\n"] {
        tree.file("/proc/self/mountstats", torn);
        assert!(nfs::read(&tree.root()).is_err(), "{torn}");
    }
    let fresh = "device a:/b mounted on /c with fstype nfs4 statvers=1.1\n";
    tree.file("/proc/self/mountstats", fresh);
    let mounts = nfs::read(&tree.root()).unwrap();
    assert_eq!((mounts[0].bytes, mounts[0].reads), (None, None));
}

fn host(tree: &Tree, name: &str, values: &[(&str, &str)]) {
    let folder = format!("/sys/class/fc_host/{name}");
    tree.file(&format!("{folder}/port_name"), "0x10000090fa942779\n");
    for (file, value) in values {
        tree.file(&format!("{folder}/statistics/{file}"), format!("{value}\n"));
    }
}

#[test]
fn fibre_channel_hosts_count_words_and_say_what_they_do_not_keep() {
    let tree = Tree::new();
    let none = "0xffffffffffffffff";
    let words = [("rx_words", "0x3e8"), ("tx_words", "0x0"), ("fcp_output_megabytes", "0x3")];
    let others = [("invalid_crc_count", "0x2"), ("error_frames", none), ("lip_count", none)];
    host(&tree, "host5", &[words, others].concat());
    host(&tree, "host6", &[("rx_words", none), ("fcp_input_megabytes", "0x10")]);
    let hosts = fc_hosts::read(&tree.root()).unwrap();
    assert_eq!((hosts[0].received_bytes, hosts[0].sent_bytes), (Some(4_000), Some(3 << 20)));
    assert_eq!(hosts[0].errors, Some(2));
    assert_eq!(hosts[0].port_name.as_deref(), Some("0x10000090fa942779"));
    assert_eq!((hosts[1].received_bytes, hosts[1].sent_bytes), (Some(16 << 20), None));
    assert_eq!(hosts[1].errors, None);
    assert_eq!(fc_hosts::read(&Tree::new().root()).unwrap(), []);
    host(&tree, "host6", &[("rx_words", "3e8")]);
    assert!(fc_hosts::read(&tree.root()).unwrap_err().to_string().contains("host6"));
}

#[test]
fn hidden_paths_of_nvme_are_found_by_their_names() {
    let tree = Tree::new();
    for name in ["nvme0n1", "nvme0c0n1", "nvme0c1n1", "nvme10c2n3", "nbd0", "nvmexc1n1"] {
        std::fs::create_dir_all(tree.at(&format!("/sys/block/{name}"))).unwrap();
    }
    let stat = "  120 1 2048 33 7 2 512 9 1 40 42 0 0 0 0 0 0\n";
    tree.file("/sys/block/nvme0c1n1/stat", stat);
    let found = block_stat::hidden_paths(&tree.root()).unwrap();
    let names: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.whole.as_str())).collect();
    let expected = [("nvme0c0n1", "nvme0n1"), ("nvme0c1n1", "nvme0n1"), ("nvme10c2n3", "nvme10n3")];
    assert_eq!(names, expected);
    let counters = block_stat::read(&tree.root(), "nvme0c1n1").unwrap();
    assert_eq!((counters.read_bytes, counters.in_flight), (2048 * 512, 1));
    assert!(block_stat::read(&tree.root(), "nvme0c0n1").unwrap_err().is_missing());
    tree.file("/sys/block/nvme0c0n1/stat", "120 1 2048\n");
    assert!(!block_stat::read(&tree.root(), "nvme0c0n1").unwrap_err().is_missing());
}

#[test]
fn zfs_pools_are_read_as_a_whole_or_by_dataset() {
    let tree = Tree::new();
    let folder = "/proc/spl/kstat/zfs";
    tree.file(&format!("{folder}/tank/io"), include_str!("../fixtures/zfs-io-openzfs-0.6"));
    let objset = include_str!("../fixtures/zfs-objset-openzfs-2.1");
    tree.file(&format!("{folder}/rpool/objset-0x36"), objset);
    tree.file(&format!("{folder}/arcstats"), include_str!("../fixtures/zfs-arcstats-openzfs-2.1"));
    tree.file(&format!("{folder}/fm"), "7 1 0x01 1 0 0 0\nname type data\n");
    let root = tree.root();
    assert_eq!(zfs::pools(&root).unwrap(), ["rpool", "tank"]);
    let tank = zfs::read_pool(&root, "tank").unwrap().unwrap();
    assert_eq!((tank.read_bytes, tank.write_operations), (1_884_160, 978));
    assert_eq!(zfs::read_pool(&root, "rpool").unwrap(), None);
    let datasets = zfs::read_datasets(&root, "rpool").unwrap();
    assert_eq!(datasets[0].name, "rpool/ROOT/pve 1");
    assert_eq!(datasets[0].counters.read_bytes, 63_067_280_992);
    let arc = zfs::read_arc(&root).unwrap().unwrap();
    assert_eq!((arc.hits, arc.misses, arc.size_bytes), (123_456_789, 9_876_543, 16_777_211_111));
    assert_eq!(zfs::read_arc(&Tree::new().root()).unwrap(), None);
    let torn = &objset[..objset.find("nread").unwrap()];
    tree.file(&format!("{folder}/rpool/objset-0x36"), torn);
    let error = zfs::read_datasets(&root, "rpool").unwrap_err();
    assert!(error.to_string().contains("nread"), "{error}");
    tree.file(&format!("{folder}/tank/io"), "11 3 0x00 1\n");
    assert!(zfs::read_pool(&root, "tank").is_err());
}

#[test]
fn btrfs_tells_its_members_and_their_errors() {
    let tree = Tree::new();
    let folder = "/sys/fs/btrfs/0abb23a9-579b-43e6-ad30-227ef47fcb9d";
    std::fs::create_dir_all(tree.at("/sys/fs/btrfs/features")).unwrap();
    std::fs::create_dir_all(tree.at(&format!("{folder}/devices/loop25"))).unwrap();
    let found = file_systems::btrfs(&tree.root());
    assert_eq!((found.len(), found[0].members.as_slice()), (1, &["loop25".to_owned()][..]));
    let errors = || btrfs::errors(&tree.root(), &found[0].uuid);
    assert_eq!(errors().unwrap(), None);
    let stats = "write_errs 1\nread_errs 2\nflush_errs 3\ncorruption_errs 4\ngeneration_errs 5\n";
    tree.file(&format!("{folder}/devinfo/1/error_stats"), stats);
    assert_eq!(errors().unwrap(), Some(15));
    tree.file(&format!("{folder}/devinfo/1/error_stats"), "write_errs 1\nread_er");
    assert!(errors().is_err());
}

#[test]
fn nodes_are_read_by_number() {
    let tree = Tree::new();
    for index in [10, 2] {
        let file = format!("/sys/devices/system/node/node{index}/numastat");
        tree.file(&file, NUMASTAT.replace("numa_miss 0", &format!("numa_miss {index}")));
    }
    tree.file("/sys/devices/system/node/online", "2,10\n");
    assert_eq!(numa::nodes(&tree.root()).unwrap(), [2, 10]);
    let node = numa::read_node(&tree.root(), 2).unwrap();
    assert!(node.local > 0 && node.remote == 0);
    assert_eq!(numa::nodes(&Tree::new().root()).unwrap(), [0_u32; 0]);
    tree.file("/sys/devices/system/node/node2/numastat", "numa_hit 1\nnuma_mi");
    assert!(numa::read_node(&tree.root(), 2).is_err());
}

#[test]
fn virtual_memory_tells_what_it_has_and_leaves_the_rest_open() {
    let tree = Tree::new();
    tree.file("/proc/vmstat", VMSTAT);
    let found = virtual_memory::read(&tree.root()).unwrap();
    let count = |name: &str| {
        let line = VMSTAT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(found.read_bytes, Some(count("pgpgin") * 1024));
    assert_eq!(found.write_bytes, Some(count("pgpgout") * 1024));
    tree.file("/proc/vmstat", "pgpgin 10\n");
    let old = virtual_memory::read(&tree.root()).unwrap();
    assert_eq!((old.read_bytes, old.write_bytes), (Some(10_240), None));
    tree.file("/proc/vmstat", "pgpgin 10\npgpg");
    assert!(virtual_memory::read(&tree.root()).is_err());
}

#[test]
fn interrupts_of_devices_are_those_with_a_number() {
    let tree = Tree::new();
    let text = "  CPU0 CPU2\n  8: 5 7 rtc0\n 24: 10 0 nvme0q1\nLOC: 900 900 timers\nERR: 3\n";
    tree.file("/proc/interrupts", text);
    let found = interrupts::of_devices(&tree.root()).unwrap();
    assert_eq!((found.each, found.text_bytes), (vec![(0, 15), (2, 7)], text.len()));
    let found = interrupts::read(&tree.root()).unwrap();
    assert_eq!(found, [(8, 12), (24, 10)].into());
    tree.file("/proc/interrupts", INTERRUPTS);
    let real = interrupts::of_devices(&tree.root()).unwrap();
    let processors: Vec<u32> = real.each.iter().map(|(cpu, _)| *cpu).collect();
    assert_eq!(processors, [0, 1]);
    tree.file("/proc/interrupts", "  CPU0 CPU2\n  8: 5");
    assert!(interrupts::read(&tree.root()).is_err(), "torn");
    tree.file("/proc/interrupts", "");
    assert!(interrupts::read(&tree.root()).is_err(), "empty");
}

#[test]
fn errors_of_scsi_are_found_by_the_block_device() {
    let tree = Tree::new();
    assert_eq!(scsi::read_errors(&tree.root(), "nvme0n1").unwrap(), None);
    tree.file("/sys/block/sda/device/ioerr_cnt", "0x1f\n");
    let found = scsi::read_errors(&tree.root(), "sda").unwrap().unwrap();
    assert_eq!((found.failed, found.timed_out), (31, None));
    tree.file("/sys/block/sda/device/iotmo_cnt", "0x2\n");
    assert_eq!(scsi::read_errors(&tree.root(), "sda").unwrap().unwrap().timed_out, Some(2));
    tree.file("/sys/block/sda/device/ioerr_cnt", "0x");
    assert!(scsi::read_errors(&tree.root(), "sda").is_err(), "torn");
}

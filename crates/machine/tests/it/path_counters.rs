//! Counters of the layers above and below block devices: network, NFS, ZFS, btrfs, Fibre Channel,
//! SCSI, interrupts, NUMA, the page cache. Texts of real kernels; torn and missing ones.

use iopath_machine::Root;
use iopath_machine::counters::{
    block_stat, btrfs, fc_hosts, interrupts, network, nfs, numa, process, scsi, virtual_memory, zfs,
};

use crate::tree::Tree;

const NET_DEV: &str = include_str!("../fixtures/net-dev-linux-6.18");
const MOUNTSTATS_10: &str = include_str!("../fixtures/mountstats-linux-3.10");
const MOUNTSTATS_11: &str = include_str!("../fixtures/mountstats-linux-6.1");
const INTERRUPTS: &str = include_str!("../fixtures/interrupts-linux-6.18");
const SOFTIRQS: &str = include_str!("../fixtures/softirqs-linux-6.18");
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
    assert_eq!((bond.received.bytes, bond.received.others), (4_294_967_301, 6));
    let sent = bond.sent;
    assert_eq!((sent.bytes, sent.frame_errors, sent.others, sent.compressed), (700, 12, 13, 14));
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
    assert_eq!((bytes.normal_read, bytes.server_read), (4_886_067_767_364, 1_268_384_471_881));
    let reads = old.reads.unwrap();
    assert_eq!(
        (reads.operations, reads.transmissions, reads.timeouts),
        (38_707_793, 38_707_800, 2)
    );
    assert_eq!((reads.total_ns, reads.errors), (78_500_300_000_000, None));
    let new = &mounts[1];
    assert_eq!(new.mount_point.to_str(), Some("/mnt/my data"));
    assert_eq!(new.export, "192.168.1.10:/tank/my data");
    let reads = new.reads.unwrap();
    assert_eq!((reads.queue_ns, reads.response_ns), (12_000_000, 40_011_000_000));
    assert_eq!((reads.errors, new.writes.unwrap().operations), (Some(1), 6));
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
    tree.file(&format!("{folder}/speed"), "16 Gbit\n");
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
    assert_eq!((hosts[0].error_frames, hosts[0].errors()), (None, Some(2)));
    assert_eq!(hosts[0].speed.as_deref(), Some("16 Gbit"));
    assert_eq!((hosts[1].received_bytes, hosts[1].sent_bytes), (Some(16 << 20), None));
    assert_eq!(hosts[1].errors(), None);
    assert_eq!(fc_hosts::read(&Tree::new().root()).unwrap(), []);
    host(&tree, "host6", &[("rx_words", "3e8")]);
    assert!(fc_hosts::read(&tree.root()).unwrap_err().to_string().contains("host6"));
}

#[test]
fn scsi_devices_tell_of_each_path_and_old_kernels_lack_timeouts() {
    let tree = Tree::new();
    let folder = "/sys/class/scsi_device/2:0:1:3/device";
    for (file, value) in [("iorequest_cnt", "0x1f4"), ("iodone_cnt", "0x1f0"), ("ioerr_cnt", "0x2")]
    {
        tree.file(&format!("{folder}/{file}"), format!("{value}\n"));
    }
    tree.file(&format!("{folder}/state"), "running\n");
    std::fs::create_dir_all(tree.at(&format!("{folder}/block/sdc"))).unwrap();
    let found = scsi::read(&tree.root()).unwrap();
    assert_eq!((found[0].requested, found[0].done, found[0].failed), (500, 496, 2));
    assert_eq!((found[0].block.as_deref(), found[0].timed_out), (Some("sdc"), None));
    tree.file(&format!("{folder}/iotmo_cnt"), "0x7\n");
    assert_eq!(scsi::read(&tree.root()).unwrap()[0].timed_out, Some(7));
    // A device whose files went away between listing and reading is no error.
    std::fs::remove_file(tree.at(&format!("{folder}/iodone_cnt"))).unwrap();
    assert_eq!(scsi::read(&tree.root()).unwrap(), []);
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
fn btrfs_tells_room_and_errors_by_member() {
    let tree = Tree::new();
    let folder = "/sys/fs/btrfs/0abb23a9-579b-43e6-ad30-227ef47fcb9d";
    std::fs::create_dir_all(tree.at("/sys/fs/btrfs/features")).unwrap();
    std::fs::create_dir_all(tree.at(&format!("{folder}/devices/loop25"))).unwrap();
    for (kind, total, used) in [("data", 644_087_808_u64, 520_192_u64), ("metadata", 1 << 28, 4096)]
    {
        tree.file(&format!("{folder}/allocation/{kind}/total_bytes"), format!("{total}\n"));
        tree.file(&format!("{folder}/allocation/{kind}/bytes_used"), format!("{used}\n"));
    }
    let found = btrfs::read(&tree.root()).unwrap();
    assert_eq!((found[0].data.total_bytes, found[0].metadata.used_bytes), (644_087_808, 4096));
    assert_eq!(
        (found[0].members.as_slice(), found[0].errors.len()),
        (&["loop25".to_owned()][..], 0)
    );
    let errors = "write_errs 1\nread_errs 2\nflush_errs 3\ncorruption_errs 4\ngeneration_errs 5\n";
    tree.file(&format!("{folder}/devinfo/1/error_stats"), errors);
    let errors = &btrfs::read(&tree.root()).unwrap()[0].errors[0];
    assert_eq!((errors.id, errors.write, errors.generation), (1, 1, 5));
    tree.file(&format!("{folder}/devinfo/1/error_stats"), "write_errs 1\nread_er");
    assert!(btrfs::read(&tree.root()).is_err());
}

#[test]
fn interrupts_are_read_by_processor_and_source() {
    let tree = Tree::new();
    tree.file("/proc/interrupts", INTERRUPTS);
    let found = interrupts::read(&tree.root()).unwrap();
    assert_eq!(found.processors, [0, 1]);
    let of = |name: &str| found.each.iter().find(|one| one.name == name).unwrap();
    assert_eq!((of("26").total(), of("26").source.as_str()), (13, "IO-APIC 4-edge ttyS0"));
    assert_eq!((of("ERR").counts.as_slice(), of("ERR").source.as_str()), (&[0][..], ""));
    // Processor 1 of three is offline: it has no column.
    tree.file("/proc/interrupts", "  CPU0 CPU2\n  8: 5 7 rtc0\n  9: 5\n");
    let found = interrupts::read(&tree.root()).unwrap();
    assert_eq!((found.processors, found.each[0].total()), (vec![0, 2], 12));
    tree.file("/proc/interrupts", "  CPU0 CPU1 CPU2\n  8: 5 7\n");
    assert!(interrupts::read(&tree.root()).is_err(), "torn");
    tree.file("/proc/interrupts", "");
    assert!(interrupts::read(&tree.root()).is_err());
}

#[test]
fn software_interrupts_have_no_words() {
    let tree = Tree::new();
    tree.file("/proc/softirqs", SOFTIRQS);
    let found = interrupts::read_soft(&tree.root()).unwrap();
    let block = found.each.iter().find(|one| one.name == "BLOCK").unwrap();
    assert_eq!((block.total(), block.source.as_str()), (2_641_560 + 6_369_022, ""));
}

#[test]
fn nodes_are_read_by_number() {
    let tree = Tree::new();
    for index in [10, 2] {
        let file = format!("/sys/devices/system/node/node{index}/numastat");
        tree.file(&file, NUMASTAT.replace("numa_miss 0", &format!("numa_miss {index}")));
    }
    tree.file("/sys/devices/system/node/online", "2,10\n");
    let nodes = numa::read(&tree.root()).unwrap();
    assert_eq!((nodes[0].index, nodes[0].misses, nodes[1].index), (2, 2, 10));
    assert!(nodes[0].hits > 0 && nodes[0].local == nodes[0].hits);
    assert_eq!(numa::read(&Tree::new().root()).unwrap(), []);
    tree.file("/sys/devices/system/node/node2/numastat", "numa_hit 1\nnuma_mi");
    assert!(numa::read(&tree.root()).is_err());
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
    let page = rustix::param::page_size() as u64;
    assert_eq!(found.dirty_threshold_bytes, Some(count("nr_dirty_threshold") * page));
    assert_eq!(found.refaulted_bytes, Some(count("workingset_refault_file") * page));
    // Linux 4.18 has one counter of refaults.
    tree.file("/proc/vmstat", "pgpgin 10\nworkingset_refault 3\n");
    let old = virtual_memory::read(&tree.root()).unwrap();
    assert_eq!((old.read_bytes, old.write_bytes), (Some(10_240), None));
    assert_eq!(old.refaulted_bytes, Some(3 * page));
    tree.file("/proc/vmstat", "pgpgin 10\npgpg");
    assert!(virtual_memory::read(&tree.root()).is_err());
}

#[test]
fn another_process_is_read_by_number_and_one_that_has_ended_is_missing() {
    let tree = Tree::new();
    let io = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\n\
              cancelled_write_bytes: 0\n";
    tree.file("/proc/77/io", io);
    let found = process::read_io_of(&tree.root(), 77).unwrap().unwrap();
    assert_eq!((found.read_bytes, found.write_bytes), (4096, 8192));
    assert_eq!(process::read_io_of(&tree.root(), 78).unwrap(), None);
    assert!(process::read_of(&tree.root(), 77).unwrap_err().is_missing());
    let own = process::read_of(&Root::live(), std::process::id()).unwrap();
    assert!(own.threads >= 1 && own.resident_bytes > 0);
}

#[test]
fn interrupts_of_devices_are_those_with_a_number() {
    let tree = Tree::new();
    let text = "  CPU0 CPU2\n  8: 5 7 rtc0\n 24: 10 0 nvme0q1\nLOC: 900 900 timers\nERR: 3\n";
    tree.file("/proc/interrupts", text);
    let found = interrupts::of_devices(&tree.root()).unwrap();
    assert_eq!((found.each, found.text_bytes), (vec![(0, 15), (2, 7)], text.len()));
    tree.file("/proc/interrupts", "  CPU0 CPU2\n  8: 5");
    assert!(interrupts::of_devices(&tree.root()).is_err(), "torn");
    tree.file("/proc/interrupts", "");
    assert!(interrupts::of_devices(&tree.root()).is_err(), "empty");
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

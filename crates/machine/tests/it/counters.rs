//! Kernel texts of several versions, good and malformed.

use iopath_machine::counters::disk_sampler::DiskSampler;
use iopath_machine::counters::diskstats::{self, DeviceNumber};
use iopath_machine::counters::pressure::Resource;
use iopath_machine::counters::tasks::TaskKind;
use iopath_machine::counters::{
    memory, memory_map, pressure, process, processors, tasks, throttling,
};
use iopath_machine::{Devices, ReadError, Root, environment, mounts, swaps};

use crate::tree::Tree;

// Linux 4.9, RHEL 7 style: 11 values.
const DISKSTATS_11: &str = include_str!("../fixtures/diskstats-linux-4.9");
// Linux 4.19: 15 values.
const DISKSTATS_15: &str = include_str!("../fixtures/diskstats-linux-4.19");
// Linux 6.18: 17 values.
const DISKSTATS_17: &str = include_str!("../fixtures/diskstats-linux-6.18");

fn is_malformed_at(error: &ReadError, line: usize) -> bool {
    matches!(error, ReadError::Malformed { line_number, .. } if *line_number == line)
}

#[test]
fn diskstats_keeps_every_column_of_every_kernel() {
    let tree = Tree::new();
    tree.file("/proc/diskstats", [DISKSTATS_11, DISKSTATS_15, DISKSTATS_17].concat());
    let disks = diskstats::read(&tree.root()).unwrap();
    assert_eq!(disks.len(), 4);
    let sda = &disks[0];
    assert_eq!((sda.name.as_str(), sda.number.to_string().as_str()), ("sda", "8:0"));
    assert_eq!(sda.counters.read_bytes, 4_513_570 * 512);
    assert_eq!(sda.counters.write_ns, 923_341 * 1_000_000);
    assert_eq!((sda.counters.in_flight, sda.counters.busy_ns), (3, 206_453_000_000));
    assert_eq!(sda.counters.weighted_ns, 983_522_000_000);
    assert_eq!((sda.counters.discard, sda.counters.flush), (None, None));
    let nvme = disks[2].counters.discard.unwrap();
    assert_eq!((nvme.operations, nvme.merges, nvme.bytes, nvme.ns), (12, 13, 7168, 15_000_000));
    let flush = disks[3].counters.flush.unwrap();
    assert_eq!((flush.operations, flush.ns), (1164, 62_000_000));
}

#[test]
fn a_torn_diskstats_line_is_an_error_that_names_it() {
    let tree = Tree::new();
    for torn in ["   8       0 sda 97823 1204", "   8       0", "sda 1 2 3", "   8       0 sda x"] {
        tree.file("/proc/diskstats", format!("{DISKSTATS_17}{torn}\n"));
        let error = diskstats::read(&tree.root()).unwrap_err();
        assert!(is_malformed_at(&error, 2), "{torn}: {error}");
        let wanted = [DeviceNumber { major: 8, minor: 0 }];
        let mut sampler = DiskSampler::open(&tree.root(), &wanted).unwrap();
        assert!(is_malformed_at(&sampler.sample().unwrap_err(), 2), "{torn}");
    }
}

#[test]
fn a_missing_diskstats_is_reported_as_missing() {
    let tree = Tree::new();
    assert!(diskstats::read(&tree.root()).unwrap_err().is_missing());
    assert!(DiskSampler::open(&tree.root(), &[]).unwrap_err().is_missing());
}

#[test]
fn the_sampler_agrees_with_the_plain_reader_while_devices_come_and_go() {
    let tree = Tree::new();
    let line =
        |n: u32, v: u32| format!(" 8 {n} sd{n} {v} 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n");
    let wanted: Vec<_> = [700, 3, 9999].map(|minor| DeviceNumber { major: 8, minor }).to_vec();
    tree.file("/proc/diskstats", line(0, 0));
    let mut sampler = DiskSampler::open(&tree.root(), &wanted).unwrap();
    for (first, last, step) in [(0, 1000, 1), (0, 1000, 1), (1, 1000, 2), (0, 5, 1), (0, 0, 1)] {
        let text: String = (first..last).step_by(step).map(|n| line(n, n + last)).collect();
        // Rewritten in place: the sampler holds the file open, as it holds the kernel's.
        std::fs::write(tree.at("/proc/diskstats"), text).unwrap();
        let plain = diskstats::read(&tree.root()).unwrap();
        let expected: Vec<_> = wanted
            .iter()
            .map(|n| plain.iter().find(|disk| disk.number == *n).map(|disk| disk.counters))
            .collect();
        assert_eq!(sampler.sample().unwrap(), expected, "{first}..{last}");
    }
}

/// A device with one read, and others as given: times in milliseconds.
fn one_disk(reads: u64, read_ms: u64, busy_ms: u64) -> String {
    format!("   8       0 sda {reads} 0 8 {read_ms} 1 0 8 7 0 {busy_ms} {busy_ms} 0 0 0 0 0 0\n")
}

#[test]
fn a_time_that_wraps_goes_on_and_a_device_made_anew_starts_again() {
    let tree = Tree::new();
    tree.file("/proc/diskstats", one_disk(10, 4_294_967_290, 5));
    let number = DeviceNumber { major: 8, minor: 0 };
    let mut sampler = DiskSampler::open(&tree.root(), &[number]).unwrap();
    let mut after = |text: String| {
        std::fs::write(tree.at("/proc/diskstats"), text).unwrap();
        let found = sampler.sample().unwrap()[0];
        found.map(|counters| (counters.read_ns / 1_000_000, counters.busy_ns / 1_000_000))
    };
    assert_eq!(after(one_disk(10, 4_294_967_290, 5)), Some((4_294_967_290, 5)));
    assert_eq!(after(one_disk(11, 4, 9)), Some((4_294_967_300, 9)), "10 ms later");
    assert_eq!(after(one_disk(12, 5, 4)), Some((4_294_967_301, 4_294_967_300)));
    assert_eq!(after(one_disk(1, 3, 2)), Some((3, 2)), "another device of that number");
    assert_eq!(after(String::new()), None);
    assert_eq!(after(one_disk(1, 2, 1)), Some((2, 1)), "it came back");
}

#[test]
fn the_sampler_tells_when_the_devices_are_others() {
    let tree = Tree::new();
    let line = |n: u32| format!(" 8 {n} sd{n} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n");
    tree.file("/proc/diskstats", line(0));
    let mut sampler = DiskSampler::open(&tree.root(), &[]).unwrap();
    let mut changes = |text: String| {
        std::fs::write(tree.at("/proc/diskstats"), text).unwrap();
        let before = sampler.changes();
        sampler.sample().unwrap();
        sampler.changes() - before
    };
    assert_eq!(changes(line(0) + &line(1)), 2, "both are new");
    assert_eq!(changes(line(0) + &line(1)), 0);
    assert!(changes(line(0) + &line(1) + &line(2)) > 0);
    assert!(changes(line(0)) > 0);
    assert_eq!(changes(line(0)), 0);
}

const STAT: &str = include_str!("../fixtures/stat-linux-6.18");

#[test]
fn processor_times_are_read_for_all_and_for_each_online_processor() {
    let tree = Tree::new();
    tree.file("/proc/stat", STAT);
    let stat = processors::read(&tree.root()).unwrap();
    let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
    assert_eq!(stat.total.user_ns, 100 * tick);
    assert_eq!((stat.total.softirq_ns, stat.total.steal_ns), (4 * tick, 5 * tick));
    let online: Vec<u32> = stat.each.iter().map(|processor| processor.index).collect();
    assert_eq!(online, [0, 2], "processor 1 is offline");
    assert_eq!(stat.each[1].times.idle_ns, 5000 * tick);
}

#[test]
fn a_stat_without_its_lines_is_an_error() {
    let tree = Tree::new();
    for (text, line) in [(STAT.replace("cpu ", "cpx "), 0), (STAT.replace("cpu2 40", "cpu2 ?"), 3)]
    {
        tree.file("/proc/stat", text);
        let error = processors::read(&tree.root()).unwrap_err();
        assert!(is_malformed_at(&error, line), "{error}");
    }
}

const MEMINFO: &str = include_str!("../fixtures/meminfo-linux-6.18");

#[test]
fn memory_is_read_in_bytes_and_old_kernels_lack_some() {
    let tree = Tree::new();
    tree.file("/proc/meminfo", MEMINFO);
    let memory = memory::read(&tree.root()).unwrap();
    assert_eq!(memory.total_bytes, 49_368_172 * 1024);
    assert_eq!((memory.dirty_bytes, memory.writeback_bytes), (300 * 1024, 40 * 1024));
    let pages = memory.huge_pages.unwrap();
    assert_eq!((pages.free_count, pages.page_bytes), (6, 2 << 20));
    let old: String = MEMINFO
        .lines()
        .filter(|line| !line.contains("Huge") && !line.contains("Available"))
        .map(|line| format!("{line}\n"))
        .collect();
    tree.file("/proc/meminfo", old);
    let memory = memory::read(&tree.root()).unwrap();
    assert_eq!((memory.available_bytes, memory.huge_pages), (None, None));
    tree.file("/proc/meminfo", "MemTotal: many kB\n");
    assert!(is_malformed_at(&memory::read(&tree.root()).unwrap_err(), 1));
}

// Linux 6.1: a transparent huge mapping, a hugetlb mapping, and an ordinary one.
const SMAPS: &str = include_str!("../fixtures/smaps-linux-6.1");

#[test]
fn huge_pages_of_a_range_are_counted_at_most_up_to_the_overlap() {
    let tree = Tree::new();
    tree.file("/proc/self/smaps", SMAPS);
    let backing =
        |address, length| memory_map::huge_bytes_of(&tree.root(), address, length).unwrap();
    let whole = backing(0x7f00_0000_0000, 8 << 20);
    assert_eq!((whole.mapped_bytes, whole.huge_bytes()), (8 << 20, 6 << 20));
    let part = backing(0x7f00_0000_0000, 1 << 20);
    assert_eq!((part.mapped_bytes, part.transparent_bytes), (1 << 20, 1 << 20));
    let reserved = backing(0x7f10_0000_0000, 4 << 20);
    assert_eq!((reserved.transparent_bytes, reserved.reserved_bytes), (0, 4 << 20));
    assert_eq!(backing(0x7f20_0000_0000, 4096).huge_bytes(), 0);
    assert_eq!(backing(0x1000, 4096).mapped_bytes, 0);
}

// Names with blanks and parentheses must not shift the fields.
const SELF_STAT: &str = include_str!("../fixtures/self-stat-awkward-name");

#[test]
fn the_process_is_read_past_an_awkward_name() {
    let tree = Tree::new();
    tree.file("/proc/self/stat", SELF_STAT);
    let page = rustix::param::page_size() as u64;
    assert_eq!(process::resident_bytes(&tree.root()).unwrap(), 512 * page);
    assert_eq!(process::read_io(&tree.root()).unwrap(), None);
    tree.file("/proc/self/stat", "4242 io path S 1");
    assert!(is_malformed_at(&process::resident_bytes(&tree.root()).unwrap_err(), 1));
    tree.file("/proc/self/io", "rchar: 1\nwchar: 2\nread_bytes: 4096\nwrite_bytes: 8192\n");
    let io = process::read_io(&tree.root()).unwrap().unwrap();
    assert_eq!((io.read_bytes, io.write_bytes), (4096, 8192));
}

#[test]
fn ring_workers_are_told_apart_from_the_programs_own_threads() {
    let tree = Tree::new();
    for (id, name) in [(10, "iopath"), (11, "iou-wrk-10"), (12, "iou-sqp-10")] {
        let folder = format!("/proc/self/task/{id}");
        tree.file(&format!("{folder}/stat"), SELF_STAT.replace("io path) x", name));
        tree.file(&format!("{folder}/schedstat"), format!("{id}000 5 6\n"));
    }
    // A thread that ended between listing and reading leaves an empty folder.
    std::fs::create_dir_all(tree.at("/proc/self/task/13")).unwrap();
    let tasks = tasks::read(&tree.root()).unwrap();
    let seen: Vec<_> =
        tasks.iter().map(|task| (task.id, task.kind, task.run_ns, task.wait_ns)).collect();
    assert_eq!(
        seen,
        [
            (10, TaskKind::Own, Some(10_000), Some(5)),
            (11, TaskKind::RingWorker, Some(11_000), Some(5)),
            (12, TaskKind::RingPoller, Some(12_000), Some(5)),
        ]
    );
}

#[test]
fn pressure_is_read_where_the_kernel_keeps_it() {
    let tree = Tree::new();
    assert_eq!(pressure::stalled_ns(&tree.root(), Resource::Io).unwrap(), None);
    tree.file(
        "/proc/pressure/io",
        "some avg10=0.00 avg60=0.12 avg300=0.03 total=1234\n\
         full avg10=0.00 avg60=0.10 avg300=0.02 total=1000\n",
    );
    tree.file("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
    let stalled = |resource| pressure::stalled_ns(&tree.root(), resource);
    assert_eq!(stalled(Resource::Io).unwrap(), Some(1_234_000));
    assert_eq!(stalled(Resource::Processor).unwrap(), Some(5_000));
    tree.file("/proc/pressure/memory", "some avg10=0.00\n");
    assert!(stalled(Resource::Memory).is_err());
}

#[test]
fn throttling_follows_the_group_to_its_mount() {
    let tree = Tree::new();
    assert_eq!(throttling::throttled_ns(&tree.root()).unwrap(), None);
    tree.file("/proc/self/cgroup", "3:cpu:/x\n0::/user.slice/job\n");
    tree.mount("0:30", "/sys/fs/cgroup/unified", "cgroup2", "cgroup2");
    tree.file(
        "/sys/fs/cgroup/unified/user.slice/job/cpu.stat",
        "usage_usec 5\nnr_periods 9\nnr_throttled 4\nthrottled_usec 77\n",
    );
    assert_eq!(throttling::throttled_ns(&tree.root()).unwrap(), Some(77_000));
}

#[test]
fn mounts_keep_blanks_in_names_and_know_read_only() {
    let tree = Tree::new();
    tree.file(
        "/proc/self/mountinfo",
        "36 35 98:0 /mnt1 /mnt/my\\040disk rw,noatime master:1 \
         propagate_from:2 - ext3 \
         /dev/my\\040root rw,errors=continue\n\
         37 35 0:45 / /ro ro shared:7 - btrfs /dev/sdb rw,subvol=/\n",
    );
    let mounts = mounts::read(&tree.root()).unwrap();
    assert_eq!(mounts[0].mount_point.to_str(), Some("/mnt/my disk"));
    assert_eq!((mounts[0].id, mounts[0].number.to_string()), (36, "98:0".to_owned()));
    assert_eq!(mounts[0].source.to_str(), Some("/dev/my root"));
    assert_eq!((mounts[0].read_only, mounts[1].read_only), (false, true));
    for bad in ["36 35 98:0 / /mnt rw - ext3\n", "36 35 980 / /mnt rw - ext3 a rw\n", "36\n"] {
        tree.file("/proc/self/mountinfo", bad);
        assert!(is_malformed_at(&mounts::read(&tree.root()).unwrap_err(), 1), "{bad}");
    }
}

#[test]
fn swaps_are_devices_and_files() {
    let tree = Tree::new();
    tree.append(
        "/proc/swaps",
        "/dev/dm-1                               partition\t8388604\t\t12\t\t-2\n\
         /swap\\040file                            file\t\t1024\t\t0\t\t-3\n",
    );
    let swaps = swaps::read(&tree.root()).unwrap();
    assert_eq!((swaps[0].is_file, swaps[0].bytes), (false, 8_388_604 * 1024));
    assert_eq!((swaps[1].is_file, swaps[1].path.to_str()), (true, Some("/swap file")));
}

#[test]
fn the_environment_says_what_it_could_not_read() {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    tree.file("/proc/sys/kernel/osrelease", "6.12.48+deb13-amd64\n");
    tree.file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: A CPU\nprocessor\t: 1\n");
    tree.file("/sys/block/sda/queue/scheduler", "none [mq-deadline] kyber\n");
    tree.file("/sys/block/sda/device/model", "WDC WD40EFRX    \n");
    let environment = environment::read(&tree.root());
    assert_eq!(environment.facts["kernel.release"], "6.12.48+deb13-amd64");
    assert_eq!(
        (&*environment.facts["cpu.model"], &*environment.facts["cpu.count"]),
        ("A CPU", "2")
    );
    assert!(environment.unreadable.iter().any(|name| name == "clock.source"));
    let devices = Devices::read(&tree.root()).unwrap();
    let disk = environment::read_device(&tree.root(), &devices, "sda");
    assert_eq!(disk.facts["scheduler"], "mq-deadline");
    assert_eq!(disk.facts["model"], "WDC WD40EFRX");
    assert!(disk.unreadable.contains(&"serial".to_owned()));
}

#[test]
fn this_machine_can_be_read() {
    let root = Root::live();
    let disks = diskstats::read(&root).unwrap();
    let numbers: Vec<_> = disks.iter().map(|disk| disk.number).collect();
    let mut sampler = DiskSampler::open(&root, &numbers).unwrap();
    for _ in 0..3 {
        let samples = sampler.sample().unwrap();
        for (disk, sample) in disks.iter().zip(samples) {
            assert!(sample.unwrap().read_bytes >= disk.counters.read_bytes, "{}", disk.name);
        }
    }
    let stat = processors::read(&root).unwrap();
    assert!(!stat.each.is_empty() && stat.total.idle_ns > 0);
    let memory = memory::read(&root).unwrap();
    assert!(memory.total_bytes > memory.cached_bytes);
    let tasks = tasks::read(&root).unwrap();
    assert!(process::resident_bytes(&root).unwrap() > 0 && !tasks.is_empty());
    assert!(!mounts::read(&root).unwrap().is_empty());
    swaps::read(&root).unwrap();
    Devices::read(&root).unwrap();
    let buffer = vec![1_u8; 1 << 20];
    let backing = memory_map::huge_bytes_of(&root, buffer.as_ptr() as u64, 1 << 20).unwrap();
    assert_eq!(backing.mapped_bytes, 1 << 20);
    assert!(environment::read(&root).facts.contains_key("kernel.release"));
}

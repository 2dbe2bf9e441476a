//! Limits of control groups, as both versions write them.

use iopath_machine::counters::diskstats::DeviceNumber;
use iopath_machine::group_limits::{self, Direction, Measure};

use crate::tree::Tree;

const MOUNTS: &str = "22 1 254:0 / / rw - ext4 /dev/root rw\n\
    30 22 0:27 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
    31 22 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

/// Of each limit what it is for, how much, and the directory of its file.
fn told(tree: &Tree) -> Vec<(DeviceNumber, Direction, Measure, u64, String)> {
    let found = group_limits::read(&tree.root()).unwrap();
    let one = found.into_iter().map(|one| {
        let directory = one.file.parent().unwrap().display().to_string();
        (one.device, one.direction, one.measure, one.per_sec, directory)
    });
    one.collect()
}

#[test]
fn version_1_holds_a_group_to_its_own_limits() {
    let tree = Tree::new();
    assert_eq!(told(&tree), []);
    tree.file("/proc/self/mountinfo", MOUNTS);
    tree.file("/proc/self/cgroup", "7:blkio:/jobs/db\n4:memory:/x\n");
    let file = |group: &str, name: &str, text: &str| {
        tree.file(&format!("/sys/fs/cgroup/blkio{group}/blkio.throttle.{name}_device"), text);
    };
    file("/jobs", "read_bps", "7:0 1000\n");
    file("/jobs/db", "read_bps", "7:0 20971520\n8:16 5\n");
    file("/jobs/db", "write_iops", "7:0 300\n");
    let (loop0, sdb) = (DeviceNumber { major: 7, minor: 0 }, DeviceNumber { major: 8, minor: 16 });
    let own = || "/sys/fs/cgroup/blkio/jobs/db".to_owned();
    let wanted = [
        (loop0, Direction::Read, Measure::Bytes, 20_971_520, own()),
        (sdb, Direction::Read, Measure::Bytes, 5, own()),
        (loop0, Direction::Write, Measure::Operations, 300, own()),
    ];
    assert_eq!(told(&tree), wanted);
}

#[test]
fn version_2_holds_a_group_to_the_limits_of_those_above_it_too() {
    let tree = Tree::new();
    tree.file("/proc/self/mountinfo", MOUNTS);
    tree.file("/proc/self/cgroup", "0::/a/b\n");
    let base = "/sys/fs/cgroup/unified";
    tree.file(&format!("{base}/a/io.max"), "259:0 rbps=max wbps=1048576 riops=max wiops=max\n");
    tree.file(&format!("{base}/a/b/io.max"), "259:0 rbps=2097152 wbps=max riops=90 wiops=max\n");
    let nvme = DeviceNumber { major: 259, minor: 0 };
    let wanted = [
        (nvme, Direction::Read, Measure::Bytes, 2_097_152, format!("{base}/a/b")),
        (nvme, Direction::Read, Measure::Operations, 90, format!("{base}/a/b")),
        (nvme, Direction::Write, Measure::Bytes, 1_048_576, format!("{base}/a")),
    ];
    assert_eq!(told(&tree), wanted);
}

#[test]
fn what_is_no_limit_says_where() {
    let tree = Tree::new();
    tree.file("/proc/self/mountinfo", MOUNTS);
    tree.file("/proc/self/cgroup", "0::/\n");
    tree.file("/sys/fs/cgroup/unified/io.max", "259:0 rbps=much\n");
    let error = group_limits::read(&tree.root()).unwrap_err().to_string();
    assert!(error.contains("io.max") && error.contains("rbps=much"), "{error}");
}

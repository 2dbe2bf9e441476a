//! What is sampled below volumes of the kernel, over the files of an imitated machine.

use std::fs;

use iopath_machine::{Devices, Root};
use iopath_record::{Counter, Layer};

use super::*;
use crate::sampler::{Columns, Plan, Sources};
use crate::system_sources::{Ground, Scope, SystemSources};

struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn root(&self) -> Root {
        Root::at(self.0.path())
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.root().path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn device(&self, name: &str, number: &str, slaves: &[&str]) {
        let folder = format!("/sys/block/{name}");
        self.file(&format!("{folder}/dev"), number);
        self.file(&format!("{folder}/size"), "2048");
        self.file(&format!("{folder}/ro"), "0");
        for slave in slaves {
            self.file(&format!("{folder}/slaves/{slave}"), "");
            self.file(&format!("/sys/block/{slave}/holders/{name}"), "");
        }
    }

    /// Each device has read so many requests of 4 KiB, and been busy a ms for each.
    fn count(&self, all: &[(&str, &str, u64)]) {
        let line = |(name, number, n): &(&str, &str, u64)| {
            let number = number.replace(':', " ");
            format!("{number} {name} {}\n", columns(*n))
        };
        self.file("/proc/diskstats", &all.iter().map(line).collect::<String>());
    }
}

fn columns(n: u64) -> String {
    format!("{n} 0 {} {n} 0 0 0 0 0 {n} {n} 0 0 0 0 0 0", 8 * n)
}

/// Entities and relations of what lies on a device, in words.
fn below(machine: &Machine, name: &str) -> (Table, Vec<String>) {
    let root = machine.root();
    let devices = Devices::read(&root).unwrap();
    let mut paths = Paths::new(Stack::read(&root, &devices));
    let mut table = Table::default();
    let device = paths.stack.counted(name).unwrap();
    paths.add_device(&mut table, device, None);
    let name = |id: &EntityId| {
        let entity = &table.entities[id.0 as usize];
        format!("{} {}", entity.kind, entity.name)
    };
    let words = table.relations.iter().map(|one| {
        let lower: Vec<String> = one.lower.iter().map(name).collect();
        format!("{} over {}, {}", name(&one.upper), lower.join(", "), one.write_copies_ppm)
    });
    let words = words.collect();
    (table, words)
}

#[test]
fn an_array_stands_on_its_members_and_these_on_theirs() {
    let machine = Machine::new();
    for (name, number) in [("sda", "8:0"), ("sdb", "8:16"), ("sdc", "8:32"), ("sdd", "8:48")] {
        machine.device(name, number, &[]);
    }
    machine.device("md0", "9:0", &["sda", "sdb"]);
    machine.file("/sys/block/md0/md/level", "raid1");
    machine.file("/sys/block/md0/md/raid_disks", "2");
    machine.device("dm-1", "253:1", &["sdc", "sdd"]);
    machine.file("/sys/block/dm-1/dm/uuid", "mpath-3600");
    machine.device("dm-0", "253:0", &["md0", "dm-1"]);
    machine.file("/sys/block/dm-0/dm/uuid", "LVM-x");
    let (table, relations) = below(&machine, "dm-0");
    assert_eq!(
        relations,
        [
            "multipath dm-1 over path sdc, path sdd, 1000000",
            "array md0 over disk sda, disk sdb, 2000000",
            "volume dm-0 over multipath dm-1, array md0, 1000000",
        ]
    );
    assert_eq!(table.entities.len(), 7);
    // A member that is missing takes no copy.
    machine.file("/sys/block/md0/md/degraded", "1");
    assert!(below(&machine, "dm-0").1[1].ends_with("disk sdb, 1000000"));
}

#[test]
fn parts_one_behind_the_other_are_no_members_of_one_load() {
    let machine = Machine::new();
    machine.device("sda", "8:0", &[]);
    machine.device("sdb", "8:16", &[]);
    machine.device("dm-0", "253:0", &["sda", "sdb"]);
    machine.file("/sys/block/dm-0/dm/uuid", "LVM-x");
    machine.file("/sys/block/dm-0/dm/name", "vg-lv");
    assert!(below(&machine, "dm-0").1[0].starts_with("volume dm-0"), "its table is not known");
    machine.file("/dev/mapper/vg-lv.table", "0 1024 linear 8:0 0\n1024 1024 linear 8:16 0\n");
    assert!(below(&machine, "dm-0").1[0].starts_with("concat dm-0"));
    machine.file("/dev/mapper/vg-lv.table", "0 2048 striped 2 128 8:0 0 8:16 0\n");
    assert!(below(&machine, "dm-0").1[0].starts_with("volume dm-0"));
}

#[test]
fn a_loop_device_and_a_plain_partition_stand_on_nothing_that_moves_the_same() {
    let machine = Machine::new();
    machine.device("loop0", "7:0", &[]);
    machine.file("/sys/block/loop0/loop/backing_file", "/srv/image");
    machine.device("sda", "8:0", &[]);
    machine.file("/sys/block/sda/sda1/partition", "1");
    machine.file("/sys/block/sda/sda1/start", "8");
    for (file, text) in [("dev", "8:1"), ("size", "1024"), ("ro", "0")] {
        machine.file(&format!("/sys/block/sda/sda1/{file}"), text);
    }
    for name in ["loop0", "sda1"] {
        let (table, relations) = below(&machine, name);
        assert_eq!((table.entities.len(), relations.len()), (1, 0), "{name}");
        assert_eq!(table.entities[0].layer, Layer::Device);
    }
}

/// What a sample has of one counter of an entity.
fn sampled(machine: &Machine, counter: Counter) -> Vec<(String, u64)> {
    let root = machine.root();
    let devices = Devices::read(&root).unwrap();
    let mut paths = Paths::new(Stack::read(&root, &devices));
    let mut table = Table::default();
    let device = paths.stack.counted("nvme0n1").unwrap();
    paths.add_device(&mut table, device, None);
    let scope = Scope::default();
    let ground = Ground { root: &root, scope: &scope, disks: &[] };
    let system = SystemSources::open(&mut table, ground);
    let process = EntityId(0);
    let plan = Plan {
        loads: Vec::new(),
        disks: paths.disks(),
        ways: paths.ways,
        targets: Vec::new(),
        ahead: Vec::new(),
        counted: Vec::new(),
        joined: Vec::new(),
        system,
        process,
        streams: Vec::new(),
    };
    let mut columns = Columns::default();
    Sources::open(&root, plan).sample(&mut columns);
    columns.end_of_sample();
    let name = |id: EntityId| table.entities[id.0 as usize].name.clone();
    let series = columns.into_series().into_iter().filter(|one| one.counter == counter);
    let mut found: Vec<_> =
        series.map(|one| (name(one.entity), one.values().next().unwrap())).collect();
    found.retain(|(name, _)| name.starts_with("nvme"));
    found.sort();
    found
}

#[test]
fn a_head_that_counts_nothing_has_the_counts_of_its_ways() {
    let machine = Machine::new();
    machine.device("nvme0n1", "259:0", &[]);
    machine.file("/sys/block/nvme0c0n1/stat", &columns(30));
    machine.file("/sys/block/nvme0c1n1/stat", &columns(12));
    machine.count(&[("nvme0n1", "259:0", 0)]);
    let of = |name: &str, value: u64| (name.to_owned(), value);
    let ways = [of("nvme0c0n1", 30), of("nvme0c1n1", 12)];
    let with = |head: u64| [ways.to_vec(), vec![of("nvme0n1", head)]].concat();
    assert_eq!(sampled(&machine, Counter::ReadOperations), with(42));
    assert_eq!(sampled(&machine, Counter::BusyNs).len(), 2, "both ways may be busy at once");
    // Since Linux 6.4 it counts by itself.
    machine.count(&[("nvme0n1", "259:0", 40)]);
    assert_eq!(sampled(&machine, Counter::ReadOperations), with(40));
}

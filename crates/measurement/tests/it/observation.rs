//! Watching without a load: what is found, what comes and goes, and what the records say of it.

use std::fs;
use std::path::{Path, PathBuf};

use iopath_machine::Root;
use iopath_measurement::{Keep, Observation};
use iopath_record::{
    Counter, Entity, EntityId, Kind, Layer, Record, Sample, Technique, decode, encode,
};

/// A machine with two paths to one LUN, a mirror over two disks, one with a partition, and NFS.
struct Machine {
    folder: tempfile::TempDir,
}

const NAMES: [(&str, &str, u64); 8] = [
    ("sda", "8:0", 2048),
    ("sdb", "8:16", 2048),
    ("sdc", "8:32", 4096),
    ("sdd", "8:48", 4096),
    ("dm-0", "253:0", 2048),
    ("md0", "9:0", 4096),
    ("loop0", "7:0", 0),
    ("nvme0n1", "259:0", 4096),
];

impl Machine {
    fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        machine.file("/proc/self/mountinfo", "22 1 9:0 / /srv rw - ext4 /dev/md0 rw\n");
        machine.file("/proc/stat", STAT);
        machine.file("/proc/meminfo", MEMINFO);
        machine.file("/proc/vmstat", "pgpgin 100\npgpgout 7\n");
        machine.file("/proc/pressure/io", "some avg10=0 total=500\nfull avg10=0 total=1\n");
        machine.file("/proc/net/dev", "a\nb\n  eth0: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n");
        for (name, number, sectors) in NAMES {
            machine.device(name, number, sectors);
        }
        machine.file("/sys/block/sdc/sdc1/dev", "8:33\n");
        machine.file("/sys/block/sdc/sdc1/partition", "1\n");
        machine.file("/sys/block/sdc/sdc1/start", "8\n");
        machine.file("/sys/block/sdc/sdc1/size", "1024\n");
        machine.file("/sys/block/sdc/sdc1/ro", "0\n");
        machine.file("/sys/block/dm-0/dm/name", "mpatha\n");
        machine.file("/sys/block/dm-0/dm/uuid", "mpath-3600\n");
        machine.file("/sys/block/md0/md/level", "raid1\n");
        machine.file("/sys/block/nvme0c1n1/stat", &counters("", 6));
        let below = [("dm-0", "sda"), ("dm-0", "sdb"), ("md0", "sdc1"), ("md0", "sdd")];
        for (upper, lower) in below {
            machine.file(&format!("/sys/block/{upper}/slaves/{lower}"), "");
            machine.file(&format!("/sys/block/{lower}/holders/{upper}"), "");
        }
        machine.count(1);
        fs::create_dir_all(machine.at("/dev")).unwrap();
        fs::create_dir_all(machine.at("/srv")).unwrap();
        fs::write(machine.at("/dev/dm-0"), "").unwrap();
        fs::write(machine.at("/srv/data"), "").unwrap();
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root().path(path)
    }

    fn root(&self) -> Root {
        Root::at(self.folder.path())
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn device(&self, name: &str, number: &str, sectors: u64) {
        self.file(&format!("/sys/block/{name}/dev"), &format!("{number}\n"));
        self.file(&format!("/sys/block/{name}/size"), &format!("{sectors}\n"));
        self.file(&format!("/sys/block/{name}/ro"), "0\n");
    }

    /// Every device has done `n` times as much; written in place, as the file is held open.
    fn count(&self, n: u64) {
        self.count_of(n, |_| true);
    }

    fn count_of(&self, n: u64, is_there: impl Fn(&str) -> bool) {
        let lines = NAMES.into_iter().filter(|(name, ..)| is_there(name));
        let text: String = lines.map(|(name, number, _)| line(name, number, n)).collect();
        self.file("/proc/diskstats", &(text + &line("sdc1", "8:33", n)));
    }

    fn watch(&self, targets: &[&str]) -> Observation {
        let targets: Vec<PathBuf> = targets.iter().map(PathBuf::from).collect();
        Observation::begin(&self.root(), &targets, Keep::Records).unwrap()
    }
}

const STAT: &str = "cpu 1 0 2 3 4 0 0 0 0 0\ncpu0 1 0 2 3 4 0 0 0 0 0\nintr 5\nctxt 6\n\
                    processes 7\nprocs_running 1\nprocs_blocked 0\n";
const MEMINFO: &str = "MemTotal: 9 kB\nMemFree: 1 kB\nBuffers: 0 kB\nCached: 4 kB\nDirty: 2 kB\n\
                       Writeback: 0 kB\nShmem: 0 kB\n";

fn line(name: &str, number: &str, n: u64) -> String {
    counters(&format!("{} {name} ", number.replace(':', " ")), n)
}

fn counters(head: &str, n: u64) -> String {
    format!("{head}{} 0 {} {} 0 0 0 0 0 {} {} 0 0 0 0 0 0\n", 10 * n, 80 * n, 3 * n, 5 * n, 6 * n)
}

fn names(observation: &Observation) -> Vec<String> {
    let named = |entity: &Entity| format!("{:?} {} {}", entity.layer, entity.kind, entity.name);
    observation.entities().iter().map(named).collect()
}

fn value(observation: &Observation, sample: &Sample, name: &str, counter: Counter) -> Option<u64> {
    let at = observation.entities().iter().position(|entity| entity.name == name).unwrap();
    let mut readings = sample.readings.iter();
    let found = readings.find(|r| r.entity.0 as usize == at && r.counter == counter);
    found.map(|reading| reading.value)
}

fn below(observation: &Observation, name: &str) -> Vec<String> {
    let entities = observation.entities();
    let relations = observation.relations();
    let of = relations.iter().find(|one| entities[one.upper.0 as usize].name == name);
    of.map_or_else(Vec::new, |one| {
        one.lower.iter().map(|id| entities[id.0 as usize].name.clone()).collect()
    })
}

#[test]
fn the_whole_machine_is_found_layer_by_layer() {
    let machine = Machine::new();
    let mut observation = machine.watch(&[]);
    let found = names(&observation);
    for expected in [
        "Lun multipath dm-0",
        "Device path sda",
        "Volume array md0",
        "Device partition sdc1",
        "Device disk sdd",
        "Lun multipath nvme0n1",
        "Device path nvme0c1n1",
        "Adapter network eth0",
        "Processor cpu cpu0",
        "Memory memory memory",
        "Generator pressure io",
    ] {
        assert!(found.iter().any(|name| name == expected), "{expected} of {found:#?}");
    }
    assert!(!found.iter().any(|name| name.contains("loop0")), "it has no size");
    assert_eq!(below(&observation, "dm-0"), ["sda", "sdb"]);
    assert_eq!(below(&observation, "md0"), ["sdc1", "sdd"]);
    assert_eq!(below(&observation, "sdc1"), ["sdc"]);
    assert_eq!(below(&observation, "nvme0n1"), ["nvme0c1n1"]);
    let mirror = observation.relations().into_iter().find(|one| one.lower.len() == 2);
    assert!(mirror.is_some());
    let sample = observation.sample().clone();
    assert_eq!(value(&observation, &sample, "sda", Counter::ReadBytes), Some(80 * 512));
    assert_eq!(value(&observation, &sample, "nvme0c1n1", Counter::ReadOperations), Some(60));
    assert_eq!(value(&observation, &sample, "memory", Counter::ReadBytes), Some(102_400));
    assert_eq!(value(&observation, &sample, "io", Counter::BusyNs), Some(500_000));
    assert!(sample.readings.is_sorted_by_key(|reading| reading.entity));
}

#[test]
fn only_what_lies_below_a_target_is_watched() {
    let machine = Machine::new();
    let observation = machine.watch(&["/dev/dm-0"]);
    let found = names(&observation);
    assert!(found.contains(&"Device path sda".to_owned()), "{found:?}");
    assert!(!found.iter().any(|name| name.contains("sdc") || name.contains("eth0")), "{found:?}");
    let observation = machine.watch(&["/srv/data"]);
    let found = names(&observation);
    assert!(found.contains(&"FileSystem file /srv/data".to_owned()), "{found:?}");
    assert!(!found.iter().any(|name| name.contains("sda")), "{found:?}");
    assert_eq!(below(&observation, "/srv/data"), ["md0"]);
}

#[test]
fn a_target_that_does_not_exist_is_named() {
    let machine = Machine::new();
    let gone = [PathBuf::from("/srv/gone")];
    let error = Observation::begin(&machine.root(), &gone, Keep::Nothing).unwrap_err();
    assert!(error.to_string().contains("/srv/gone"), "{error}");
}

fn series(record: &Record, name: &str, counter: Counter) -> Vec<u64> {
    let at = record.entities.iter().position(|entity| entity.name == name).unwrap();
    let of = record.series.iter().find(|s| s.entity.0 as usize == at && s.counter == counter);
    of.unwrap().values().collect()
}

#[test]
fn samples_become_records_that_share_an_instant_and_can_be_stored() {
    let machine = Machine::new();
    let mut observation = machine.watch(&[]);
    assert!(observation.record().is_none(), "nothing was sampled");
    for n in [1, 2, 5] {
        machine.count(n);
        observation.sample();
    }
    let first = observation.record().unwrap();
    assert!(observation.record().is_none(), "one instant is no record");
    machine.count(9);
    observation.sample();
    let second = observation.record().unwrap();
    assert_eq!(series(&first, "sda", Counter::ReadOperations), [10, 20, 50]);
    assert_eq!(series(&second, "sda", Counter::ReadOperations), [50, 90]);
    assert_eq!((first.case.pass, second.case.pass), (0, 1));
    let ended = first.clock.started_unix_ns + first.instants_ns[2];
    assert_eq!((second.clock.started_unix_ns, second.instants_ns[0]), (ended, 0));
    for record in [first, second] {
        assert_eq!((record.technique.clone(), record.validate()), (Technique::Observation, vec![]));
        assert_eq!(decode(&encode(&record)).unwrap(), record);
    }
}

#[test]
fn devices_that_come_and_go_are_events_and_gaps() {
    let machine = Machine::new();
    let mut observation = machine.watch(&[]);
    observation.sample();
    assert!(observation.events().is_empty(), "what was there first has not come");
    machine.count_of(2, |name| name != "sdd");
    let sample = observation.sample().clone();
    assert_eq!(value(&observation, &sample, "sdd", Counter::ReadBytes), None);
    assert_eq!(observation.events()[0].what, "sdd is gone");
    machine.count(3);
    observation.sample();
    // One that was never there before: the kernel lists it, and so does sysfs.
    machine.device("sde", "8:64", 2048);
    let text = fs::read_to_string(machine.at("/proc/diskstats")).unwrap();
    machine.file("/proc/diskstats", &(text + &line("sde", "8:64", 4)));
    let sample = observation.sample().clone();
    assert_eq!(value(&observation, &sample, "sde", Counter::ReadOperations), Some(40));
    let record = observation.record().unwrap();
    let what: Vec<&str> = record.events.iter().map(|event| &*event.what).collect();
    assert_eq!(what, ["sdd is gone", "sdd is there now", "sde is there now"]);
    assert_eq!(record.validate(), []);
    assert_eq!(series(&record, "sdd", Counter::ReadOperations), [10, 10, 30, 30]);
    let missing = |name: &str| {
        let at = record.entities.iter().position(|entity| entity.name == name).unwrap();
        let of = record.series.iter().find(|series| series.entity.0 as usize == at);
        of.unwrap().missing.clone()
    };
    assert_eq!((missing("sdd"), missing("sde")), (vec![1], vec![0, 1, 2]));
}

#[test]
fn a_loop_device_is_watched_once_it_has_a_file() {
    let machine = Machine::new();
    let mut observation = machine.watch(&[]);
    observation.sample();
    machine.device("loop0", "7:0", 8192);
    machine.count(2);
    observation.sample();
    assert!(names(&observation).contains(&"Device loop loop0".to_owned()));
}

#[test]
fn a_torn_table_is_told_once_and_the_rest_goes_on() {
    let machine = Machine::new();
    let mut observation = machine.watch(&[]);
    observation.sample();
    machine.file("/proc/diskstats", "   8       0 sda 1 2");
    for _ in 0..2 {
        let sample = observation.sample().clone();
        assert_eq!(value(&observation, &sample, "sda", Counter::ReadBytes), None);
        assert!(value(&observation, &sample, "cpu", Counter::UserNs).is_some());
    }
    machine.count(4);
    observation.sample();
    let record = observation.record().unwrap();
    let unreadable = record.warnings.iter().filter(|one| one.kind == "counter-unreadable");
    assert_eq!(unreadable.count(), 1, "{:?}", record.warnings);
    assert!(record.events.is_empty(), "nothing came or went: {:?}", record.events);
    assert_eq!(series(&record, "sda", Counter::ReadOperations), [10, 10, 10, 40]);
}

#[test]
fn what_has_no_counters_is_told() {
    let machine = Machine::new();
    fs::remove_file(machine.at("/sys/block/nvme0c1n1/stat")).unwrap();
    let mut observation = machine.watch(&[]);
    observation.sample();
    observation.sample();
    let record = observation.record().unwrap();
    let told = record.warnings.iter().find(|one| one.kind == "counter-unreadable").unwrap();
    assert!(told.text.contains("nvme0c1n1"), "{}", told.text);
}

/// Two processors, two nodes, a path that met errors, and a btrfs that did.
fn with_more() -> Machine {
    let machine = Machine::new();
    machine.file("/proc/interrupts", "  CPU0 CPU1\n 24: 10 4 nvme0q1\nLOC: 9 9 timers\n");
    for (node, local) in [(0, 70), (1, 30)] {
        let text = format!(
            "numa_hit 1\nnuma_miss 2\nnuma_foreign 3\ninterleave_hit 4\nlocal_node {local}\n\
             other_node 5\n"
        );
        machine.file(&format!("/sys/devices/system/node/node{node}/numastat"), &text);
    }
    machine.file("/sys/block/sda/device/ioerr_cnt", "0x1f\n");
    machine.file("/sys/block/sda/device/iotmo_cnt", "0x2\n");
    for kind in ["data", "metadata"] {
        machine.file(&format!("/sys/fs/btrfs/u-1/allocation/{kind}/total_bytes"), "9\n");
        machine.file(&format!("/sys/fs/btrfs/u-1/allocation/{kind}/bytes_used"), "1\n");
    }
    machine.file("/sys/fs/btrfs/u-1/devices/sdb", "");
    let errors = "write_errs 1\nread_errs 2\nflush_errs 0\ncorruption_errs 4\ngeneration_errs 0\n";
    machine.file("/sys/fs/btrfs/u-1/devinfo/1/error_stats", errors);
    machine
}

#[test]
fn interrupts_nodes_and_errors_are_sampled() {
    let machine = with_more();
    let mut observation = machine.watch(&[]);
    let sample = observation.sample().clone();
    let of = |name: &str, counter| value(&observation, &sample, name, counter);
    assert_eq!(of("cpu", Counter::Interrupts), Some(14));
    assert_eq!(of("cpu0", Counter::Interrupts), Some(10));
    assert_eq!(of("node1", Counter::LocalPages), Some(30));
    assert_eq!(of("node0", Counter::RemotePages), Some(5));
    assert_eq!(of("sda", Counter::Errors), Some(31));
    assert_eq!(of("sda", Counter::Timeouts), Some(2));
    assert_eq!(of("sdb", Counter::Errors), None, "it is no SCSI device");
    assert_eq!(of("u-1", Counter::Errors), Some(7));
    let below = machine.watch(&["/dev/md0"]);
    assert!(!names(&below).iter().any(|name| name.contains("u-1")), "its member is elsewhere");
}

#[test]
fn torn_and_missing_counters_are_gaps_and_the_rest_goes_on() {
    let machine = with_more();
    let mut observation = machine.watch(&[]);
    observation.sample();
    machine.file("/proc/interrupts", "  CPU0 CPU1\n 24: 11");
    machine.file("/sys/block/sda/device/ioerr_cnt", "0x");
    fs::remove_file(machine.at("/sys/devices/system/node/node1/numastat")).unwrap();
    fs::remove_file(machine.at("/sys/fs/btrfs/u-1/devinfo/1/error_stats")).unwrap();
    machine.count(2);
    let sample = observation.sample().clone();
    for (name, counter) in [
        ("cpu", Counter::Interrupts),
        ("sda", Counter::Errors),
        ("node1", Counter::LocalPages),
        ("u-1", Counter::Errors),
    ] {
        assert_eq!(value(&observation, &sample, name, counter), None, "{name}");
    }
    assert_eq!(value(&observation, &sample, "node0", Counter::LocalPages), Some(70));
    assert_eq!(value(&observation, &sample, "sda", Counter::ReadOperations), Some(20));
    let record = observation.record().unwrap();
    let gaps = record.series.iter().filter(|series| series.missing == [1]).count();
    assert!(gaps >= 5, "{gaps} gaps");
    assert_eq!(record.validate(), []);
}

#[test]
fn errors_of_many_devices_are_read_in_turns() {
    let machine = Machine::new();
    let folder = |n: u32| (format!("sdx{n}"), format!("65:{n}"));
    let mut text = String::new();
    for (name, number) in (0..200).map(folder) {
        machine.device(&name, &number, 2048);
        machine.file(&format!("/sys/block/{name}/device/ioerr_cnt"), "0x1\n");
        text += &line(&name, &number, 1);
    }
    machine.file("/proc/diskstats", &text);
    let mut observation = machine.watch(&[]);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..2 {
        let sample = observation.sample().clone();
        let is_drive = |id: EntityId| observation.entities()[id.0 as usize].kind == Kind::Disk;
        let errors = sample.readings.iter().filter(|one| one.counter == Counter::Errors);
        let errors = errors.filter(|one| is_drive(one.entity));
        let read: Vec<_> = errors.map(|one| one.entity).collect();
        assert!(read.len() < 200, "{} at once", read.len());
        seen.extend(read);
    }
    assert_eq!(seen.len(), 200, "each was read after two samples");
}

#[test]
fn this_machine_can_be_watched() {
    let mut observation = Observation::begin(&Root::live(), &[], Keep::Records).unwrap();
    observation.sample();
    observation.sample();
    let record = observation.record().unwrap();
    assert_eq!(record.validate(), []);
    assert!(record.series.iter().any(|series| series.counter == Counter::UserNs));
    let here = Observation::begin(&Root::live(), &[Path::new(".").to_owned()], Keep::Nothing);
    assert!(here.unwrap().entities().iter().any(|entity| entity.layer == Layer::FileSystem));
}

#[test]
fn a_head_that_counts_nothing_has_the_counts_of_its_ways() {
    let machine = Machine::new();
    let silent = |machine: &Machine| {
        let others = NAMES.into_iter().filter(|(name, ..)| *name != "nvme0n1");
        let text: String = others.map(|(name, number, _)| line(name, number, 1)).collect();
        machine.file("/proc/diskstats", &(text + &line("nvme0n1", "259:0", 0)));
    };
    silent(&machine);
    let mut observation = machine.watch(&[]);
    let sample = observation.sample().clone();
    let of = |name: &str, counter| value(&observation, &sample, name, counter);
    assert_eq!(of("nvme0n1", Counter::ReadOperations), Some(60));
    assert_eq!(of("nvme0n1", Counter::ReadBytes), of("nvme0c1n1", Counter::ReadBytes));
    assert_eq!(of("nvme0n1", Counter::BusyNs), None, "its ways are busy at the same time");
}

//! Settings that are changed and restored, on imitated machines and on a real loop device.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use iopath_machine::settings::{
    Changed, Setting, SettingError, Unrestored, Wanted, leftovers, may_set, restore_left, wanted,
};
use iopath_machine::{Devices, Root};

use crate::not_run;
use crate::tree::Tree;

const SDA: &str = "/sys/block/sda/queue/read_ahead_kb";
const SDB: &str = "/sys/block/sdb/queue/read_ahead_kb";

/// Two disks of 128 KiB; this process is there.
fn tree() -> (Tree, Root) {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    tree.disk("sdb", "8:16");
    tree.file(SDA, "128\n");
    tree.file(SDB, "128\n");
    process(&tree, std::process::id(), 777);
    let root = tree.root();
    (tree, root)
}

fn process(tree: &Tree, number: u32, started: u32) {
    let zeros = "0 ".repeat(18);
    tree.file(&format!("/proc/{number}/stat"), format!("{number} (io) S {zeros}{started} 0\n"));
}

fn files(names: &[&str]) -> BTreeSet<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

/// So many KiB of readahead in these files.
fn ahead(files: &BTreeSet<PathBuf>, kib: u64) -> BTreeSet<Wanted> {
    let (setting, value) = (Setting::Readahead, kib.to_string());
    files.iter().map(|file| Wanted { setting, file: file.clone(), value: value.clone() }).collect()
}

fn readahead_files<P: AsRef<Path>>(
    root: &Root,
    devices: &Devices,
    places: impl IntoIterator<Item = P>,
) -> Result<BTreeSet<PathBuf>, SettingError> {
    let all = wanted(root, devices, places, Setting::Readahead, "0")?;
    Ok(all.into_iter().map(|one| one.file).collect())
}

fn value(root: &Root, file: &str) -> String {
    root.read(file).unwrap().trim().to_owned()
}

#[test]
fn what_was_set_is_restored_and_leaves_nothing() {
    let (tree, root) = tree();
    let changed = Changed::set(&root, &ahead(&files(&[SDA, SDB]), 1024)).unwrap();
    assert_eq!((value(&root, SDA), value(&root, SDB)), ("1024".into(), "1024".into()));
    let before: Vec<_> = changed.before().collect();
    assert_eq!(before, [(Path::new(SDA), "128"), (Path::new(SDB), "128")]);
    assert!(tree.at("/run/iopath").exists());
    assert!(changed.restore().is_empty());
    assert_eq!((value(&root, SDA), value(&root, SDB)), ("128".into(), "128".into()));
    assert!(!tree.at("/run/iopath").exists());
}

#[test]
fn an_early_end_restores_too() {
    let (_tree, root) = tree();
    drop(Changed::set(&root, &ahead(&files(&[SDA]), 1024)).unwrap());
    assert_eq!(value(&root, SDA), "128");
    let gone = "/sys/block/sdc/queue/read_ahead_kb";
    assert!(Changed::set(&root, &ahead(&files(&[SDA, gone]), 1024)).is_err());
    assert_eq!(value(&root, SDA), "128", "what came before the failure is restored");
    assert_eq!(leftovers(&root), []);
}

#[test]
fn what_somebody_else_changed_stays() {
    let (tree, root) = tree();
    let changed = Changed::set(&root, &ahead(&files(&[SDA]), 1024)).unwrap();
    tree.file(SDA, "4096\n");
    let left = changed.restore();
    assert!(matches!(&left[..], [Unrestored::Foreign { found, .. }] if found == "4096"));
    assert!(left[0].to_string().contains("it was 128"), "{}", left[0]);
    assert_eq!(value(&root, SDA), "4096");
    assert_eq!(leftovers(&root), []);
}

#[test]
fn what_a_killed_process_left_is_told_and_mended_by_the_next() {
    let (tree, root) = tree();
    // As if it had been killed: nothing is dropped.
    std::mem::forget(Changed::set(&root, &ahead(&files(&[SDA]), 1024)).unwrap());
    assert_eq!(leftovers(&root), [], "it is alive");
    tree.file(&format!("/proc/{}/stat", std::process::id()), "1 (io) Z 0 0\n");
    assert_eq!(leftovers(&root).len(), 1, "it is dead, and its parent has not heard of it");
    // Another process has its number now.
    process(&tree, std::process::id(), 888);
    let left = leftovers(&root);
    assert_eq!((left.len(), &*left[0].before, &*left[0].ours), (1, "128", "1024"));
    assert!(left[0].to_string().contains("`echo 128 > /sys/block/sda"), "{}", left[0]);
    let changed = Changed::set(&root, &ahead(&files(&[SDA]), 64)).unwrap();
    assert_eq!(value(&root, SDA), "64");
    assert!(changed.restore().is_empty());
    assert_eq!(value(&root, SDA), "128", "as before the one that was killed");
    assert_eq!(leftovers(&root), []);
}

#[test]
fn what_another_process_has_changed_is_busy() {
    let (tree, root) = tree();
    std::mem::forget(Changed::set(&root, &ahead(&files(&[SDA]), 1024)).unwrap());
    let other = std::process::id() + 1;
    process(&tree, other, 777);
    let note = format!("/run/iopath/{}.setting", SDA.trim_start_matches('/').replace('/', "!"));
    let text = root.read(&note).unwrap();
    tree.file(&note, text.replace(&std::process::id().to_string(), &other.to_string()));
    let busy = Changed::set(&root, &ahead(&files(&[SDA]), 64)).unwrap_err();
    assert!(matches!(busy, SettingError::Busy { process, .. } if process == other), "{busy}");
    assert_eq!(value(&root, SDA), "1024");
}

#[test]
fn what_one_trial_could_not_restore_the_next_of_the_same_run_does() {
    let (_tree, root) = tree();
    // As where the kernel did not let us restore it: the value and the note stay.
    std::mem::forget(Changed::set(&root, &ahead(&files(&[SDA]), 1024)).unwrap());
    for kib in [64, 1024] {
        let changed = Changed::set(&root, &ahead(&files(&[SDA]), kib)).unwrap();
        assert_eq!(value(&root, SDA), kib.to_string());
        assert_eq!(changed.before().collect::<Vec<_>>(), [(Path::new(SDA), "128")]);
        std::mem::forget(changed);
    }
    assert!(Changed::set(&root, &ahead(&files(&[SDA]), 256)).unwrap().restore().is_empty());
    assert_eq!(value(&root, SDA), "128", "as before the first of them");
    assert_eq!(leftovers(&root), []);
}

#[test]
fn a_leftover_that_somebody_changed_is_none() {
    let (tree, root) = tree();
    std::mem::forget(Changed::set(&root, &ahead(&files(&[SDA]), 1024)).unwrap());
    process(&tree, std::process::id(), 888);
    tree.file(SDA, "256\n");
    assert_eq!(leftovers(&root), []);
    drop(Changed::set(&root, &ahead(&files(&[SDA]), 64)).unwrap());
    assert_eq!(value(&root, SDA), "256");
}

#[test]
fn a_partition_and_a_file_system_have_the_setting_of_their_disk() {
    let (tree, root) = tree();
    tree.partition("sda", 1, "8:1");
    tree.file("/proc/self/mountinfo", "30 1 8:1 / /data rw - ext4 /dev/sda1 rw\n");
    tree.file("/data/file", "");
    let devices = Devices::read(&root).unwrap();
    for place in ["/dev/sda1", "/dev/sda", "/data/file", "/data"] {
        let found = readahead_files(&root, &devices, [place]).unwrap();
        assert_eq!(found, files(&[SDA]), "{place}");
    }
    let both = readahead_files(&root, &devices, ["/dev/sda1", "/dev/sdb"]).unwrap();
    assert_eq!(both, files(&[SDA, SDB]));
}

#[test]
fn a_file_system_without_a_device_has_a_number_or_nothing() {
    let (tree, root) = tree();
    tree.file("/proc/self/mountinfo", "30 1 0:45 / /net rw - nfs4 server:/export rw\n");
    tree.file("/net/file", "");
    let devices = Devices::read(&root).unwrap();
    let none = readahead_files(&root, &devices, ["/net/file"]).unwrap_err();
    assert!(matches!(none, SettingError::None { .. }), "{none}");
    tree.file("/sys/class/bdi/0:45/read_ahead_kb", "15360\n");
    let found = readahead_files(&root, &devices, ["/net/file"]).unwrap();
    assert_eq!(found, files(&["/sys/class/bdi/0:45/read_ahead_kb"]));
}

#[test]
fn a_btrfs_has_a_backing_device_of_its_own() {
    let (tree, root) = tree();
    tree.file("/proc/self/mountinfo", "30 1 0:39 / /pool rw - btrfs /dev/sda rw\n");
    tree.file("/pool/file", "");
    let folder = "/sys/fs/btrfs/5a30f2b4-dcdd-4841-9592-a4088ef2bbba";
    tree.file(&format!("{folder}/devices/sda/size"), "1\n");
    tree.file(&format!("{folder}/devices/sdb/size"), "1\n");
    let file = format!("{folder}/bdi/read_ahead_kb");
    tree.file(&file, "4096\n");
    let devices = Devices::read(&root).unwrap();
    assert_eq!(readahead_files(&root, &devices, ["/pool/file"]).unwrap(), files(&[&file]));
}

#[test]
fn what_dead_processes_left_is_restored_by_whoever_is_asked() {
    let (tree, root) = tree();
    std::mem::forget(Changed::set(&root, &ahead(&files(&[SDA, SDB]), 1024)).unwrap());
    assert!(restore_left(&root).is_empty());
    assert_eq!(value(&root, SDA), "1024", "its process lives");
    process(&tree, std::process::id(), 888);
    tree.file(SDB, "64\n");
    let left = restore_left(&root);
    assert!(matches!(&left[..], [Unrestored::Foreign { found, .. }] if found == "64"), "{left:?}");
    assert_eq!((value(&root, SDA), value(&root, SDB)), ("128".into(), "64".into()));
    assert!(!tree.at("/run/iopath").exists());
}

#[test]
fn what_is_left_for_good_stays() {
    let (tree, root) = tree();
    Changed::set(&root, &ahead(&files(&[SDA]), 1024)).unwrap().leave();
    assert_eq!(value(&root, SDA), "1024");
    assert!(!tree.at("/run/iopath").exists());
}

#[test]
fn of_words_the_one_in_brackets_holds() {
    let (tree, root) = tree();
    let file = "/sys/block/sda/queue/scheduler";
    tree.file(file, "none [mq-deadline] kyber\n");
    let none = [Wanted { setting: Setting::Scheduler, file: file.into(), value: "none".into() }];
    let changed = Changed::set(&root, &none.into_iter().collect()).unwrap();
    assert_eq!(changed.before().collect::<Vec<_>>(), [(Path::new(file), "mq-deadline")]);
    assert!(changed.restore().is_empty());
    assert_eq!(value(&root, file), "mq-deadline");
}

/// Does something with a loop device, which goes whatever comes of it.
fn with_loop(body: impl FnOnce(&str) + std::panic::UnwindSafe) {
    if !rustix::process::geteuid().is_root() {
        return not_run("loop devices need root");
    }
    let directory = tempfile::tempdir().unwrap();
    let backing = directory.path().join("backing");
    std::fs::File::create(&backing).unwrap().set_len(1 << 20).unwrap();
    let made = Command::new("losetup").args(["-f", "--show"]).arg(&backing).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let node = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let folder = PathBuf::from(format!("/sys/block/{}/queue", node.trim_start_matches("/dev/")));
    // The number of a loop device keeps its settings when the device is gone.
    let names = ["scheduler", "max_sectors_kb", "nr_requests", "read_ahead_kb"];
    let root = Root::live();
    let given = names.map(|name| value(&root, folder.join(name).to_str().unwrap()));
    let tried = std::panic::catch_unwind(|| body(&node));
    for (name, given) in names.iter().zip(given) {
        let word = given.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        std::fs::write(folder.join(name), word.map_or(&*given, |(word, _)| word)).unwrap();
    }
    Command::new("losetup").args(["-d", &node]).status().unwrap();
    tried.unwrap();
}

/// What the files of a queue say that can be read.
fn queue(node: &str) -> Vec<(PathBuf, String)> {
    let folder = format!("/sys/block/{}/queue", node.trim_start_matches("/dev/"));
    let files = std::fs::read_dir(folder).unwrap().map(|one| one.unwrap().path());
    let said = files.filter_map(|file| Some((file.clone(), std::fs::read_to_string(file).ok()?)));
    let mut said: Vec<_> = said.collect();
    said.sort();
    said
}

#[test]
fn the_queue_of_a_real_loop_device_is_as_before_whatever_was_set() {
    with_loop(|node| {
        let root = Root::live();
        let devices = Devices::read(&root).unwrap();
        let of = |setting, value| wanted(&root, &devices, [node], setting, value).unwrap();
        let requests = of(Setting::Requests, "77");
        let mut both = of(Setting::Scheduler, "mq-deadline");
        both.extend(requests.iter().cloned());
        both.extend(of(Setting::MaxRequest, "64"));
        // What was there before is no default of the kernel's.
        let file = requests.first().unwrap().file.clone();
        let ahead = file.with_file_name("read_ahead_kb");
        std::fs::write(&ahead, "16").unwrap();
        std::fs::write(&file, "99").unwrap();
        let before = queue(node);
        let changed = Changed::set(&root, &both).unwrap();
        assert_ne!(queue(node), before);
        assert_eq!(value(&root, file.to_str().unwrap()), "77");
        assert!(changed.restore().is_empty());
        assert_eq!(queue(node), before, "a larger request has raised readahead meanwhile");
    });
}

#[test]
fn the_settings_of_a_scheduler_come_back_with_it() {
    with_loop(|node| {
        let root = Root::live();
        let devices = Devices::read(&root).unwrap();
        let of = |value| wanted(&root, &devices, [node], Setting::Scheduler, value).unwrap();
        let file = of("none").first().unwrap().file.clone();
        std::fs::write(&file, "mq-deadline").unwrap();
        let expire = file.with_file_name("iosched").join("read_expire");
        std::fs::write(&expire, "800").unwrap();
        let before = queue(node);
        let changed = Changed::set(&root, &of("none")).unwrap();
        assert!(!expire.exists());
        assert!(changed.restore().is_empty());
        assert_eq!(queue(node), before);
        assert_eq!(std::fs::read_to_string(&expire).unwrap().trim(), "800");
    });
}

#[test]
fn what_a_device_does_not_take_is_known_before() {
    let (tree, root) = tree();
    tree.file("/sys/block/sda/queue/scheduler", "none [mq-deadline]\n");
    tree.file("/sys/block/sda/queue/max_sectors_kb", "128\n");
    tree.file("/sys/block/sda/queue/max_hw_sectors_kb", "256\n");
    let devices = Devices::read(&root).unwrap();
    for (setting, good, bad, allowed) in [
        (Setting::Scheduler, "none", "bfq", "it has none mq-deadline"),
        (Setting::MaxRequest, "256", "512", "up to 256 KiB"),
    ] {
        let of = |value| wanted(&root, &devices, ["/dev/sda"], setting, value).unwrap();
        may_set(&root, &of(good)).unwrap();
        let error = may_set(&root, &of(bad)).unwrap_err().to_string();
        assert!(error.contains(allowed), "{error}");
    }
}

#[test]
fn a_real_loop_device_is_set_and_restored() {
    with_loop(|node| {
        let root = Root::live();
        let devices = Devices::read(&root).unwrap();
        let files = readahead_files(&root, &devices, [node]).unwrap();
        let file = files.first().unwrap().to_str().unwrap().to_owned();
        may_set(&root, &ahead(&files, 0)).unwrap();
        let before = value(&root, &file);
        let wanted = if before == "1024" { 2048 } else { 1024 };
        let changed = Changed::set(&root, &ahead(&files, wanted)).unwrap();
        assert_eq!(value(&root, &file), wanted.to_string());
        assert!(changed.restore().is_empty());
        assert_eq!(value(&root, &file), before);
    });
}

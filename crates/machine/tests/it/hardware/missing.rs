//! Trees in which something is missing, torn or absurd: there is still an answer.

use std::fs;
use std::path::{Path, PathBuf};

use iopath_imitation::Entry;

use super::*;

/// All files and links below a folder; links are not followed.
fn all_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            all_below(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

/// Of files that differ in numbers only the first stands for all.
fn sysfs_files(base: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    all_below(&base.join("sys"), &mut files);
    let mut unlike = std::collections::BTreeSet::new();
    let shape = |path: &PathBuf| -> String {
        path.to_string_lossy().chars().filter(|letter| !letter.is_ascii_digit()).collect()
    };
    files.retain(|path| unlike.insert(shape(path)));
    files
}

#[test]
fn any_file_of_any_machine_may_be_missing() {
    // Each of 24 drives behind switches is read as the one of the laptop is.
    for name in NAMES.into_iter().filter(|name| *name != "nvme-server") {
        let directory = machine(name).unpacked().unwrap();
        let root = Root::at(directory.path());
        let aside = directory.path().join("aside");
        let count = Devices::read(&root).unwrap().iter().count();
        for file in sysfs_files(directory.path()) {
            fs::rename(&file, &aside).unwrap();
            let devices = Devices::read(&root).unwrap();
            let hardware = Hardware::read(&root, &devices);
            // One file is one device at most, with its partitions.
            assert!(devices.iter().count() + 4 >= count, "{}", file.display());
            assert!(hardware.attachments.len() <= count);
            fs::rename(&aside, &file).unwrap();
        }
    }
}

#[test]
fn any_attribute_may_hold_nonsense() {
    // Without these the list of devices itself is unreadable, which is an error.
    let needed = ["dev", "size", "ro", "start", "partition"];
    for name in NAMES {
        let tree = machine(name);
        let directory = tree.unpacked().unwrap();
        let root = Root::at(directory.path());
        let is_attribute = |path: &str, entry: &Entry| {
            let is_needed = needed.contains(&path.rsplit('/').next().unwrap());
            path.starts_with("/sys") && matches!(entry, Entry::File(_)) && !is_needed
        };
        let all = tree.entries().filter(|(path, entry)| is_attribute(path, entry));
        let files: Vec<PathBuf> = all.map(|(path, _)| root.path(path)).collect();
        for text in ["", "-1\n", "99999999999999999999\n", "nonsense \u{fffd}: ()\n", ":,.- \n"] {
            for file in &files {
                fs::write(file, text).unwrap();
            }
            let devices = Devices::read(&root).unwrap();
            let hardware = Hardware::read(&root, &devices);
            assert!(hardware.functions.values().all(|function| function.max.is_none()));
            assert!(hardware.nodes.iter().all(|node| node.memory_bytes.is_none()));
        }
    }
}

#[test]
fn a_machine_without_sysfs_has_nothing() {
    let tree = Tree::default();
    assert_eq!(read(&tree), Hardware::default());
}

#[test]
fn a_circle_of_functions_ends() {
    let mut tree = Tree::new();
    tree.folder("/sys/devices/pci0000:00/0000:00:01.0/0000:00:02.0/0000:00:01.0");
    tree.link(
        "/sys/bus/pci/devices/0000:00:01.0",
        "/sys/devices/pci0000:00/0000:00:01.0/0000:00:02.0/0000:00:01.0",
    );
    tree.link(
        "/sys/bus/pci/devices/0000:00:02.0",
        "/sys/devices/pci0000:00/0000:00:01.0/0000:00:02.0",
    );
    assert!(read(&tree).chain("0000:00:01.0").len() <= 3);
}

#[test]
fn what_is_not_understood_is_told() {
    let mut tree = machine("nfs");
    let card = "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0";
    tree.attribute(&format!("{card}/net/enp65s0f0np0"), "mtu", "many");
    let hardware = read(&tree);
    assert_eq!(hardware.interfaces["enp65s0f0np0"].mtu_bytes, None);
    assert_eq!(hardware.unread, ["/sys/class/net/enp65s0f0np0/mtu: `many` is not a number"]);
}

#[test]
fn what_cannot_be_read_is_told() {
    let mut tree = machine("laptop");
    let controller = "/sys/devices/pci0000:00/0000:00:02.4/0000:02:00.0/nvme/nvme0";
    tree.remove(&format!("{controller}/model"));
    tree.folder(&format!("{controller}/model"));
    let unread = read(&tree).unread;
    assert_eq!(unread, [format!("{controller}/model: Is a directory (os error 21)")]);
}

/// As in a container that hides a part of /sys.
#[test]
fn a_folder_that_cannot_be_listed_is_told_and_the_rest_is_read() {
    let mut tree = machine("fabrics");
    let inside: Vec<String> = tree.entries().map(|(path, _)| path.to_owned()).collect();
    for path in inside.iter().filter(|path| path.starts_with("/sys/bus/pci/devices/")) {
        tree.remove(path);
    }
    tree.file("/sys/bus/pci/devices", "");
    let hardware = read(&tree);
    assert!(hardware.functions.is_empty() && hardware.interfaces.contains_key("ens1f0"));
    assert_eq!(hardware.unread.len(), 1, "{:?}", hardware.unread);
    assert!(hardware.unread[0].contains("/sys/bus/pci/devices"), "{:?}", hardware.unread);
}

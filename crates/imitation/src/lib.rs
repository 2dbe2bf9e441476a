//! Imitated machines for tests: what /proc, /sys and /dev of a machine look like, as values that
//! can be changed and written below a folder.
//!
//! A reader that takes its root path can be shown any of them. They follow the layout of the
//! kernel's sysfs to the letter, cross links between `/sys/class`, `/sys/block`, `/sys/bus/pci` and
//! `/sys/devices` too, since that layout is what readers stand on. Where values were recorded on a
//! real machine its module says so and names the source; all else is synthetic.
//! Leaves out: what no reader of iopath looks at; contents of media (the nodes under /dev are empty
//! files).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

mod block;
mod fabric;
mod machines;
pub mod nvlist;
mod pci;
mod scsi;

pub use block::{Partition, Queue};
pub use machines::{NAMES, machine};
pub use pci::{Function, Interrupt, Rate};

/// The files of an imitated machine, by path from `/`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    entries: BTreeMap<String, Entry>,
}

/// What a path holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file with this text.
    File(String),
    /// A symbolic link.
    Link(String),
    /// An empty folder.
    Folder,
}

impl Tree {
    /// A machine with a kernel, and nothing mounted but `/` in memory.
    pub fn new() -> Self {
        let mut tree = Self::default();
        tree.file("/proc/sys/kernel/osrelease", "6.12.48\n");
        tree.file("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
        tree.file("/proc/self/mountinfo", "1 1 0:2 / / rw - rootfs rootfs rw\n");
        tree.folder("/sys/block");
        tree.folder("/dev");
        tree
    }

    /// Writes a file, in place of what was there.
    pub fn file(&mut self, path: &str, text: &str) {
        self.entries.insert(path.to_owned(), Entry::File(text.to_owned()));
    }

    /// Writes an attribute of a folder: one line.
    pub fn attribute(&mut self, folder: &str, name: &str, value: &str) {
        self.file(&format!("{folder}/{name}"), &format!("{value}\n"));
    }

    /// Writes several attributes of a folder.
    pub fn attributes(&mut self, folder: &str, values: &[(&str, &str)]) {
        for (name, value) in values {
            self.attribute(folder, name, value);
        }
    }

    /// Adds to the end of a file.
    pub fn append(&mut self, path: &str, text: &str) {
        match self.entries.entry(path.to_owned()).or_insert(Entry::File(String::new())) {
            Entry::File(all) => all.push_str(text),
            entry @ (Entry::Link(_) | Entry::Folder) => *entry = Entry::File(text.to_owned()),
        }
    }

    /// Makes an empty folder.
    pub fn folder(&mut self, path: &str) {
        self.entries.entry(path.to_owned()).or_insert(Entry::Folder);
    }

    /// Links a path to another, both from `/`, by a relative target as sysfs has them.
    pub fn link(&mut self, path: &str, to: &str) {
        let above: Vec<&str> = path.split('/').collect();
        let below: Vec<&str> = to.split('/').collect();
        let folders = &above[..above.len() - 1];
        // A link names its target also where that is one of the folders above it.
        let above_target = &below[..below.len() - 1];
        let same = folders.iter().zip(above_target).take_while(|(one, other)| one == other);
        let common = same.count();
        let up = vec![".."; folders.len() - common];
        let target = [&up[..], &below[common..]].concat().join("/");
        self.entries.insert(path.to_owned(), Entry::Link(target));
    }

    /// Links a folder of /sys/devices into a class.
    pub fn class(&mut self, class: &str, name: &str, folder: &str) {
        self.link(&format!("/sys/class/{class}/{name}"), folder);
    }

    /// A mount: `mount("259:2", "/", "ext4", "/dev/nvme0n1p2", "rw")`.
    pub fn mount(&mut self, number: &str, at: &str, fs: &str, (source, options): (&str, &str)) {
        let file = "/proc/self/mountinfo";
        let known = match self.entries.get(file) {
            Some(Entry::File(text)) => text.lines().count(),
            _ => 0,
        };
        let id = 20 + known;
        let line = format!(
            "{id} 1 {number} / {at} rw,relatime shared:{known} - {fs} {source} {options}\n"
        );
        self.append(file, &line);
        self.folder(at);
    }

    /// Takes a path away; what it held.
    pub fn remove(&mut self, path: &str) -> Option<Entry> {
        self.entries.remove(path)
    }

    /// Every path and what it holds, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Writes everything below a new folder, in memory where the machine has such a place: a tree
    /// of thousands of small files takes a disk seconds. It vanishes with the value.
    pub fn unpacked(&self) -> io::Result<tempfile::TempDir> {
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
        self.unpack(directory.path())?;
        Ok(directory)
    }

    /// Writes everything below a folder.
    pub fn unpack(&self, base: &Path) -> io::Result<()> {
        for (path, entry) in &self.entries {
            let place = base.join(path.trim_start_matches('/'));
            if let Some(above) = place.parent() {
                fs::create_dir_all(above)?;
            }
            match entry {
                Entry::File(text) => fs::write(place, text)?,
                Entry::Link(target) => symlink(target, place)?,
                Entry::Folder => fs::create_dir_all(place)?,
            }
        }
        Ok(())
    }
}

/// The last name of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_as_short_as_those_of_sysfs() {
        let mut tree = Tree::default();
        tree.link("/sys/block/sda", "/sys/devices/pci0000:00/block/sda");
        tree.link("/sys/devices/a/b/driver", "/sys/bus/pci/drivers/nvme");
        tree.link("/sys/devices/a/b/device", "/sys/devices/a");
        let targets: Vec<_> = tree.entries().map(|(_, entry)| entry.clone()).collect();
        let expected =
            ["../devices/pci0000:00/block/sda", "../../a", "../../../bus/pci/drivers/nvme"];
        assert_eq!(targets, expected.map(|target| Entry::Link(target.to_owned())));
    }

    /// A link that leads nowhere would make every reader see less than it should.
    #[test]
    fn all_links_of_all_machines_lead_somewhere() {
        for name in NAMES {
            let tree = machine(name);
            let paths: Vec<&str> = tree.entries().map(|(path, _)| path).collect();
            for (path, entry) in tree.entries() {
                let Entry::Link(target) = entry else { continue };
                let mut folders: Vec<&str> = path.split('/').collect();
                folders.pop();
                for part in target.split('/') {
                    if part == ".." {
                        folders.pop();
                    } else {
                        folders.push(part);
                    }
                }
                let place = folders.join("/");
                let is_there =
                    |path: &&&str| **path == place || path.starts_with(&format!("{place}/"));
                // Drivers and subsystems are names only.
                let is_name = path.ends_with("/driver") || path.ends_with("/subsystem");
                assert!(
                    is_name || paths.iter().any(|path| is_there(&path)),
                    "{name}: {path} -> {place}"
                );
            }
        }
    }
}

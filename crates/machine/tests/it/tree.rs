//! A directory that imitates a machine's /proc, /sys and /dev.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use iopath_machine::Root;

/// An imitated machine, removed when dropped.
pub(crate) struct Tree {
    directory: tempfile::TempDir,
}

impl Tree {
    /// A machine without anything mounted or swapped on.
    pub(crate) fn new() -> Self {
        let tree = Self { directory: tempfile::tempdir().unwrap() };
        tree.file("/proc/self/mountinfo", "22 1 254:0 / / rw - ext4 /dev/root rw\n");
        tree.file("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
        fs::create_dir_all(tree.at("/sys/block")).unwrap();
        fs::create_dir_all(tree.at("/dev")).unwrap();
        tree
    }

    pub(crate) fn root(&self) -> Root {
        Root::at(self.directory.path())
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root().path(path)
    }

    /// Writes a file and the directories above it.
    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn append(&self, path: &str, content: &str) {
        let mut text = fs::read_to_string(self.at(path)).unwrap();
        text.push_str(content);
        self.file(path, text);
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// A disk of 64 MiB: sysfs folder and an empty medium under /dev.
    pub(crate) fn disk(&self, name: &str, number: &str) {
        self.device(&format!("/sys/block/{name}"), name, number);
        self.file(&format!("/sys/block/{name}/queue/logical_block_size"), "512\n");
    }

    /// Partition `index` of a disk, 16 MiB each from 1 MiB.
    pub(crate) fn partition(&self, disk: &str, index: u32, number: &str) {
        let name = format!("{disk}{index}");
        let folder = format!("/sys/block/{disk}/{name}");
        self.device(&folder, &name, number);
        self.file(&format!("{folder}/partition"), format!("{index}\n"));
        self.file(&format!("{folder}/start"), format!("{}\n", 2048 + 32768 * (index - 1)));
        self.file(&format!("{folder}/size"), "32768\n");
    }

    fn device(&self, folder: &str, name: &str, number: &str) {
        self.file(&format!("{folder}/dev"), format!("{number}\n"));
        self.file(&format!("{folder}/size"), "131072\n");
        self.file(&format!("{folder}/ro"), "0\n");
        fs::create_dir_all(self.at(&format!("{folder}/holders"))).unwrap();
        fs::create_dir_all(self.at(&format!("{folder}/slaves"))).unwrap();
        let medium = fs::File::create(self.at(&format!("/dev/{name}"))).unwrap();
        medium.set_len(64 << 20).unwrap();
    }

    /// A device-mapper device on others, given by their sysfs folders below /sys/block.
    pub(crate) fn mapper(
        &self,
        name: &str,
        number: &str,
        (map, uuid): (&str, &str),
        lower: &[&str],
    ) {
        self.disk(name, number);
        self.file(&format!("/sys/block/{name}/dm/name"), format!("{map}\n"));
        self.file(&format!("/sys/block/{name}/dm/uuid"), format!("{uuid}\n"));
        self.link(&format!("/dev/mapper/{map}"), &format!("../{name}"));
        self.stack(name, lower);
        let number = |folder: &&str| {
            let text = fs::read_to_string(self.at(&format!("/sys/block/{folder}/dev"))).unwrap();
            format!(" {} 0", text.trim())
        };
        let pairs: String = lower.iter().map(number).collect();
        match lower.len() {
            1 => self.table(map, &format!("0 131072 linear{pairs}")),
            count => self.table(map, &format!("0 131072 striped {count} 128{pairs}")),
        }
    }

    /// Another table for a device-mapper device, as `dmsetup table` prints it.
    pub(crate) fn table(&self, map: &str, text: &str) {
        self.file(&format!("/dev/mapper/{map}.table"), format!("{text}\n"));
    }

    /// Links `upper` and the devices below it as the kernel does.
    pub(crate) fn stack(&self, upper: &str, lower: &[&str]) {
        for folder in lower {
            let name = folder.rsplit('/').next().unwrap();
            self.link(&format!("/sys/block/{folder}/holders/{upper}"), &format!("../../{upper}"));
            self.link(&format!("/sys/block/{upper}/slaves/{name}"), &format!("../../{folder}"));
        }
    }

    pub(crate) fn mount(&self, number: &str, at: &str, fs: &str, source: &str) {
        let id = 100 + fs::read_to_string(self.at("/proc/self/mountinfo")).unwrap().lines().count();
        let line = format!("{id} 22 {number} / {at} rw,relatime shared:1 - {fs} {source} rw\n");
        self.append("/proc/self/mountinfo", &line);
    }

    /// Writes bytes into the medium of a device.
    pub(crate) fn poke(&self, name: &str, offset: u64, bytes: &[u8]) {
        use std::os::unix::fs::FileExt;
        let path = self.at(&format!("/dev/{name}"));
        let medium = fs::OpenOptions::new().write(true).open(path).unwrap();
        medium.write_all_at(bytes, offset).unwrap();
    }
}

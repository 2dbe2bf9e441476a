//! The machine as it is when targets are judged, and what of it could not be seen.
//!
//! Law: what is hidden must not pass for "nothing is there". On a live machine /proc and /sys must
//! be the kernel's own (`f_type` of statfs(2), and the first inode of the file system), nothing may
//! be mounted over what is read of them, and every block device that the kernel counts
//! (/proc/partitions, /sys/dev/block) must be listed in /sys/block. An imitated machine is checked
//! for the same, but for the types of its file systems. Files that do not exist yet are no part of
//! this: making one needs no look at devices.
//! Leaves out: what a changed kernel would hide.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, StatxFlags};

use super::loops;
use super::refusal::Reason;
use crate::counters::diskstats::DeviceNumber;
use crate::devices::{Device, DeviceKind, Devices};
use crate::ioctl::LoopFile;
use crate::location::{self, Object};
use crate::locks::{self, Lock};
use crate::mapper::{self, Piece};
use crate::mounts::{self, Mount};
use crate::root::Root;
use crate::swaps::{self, Swap};

/// The machine as it was when the question was asked; read once for many targets.
pub struct Survey<'a> {
    pub(super) root: &'a Root,
    pub(super) devices: Devices,
    pub(super) mounts: Vec<Mount>,
    pub(super) swaps: Vec<Swap>,
    pub(super) locks: Vec<Lock>,
    /// What could not be seen, and what to do.
    pub(super) hidden: Vec<String>,
    identified: RefCell<BTreeMap<PathBuf, Option<Object>>>,
    /// Asked for once, when the first is wanted.
    tables: OnceCell<BTreeMap<String, Table>>,
    loop_files: OnceCell<BTreeMap<String, LoopFile>>,
    /// The second look of a run: its claims, by the device's name.
    again: Option<BTreeSet<String>>,
}

/// The pieces of a mapped device, or why they are not known.
type Table = Result<Vec<Piece>, String>;

/// A device or swap may come or go between two files; then they are read again (chosen: for as long
/// as a busy machine takes to attach one).
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

impl<'a> Survey<'a> {
    /// Reads the machine. What cannot be read is remembered, and stands in the way of every target
    /// that exists.
    pub fn read(root: &'a Root) -> Self {
        let mut hidden = Vec::new();
        let mounts = mounts::read(root).unwrap_or_else(|error| {
            hidden.push(error.to_string());
            Vec::new()
        });
        let swaps = swap_in_use(root).unwrap_or_else(|what| {
            hidden.push(what);
            Vec::new()
        });
        // Without a list of locks each target is asked; see `lock`.
        let locks = locks::read(root).unwrap_or_default();
        let devices = devices(root, &mut hidden);
        if root.is_live() {
            hidden.extend(foreign());
        }
        hidden.extend(covered(root, &mounts));
        Self {
            root,
            devices,
            mounts,
            swaps,
            locks,
            hidden,
            identified: RefCell::default(),
            tables: OnceCell::new(),
            loop_files: OnceCell::new(),
            again: None,
        }
    }

    /// The machine as it is now, to be asked the same.
    pub(super) fn anew(&self) -> Self {
        Self { again: self.again.clone(), ..Self::read(self.root) }
    }

    /// For a later look at targets that were judged before: who uses them counts, what they hold
    /// does not. `claimed` are devices that the caller itself has open exclusively.
    #[must_use]
    pub fn again<'p>(mut self, claimed: impl Iterator<Item = &'p Path>) -> Self {
        let names = claimed.filter_map(|path| match self.identify(path) {
            Some(Object::Block(name)) => Some(name),
            _ => None,
        });
        self.again = Some(names.collect());
        self
    }

    pub(super) fn judges_contents(&self) -> bool {
        self.again.is_none()
    }

    pub(super) fn is_claimed(&self, device: &str) -> bool {
        self.again.as_ref().is_some_and(|claimed| claimed.contains(device))
    }

    /// One reason for each thing that could not be seen.
    pub(super) fn unverifiable(&self) -> impl Iterator<Item = Reason> {
        self.hidden.iter().map(|what| Reason::Unverifiable { what: what.clone() })
    }

    /// The block devices.
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    /// All mounts.
    pub fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    /// The table of a mapped device.
    pub(super) fn table(&self, name: &str) -> Result<&[Piece], &String> {
        let is_mapped = |device: &&Device| matches!(device.kind, DeviceKind::Mapper { .. });
        let read = |device: &Device| {
            let table = mapper::read(self.root, device).map_err(|error| error.to_string());
            (device.name.clone(), table)
        };
        let tables =
            self.tables.get_or_init(|| self.devices.iter().filter(is_mapped).map(read).collect());
        tables.get(name).map_or(Ok(&[]), |table| table.as_deref())
    }

    /// What the kernel says of the file behind a loop device; nothing where it may not be asked,
    /// and of an imitated machine.
    pub(super) fn loop_file(&self, device: &Device) -> Option<LoopFile> {
        let ask = |device: &Device| Some((device.name.clone(), loops::loop_file(device)?));
        let all = self.devices.iter().filter(|_| self.root.is_live());
        self.loop_files.get_or_init(|| all.filter_map(ask).collect()).get(&device.name).copied()
    }

    /// What a path leads to; `None` when that cannot be known (deleted, another namespace).
    pub(super) fn identify(&self, path: &Path) -> Option<Object> {
        if let Some(found) = self.identified.borrow().get(path) {
            return found.clone();
        }
        let found = location::identify(self.root, &self.devices, path).ok();
        self.identified.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }
}

fn devices(root: &Root, hidden: &mut Vec<String>) -> Devices {
    for look in 1.. {
        let (found, gaps) = match Devices::read(root) {
            Ok(devices) => {
                let gaps = unlisted(root, &devices);
                (devices, gaps)
            }
            Err(error) => (Devices::default(), vec![error.to_string()]),
        };
        if gaps.is_empty() || look == LOOKS {
            hidden.extend(gaps);
            return found;
        }
        std::thread::sleep(PAUSE);
    }
    Devices::default()
}

/// Type of /proc and /sys (include/uapi/linux/magic.h); both number their root 1.
const KERNELS_OWN: [(&str, &str, u64); 2] =
    [("/proc", "proc", 0x9FA0), ("/sys", "sysfs", 0x6265_6572)];

/// What must lie in the same mount as /proc or /sys itself.
const READ: [(&str, &[&str]); 2] = [
    ("/proc", &["/proc/self/mountinfo", "/proc/swaps", "/proc/partitions", "/proc/locks"]),
    ("/sys", &["/sys/block", "/sys/dev/block", "/sys/devices", "/sys/devices/virtual"]),
];

/// What stands where the kernel's files should be.
fn foreign() -> Vec<String> {
    let mut found = Vec::new();
    for (place, name, magic) in KERNELS_OWN {
        let is_own = rustix::fs::statfs(place)
            .is_ok_and(|facts| (facts.f_type as u64) & 0xFFFF_FFFF == magic)
            && statx(place).is_some_and(|facts| facts.stx_ino == 1);
        if !is_own {
            found.push(format!(
                "{place} is not the kernel's, so devices in use cannot be determined; mount it: \
                 mount -t {name} {name} {place}"
            ));
        }
    }
    for (place, files) in READ {
        let mount = |path: &str| {
            statx(path).map(|facts| (facts.stx_mnt_id, facts.stx_dev_major, facts.stx_dev_minor))
        };
        let own = mount(place);
        let is_other = |file: &&&str| mount(file).is_some_and(|other| Some(other) != own);
        found.extend(files.iter().filter(is_other).map(|file| over(file)));
    }
    found
}

fn statx(path: &str) -> Option<rustix::fs::Statx> {
    let wanted = StatxFlags::INO | StatxFlags::MNT_ID;
    rustix::fs::statx(CWD, path, AtFlags::empty(), wanted).ok()
}

fn over(place: &str) -> String {
    format!(
        "a file system is mounted over {place}, so devices in use cannot be determined; unmount \
         it, or run outside this container"
    )
}

/// What is read below /proc and /sys, whatever lies over, in or on the way to it.
const NEEDED: [&str; 7] = [
    "/proc/swaps",
    "/proc/partitions",
    "/proc/locks",
    "/proc/spl",
    "/sys/block",
    "/sys/dev/block",
    "/sys/fs/btrfs",
];

/// Mounts that may hide some of what is read. Containers mount over other parts, which is harmless.
fn covered(root: &Root, mounts: &[Mount]) -> Vec<String> {
    let is_below = |mount: &&Mount| {
        let at = &mount.mount_point;
        ["/proc", "/sys"].iter().any(|own| at.starts_with(own) && at != Path::new(own))
    };
    let below: Vec<&Mount> = mounts.iter().filter(is_below).collect();
    if below.is_empty() {
        return Vec::new();
    }
    let mut needed: Vec<PathBuf> = NEEDED.iter().map(PathBuf::from).collect();
    needed.extend(own_process(root));
    // Where the kernel's links lead; a link that is covered cannot be followed.
    needed.extend(root.list("/sys/block").unwrap_or_default().iter().filter_map(|name| {
        let link = std::fs::read_link(root.path(format!("/sys/block/{name}"))).ok()?;
        let below: PathBuf =
            link.components().skip_while(|part| part.as_os_str() == "..").collect();
        Some(Path::new("/sys").join(below))
    }));
    let hides = |mount: &&&Mount| {
        let at = &mount.mount_point;
        let meets = |path: &PathBuf| path.starts_with(at) || at.starts_with(path);
        needed.iter().any(meets) && is_visible(root, mount)
    };
    below.iter().filter(hides).map(|mount| over(&mount.mount_point.to_string_lossy())).collect()
}

fn own_process(root: &Root) -> Option<PathBuf> {
    let own = std::fs::read_link(root.path("/proc/self")).ok()?;
    Some(Path::new("/proc").join(own))
}

/// Whether the mount is what its mount point shows, and not itself covered.
fn is_visible(root: &Root, mount: &Mount) -> bool {
    let shown = mount.mount_point.to_str().filter(|_| root.is_live()).and_then(statx);
    shown.is_none_or(|facts| facts.stx_mnt_id == mount.id)
}

/// Block devices that the kernel has and /sys/block does not show, or not whole.
fn unlisted(root: &Root, devices: &Devices) -> Vec<String> {
    let mut found = Vec::new();
    if !root.path("/sys/block").is_dir() {
        let what = "/sys/block does not exist, so devices in use cannot be determined; mount sysfs";
        found.push(what.to_owned());
    }
    for (source, numbers) in [
        ("/sys/dev/block", root.list("/sys/dev/block").ok()),
        ("/proc/partitions", partitions(root)),
    ] {
        let Some(numbers) = numbers.filter(|_| root.has(source)) else {
            if root.is_live() {
                found.push(format!("{source} cannot be read, so devices in use are unknown"));
            }
            continue;
        };
        let is_unknown = |number: &&String| {
            DeviceNumber::parse(number).is_none_or(|number| devices.by_number(number).is_none())
        };
        let unknown: Vec<&str> = numbers.iter().filter(is_unknown).map(String::as_str).collect();
        if !unknown.is_empty() {
            let numbers = unknown.join(", ");
            found.push(format!("{source} has block devices that /sys/block does not: {numbers}"));
        }
    }
    for device in devices.iter() {
        let whole = devices.whole_of(&device.name);
        let folder = match whole == device.name {
            true => format!("/sys/block/{whole}"),
            false => format!("/sys/block/{whole}/{}", device.name),
        };
        let mut needed = vec!["holders"];
        if matches!(device.kind, DeviceKind::Loop(_)) && device.bytes != 0 {
            needed.push("loop/backing_file");
            needed.extend(
                root.is_live().then_some(["loop/offset", "loop/sizelimit"]).into_iter().flatten(),
            );
        }
        let is_missing = |file: &&str| !root.has(format!("{folder}/{file}"));
        let missing = needed.into_iter().filter(is_missing);
        found.extend(missing.map(|file| format!("{folder}/{file} cannot be read")));
    }
    found
}

/// `MAJOR:MINOR` of every line of /proc/partitions.
fn partitions(root: &Root) -> Option<Vec<String>> {
    let text = root.read("/proc/partitions").ok()?;
    let numbers = text.lines().skip(1).filter_map(|line| {
        let mut items = line.split_ascii_whitespace();
        Some(format!("{}:{}", items.next()?, items.next()?))
    });
    Some(numbers.collect())
}

/// The active swap. /proc/meminfo may count more than /proc/swaps lists while swap is turned on or
/// off; what stays so is out of sight.
fn swap_in_use(root: &Root) -> Result<Vec<Swap>, String> {
    for _ in 0..LOOKS {
        let swaps = swaps::read(root).map_err(|error| error.to_string())?;
        if !swaps.is_empty() || !counts_swap(root) {
            return Ok(swaps);
        }
        std::thread::sleep(PAUSE);
    }
    Err("/proc/swaps does not list the active swap; make it visible".to_owned())
}

/// Whether /proc/meminfo counts swap. A kernel without swap has no /proc/swaps and counts none;
/// where /proc/meminfo is missing, /proc/swaps is believed.
fn counts_swap(root: &Root) -> bool {
    let counted = root.read("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("SwapTotal:"))?;
        line.split_ascii_whitespace().next()?.parse::<u64>().ok()
    });
    counted.map_or(!root.has("/proc/swaps"), |kib| kib > 0)
}

//! The ten situations: how each is made, the load on it, and what the verdict must be.
//!
//! Disks are slow, so that those who serve them may wait for a processor now and then; only memory
//! and zram are as fast as the processors.

use std::time::Duration;

use anyhow::Result;

use super::load::{Cache, EACH_PROCESSOR, Load, Order};
use super::slow::Speed;
use super::stand::{Place, Stand, read_ahead};
use crate::limits::rig::said;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// Of a file; iopath fills it anew before it writes.
const FILE: u64 = 64 * MIB;

/// One of them.
#[derive(Clone, Copy)]
pub(crate) struct Situation {
    pub name: &'static str,
    /// What is there, in a few words.
    pub about: &'static str,
    pub set_up: fn(&mut Stand) -> Result<Place>,
    pub load: Load,
    pub truth: Truth,
    /// Bytes at the devices for each byte of the load; none where there is no device.
    pub below: Option<f64>,
    /// Percent by which the figure may be off fio's: small where a device decides, larger where two
    /// programs share processors with whatever else runs.
    pub tolerance: f64,
}

/// What holds the load back in truth. iostat must show it, and the verdict must name it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Truth {
    /// The busiest device, or one that is as busy.
    Busiest,
    /// The device of that place among all; the others rest.
    Slow(usize),
    /// A limit above a device that rests.
    Held,
    /// No device: copies from memory.
    Memory,
    /// Processors, which have no time left.
    Processors,
    /// The kernel reads so little ahead that a reader waits for one small request after the other:
    /// more of it makes the same reader faster.
    Window { kib: u64, wider_kib: u64 },
}

impl Truth {
    /// Whether anything else on the machine uses what decides.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::Memory | Self::Processors)
    }
}

const DIRECT: Load = Load {
    op: "read",
    order: Order::Random,
    cache: Cache::Direct,
    block_kib: 128,
    depth: 16,
    streams: 1,
};

const LARGE: Load = Load { order: Order::Sequential, block_kib: 1024, depth: 8, ..DIRECT };

const BUFFERED: Load =
    Load { order: Order::Sequential, cache: Cache::Buffered, block_kib: 64, depth: 1, ..DIRECT };

const DISK: Situation = Situation {
    name: "",
    about: "",
    set_up: xfs,
    load: DIRECT,
    truth: Truth::Busiest,
    below: Some(1.0),
    tolerance: 5.0,
};

pub(crate) const ALL: [Situation; 10] = [
    Situation {
        name: "btrfs-raid0",
        about: "btrfs RAID 0 on four equal disks, large sequential reads",
        set_up: btrfs_raid0,
        load: LARGE,
        ..DISK
    },
    Situation {
        name: "btrfs-raid1",
        about: "btrfs RAID 1 on two equal disks, eight random writers",
        set_up: btrfs_raid1,
        // One ring's writes of a file wait for one another above btrfs, however deep its queue.
        load: Load { op: "write", depth: 1, streams: 8, ..DIRECT },
        below: Some(2.0),
        ..DISK
    },
    Situation { name: "xfs", about: "xfs on a disk, large sequential reads", load: LARGE, ..DISK },
    Situation {
        name: "ext4",
        about: "ext4 on a disk, small random writes",
        set_up: ext4,
        load: Load { op: "write", block_kib: 4, depth: 8, ..DIRECT },
        ..DISK
    },
    Situation {
        name: "tmpfs",
        about: "a file in memory, a random reader for each processor",
        set_up: tmpfs,
        load: Load { depth: 1, streams: EACH_PROCESSOR, ..DIRECT },
        truth: Truth::Memory,
        below: None,
        tolerance: 20.0,
    },
    Situation {
        name: "zram",
        about: "ext4 on compressed memory, a random reader for each processor",
        set_up: zram,
        load: Load { depth: 1, streams: EACH_PROCESSOR, ..DIRECT },
        truth: Truth::Processors,
        below: Some(1.0),
        tolerance: 20.0,
    },
    Situation {
        name: "throttled",
        about: "ext4 on a fast device, in a control group of 40 MB/s",
        set_up: throttled,
        load: Load { block_kib: 64, depth: 8, ..DIRECT },
        truth: Truth::Held,
        below: Some(1.0),
        tolerance: 5.0,
    },
    Situation {
        name: "slow-member",
        about: "btrfs RAID 0 on four disks, of which one is slow",
        set_up: slow_member,
        load: LARGE,
        truth: Truth::Slow(2),
        ..DISK
    },
    Situation {
        name: "small-readahead",
        about: "one buffered reader, 16 KiB read ahead",
        set_up: small_readahead,
        load: Load { block_kib: 4, ..BUFFERED },
        truth: Truth::Window { kib: 16, wider_kib: 4096 },
        ..DISK
    },
    Situation {
        name: "64-readers",
        about: "64 buffered readers, 512 KiB read ahead for each",
        set_up: readers,
        load: Load { streams: 64, ..BUFFERED },
        tolerance: 10.0,
        ..DISK
    },
];

/// A disk that only its bytes delay.
fn streaming(mb_per_sec: u64) -> Speed {
    Speed { each: Duration::ZERO, bytes_per_sec: mb_per_sec * 1_000_000 }
}

/// A disk that takes a time for each request, and hardly more for its bytes.
fn seeking(each: Duration) -> Speed {
    Speed { each, bytes_per_sec: 200_000_000 }
}

fn btrfs(stand: &mut Stand, profile: &str, speeds: &[Speed]) -> Result<Place> {
    let nodes = stand.disks(GIB, speeds)?;
    stand.rig.make_btrfs(&nodes, profile)?;
    let at = stand.rig.mount_btrfs(&nodes, "rw")?;
    stand.filled(&at, FILE, &nodes)
}

fn btrfs_raid0(stand: &mut Stand) -> Result<Place> {
    btrfs(stand, "raid0", &[streaming(10); 4])
}

fn btrfs_raid1(stand: &mut Stand) -> Result<Place> {
    btrfs(stand, "raid1", &[streaming(10); 2])
}

fn slow_member(stand: &mut Stand) -> Result<Place> {
    btrfs(stand, "raid0", &[streaming(20), streaming(20), streaming(4), streaming(20)])
}

fn xfs(stand: &mut Stand) -> Result<Place> {
    let node = stand.disk(GIB, streaming(20))?;
    said("mkfs.xfs", &["-q", "-K", &node])?;
    let at = stand.rig.mount(&[&node])?;
    stand.filled(&at, FILE, &[node])
}

fn ext4(stand: &mut Stand) -> Result<Place> {
    let node = stand.disk(GIB, seeking(Duration::from_millis(4)))?;
    let at = stand.rig.mount_ext4(&node)?;
    stand.filled(&at, FILE, &[node])
}

fn tmpfs(stand: &mut Stand) -> Result<Place> {
    let at = stand.rig.mount(&["-t", "tmpfs", "-o", "size=512m", "none"])?;
    stand.filled(&at, FILE, &[])
}

fn zram(stand: &mut Stand) -> Result<Place> {
    let node = stand.rig.zram(GIB)?;
    let at = stand.rig.mount_ext4(&node)?;
    stand.filled(&at, FILE, &[node])
}

fn throttled(stand: &mut Stand) -> Result<Place> {
    let node = stand.rig.device("medium", GIB)?;
    let at = stand.rig.mount_ext4(&node)?;
    let place = stand.filled(&at, FILE, std::slice::from_ref(&node))?;
    let group = stand.rig.group(&node, "read_bps", 40_000_000)?;
    Ok(Place { group: Some(group), ..place })
}

fn small_readahead(stand: &mut Stand) -> Result<Place> {
    let node = stand.disk(16 * GIB, seeking(Duration::from_millis(4)))?;
    read_ahead(&node, 16)?;
    Ok(Stand::bare(node, 16 * GIB))
}

fn readers(stand: &mut Stand) -> Result<Place> {
    let node = stand.disk(16 * GIB, streaming(50))?;
    read_ahead(&node, 512)?;
    Ok(Stand::bare(node, 16 * GIB))
}

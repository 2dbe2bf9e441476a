//! What an entity is, in one word. The words of parts of a path are those of the study language;
//! the others are what is measured, watched and imported besides.
//!
//! It leaves out where an entity lies: a `pool` may be memory or a file system, see
//! [`Layer`](crate::Layer).

use std::cmp::Ordering;

use serde::{Deserialize, Serialize, Serializer};

/// What an entity is.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Deserialize,
    strum::AsRefStr,
    strum::Display,
    strum::EnumString,
)]
#[serde(from = "String")]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// One stream.
    Stream,
    /// Streams that are alike.
    Streams,
    /// One kind of request of a load that has several.
    SubStream,
    /// The program that makes the load.
    Process,
    /// Processors: all, or one.
    Cpu,
    /// Main memory, or a cache of the kernel in it.
    Memory,
    /// A NUMA node's memory.
    Node,
    /// Time that tasks waited for a resource.
    Pressure,
    /// A machine.
    Host,
    /// A processor with its memory and root ports.
    Socket,
    /// A box of adapters outside the machine.
    Drawer,
    /// A board with slots.
    Planar,
    /// A cable or lane inside a machine.
    Link,
    /// A host bridge or bus bridge.
    Bridge,
    /// A PCI Express port of a processor.
    RootPort,
    /// A PCI Express switch.
    PcieSwitch,
    /// A host bus adapter.
    Hba,
    /// A network adapter of a study.
    Nic,
    /// A network interface of the kernel.
    Network,
    /// A Fibre Channel host of the kernel.
    FcHost,
    /// A port of an adapter, a switch or an array.
    Port,
    /// A port of a Fibre Channel switch, as the switch counts it.
    FcPort,
    /// A switch of the fabric.
    Switch,
    /// A part of a switch within which ports talk at full rate.
    Asic,
    /// A storage array, or an md array.
    Array,
    /// A controller of an array.
    Controller,
    /// A SAS expander.
    Expander,
    /// A box that devices sit in.
    Enclosure,
    /// A disk.
    Disk,
    /// A solid-state disk.
    Ssd,
    /// A namespace of an NVMe drive.
    Nvme,
    /// Any other block device of a study, or anything that has limits only.
    Part,
    /// A partition.
    Partition,
    /// A loop device.
    Loop,
    /// A compressed device in memory.
    Zram,
    /// One way to a device that has several.
    Path,
    /// A device that has several ways.
    Multipath,
    /// A logical unit.
    Lun,
    /// A RAID array.
    Raid,
    /// A volume over members in turn.
    Stripe,
    /// A volume over members one after the other.
    Concat,
    /// A volume that keeps each block on every side.
    Mirror,
    /// Any other volume.
    Volume,
    /// What a volume lies on that the program composed.
    Member,
    /// A plex of a Veritas volume.
    Plex,
    /// A subdisk of a Veritas volume.
    Subdisk,
    /// A file system of a study.
    Filesystem,
    /// A regular file.
    File,
    /// Small files in directories.
    Tree,
    /// An NFS mount.
    Nfs,
    /// A btrfs file system.
    Btrfs,
    /// Where a file system caches; a pool of ZFS.
    Pool,
    /// A dataset of ZFS.
    Dataset,
    /// A cache in front of volumes.
    Cache,
    /// What is read ahead of a stream.
    Readahead,
    /// Threads that read ahead and write behind for all streams.
    Prefetch,
    /// How a file system hands the parts of a request down.
    Issue,
    /// How a file system commits what was written.
    Commit,
    /// Processor time that requests cost.
    Cost,
    /// A word that this version does not know: kept and shown as it is.
    #[strum(default, transparent)]
    Other(String),
}

impl Kind {
    /// Its word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.as_ref()
    }

    /// Whether it is a machine, or a part of one, whose processors requests pass.
    #[must_use]
    pub const fn is_machine(&self) -> bool {
        matches!(self, Self::Host | Self::Socket | Self::Controller)
    }
}

/// By word.
impl Ord for Kind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<String> for Kind {
    fn from(word: String) -> Self {
        Self::from(word.as_str())
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

//! Where on the path a kind of part lies.

use iopath_record::{Kind, Layer};

/// The layer of a part of a path. What holds others together (drawers, links, enclosures, the link
/// between two controllers) counts as a bus; a kind that the path may not contain counts as a
/// device.
pub(crate) fn of(kind: &Kind) -> Layer {
    match kind {
        Kind::Host | Kind::Socket | Kind::Controller => Layer::Processor,
        Kind::Drawer
        | Kind::Planar
        | Kind::Link
        | Kind::Bridge
        | Kind::RootPort
        | Kind::PcieSwitch
        | Kind::Array
        | Kind::Expander
        | Kind::Enclosure => Layer::Bus,
        Kind::Hba | Kind::Nic => Layer::Adapter,
        Kind::Port => Layer::Port,
        Kind::Switch | Kind::Asic => Layer::Switch,
        Kind::Lun | Kind::Raid => Layer::Lun,
        Kind::Stripe | Kind::Concat | Kind::Mirror => Layer::Volume,
        Kind::Filesystem
        | Kind::File
        | Kind::Readahead
        | Kind::Prefetch
        | Kind::Issue
        | Kind::Commit
        | Kind::Cost => Layer::FileSystem,
        Kind::Cache | Kind::Pool => Layer::Memory,
        Kind::Disk | Kind::Ssd | Kind::Nvme | Kind::Part => Layer::Device,
        Kind::Stream
        | Kind::Streams
        | Kind::SubStream
        | Kind::Process
        | Kind::Cpu
        | Kind::Memory
        | Kind::Node
        | Kind::Pressure
        | Kind::Network
        | Kind::FcHost
        | Kind::FcPort
        | Kind::Partition
        | Kind::Loop
        | Kind::Zram
        | Kind::Path
        | Kind::Multipath
        | Kind::Volume
        | Kind::Member
        | Kind::Plex
        | Kind::Subdisk
        | Kind::Tree
        | Kind::Nfs
        | Kind::Btrfs
        | Kind::Dataset
        | Kind::Other(_) => Layer::Device,
    }
}

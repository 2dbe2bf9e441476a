//! Where on the path a kind of part lies.

use iopath_record::{Kind, Layer};

/// The layer of a part of a path. What holds others together (drawers, links,
/// enclosures, the link between two controllers) counts as a bus; a kind that the path may not
/// contain counts as a device.
pub(crate) fn of(kind: &Kind) -> Layer {
    match kind {
        kind if kind.is_machine() => Layer::Processor,
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
        _ => Layer::Device,
    }
}

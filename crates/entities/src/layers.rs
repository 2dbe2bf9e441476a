//! Where on the path a kind of part lies.

use iopath_record::Layer;

/// The layer of a kind of the study language. What holds others together (drawers, links,
/// enclosures, the link between two controllers) counts as a bus; a kind that the path may not
/// contain counts as a device.
pub(crate) fn of(kind: &str) -> Layer {
    match kind {
        "host" | "socket" | "controller" => Layer::Processor,
        "drawer" | "planar" | "link" | "bridge" | "root-port" | "pcie-switch" | "array"
        | "expander" | "enclosure" => Layer::Bus,
        "hba" | "nic" => Layer::Adapter,
        "port" => Layer::Port,
        "switch" | "asic" => Layer::Switch,
        "lun" | "raid" => Layer::Lun,
        "stripe" | "concat" | "mirror" => Layer::Volume,
        "filesystem" | "file" | "readahead" | "prefetch" | "issue" | "commit" | "cost" => {
            Layer::FileSystem
        }
        "cache" | "pool" => Layer::Memory,
        _ => Layer::Device,
    }
}

//! NVMe: controllers, and the paths of a namespace.
//!
//! Format: /sys/class/nvme/NAME and /sys/class/nvme-subsystem/NAME as the kernel's nvme driver
//! makes them (drivers/nvme/host/sysfs.c, multipath.c). Without multipath `nvme0n1` lies below its
//! controller. With it `nvme0n1` lies below its subsystem, and each controller has a hidden disk
//! `nvme0cCn1` with the state that the target gives to this way (ANA, NVM Express Base
//! Specification, 8.1).
//! Leaves out: queues one by one, temperature, wear.

use std::path::Path;

use super::attributes::{Attributes, names_of, up_to};
use super::pci;
use crate::devices::is_numbered;

/// A namespace and the ways to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nvme {
    /// The subsystem's name in the kernel, such as `nvme-subsys0`.
    pub subsystem: Option<String>,
    /// Its name in the world (NQN).
    pub subsystem_nqn: Option<String>,
    /// How paths are chosen: `numa`, `round-robin`, `queue-depth`; `None` without multipath.
    pub path_policy: Option<String>,
    /// The ways to it; one without multipath, by name of controller.
    pub paths: Vec<NvmePath>,
}

/// A way to a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvmePath {
    /// The disk of this way: the hidden `nvme0c1n1`, or the namespace itself.
    pub device: String,
    pub controller: NvmeController,
    /// `optimized`, `non-optimized`, `inaccessible`, `persistent-loss`, `change`; `None` where the
    /// target makes no difference.
    pub ana_state: Option<String>,
}

/// An NVMe controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvmeController {
    /// Such as `nvme0`.
    pub name: String,
    /// What it is reached by.
    pub transport: NvmeTransport,
    /// For PCIe its address, else such as `traddr=10.0.0.5,trsvcid=4420,src_addr=10.0.0.9`.
    pub address: Option<String>,
    /// `live`, `new`, `resetting`, `connecting`, `deleting`, `dead`.
    pub state: Option<String>,
    /// Its PCI function; `None` over a network.
    pub pci: Option<String>,
    /// Queues, that for administration among them.
    pub queue_count: Option<u32>,
    /// Commands that one queue holds.
    pub queue_entries: Option<u32>,
    /// The maker's product name.
    pub model: Option<String>,
    /// Its own software.
    pub firmware: Option<String>,
    /// The NUMA node it is next to.
    pub node: Option<u32>,
}

/// What an NVMe controller is reached by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NvmeTransport {
    /// PCI Express.
    Pcie,
    Tcp,
    /// InfiniBand or RoCE.
    Rdma,
    FibreChannel,
    /// Another word of the kernel, such as `loop`; `unknown` where it says none.
    Other(String),
}

impl NvmeController {
    /// A word of its address: `traddr`, `host_iface`.
    pub fn address_word(&self, name: &str) -> Option<&str> {
        let words = self.address.as_deref().unwrap_or("").split(',');
        words.filter_map(|word| word.split_once('=')).find(|(found, _)| *found == name).map(|w| w.1)
    }
}

impl NvmePath {
    /// Its controller answers, as far as it says.
    pub fn is_live(&self) -> bool {
        self.controller.state.as_deref().is_none_or(|state| state == "live")
    }

    /// Whether the target prefers this way; `None` where it makes no difference.
    pub fn is_optimised(&self) -> Option<bool> {
        self.ana_state.as_deref().map(|state| state == "optimized")
    }
}

pub(super) fn read(attributes: &Attributes<'_>, name: &str, path: &Path) -> Nvme {
    let names = names_of(path);
    let above =
        names.iter().position(|name| name.starts_with("nvme-subsys") && name != "nvme-subsystem");
    match above {
        Some(index) => {
            let subsystem = up_to(path, index);
            Nvme {
                subsystem: Some(names[index].clone()),
                subsystem_nqn: attributes.text(subsystem.join("subsysnqn")),
                path_policy: attributes.text(subsystem.join("iopolicy")),
                paths: read_paths(attributes, name, &subsystem),
            }
        }
        None => {
            let index = names.iter().rposition(|name| is_numbered(name, "nvme"));
            let path_of = |index: usize| NvmePath {
                device: name.to_owned(),
                controller: read_controller(attributes, &up_to(path, index)),
                ana_state: None,
            };
            let controller = index.map(|index| up_to(path, index)).unwrap_or_default();
            Nvme {
                subsystem: subsystem_of(attributes, &controller),
                subsystem_nqn: attributes.text(controller.join("subsysnqn")),
                path_policy: None,
                paths: index.map(path_of).into_iter().collect(),
            }
        }
    }
}

/// The subsystem that links a controller.
fn subsystem_of(attributes: &Attributes<'_>, controller: &Path) -> Option<String> {
    let folder = "/sys/class/nvme-subsystem";
    let name = controller.file_name()?.to_string_lossy().into_owned();
    let mut all = attributes.names(folder).into_iter();
    all.find(|subsystem| attributes.root.has(format!("{folder}/{subsystem}/{name}")))
}

/// The controllers linked in the folder of a subsystem, with the hidden disks below them.
fn read_paths(attributes: &Attributes<'_>, head: &str, subsystem: &Path) -> Vec<NvmePath> {
    // nvme0n1 is the head of nvme0c0n1 and nvme0c1n1.
    let Some((instance, namespace)) =
        head.strip_prefix("nvme").and_then(|rest| rest.split_once('n'))
    else {
        return Vec::new();
    };
    let is_path = |name: &String| {
        let rest = name.strip_prefix("nvme").and_then(|rest| rest.strip_prefix(instance));
        let middle = rest.and_then(|rest| rest.strip_suffix(namespace)?.strip_suffix('n'));
        middle.is_some_and(|middle| is_numbered(middle, "c"))
    };
    let controllers = attributes.names(subsystem).into_iter().filter(|n| is_numbered(n, "nvme"));
    let paths = controllers.flat_map(|controller| {
        let folder = attributes.resolve(subsystem.join(&controller)).unwrap_or_default();
        let devices = attributes.names(&folder).into_iter().filter(is_path);
        let paths: Vec<NvmePath> = devices
            .map(|device| NvmePath {
                ana_state: attributes.text(folder.join(&device).join("ana_state")),
                controller: read_controller(attributes, &folder),
                device,
            })
            .collect();
        paths
    });
    paths.collect()
}

fn read_controller(attributes: &Attributes<'_>, folder: &Path) -> NvmeController {
    let text = |name: &str| attributes.text(folder.join(name));
    let number = |name: &str| text(name).and_then(|text| text.parse().ok());
    let transport = match text("transport").as_deref() {
        Some("pcie") => NvmeTransport::Pcie,
        Some("tcp") => NvmeTransport::Tcp,
        Some("rdma") => NvmeTransport::Rdma,
        Some("fc") => NvmeTransport::FibreChannel,
        other => NvmeTransport::Other(other.unwrap_or("unknown").to_owned()),
    };
    NvmeController {
        name: folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        transport,
        address: text("address"),
        state: text("state"),
        pci: pci::function_on(&names_of(folder)),
        queue_count: number("queue_count"),
        // The file counts from nought.
        queue_entries: number("sqsize").and_then(|entries| entries.checked_add(1)),
        model: text("model"),
        firmware: text("firmware_rev"),
        node: attributes.node(folder.join("numa_node")),
    }
}

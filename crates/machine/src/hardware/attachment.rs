//! How one block device is attached: read off the path that /sys/block leads to.
//!
//! Leaves out: devices on top of others (dm, md, bcache): they have a queue and no attachment.

use std::collections::BTreeSet;

use super::attributes::{Attributes, names_of};
use super::nvme::{self, Nvme};
use super::pci;
use super::queue::{self, QueueFacts};
use super::scsi::{self, Scsi};
use crate::devices::is_numbered;

/// How a whole block device is attached, and its queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// What carries its requests.
    pub transport: Transport,
    /// The PCI function it hangs on; `None` without one or with several (NVMe multipath).
    pub pci: Option<String>,
    /// The NUMA node that the device names; see [`super::Hardware::node_of`].
    pub node: Option<u32>,
    /// How many hardware queues it has (`mq`); `None` where the kernel does not say.
    pub queues: Option<usize>,
    pub queue: QueueFacts,
}

/// What carries the requests of a block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// NVMe, local or over a fabric.
    Nvme(Nvme),
    /// SCSI commands, whatever they go through.
    Scsi(Box<Scsi>),
    /// A virtual disk of a hypervisor (virtio-blk).
    Virtio {
        /// How the hypervisor shows it: `pci` or `mmio`.
        bus: &'static str,
    },
    /// A virtual disk of Xen.
    Xen,
    /// An SD or eMMC card.
    Mmc,
    /// Persistent memory.
    Pmem,
    /// A protocol of its own over a network: `nbd`, `rbd`, `drbd`.
    Network(String),
    /// Something else with hardware, by the name of its bus or driver.
    Other(String),
    /// No hardware of its own: loop, zram, ram, dm, md …
    None,
}

impl Attachment {
    /// All PCI functions that its requests may go through.
    pub fn functions(&self) -> BTreeSet<&str> {
        let mut all: BTreeSet<&str> = self.pci.as_deref().into_iter().collect();
        if let Transport::Nvme(nvme) = &self.transport {
            all.extend(nvme.paths.iter().filter_map(|path| path.controller.pci.as_deref()));
        }
        all
    }
}

pub(super) fn read(attributes: &Attributes<'_>, name: &str) -> Attachment {
    let folder = format!("/sys/block/{name}");
    let path = attributes.resolve(&folder).unwrap_or_default();
    let names = names_of(&path);
    let transport = transport_of(attributes, name, &path);
    let mut attachment = Attachment {
        transport,
        pci: pci::function_on(&names),
        node: attributes.node(format!("{folder}/device/numa_node")),
        queues: Some(attributes.names(format!("{folder}/mq")).len()).filter(|count| *count > 0),
        queue: queue::read(attributes, name),
    };
    // The head of NVMe multipath is virtual; its paths have the functions.
    if attachment.pci.is_none() {
        let all = attachment.functions();
        let only = all.first().filter(|_| all.len() == 1).map(|&address| address.to_owned());
        attachment.pci = only;
    }
    attachment
}

fn transport_of(attributes: &Attributes<'_>, name: &str, path: &std::path::Path) -> Transport {
    let names = names_of(path);
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let begins = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
    if has("nvme") || has("nvme-subsystem") || has("nvme-fabrics") {
        return Transport::Nvme(nvme::read(attributes, name, path));
    }
    if let Some(scsi) = scsi::read(attributes, name, path) {
        return Transport::Scsi(Box::new(scsi));
    }
    if names.iter().any(|name| is_numbered(name, "virtio")) {
        let bus = if pci::function_on(&names).is_some() { "pci" } else { "mmio" };
        return Transport::Virtio { bus };
    }
    for network in ["nbd", "rbd", "drbd"] {
        if is_numbered(name, network) {
            return Transport::Network(network.to_owned());
        }
    }
    match () {
        () if begins("vbd-") => Transport::Xen,
        () if has("mmc_host") => Transport::Mmc,
        () if begins("ndbus") => Transport::Pmem,
        () if has("virtual") || !attributes.root.has(format!("/sys/block/{name}/device")) => {
            Transport::None
        }
        () => {
            let file = |file: &str| format!("/sys/block/{name}/device/{file}");
            let driver = attributes.link_name(file("driver"));
            let word = driver.or_else(|| attributes.link_name(file("subsystem")));
            Transport::Other(word.unwrap_or_else(|| "unknown".to_owned()))
        }
    }
}

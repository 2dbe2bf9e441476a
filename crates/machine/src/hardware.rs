//! What block devices hang on: controllers, buses, ports, processors, memory.
//!
//! Everything is read from /sys, where the path of a device is the way to it: `/sys/block/sda`
//! leads to `/sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda`
//! (Documentation/ABI of the kernel; each part names its own pages). Root is not needed. What a
//! machine does not tell is `None`; what a user would miss is a line in [`Hardware::unread`].
//! Leaves out: who stands on whom ([`crate::devices`]), what is inside disk arrays and switches,
//! which no kernel knows, and every judgement.

use std::collections::BTreeMap;

use crate::devices::{DeviceKind, Devices};
use crate::root::Root;

mod arrays;
mod attachment;
mod attributes;
mod bcache;
mod fibre_channel;
mod interrupts;
mod iscsi;
mod network;
mod nodes;
mod nvme;
mod pci;
pub(crate) mod queue;
mod sas;
mod scsi;
mod wake;

pub use arrays::{Array, ArrayMember};
pub use attachment::{Attachment, Transport};
pub use bcache::Bcache;
pub use fibre_channel::{FibreChannelHost, FibreChannelVia, RemotePort};
pub use interrupts::{Interrupt, affinity_file};
pub use iscsi::IscsiVia;
pub use network::Interface;
pub use nodes::NumaNode;
pub use nvme::{Nvme, NvmeController, NvmePath, NvmeTransport};
pub use pci::{Link, PciFunction, PciKind, PciLink};
pub use queue::QueueFacts;
pub use sas::{SasDevice, SasPhy, SasPort, SasVia};
pub use scsi::{AtaVia, Scsi, ScsiAddress, ScsiHost, ScsiVia, UsbVia};

use attributes::Attributes;

/// The hardware below the block devices of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hardware {
    /// Every PCI function by its address, such as `0000:03:00.0`.
    pub functions: BTreeMap<String, PciFunction>,
    /// Their interrupts, by the function's address.
    pub interrupts: BTreeMap<String, Vec<Interrupt>>,
    /// NUMA nodes in order; empty where the kernel has none.
    pub nodes: Vec<NumaNode>,
    /// The online processors; empty where the kernel does not say.
    pub processors: Vec<u32>,
    /// Processors that are kept free of interrupts.
    pub isolated: Vec<u32>,
    /// The processors that this process may run on, as the kernel lists them: `0-31`.
    pub usable_cpus: Option<String>,
    /// How each whole device is attached, by its kernel name; those on top of others (dm, md) too,
    /// since they have queues.
    pub attachments: BTreeMap<String, Attachment>,
    /// SCSI hosts by number.
    pub scsi_hosts: BTreeMap<u32, ScsiHost>,
    /// Linux software RAIDs, by kernel name.
    pub arrays: BTreeMap<String, Array>,
    /// Cached devices of bcache, by kernel name.
    pub bcaches: BTreeMap<String, Bcache>,
    /// Network interfaces by name.
    pub interfaces: BTreeMap<String, Interface>,
    /// What is there but could not be read, in words.
    pub unread: Vec<String>,
}

impl Hardware {
    /// Reads everything that can be read; what cannot is noted, as in a container without some of
    /// /sys.
    pub fn read(root: &Root, devices: &Devices) -> Self {
        let attributes = Attributes::new(root);
        let functions = pci::read(&attributes);
        let scsi_hosts = scsi::read_hosts(&attributes);
        let mut attachments = BTreeMap::new();
        let (mut arrays, mut bcaches) = (BTreeMap::new(), BTreeMap::new());
        for device in devices.iter() {
            match device.kind {
                DeviceKind::Partition { .. } => continue,
                DeviceKind::Array { .. } => {
                    arrays.insert(device.name.clone(), arrays::read(&attributes, &device.name));
                }
                DeviceKind::Bcache => {
                    let found = bcache::read(&attributes, &device.slaves);
                    bcaches.insert(device.name.clone(), found);
                }
                DeviceKind::Disk
                | DeviceKind::Loop(_)
                | DeviceKind::Mapper { .. }
                | DeviceKind::Zram => {}
            }
            let attachment = attachment::read(&attributes, &device.name);
            attachments.insert(device.name.clone(), attachment);
        }
        let (processors, isolated) = nodes::processors(&attributes);
        Self {
            interrupts: interrupts::read(&attributes, functions.keys()),
            processors,
            isolated,
            functions,
            nodes: nodes::read(&attributes),
            usable_cpus: nodes::usable_cpus(&attributes),
            attachments,
            scsi_hosts,
            arrays,
            bcaches,
            interfaces: network::read_interfaces(&attributes),
            unread: attributes.into_unread(),
        }
    }

    /// The PCI functions on the way to one, from the root port down to itself; empty when unknown.
    pub fn chain(&self, address: &str) -> Vec<&PciFunction> {
        let mut chain = Vec::new();
        let mut next = self.functions.get(address);
        while let Some(function) = next {
            chain.push(function);
            // A tree of files may claim anything; no chain is longer than all functions.
            let is_loop = chain.len() > self.functions.len();
            let parent = function.parent.as_deref().filter(|_| !is_loop);
            next = parent.and_then(|parent| self.functions.get(parent));
        }
        chain.reverse();
        chain
    }

    /// The links on that way, from the one at the root port down: each between two functions that
    /// both tell what they can do.
    pub fn links(&self, address: &str) -> Vec<PciLink> {
        pci::links(&self.chain(address))
    }

    /// The NUMA node of a device: its own word, else that of the function it hangs on.
    pub fn node_of(&self, device: &str) -> Option<u32> {
        let attachment = self.attachments.get(device)?;
        let of_function = |address: &&str| self.chain(address).iter().rev().find_map(|f| f.node);
        attachment.node.or_else(|| {
            let nodes: Vec<_> = attachment.functions().iter().map(of_function).collect();
            let first = nodes.first().copied().flatten();
            // Paths through several nodes belong to none.
            first.filter(|_| nodes.iter().all(|node| *node == first))
        })
    }
}

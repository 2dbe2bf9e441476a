//! Network interfaces: what storage over a network goes through.
//!
//! Format: Documentation/ABI/testing/sysfs-class-net. An interface that is down answers no speed.
//! Leaves out: ports of InfiniBand adapters; addresses and routes: which interface a server is
//! reached by is the kernel's decision for each packet.

use super::attributes::{Attributes, names_of};
use super::pci;

use std::collections::BTreeMap;

/// A network interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// Such as `eth0`.
    pub name: String,
    /// Its rate in million bits per second, while it is up.
    pub megabits_per_sec: Option<u32>,
    /// Bytes of the largest packet.
    pub mtu_bytes: Option<u32>,
    /// The PCI function it is on; `None` for virtual ones.
    pub pci: Option<String>,
    /// The driver of its device.
    pub driver: Option<String>,
    /// Bytes that it has received and sent since it came.
    pub moved_bytes: Option<u64>,
    /// Interfaces it stands on: those of a bond, a bridge, a VLAN.
    pub lower: Vec<String>,
}

pub(super) fn read_interfaces(attributes: &Attributes<'_>) -> BTreeMap<String, Interface> {
    let folder = "/sys/class/net";
    let mut all = BTreeMap::new();
    for name in attributes.names(folder) {
        let file = |file: &str| format!("{folder}/{name}/{file}");
        // The file bonding_masters is no interface.
        let Some(path) = attributes.resolve(file("")) else { continue };
        if !attributes.root.has(file("ifindex")) && !attributes.root.has(file("operstate")) {
            continue;
        }
        let is_virtual = names_of(&path).iter().any(|name| name == "virtual");
        // -1 stands for unknown; reading fails where it is down.
        let speed = attributes.root.attribute(file("speed"));
        let lower = attributes.names(file(""));
        let moved =
            |file_name: &str| attributes.number::<u64>(file(&format!("statistics/{file_name}")));
        let moved_bytes = match (moved("rx_bytes"), moved("tx_bytes")) {
            (Some(received), Some(sent)) => Some(received.saturating_add(sent)),
            (received, sent) => received.or(sent),
        };
        let interface = Interface {
            name: name.clone(),
            megabits_per_sec: speed.and_then(|text| text.parse().ok()).filter(|rate| *rate > 0),
            mtu_bytes: attributes.number(file("mtu")),
            pci: pci::function_on(&names_of(&path)).filter(|_| !is_virtual),
            driver: attributes.link_name(file("device/driver")),
            moved_bytes,
            lower: lower
                .iter()
                .filter_map(|n| n.strip_prefix("lower_"))
                .map(str::to_owned)
                .collect(),
        };
        all.insert(name, interface);
    }
    all
}

//! PCI functions and the links between them.
//!
//! Format: Documentation/ABI/testing/sysfs-bus-pci. Speeds are texts such as `8.0 GT/s PCIe`,
//! `2.5 GT/s` or `Unknown`; a width of 0, 63 or 255 is that of a link that is down or of registers
//! that answer nothing. A link has two ends, each with its own maximum: a drive made for 16 GT/s in
//! a port of 8 GT/s is not degraded. The current rate may also be that of a link at rest
//! (<https://github.com/open-mpi/hwloc/issues/653>): whether it is less than it should be can only
//! be told of a device that is at work.
//! What a bridge is stands in its PCI Express capability (PCI Express Base Specification, 7.5.3.2),
//! which only root may read; else it follows from where the bridge is.
//! A function of a hypervisor reports a link that is made up (QEMU's ports say 2.5 GT/s x1 whatever
//! they move): what it says of a link does not count, nor does any link on the way to it. A real
//! device that is handed through keeps its own.
//! Leaves out: errors (AER), reset, power budgets.

use std::collections::BTreeMap;

use super::attributes::{Attributes, names_of, thousandfold};

mod kind;

/// A PCI function: a port of the root complex or of a switch, or a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PciFunction {
    /// Domain, bus, device, function: `0000:03:00.0`.
    pub address: String,
    /// Class, subclass and interface, 24 bits: 0x010802 is NVMe.
    pub class: Option<u32>,
    /// Who made it.
    pub vendor: Option<u32>,
    /// The driver bound to it.
    pub driver: Option<String>,
    /// Its place on the way from the processor.
    pub kind: PciKind,
    /// The function above it; `None` at the root.
    pub parent: Option<String>,
    /// A hypervisor imitates it.
    pub is_emulated: bool,
    /// How its link runs now: of a port the link below it, of any other function the one above.
    pub current: Option<Link>,
    /// The most that this end of the link can do.
    pub max: Option<Link>,
    /// The NUMA node it is next to.
    pub node: Option<u32>,
    /// Runtime power management: `active`, `suspended`, `suspending`, `resuming`, `error`,
    /// `unsupported`.
    pub runtime_status: Option<String>,
    /// Such as `D0` (works), `D3hot`, `D3cold` (off).
    pub power_state: Option<String>,
    /// The name of the slot it sits in, as the firmware numbers them.
    pub slot: Option<String>,
}

/// The place of a function on the way from the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PciKind {
    /// A port of the root complex; its link goes down.
    RootPort,
    /// The port of a switch towards the processor; its link goes up.
    SwitchUpstream,
    /// A port of a switch away from the processor; its link goes down.
    SwitchDownstream,
    /// Any other bridge: to conventional PCI, or inside the root complex.
    Bridge,
    /// A device.
    Endpoint,
}

/// Rate and width of a PCI Express link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Million transfers a second on each lane: 8000 is 8 GT/s.
    pub megatransfers_per_sec: u32,
    /// Lanes.
    pub width: u32,
}

impl Link {
    /// What its encoding lets through in one direction, in bytes per second, before headers of
    /// packets: 8 of 10 bits to 5 GT/s, 128 of 130 to 32 GT/s (PCI Express Base Specification,
    /// 4.2), and 242 of 256 bytes of a flit at 64 GT/s and above (version 6.0, 4.2.3).
    pub fn bytes_per_sec(self) -> u64 {
        let (kept, of) = match self.megatransfers_per_sec {
            ..=5_000 => (8, 10),
            5_001..=32_000 => (128, 130),
            32_001.. => (242, 256),
        };
        let bits = u64::from(self.megatransfers_per_sec) * 1_000_000 * u64::from(self.width);
        bits / 8 * kept / of
    }

    /// The least of two ends, rate and width each by itself.
    pub fn least(self, other: Self) -> Self {
        Self {
            megatransfers_per_sec: self.megatransfers_per_sec.min(other.megatransfers_per_sec),
            width: self.width.min(other.width),
        }
    }

    /// Slower or narrower than another.
    pub fn is_less_than(self, other: Self) -> bool {
        self.least(other) != other
    }
}

impl std::fmt::Display for Link {
    /// `8 GT/s x4`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = f64::from(self.megatransfers_per_sec) / 1000.0;
        write!(f, "{rate} GT/s x{}", self.width)
    }
}

/// The link between two functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PciLink {
    /// The port at its upper end.
    pub above: String,
    /// The function at its lower end.
    pub below: String,
    /// How it runs now, as the lower end says, else the upper one.
    pub current: Option<Link>,
    /// The most that both ends can do; of one end where the other does not say.
    pub max: Option<Link>,
    /// The most of the upper end.
    pub max_above: Option<Link>,
    /// The most of the lower end.
    pub max_below: Option<Link>,
    /// One of the two is suspended or off: `current` is that of a link at rest.
    pub is_suspended: bool,
}

impl PciFunction {
    /// Suspended or powered down, so that its link may run slower than under work.
    pub fn is_suspended(&self) -> bool {
        let status = self.runtime_status.as_deref();
        let is_off = self.power_state.as_deref().is_some_and(|state| state.starts_with("D3"));
        matches!(status, Some("suspended" | "suspending")) || is_off
    }

    /// Its link is the one below it, not the one above.
    fn has_link_below(&self) -> bool {
        matches!(self.kind, PciKind::RootPort | PciKind::SwitchDownstream)
    }
}

/// The links along a chain of functions, each between a port and what is below it.
pub(super) fn links(chain: &[&PciFunction]) -> Vec<PciLink> {
    let is_real = !chain.last().is_some_and(|function| function.is_emulated);
    let real = |end: &PciFunction, link: Option<Link>| link.filter(|_| is_real && !end.is_emulated);
    let pairs = chain.windows(2).map(|pair| (pair[0], pair[1]));
    let linked = pairs.filter(|(above, below)| above.has_link_below() && !below.has_link_below());
    let max = |end: &PciFunction| real(end, end.max);
    linked
        .map(|(above, below)| PciLink {
            above: above.address.clone(),
            below: below.address.clone(),
            current: real(below, below.current).or(real(above, above.current)),
            max: match (max(above), max(below)) {
                (Some(above), Some(below)) => Some(above.least(below)),
                (above, below) => above.or(below),
            },
            max_above: max(above),
            max_below: max(below),
            is_suspended: above.is_suspended() || below.is_suspended(),
        })
        .collect()
}

const FOLDER: &str = "/sys/bus/pci/devices";

/// Who imitates devices (pci-ids): Red Hat for virtio and for QEMU, VMware, VirtualBox, Microsoft.
/// Under the first number QEMU also shows devices of other makers, as the owner of the subsystem.
const EMULATED: [u32; 5] = [QUMRANET, 0x1b36, 0x15ad, 0x80ee, 0x1414];
const QUMRANET: u32 = 0x1af4;

/// All functions of the machine.
pub(super) fn read(attributes: &Attributes<'_>) -> BTreeMap<String, PciFunction> {
    let slots = read_slots(attributes);
    let mut all = BTreeMap::new();
    for address in attributes.names(FOLDER).into_iter().filter(|name| is_address(name)) {
        let mut function = read_one(attributes, &address);
        let place = address.rsplit_once('.').map_or(address.as_str(), |(place, _)| place);
        function.slot = slots.get(place).cloned();
        all.insert(address, function);
    }
    kind::decide(attributes, &mut all);
    all
}

fn read_one(attributes: &Attributes<'_>, address: &str) -> PciFunction {
    let file = |name: &str| format!("{FOLDER}/{address}/{name}");
    let path = attributes.resolve(file("")).unwrap_or_default();
    let above: Vec<String> =
        names_of(&path).into_iter().filter(|name| is_address(name) && name != address).collect();
    let [vendor, owner] = ["vendor", "subsystem_vendor"].map(|id| attributes.hexadecimal(file(id)));
    let is_emulated =
        vendor.is_some_and(|id| EMULATED.contains(&id)) || owner.is_some_and(|id| id == QUMRANET);
    PciFunction {
        address: address.to_owned(),
        class: attributes.hexadecimal(file("class")),
        vendor,
        driver: attributes.link_name(file("driver")),
        kind: PciKind::Endpoint,
        parent: above.last().cloned(),
        is_emulated,
        current: read_link(attributes, &file("current_link")),
        max: read_link(attributes, &file("max_link")),
        node: attributes.node(file("numa_node")),
        runtime_status: attributes.text(file("power/runtime_status")),
        power_state: attributes.text(file("power_state")),
        slot: None,
    }
}

/// `current_link_speed` and `current_link_width`, or those of the maximum.
fn read_link(attributes: &Attributes<'_>, begin: &str) -> Option<Link> {
    let megatransfers_per_sec = thousandfold(&attributes.text(format!("{begin}_speed"))?)?;
    let width: u32 = attributes.text(format!("{begin}_width"))?.parse().ok()?;
    let is_real = (1..=32).contains(&width) && megatransfers_per_sec > 0;
    is_real.then_some(Link { megatransfers_per_sec, width })
}

/// Names of slots by the place (address without function) they hold.
fn read_slots(attributes: &Attributes<'_>) -> BTreeMap<String, String> {
    let folder = "/sys/bus/pci/slots";
    let slot = |name: String| {
        let place = attributes.text(format!("{folder}/{name}/address"))?;
        Some((place, name))
    };
    attributes.names(folder).into_iter().filter_map(slot).collect()
}

/// `0000:03:00.0`; the domain has four digits or more (those of Intel VMD have five).
pub(super) fn is_address(name: &str) -> bool {
    let is_hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = name.split([':', '.']).collect();
    let [domain, bus, device, function] = parts[..] else { return false };
    let is_in_form = name.ends_with(&format!("{device}.{function}"));
    let lengths = domain.len() >= 4 && bus.len() == 2 && device.len() == 2 && function.len() == 1;
    lengths && is_in_form && parts.iter().all(|part| is_hexadecimal(part))
}

/// The lowest PCI function on a path below /sys/devices.
pub(super) fn function_on(names: &[String]) -> Option<String> {
    names.iter().rev().find(|name| is_address(name)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_what_looks_like_them() {
        for name in ["0000:03:00.0", "10000:e1:00.0", "0001:00:1f.7"] {
            assert!(is_address(name), "{name}");
        }
        for name in
            ["0:0:0:0", "pci0000:00", "host0", "0000:03.00:0", "rport-7:0-0", "000g:00:00.0"]
        {
            assert!(!is_address(name), "{name}");
        }
    }

    /// The exact figures that hwloc shows: <https://github.com/open-mpi/hwloc/issues/372>.
    #[test]
    fn a_link_lets_through_what_its_encoding_leaves() {
        for (rate, width, expected) in [
            (2_500, 1, 250_000_000),
            (5_000, 8, 4_000_000_000),
            (8_000, 4, 3_938_461_538),
            (16_000, 16, 31_507_692_307),
            (64_000, 4, 30_250_000_000),
        ] {
            let link = Link { megatransfers_per_sec: rate, width };
            assert_eq!(link.bytes_per_sec(), expected, "{link}");
        }
    }

    #[test]
    fn less_is_slower_or_narrower() {
        let link = |megatransfers_per_sec, width| Link { megatransfers_per_sec, width };
        assert!(link(8_000, 4).is_less_than(link(16_000, 4)));
        assert!(link(16_000, 2).is_less_than(link(16_000, 4)));
        assert!(link(16_000, 2).is_less_than(link(8_000, 4)));
        assert!(!link(8_000, 4).is_less_than(link(8_000, 4)));
        assert!(!link(16_000, 8).is_less_than(link(8_000, 4)));
    }
}

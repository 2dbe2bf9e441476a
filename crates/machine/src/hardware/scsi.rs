//! SCSI devices and hosts, and what carries the commands between them.
//!
//! Format: the path of a device goes through `hostN/…/targetH:C:T/H:C:T:L`; what stands between
//! host and target tells the transport: `ataN` before it, `port-…` (SAS), `rport-…` (Fibre
//! Channel), `sessionN` (iSCSI), the numbers of a USB interface
//! (Documentation/scsi, drivers/scsi/scsi_sysfs.c). `access_state` is what the array says of this
//! way to the logical unit (ALUA, SPC-5, 5.18).
//! Leaves out: tapes, enclosures, changers, the states of older handlers.

use std::collections::BTreeMap;
use std::path::Path;

use super::attributes::{Attributes, names_of, thousandfold, up_to};
use super::fibre_channel::{self, FibreChannelVia};
use super::iscsi::{self, IscsiVia};
use super::pci;
use super::sas::{self, SasVia};
use crate::devices::is_numbered;

/// A SCSI device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scsi {
    /// Where the kernel has it.
    pub address: ScsiAddress,
    /// `running`, `blocked`, `offline`, `transport-offline`, `quiesce` …
    pub state: Option<String>,
    /// What the array says of this way: `active/optimized`, `active/non-optimized`, `standby`,
    /// `unavailable`, `offline`, `transitioning`, `lba-dependent`; `None` where it says nothing.
    pub access_state: Option<String>,
    /// The maker of the device or array.
    pub vendor: Option<String>,
    /// What carries the commands.
    pub via: ScsiVia,
}

/// Host, channel, target and logical unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScsiAddress {
    /// Number of the host.
    pub host: u32,
    /// Channel on it.
    pub channel: u32,
    /// Target on that.
    pub target: u32,
    /// Logical unit of that.
    pub unit: u64,
}

impl ScsiAddress {
    /// Reads `7:0:0:12`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let mut next = || parts.next().filter(|part| !part.starts_with('+'));
        let address = Self {
            host: next()?.parse().ok()?,
            channel: next()?.parse().ok()?,
            target: next()?.parse().ok()?,
            unit: next()?.parse().ok()?,
        };
        next().is_none().then_some(address)
    }
}

impl std::fmt::Display for ScsiAddress {
    /// `7:0:0:12`, as lsscsi prints it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, channel, target, unit } = self;
        write!(f, "{host}:{channel}:{target}:{unit}")
    }
}

impl Scsi {
    /// May carry requests now, as far as device and array say.
    pub fn is_usable(&self) -> bool {
        let is_running = self.state.as_deref().is_none_or(|state| state == "running");
        let refuses = ["standby", "unavailable", "offline", "transitioning"];
        let is_refused = self.access_state.as_deref().is_some_and(|word| refuses.contains(&word));
        let is_open = match &self.via {
            ScsiVia::FibreChannel(via) => via.is_online(),
            ScsiVia::Ata(_)
            | ScsiVia::Sas(_)
            | ScsiVia::Iscsi(_)
            | ScsiVia::Usb(_)
            | ScsiVia::Virtio
            | ScsiVia::Hypervisor(_)
            | ScsiVia::Other(_) => true,
        };
        is_running && is_open && !is_refused
    }
}

/// What carries SCSI commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScsiVia {
    /// Serial ATA, whose commands the kernel makes of them.
    Ata(AtaVia),
    /// Serial-attached SCSI.
    Sas(SasVia),
    FibreChannel(FibreChannelVia),
    /// TCP or RDMA.
    Iscsi(IscsiVia),
    Usb(UsbVia),
    /// A hypervisor's controller (virtio-scsi).
    Virtio,
    /// Another hypervisor's, by driver: `storvsc`, `xen-scsifront`, `vmw_pvscsi`.
    Hypervisor(String),
    /// A controller that shows volumes of its own, by driver: `megaraid_sas`, `smartpqi`; `unknown`
    /// where it has no name.
    Other(String),
}

/// The link of a Serial ATA drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtaVia {
    /// Such as `ata1`.
    pub port: String,
    /// How the link runs, in million bits per second on the wire: 6000 is 6 Gb/s.
    pub megabits_per_sec: Option<u32>,
    /// The most that the controller and settings allow.
    pub max_megabits_per_sec: Option<u32>,
}

/// The link of a USB drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsbVia {
    /// Such as `2-1`: bus and ports.
    pub device: String,
    /// How the link runs, in million bits per second on the wire.
    pub megabits_per_sec: Option<u32>,
}

/// A SCSI host: a controller, or one port of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScsiHost {
    /// Its driver, as it calls itself: `ahci`, `qla2xxx`, `mpt3sas`.
    pub driver: Option<String>,
    /// The PCI function it is on.
    pub pci: Option<String>,
}

const HOSTS: &str = "/sys/class/scsi_host";

/// All hosts, by number.
pub(super) fn read_hosts(attributes: &Attributes<'_>) -> BTreeMap<u32, ScsiHost> {
    let number = |name: &String| name.strip_prefix("host")?.parse().ok();
    let numbers: Vec<u32> = attributes.names(HOSTS).iter().filter_map(number).collect();
    numbers.into_iter().map(|number| (number, read_host(attributes, number))).collect()
}

fn read_host(attributes: &Attributes<'_>, number: u32) -> ScsiHost {
    let text = |name: &str| attributes.text(format!("{HOSTS}/host{number}/{name}"));
    let path = attributes.resolve(format!("{HOSTS}/host{number}")).unwrap_or_default();
    ScsiHost {
        // Some drivers give no name: `<NULL>` or `(null)`.
        driver: text("proc_name").filter(|name| !name.contains(['<', '('])),
        pci: pci::function_on(&names_of(&path)),
    }
}

/// The SCSI device of a block device; `None` where it is none.
pub(super) fn read(attributes: &Attributes<'_>, name: &str, path: &Path) -> Option<Scsi> {
    let names = names_of(path);
    let address = names.iter().rev().find_map(|name| ScsiAddress::parse(name))?;
    let text = |file: &str| attributes.text(format!("/sys/block/{name}/device/{file}"));
    Some(Scsi {
        address,
        state: text("state"),
        access_state: text("access_state"),
        vendor: text("vendor"),
        via: via(attributes, path, address),
    })
}

fn via(attributes: &Attributes<'_>, path: &Path, address: ScsiAddress) -> ScsiVia {
    let names = names_of(path);
    let find = |is: &dyn Fn(&str) -> bool| names.iter().rposition(|name| is(name));
    if let Some(index) = find(&|name| is_numbered(name, "ata")) {
        return ScsiVia::Ata(ata(attributes, &names[index]));
    }
    if let Some(index) = find(&|name| name.starts_with("rport-")) {
        return ScsiVia::FibreChannel(fibre_channel::read(attributes, &names[index], address.host));
    }
    if let Some(index) = find(&|name| is_numbered(name, "session")) {
        return ScsiVia::Iscsi(iscsi::read(attributes, &names[index], address.host));
    }
    if find(&|name| name.starts_with("end_device-")).is_some() {
        return ScsiVia::Sas(sas::read(attributes, &names));
    }
    // `2-1:1.0` is an interface of the device `2-1` above it.
    if let Some(index) = find(&is_usb_interface).filter(|index| *index > 0) {
        return ScsiVia::Usb(usb(attributes, &up_to(path, index - 1)));
    }
    if find(&|name| is_numbered(name, "virtio")).is_some() {
        return ScsiVia::Virtio;
    }
    let driver = read_host(attributes, address.host).driver;
    let driver = driver.unwrap_or_else(|| "unknown".to_owned());
    let hypervisors = ["storvsc", "xen", "vmw_pvscsi"];
    let is_virtual = hypervisors.iter().any(|word| driver.contains(word));
    let is_vmbus = find(&|name| name.starts_with("VMBUS") || name == "vmbus").is_some();
    if is_vmbus || is_virtual { ScsiVia::Hypervisor(driver) } else { ScsiVia::Other(driver) }
}

/// The link of port `ata7` is `link7`; with a port multiplier `link7.0` and on, which share it.
fn ata(attributes: &Attributes<'_>, port: &str) -> AtaVia {
    let link = port.replacen("ata", "link", 1);
    let rate = |file: &str| {
        let text = attributes.text(format!("/sys/class/ata_link/{link}/{file}"))?;
        thousandfold(&text)
    };
    let limits = [rate("hw_sata_spd_limit"), rate("sata_spd_limit")];
    AtaVia {
        port: port.to_owned(),
        megabits_per_sec: rate("sata_spd"),
        max_megabits_per_sec: limits.into_iter().flatten().min(),
    }
}

fn usb(attributes: &Attributes<'_>, folder: &Path) -> UsbVia {
    UsbVia {
        device: folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
        // 1.5 for the slowest devices, which are no drives.
        megabits_per_sec: attributes.text(folder.join("speed")).and_then(|t| t.parse().ok()),
    }
}

/// `2-1.4:1.0`: bus, ports, configuration, interface.
fn is_usb_interface(name: &str) -> bool {
    let Some((device, interface)) = name.split_once(':') else { return false };
    let is_of = |text: &str, separators: &[char]| {
        text.split(separators).count() > 1
            && text
                .split(separators)
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_of(device, &['-', '.']) && is_of(interface, &['.']) && device.contains('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_logical_units_have_four_numbers() {
        let text = "7:0:12:16384";
        let address = ScsiAddress { host: 7, channel: 0, target: 12, unit: 16384 };
        assert_eq!(ScsiAddress::parse(text), Some(address));
        assert_eq!(address.to_string(), text);
        for other in ["7:0:12", "7:0:12:1:1", "0000:03:00.0", "target7:0:12", "7:0:+1:0", ""] {
            assert_eq!(ScsiAddress::parse(other), None, "{other}");
        }
    }

    #[test]
    fn interfaces_of_usb_are_told_from_other_numbers() {
        for name in ["2-1:1.0", "1-1.4.2:1.0"] {
            assert!(is_usb_interface(name), "{name}");
        }
        for name in ["2-1", "0:0:0:0", "port-0:0", "0000:00:14.0", "usb2", "rport-7:0-0"] {
            assert!(!is_usb_interface(name), "{name}");
        }
    }
}

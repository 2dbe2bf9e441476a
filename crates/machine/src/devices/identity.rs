//! Who a drive is: serial number, world-wide name, model, firmware, and its names under by-id.
//!
//! Each kind of drive tells it elsewhere: NVMe and MMC in `device/serial`, virtio in `serial`, SCSI
//! in `device/vpd_pg80` (SPC-4, 7.8.16: four bytes of header, then the number in ASCII).

use std::collections::BTreeMap;
use std::fs;

use crate::error::ReadError;
use crate::root::Root;

/// What tells one drive from another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// The maker's number of this very drive.
    pub serial: Option<String>,
    /// A name unique in the world, such as `naa.5000c500a1b2c3d4` or `eui.0025385b71b00001`.
    pub wwid: Option<String>,
    /// The maker's name, of a SCSI device.
    pub vendor: Option<String>,
    /// The maker's product name.
    pub model: Option<String>,
    /// The drive's own software.
    pub firmware: Option<String>,
}

impl Identity {
    pub(super) fn read(root: &Root, folder: &str) -> Self {
        let first = |paths: &[&str]| {
            paths.iter().find_map(|path| root.attribute(format!("{folder}/{path}")))
        };
        Self {
            serial: first(&["device/serial", "serial"]).or_else(|| page_80(root, folder)),
            wwid: first(&["wwid", "device/wwid", "device/cid"]),
            vendor: first(&["device/vendor"]),
            model: first(&["device/model", "device/name"]),
            firmware: first(&["device/firmware_rev", "device/rev", "device/fwrev"]),
        }
    }
}

/// How names of hypervisors' disks begin: the vendor's of SCSI, else the model's.
const VIRTUAL_VENDORS: [&str; 4] = ["QEMU", "VMware", "VBOX", "Msft"];
const VIRTUAL_MODELS: [&str; 4] = ["QEMU ", "VMware Virtual", "VBOX ", "ORCL-VBOX"];

impl Identity {
    /// A disk of a hypervisor: what it says of itself is made up.
    pub fn is_virtual(&self) -> bool {
        let begins = |name: &Option<String>, with: &[&str]| {
            name.as_deref().is_some_and(|name| with.iter().any(|begin| name.starts_with(begin)))
        };
        begins(&self.vendor, &VIRTUAL_VENDORS) || begins(&self.model, &VIRTUAL_MODELS)
    }
}

fn page_80(root: &Root, folder: &str) -> Option<String> {
    let page = fs::read(root.path(format!("{folder}/device/vpd_pg80"))).ok()?;
    let length = usize::from(u16::from_be_bytes([*page.get(2)?, *page.get(3)?]));
    let text = String::from_utf8_lossy(page.get(4..)?.get(..length)?).into_owned();
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// Links under /dev/disk/by-id, by the kernel name they lead to.
pub(super) fn read_by_id(root: &Root) -> Result<BTreeMap<String, Vec<String>>, ReadError> {
    let folder = "/dev/disk/by-id";
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for link in root.list(folder)? {
        let Ok(target) = fs::read_link(root.path(format!("{folder}/{link}"))) else { continue };
        let Some(device) = target.file_name() else { continue };
        names.entry(device.to_string_lossy().into_owned()).or_default().push(link);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_of_hypervisors_are_known_by_their_names() {
        let named = |vendor: &str, model: &str| {
            let [vendor, model] = [vendor, model].map(|name| Some(name.to_owned()));
            Identity { vendor, model, ..Identity::default() }
        };
        for (vendor, model) in [
            ("QEMU", "QEMU HARDDISK"),
            ("ATA", "QEMU HARDDISK"),
            ("", "QEMU NVMe Ctrl"),
            ("VMware", "Virtual disk"),
            ("", "VMware Virtual NVMe Disk"),
            ("ATA", "VBOX HARDDISK"),
            ("", "ORCL-VBOX-NVME-VER12"),
            ("Msft", "Virtual Disk"),
        ] {
            assert!(named(vendor, model).is_virtual(), "{vendor} {model}");
        }
        for (vendor, model) in [("SEAGATE", "ST12000NM0038"), ("", "SAMSUNG MZWLR3T8HBLS-00007")] {
            assert!(!named(vendor, model).is_virtual(), "{vendor} {model}");
        }
    }
}

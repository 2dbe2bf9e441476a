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
            model: first(&["device/model", "device/name"]),
            firmware: first(&["device/firmware_rev", "device/rev", "device/fwrev"]),
        }
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

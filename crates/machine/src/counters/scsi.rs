//! /sys/class/scsi_device: requests of every SCSI device, which below multipath is one path.
//!
//! Format: drivers/scsi/scsi_sysfs.c; `iorequest_cnt`, `iodone_cnt`, `ioerr_cnt` and, since Linux
//! 6.4, `iotmo_cnt` are hexadecimal and 32 bits wide (`atomic_t`), so they wrap.
//! Leaves out: bytes and times, which are in /proc/diskstats under the device's block name.

use crate::error::ReadError;
use crate::root::Root;

const FOLDER: &str = "/sys/class/scsi_device";

/// One SCSI device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScsiDevice {
    /// Host, channel, target and unit: `2:0:1:3`.
    pub address: String,
    /// Its block device, such as `sdc`; `None` for tapes, enclosures and the like.
    pub block: Option<String>,
    /// `running`, `offline`, `blocked` and others.
    pub state: Option<String>,
    /// Requests handed to the host adapter.
    pub requested: u64,
    /// Requests that came back.
    pub done: u64,
    /// Requests that came back with an error.
    pub failed: u64,
    /// Requests that timed out; `None` before Linux 6.4.
    pub timed_out: Option<u64>,
}

/// Reads all devices, by address; one that goes away meanwhile is left out.
pub fn read(root: &Root) -> Result<Vec<ScsiDevice>, ReadError> {
    let mut devices = Vec::new();
    for address in root.list(FOLDER)? {
        match read_device(root, address) {
            Ok(device) => devices.push(device),
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(devices)
}

/// What a SCSI device counted as gone wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScsiErrors {
    /// Requests that came back with an error.
    pub failed: u64,
    /// Requests that timed out; `None` before Linux 6.4.
    pub timed_out: Option<u64>,
}

/// What the SCSI device below a block device counted as gone wrong; `None` where it is no SCSI
/// device.
pub fn read_errors(root: &Root, block: &str) -> Result<Option<ScsiErrors>, ReadError> {
    let value = |name: &str| {
        let file = format!("/sys/block/{block}/device/{name}");
        let text = root.read_if_present(&file)?;
        text.map(|text| super::hexadecimal(root, &file, &text)).transpose()
    };
    let Some(failed) = value("ioerr_cnt")? else { return Ok(None) };
    Ok(Some(ScsiErrors { failed, timed_out: value("iotmo_cnt")? }))
}

fn read_device(root: &Root, address: String) -> Result<ScsiDevice, ReadError> {
    let folder = format!("{FOLDER}/{address}/device");
    let value = |name: &str| {
        let file = format!("{folder}/{name}");
        let text = root.read(&file)?;
        super::hexadecimal(root, &file, &text)
    };
    let timed_out = match value("iotmo_cnt") {
        Err(error) if error.is_missing() => None,
        other => Some(other?),
    };
    Ok(ScsiDevice {
        block: root.list(format!("{folder}/block"))?.into_iter().next(),
        state: root.attribute(format!("{folder}/state")),
        requested: value("iorequest_cnt")?,
        done: value("iodone_cnt")?,
        failed: value("ioerr_cnt")?,
        timed_out,
        address,
    })
}

//! What the SCSI device below a block device, which below multipath is one path, counted as gone
//! wrong.
//!
//! Format: drivers/scsi/scsi_sysfs.c; `ioerr_cnt` and, since Linux 6.4, `iotmo_cnt` are hexadecimal
//! and 32 bits wide (`atomic_t`), so they wrap.
//! Leaves out: bytes, requests and times, which are in /proc/diskstats under the block name.

use crate::error::ReadError;
use crate::root::Root;

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

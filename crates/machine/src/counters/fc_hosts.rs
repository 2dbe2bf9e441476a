//! /sys/class/fc_host: what every Fibre Channel port of this machine has carried.
//!
//! Format: drivers/scsi/scsi_transport_fc.c; one hexadecimal value a file, all ones where the
//! driver does not keep it. A word is 4 bytes, a megabyte is 2^20 bytes with the common drivers
//! (`>> 20` in lpfc and qla2xxx). Some drivers count words of payload, others of whole frames.
//! Leaves out: remote ports and the error counts of single exchanges.

use crate::error::ReadError;
use crate::root::Root;

const FOLDER: &str = "/sys/class/fc_host";
const WORD_BYTES: u64 = 4;
const MEGABYTE_BYTES: u64 = 1 << 20;

/// One port. Each value is `None` where the driver does not keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FcHost {
    /// Such as `host5`.
    pub name: String,
    /// World-wide name of the port.
    pub port_name: Option<String>,
    /// Received, by words, else by the megabytes of the SCSI protocol.
    pub received_bytes: Option<u64>,
    /// Sent, by words, else by the megabytes of the SCSI protocol.
    pub sent_bytes: Option<u64>,
    /// Requests that read.
    pub input_requests: Option<u64>,
    /// Requests that wrote.
    pub output_requests: Option<u64>,
    /// Frames and words that arrived damaged, and lost links.
    pub errors: Option<u64>,
}

/// Each counts one kind of what went wrong.
const ERRORS: [&str; 6] = [
    "error_frames",
    "invalid_crc_count",
    "invalid_tx_word_count",
    "link_failure_count",
    "loss_of_sync_count",
    "loss_of_signal_count",
];

/// Reads all ports, by name; empty where there is none. A port that goes away meanwhile has no
/// values.
pub fn read(root: &Root) -> Result<Vec<FcHost>, ReadError> {
    root.list(FOLDER)?.into_iter().map(|name| read_host(root, name)).collect()
}

/// Whether requests of a block device may go through a port: it stands on the device's way in
/// /sys, or the device is one of NVMe over Fibre Channel, whose way does not name its port.
pub fn may_carry(root: &Root, host: &str, block: &str) -> bool {
    let transport = root.attribute(format!("/sys/block/{block}/device/transport"));
    let way = || root.resolve(format!("/sys/block/{block}"));
    transport.as_deref() == Some("fc")
        || way().is_some_and(|way| way.iter().any(|part| part == host))
}

/// Reads one port by name.
pub fn read_host(root: &Root, name: String) -> Result<FcHost, ReadError> {
    let value = |file: &str| value(root, &name, file);
    let bytes = |words: &str, megabytes: &str| -> Result<Option<u64>, ReadError> {
        let by_words = value(words)?.filter(|words| *words > 0);
        match by_words {
            Some(words) => Ok(words.checked_mul(WORD_BYTES)),
            None => Ok(value(megabytes)?.and_then(|count| count.checked_mul(MEGABYTE_BYTES))),
        }
    };
    let errors: Vec<Option<u64>> = ERRORS.into_iter().map(value).collect::<Result<_, _>>()?;
    Ok(FcHost {
        port_name: root.attribute(format!("{FOLDER}/{name}/port_name")),
        received_bytes: bytes("rx_words", "fcp_input_megabytes")?,
        sent_bytes: bytes("tx_words", "fcp_output_megabytes")?,
        input_requests: value("fcp_input_requests")?,
        output_requests: value("fcp_output_requests")?,
        errors: errors.into_iter().flatten().reduce(u64::saturating_add),
        name,
    })
}

fn value(root: &Root, host: &str, file: &str) -> Result<Option<u64>, ReadError> {
    let file = format!("{FOLDER}/{host}/statistics/{file}");
    let Some(text) = root.read_if_present(&file)? else { return Ok(None) };
    let value = super::hexadecimal(root, &file, &text)?;
    Ok(Some(value).filter(|value| *value != u64::MAX))
}

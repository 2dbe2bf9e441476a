//! /proc/vmstat: what block devices moved since boot.
//!
//! Format: vmstat_show in mm/vmstat.c; a name and a value a line. `pgpgin` and `pgpgout` count all
//! requests to block devices in KiB (`submit_bio` in block/blk-core.c), direct ones too.
//! Leaves out: all that does not show in I/O, and what page cache and swap did.

use std::collections::HashMap;

use crate::error::ReadError;
use crate::line::lines;
use crate::root::Root;

const FILE: &str = "/proc/vmstat";
const KIB: u64 = 1024;

/// What was moved. `None` where this kernel does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VirtualMemory {
    /// Read from block devices.
    pub read_bytes: Option<u64>,
    /// Written to block devices.
    pub write_bytes: Option<u64>,
}

/// Reads /proc/vmstat.
pub fn read(root: &Root) -> Result<VirtualMemory, ReadError> {
    let text = root.read(FILE)?;
    let mut values: HashMap<&str, u64> = HashMap::new();
    for line in lines(root, FILE, &text) {
        let (name, value) = line.text.split_once(' ').ok_or_else(|| line.malformed("value"))?;
        values.insert(name, line.parse("value", Some(value.trim()))?);
    }
    let bytes = |name: &str| values.get(name)?.checked_mul(KIB);
    Ok(VirtualMemory { read_bytes: bytes("pgpgin"), write_bytes: bytes("pgpgout") })
}

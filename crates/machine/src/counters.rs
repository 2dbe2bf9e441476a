//! Raw cumulative counters, one module per kernel file; all columns, no rates.
//!
//! Units are normalised while reading and stand in the field names: bytes and nanoseconds.
//! Source of every layout: the kernel's Documentation/filesystems/proc.rst and
//! Documentation/admin-guide/iostats.rst. Leaves out: differences, averages, meaning.

pub mod block_stat;
pub mod btrfs;
pub mod disk_sampler;
pub mod diskstats;
pub mod fc_hosts;
pub mod interrupts;
pub mod memory;
pub mod memory_map;
pub mod network;
pub mod nfs;
pub mod numa;
pub mod pressure;
pub mod process;
pub mod processors;
pub mod scsi;
pub mod tasks;
pub mod throttling;
pub mod virtual_memory;
pub mod zfs;

use crate::error::ReadError;
use crate::line::Line;
use crate::root::Root;

/// The only value of a file, as the SCSI layers write it: `0x1f`.
fn hexadecimal(root: &Root, file: &str, text: &str) -> Result<u64, ReadError> {
    let line = Line { root, file, number: 1, text: text.trim_end() };
    let digits = line.text.strip_prefix("0x");
    let value = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    value.ok_or_else(|| line.malformed("hexadecimal value"))
}

//! /proc/vmstat: traffic of the page cache since boot, and where writing back begins.
//!
//! Format: vmstat_show in mm/vmstat.c; a name and a value a line. `pgpgin` and `pgpgout` count all
//! requests to block devices in KiB (`submit_bio` in block/blk-core.c), direct ones too; the others
//! used here are pages. Names come and go with kernels, so each is optional.
//! Leaves out: all that does not show in I/O.

use std::collections::HashMap;

use crate::error::ReadError;
use crate::line::lines;
use crate::root::Root;

const FILE: &str = "/proc/vmstat";
const KIB: u64 = 1024;

/// What the kernel's memory did. `None` where this kernel does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VirtualMemory {
    /// Read from block devices.
    pub read_bytes: Option<u64>,
    /// Written to block devices.
    pub write_bytes: Option<u64>,
    /// Made dirty.
    pub dirtied_bytes: Option<u64>,
    /// Written back.
    pub written_bytes: Option<u64>,
    /// Dirty pages from which writers must write themselves: momentary.
    pub dirty_threshold_bytes: Option<u64>,
    /// Dirty pages from which the kernel writes back: momentary.
    pub background_threshold_bytes: Option<u64>,
    /// Pages of files that were dropped and needed again.
    pub refaulted_bytes: Option<u64>,
    pub swapped_in_bytes: Option<u64>,
    pub swapped_out_bytes: Option<u64>,
    /// Page faults that needed I/O.
    pub major_faults: Option<u64>,
    /// Pages that a task had to look for itself, since none were free.
    pub direct_reclaim_pages: Option<u64>,
}

/// Reads /proc/vmstat.
pub fn read(root: &Root) -> Result<VirtualMemory, ReadError> {
    let text = root.read(FILE)?;
    let mut values: HashMap<&str, u64> = HashMap::new();
    for line in lines(root, FILE, &text) {
        let (name, value) = line.text.split_once(' ').ok_or_else(|| line.malformed("value"))?;
        values.insert(name, line.parse("value", Some(value.trim()))?);
    }
    let count = |name: &str| values.get(name).copied();
    let page_bytes = rustix::param::page_size() as u64;
    let scaled = |name: &str, unit: u64| count(name).and_then(|value| value.checked_mul(unit));
    // Renamed in Linux 5.9, when pages of programs got a counter of their own.
    let refaulted = scaled("workingset_refault_file", page_bytes);
    Ok(VirtualMemory {
        read_bytes: scaled("pgpgin", KIB),
        write_bytes: scaled("pgpgout", KIB),
        dirtied_bytes: scaled("nr_dirtied", page_bytes),
        written_bytes: scaled("nr_written", page_bytes),
        dirty_threshold_bytes: scaled("nr_dirty_threshold", page_bytes),
        background_threshold_bytes: scaled("nr_dirty_background_threshold", page_bytes),
        refaulted_bytes: refaulted.or_else(|| scaled("workingset_refault", page_bytes)),
        swapped_in_bytes: scaled("pswpin", page_bytes),
        swapped_out_bytes: scaled("pswpout", page_bytes),
        major_faults: count("pgmajfault"),
        direct_reclaim_pages: count("pgscan_direct"),
    })
}

//! /proc/diskstats: what every block device has done since it appeared.
//!
//! Format: Documentation/admin-guide/iostats.rst; 11 values per device before Linux 4.18, 15 with
//! discards (4.18), 17 with flushes (5.5), later values are ignored. Sectors are 512 B whatever the
//! device's block size (include/linux/blk_types.h, SECTOR_SIZE); times are milliseconds.
//! Leaves out: per-partition lines of Linux 2.6 with only four values, which are an error.

use std::collections::BTreeSet;

use crate::error::ReadError;
use crate::root::Root;

const SECTOR_BYTES: u64 = 512;
const NS_PER_MS: u64 = 1_000_000;
pub(crate) const FILE: &str = "/proc/diskstats";

/// A block device's number, as in `stat` and /sys/dev/block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// The driver's number.
    pub major: u32,
    /// The device among those of the driver.
    pub minor: u32,
}

impl std::fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

impl DeviceNumber {
    /// Reads `MAJOR:MINOR`.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// The number of a device node, or of the device under a file (`st_rdev`, `st_dev`).
    pub fn from_raw(raw: u64) -> Self {
        Self { major: rustix::fs::major(raw), minor: rustix::fs::minor(raw) }
    }
}

/// Discards (TRIM, UNMAP) completed; kernels from 4.18.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiscardCounters {
    /// Requests completed.
    pub operations: u64,
    /// Requests merged into another before they reached the device.
    pub merges: u64,
    /// Bytes discarded.
    pub bytes: u64,
    /// Summed time from start to completion.
    pub ns: u64,
}

/// Cache flushes completed; kernels from 5.5. Not counted for partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlushCounters {
    /// Requests completed.
    pub operations: u64,
    /// Summed time from start to completion.
    pub ns: u64,
}

/// Everything one line of /proc/diskstats holds but the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskCounters {
    /// Read requests completed.
    pub read_operations: u64,
    /// Read requests merged into another before they reached the device.
    pub read_merges: u64,
    pub read_bytes: u64,
    /// Summed time of reads from start to completion.
    pub read_ns: u64,
    /// Write requests completed.
    pub write_operations: u64,
    /// Write requests merged into another before they reached the device.
    pub write_merges: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Summed time of writes from start to completion.
    pub write_ns: u64,
    /// Requests started and not yet completed: a momentary value, not cumulative.
    pub in_flight: u64,
    /// Time in which at least one request was in flight (`io_ticks`).
    pub busy_ns: u64,
    /// Time weighted by the number of requests in flight (`time_in_queue`).
    pub weighted_ns: u64,
    /// Discards; `None` on kernels before 4.18.
    pub discard: Option<DiscardCounters>,
    /// Flushes; `None` on kernels before 5.5.
    pub flush: Option<FlushCounters>,
}

/// One line of /proc/diskstats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    /// The kernel's name, as under /sys/class/block.
    pub name: String,
    /// The device's number.
    pub number: DeviceNumber,
    /// What it has done.
    pub counters: DiskCounters,
}

/// Which of some devices have done anything: by the list of all, else each by its own statistics
/// (`stat` has the same columns without the name).
pub fn moved<'a>(root: &Root, names: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let done = |counters: &DiskCounters| counters.read_operations + counters.write_operations > 0;
    if let Ok(all) = read(root) {
        let all = all.into_iter().filter(|disk| done(&disk.counters));
        return all.map(|disk| disk.name).collect();
    }
    let has_moved = |name: &&str| {
        let text = root.attribute(format!("/sys/class/block/{name}/stat")).unwrap_or_default();
        let count = |at: usize| text.split_whitespace().nth(at)?.parse::<u64>().ok();
        // Reads stand first, writes fifth.
        [0, 4].into_iter().filter_map(count).any(|count| count > 0)
    };
    names.filter(has_moved).map(str::to_owned).collect()
}

/// Reads all devices, in the kernel's order.
pub fn read(root: &Root) -> Result<Vec<Disk>, ReadError> {
    let text = root.read(FILE)?;
    let mut disks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let parsed = parse_head(line.as_bytes()).and_then(|head| {
            let counters = parse_counters(head.rest)?;
            let name = String::from_utf8_lossy(head.name).into_owned();
            Some(Disk { name, number: head.number, counters })
        });
        disks.push(parsed.ok_or_else(|| malformed(root, index + 1, line.as_bytes()))?);
    }
    Ok(disks)
}

pub(crate) fn malformed(root: &Root, line_number: usize, line: &[u8]) -> ReadError {
    ReadError::Malformed {
        path: root.path(FILE),
        line_number,
        line: String::from_utf8_lossy(line).into_owned(),
        item: "device counters",
    }
}

/// The beginning of a line, and what follows it.
pub(crate) struct Head<'a> {
    pub(crate) number: DeviceNumber,
    pub(crate) name: &'a [u8],
    pub(crate) rest: &'a [u8],
}

pub(crate) fn parse_head(line: &[u8]) -> Option<Head<'_>> {
    let (major, rest) = take_number(line)?;
    let (minor, rest) = take_number(rest)?;
    let rest = skip_blanks(rest);
    let end = rest.iter().position(|&b| b == b' ').unwrap_or(rest.len());
    let number =
        DeviceNumber { major: u32::try_from(major).ok()?, minor: u32::try_from(minor).ok()? };
    (end > 0).then_some(Head { number, name: &rest[..end], rest: &rest[end..] })
}

/// Reads the values after the name; `None` unless they are one of the kernel's known counts.
pub(crate) fn parse_counters(mut rest: &[u8]) -> Option<DiskCounters> {
    let mut values = [0_u64; 17];
    let mut count = 0;
    while count < values.len() && !skip_blanks(rest).is_empty() {
        (values[count], rest) = take_number(rest)?;
        count += 1;
    }
    if !matches!(count, 11 | 15 | 17) {
        return None;
    }
    counters_of(&values, count)
}

fn counters_of(values: &[u64; 17], count: usize) -> Option<DiskCounters> {
    let bytes = |index: usize| values[index].checked_mul(SECTOR_BYTES);
    let ns = |index: usize| values[index].checked_mul(NS_PER_MS);
    Some(DiskCounters {
        read_operations: values[0],
        read_merges: values[1],
        read_bytes: bytes(2)?,
        read_ns: ns(3)?,
        write_operations: values[4],
        write_merges: values[5],
        write_bytes: bytes(6)?,
        write_ns: ns(7)?,
        in_flight: values[8],
        busy_ns: ns(9)?,
        weighted_ns: ns(10)?,
        discard: if count < 15 {
            None
        } else {
            Some(DiscardCounters {
                operations: values[11],
                merges: values[12],
                bytes: bytes(13)?,
                ns: ns(14)?,
            })
        },
        flush: if count < 17 {
            None
        } else {
            Some(FlushCounters { operations: values[15], ns: ns(16)? })
        },
    })
}

fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|&&b| b == b' ').count();
    &bytes[blanks..]
}

fn take_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let bytes = skip_blanks(bytes);
    let mut value = 0_u64;
    let mut length = 0;
    for &byte in bytes {
        if !byte.is_ascii_digit() {
            break;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
        length += 1;
    }
    let rest = &bytes[length..];
    let ends_well = rest.first().is_none_or(|&b| b == b' ');
    (length > 0 && ends_well).then_some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_must_end_at_a_blank_and_fit() {
        assert_eq!(take_number(b"  42 rest"), Some((42, &b" rest"[..])));
        assert_eq!(take_number(b"18446744073709551615"), Some((u64::MAX, &b""[..])));
        for bad in [&b""[..], b"x1", b"1x", b"-1", b"18446744073709551616"] {
            assert_eq!(take_number(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn only_the_known_numbers_of_columns_are_accepted() {
        let line = |count: usize| " 1".repeat(count).into_bytes();
        for (count, discard, flush) in [(11, false, false), (15, true, false), (17, true, true)] {
            let counters = parse_counters(&line(count)).unwrap();
            assert_eq!((counters.discard.is_some(), counters.flush.is_some()), (discard, flush));
        }
        assert!(parse_counters(&line(21)).is_some(), "columns of later kernels are ignored");
        for count in [0, 4, 10, 12, 14, 16] {
            assert!(parse_counters(&line(count)).is_none(), "{count}");
        }
    }
}

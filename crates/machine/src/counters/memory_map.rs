//! /proc/self/smaps: how much of a buffer really lies in huge pages.
//!
//! Advice to use huge pages is only advice, so what was got is read back. Per mapping the kernel
//! gives AnonHugePages, ShmemPmdMapped and FilePmdMapped (transparent) and
//! Private_Hugetlb and Shared_Hugetlb (reserved pages); Documentation/filesystems/proc.rst.
//! Limit: a mapping that only partly overlaps the range counts at most the overlap.
//! Leaves out: huge pages below the PMD size (mTHP), which smaps does not show.

use crate::error::ReadError;
use crate::line::{Line, lines};
use crate::root::Root;

const FILE: &str = "/proc/self/smaps";

/// How an address range is backed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HugeBacking {
    /// Bytes of the range that are mapped at all.
    pub mapped_bytes: u64,
    /// Bytes in transparent huge pages.
    pub transparent_bytes: u64,
    /// Bytes in reserved huge pages (hugetlb) that have been touched.
    pub reserved_bytes: u64,
}

impl HugeBacking {
    /// Bytes in huge pages of either kind.
    pub fn huge_bytes(&self) -> u64 {
        self.transparent_bytes + self.reserved_bytes
    }
}

/// Reads how the `length` bytes at `address` of this process are backed.
pub fn huge_bytes_of(root: &Root, address: u64, length: u64) -> Result<HugeBacking, ReadError> {
    let text = root.read(FILE)?;
    let end = address.saturating_add(length);
    let mut backing = HugeBacking::default();
    let mut mapping = Mapping::default();
    for line in lines(root, FILE, &text) {
        if let Some((from, to)) = mapping_header(line.text) {
            mapping.add_to(&mut backing);
            mapping = Mapping {
                overlap: to.min(end).saturating_sub(from.max(address)),
                ..Mapping::default()
            };
        } else {
            mapping.read(&line)?;
        }
    }
    mapping.add_to(&mut backing);
    Ok(backing)
}

/// The parts of one mapping's entry that matter.
#[derive(Default)]
struct Mapping {
    /// Bytes of the mapping inside the range.
    overlap: u64,
    transparent: u64,
    reserved: u64,
}

impl Mapping {
    fn read(&mut self, line: &Line<'_>) -> Result<(), ReadError> {
        let mut items = line.text.split_ascii_whitespace();
        let sum = match items.next() {
            Some("AnonHugePages:" | "ShmemPmdMapped:" | "FilePmdMapped:") => &mut self.transparent,
            Some("Private_Hugetlb:" | "Shared_Hugetlb:") => &mut self.reserved,
            _ => return Ok(()),
        };
        *sum += line.scaled("huge bytes", items.next(), 1024)?;
        Ok(())
    }

    fn add_to(&self, backing: &mut HugeBacking) {
        backing.mapped_bytes += self.overlap;
        backing.transparent_bytes += self.transparent.min(self.overlap);
        backing.reserved_bytes += self.reserved.min(self.overlap);
    }
}

/// `from-to` of a line that opens a mapping, such as `7f00-7f80 rw-p 00000000 00:00 0`.
fn mapping_header(text: &str) -> Option<(u64, u64)> {
    let (range, _) = text.split_once(' ')?;
    let (from, to) = range.split_once('-')?;
    Some((u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?))
}

//! /proc/meminfo: how much memory there is, and how much of it caches files.
//!
//! Format: Documentation/filesystems/proc.rst; the kernel's "kB" is 1,024 B.
//! Leaves out: slabs, mappings, commit limits and everything else that I/O does not show in.

use std::collections::HashMap;

use crate::error::ReadError;
use crate::line::{absent, lines};
use crate::root::Root;

const FILE: &str = "/proc/meminfo";

/// The machine's memory at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Usable memory.
    pub total_bytes: u64,
    /// What new work could have without swapping; `None` before Linux 3.14.
    pub available_bytes: Option<u64>,
    /// Page cache, tmpfs and shared memory included.
    pub cached_bytes: u64,
    /// Waiting to be written back.
    pub dirty_bytes: u64,
    /// Being written back.
    pub writeback_bytes: u64,
    /// Reserved huge pages; `None` without hugetlbfs.
    pub huge_pages: Option<HugePages>,
}

impl Memory {
    /// What new work could have; all there is where the kernel does not say.
    #[must_use]
    pub fn for_new_work(&self) -> u64 {
        self.available_bytes.unwrap_or(self.total_bytes)
    }
}

/// The pool of reserved huge pages of the default size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HugePages {
    /// Pages nobody has taken.
    pub free_count: u64,
    /// Size of one page.
    pub page_bytes: u64,
}

/// Reads /proc/meminfo.
pub fn read(root: &Root) -> Result<Memory, ReadError> {
    let text = root.read(FILE)?;
    let mut values = HashMap::new();
    for line in lines(root, FILE, &text) {
        let mut items = line.text.split_ascii_whitespace();
        let Some(name) = items.next().and_then(|name| name.strip_suffix(':')) else {
            return Err(line.malformed("name"));
        };
        let value = items.next();
        let factor = if items.next() == Some("kB") { 1024 } else { 1 };
        values.insert(name, line.scaled("value", value, factor)?);
    }
    let maybe = |name: &str| values.get(name).copied();
    let need = |name: &'static str| maybe(name).ok_or_else(|| absent(root.path(FILE), name));
    let huge_pages = match maybe("HugePages_Free") {
        Some(free_count) => Some(HugePages { free_count, page_bytes: need("Hugepagesize")? }),
        None => None,
    };
    Ok(Memory {
        total_bytes: need("MemTotal")?,
        available_bytes: maybe("MemAvailable"),
        cached_bytes: need("Cached")?,
        dirty_bytes: need("Dirty")?,
        writeback_bytes: need("Writeback")?,
        huge_pages,
    })
}

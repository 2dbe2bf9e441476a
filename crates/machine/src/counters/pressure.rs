//! /proc/pressure: time in which tasks were stalled for a resource.
//!
//! Format: Documentation/accounting/psi.rst; totals are microseconds. Absent on kernels without
//! CONFIG_PSI, or booted without psi=1. Leaves out: the kernel's own averages, and triggers.

use crate::error::ReadError;
use crate::line::{absent, lines};
use crate::root::Root;

const NS_PER_US: u64 = 1_000;

/// What tasks can be stalled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Waiting for I/O.
    Io,
    /// Waiting for a processor.
    Processor,
    /// Waiting for memory.
    Memory,
}

/// Stall time since boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pressure {
    /// Time in which at least one task was stalled.
    pub some_ns: u64,
    /// Time in which all tasks were stalled; `None` where the kernel is silent (cpu before 5.13).
    pub full_ns: Option<u64>,
}

/// Reads the stall times of one resource; `None` when the kernel does not keep them.
pub fn read(root: &Root, resource: Resource) -> Result<Option<Pressure>, ReadError> {
    let file = match resource {
        Resource::Io => "/proc/pressure/io",
        Resource::Processor => "/proc/pressure/cpu",
        Resource::Memory => "/proc/pressure/memory",
    };
    let text = match root.read_if_present(file) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(error) if is_disabled(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let (mut some_ns, mut full_ns) = (None, None);
    for line in lines(root, file, &text) {
        let total = line.text.split_ascii_whitespace().find_map(|item| item.strip_prefix("total="));
        let total_ns = line.scaled("total", total, NS_PER_US)?;
        match line.text.split(' ').next() {
            Some("some") => some_ns = Some(total_ns),
            Some("full") => full_ns = Some(total_ns),
            _ => return Err(line.malformed("some or full")),
        }
    }
    let some_ns = some_ns.ok_or_else(|| absent(root.path(file), "some"))?;
    Ok(Some(Pressure { some_ns, full_ns }))
}

/// A kernel booted with psi=0 shows the files but answers EOPNOTSUPP.
fn is_disabled(error: &ReadError) -> bool {
    let not_supported = rustix::io::Errno::OPNOTSUPP.raw_os_error();
    matches!(error, ReadError::Unreadable { source, .. }
        if source.raw_os_error() == Some(not_supported))
}

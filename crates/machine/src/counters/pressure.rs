//! /proc/pressure: time in which tasks were stalled for a resource.
//!
//! Format: Documentation/accounting/psi.rst; totals are microseconds. Absent on kernels without
//! CONFIG_PSI, or booted without psi=1. Leaves out: the time in which all tasks were stalled,
//! the kernel's own averages, and triggers.

use rustix::io::Errno;

use crate::error::ReadError;
use crate::line::Named;
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

/// Reads the time since boot in which at least one task was stalled for a resource; `None` when the
/// kernel does not keep it.
pub fn stalled_ns(root: &Root, resource: Resource) -> Result<Option<u64>, ReadError> {
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
    let (line, some) = Named { root, file, text: &text }.find("some")?;
    let total = some.split_ascii_whitespace().find_map(|item| item.strip_prefix("total="));
    line.scaled("total", total, NS_PER_US).map(Some)
}

/// A kernel booted with psi=0 shows the files but answers EOPNOTSUPP.
fn is_disabled(error: &ReadError) -> bool {
    matches!(error, ReadError::Unreadable { source, .. }
        if Errno::from_io_error(source) == Some(Errno::OPNOTSUPP))
}

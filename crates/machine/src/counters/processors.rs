//! /proc/stat: what the processors spent their time on, in all and one by one.
//!
//! Format: Documentation/filesystems/proc.rst; times are USER_HZ ticks, usually 10 ms, which bounds
//! the resolution. `user` and `nice` include `guest` and `guest_nice`. Iowait is not a load: it is
//! idle time while some task waited for a block device, and on a tickless machine unreliable.
//! Leaves out: what follows the times: interrupts, context switches, tasks.

use crate::error::ReadError;
use crate::line::{Line, absent, lines};
use crate::root::Root;

const FILE: &str = "/proc/stat";
const NS_PER_SECOND: u64 = 1_000_000_000;

/// Nanoseconds since boot by kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessorTimes {
    /// User mode, guests included.
    pub user_ns: u64,
    /// User mode at low priority, guests included.
    pub nice_ns: u64,
    /// Kernel mode.
    pub system_ns: u64,
    /// Nothing to do.
    pub idle_ns: u64,
    /// Nothing to do while a task waited for a block device.
    pub iowait_ns: u64,
    /// Hardware interrupts.
    pub irq_ns: u64,
    /// Software interrupts: much of the kernel's completion of I/O.
    pub softirq_ns: u64,
    /// Time the hypervisor gave to others.
    pub steal_ns: u64,
}

/// One processor of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    /// The kernel's number; offline processors are missing from the sequence.
    pub index: u32,
    pub times: ProcessorTimes,
}

/// The whole of /proc/stat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processors {
    /// Sum over all processors, also those gone offline.
    pub total: ProcessorTimes,
    /// Each online processor.
    pub each: Vec<Processor>,
}

/// Reads /proc/stat.
pub fn read(root: &Root) -> Result<Processors, ReadError> {
    let text = root.read(FILE)?;
    let ns_per_tick = NS_PER_SECOND / rustix::param::clock_ticks_per_second();
    let mut total = None;
    let mut each = Vec::new();
    for line in lines(root, FILE, &text) {
        let (name, rest) = line.text.split_once(' ').unwrap_or((line.text, ""));
        let Some(index) = name.strip_prefix("cpu") else { continue };
        let times = parse_times(&line, rest, ns_per_tick)?;
        if index.is_empty() {
            total = Some(times);
        } else {
            each.push(Processor { index: line.parse("processor", Some(index))?, times });
        }
    }
    let total = total.ok_or_else(|| absent(root.path(FILE), "cpu"))?;
    Ok(Processors { total, each })
}

fn parse_times(line: &Line<'_>, rest: &str, ns_per_tick: u64) -> Result<ProcessorTimes, ReadError> {
    let mut items = rest.split_ascii_whitespace();
    let mut next = |item| line.scaled(item, items.next(), ns_per_tick);
    Ok(ProcessorTimes {
        user_ns: next("user")?,
        nice_ns: next("nice")?,
        system_ns: next("system")?,
        idle_ns: next("idle")?,
        iowait_ns: next("iowait")?,
        irq_ns: next("irq")?,
        softirq_ns: next("softirq")?,
        steal_ns: next("steal")?,
    })
}

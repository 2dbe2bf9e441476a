//! Interrupts of PCI functions: which processors serve them, and how often they came.
//!
//! Format: `msi_irqs` of Documentation/ABI/testing/sysfs-bus-pci; `smp_affinity_list` (where an
//! interrupt may go) and `effective_affinity_list` (where it goes, since Linux 4.13) of
//! /proc/irq/NUMBER, Documentation/core-api/irq/irq-affinity.rst. Interrupts that a driver leaves
//! to the kernel to spread (managed) take no other affinity: their files are read-only since commit
//! c7718e5c76d4 of 2024; before it only a write shows it, by failing.
//! Leaves out: line interrupts, which functions may share.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use super::attributes::Attributes;
use crate::counters::interrupts;

/// A message-signalled interrupt of a PCI function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupt {
    /// As in /proc/interrupts.
    pub number: u32,
    /// The processors that it may go to, such as `0-3,8`.
    pub allowed: String,
    /// Those that it goes to.
    pub served_by: String,
    /// Its affinity can be set, as far as the kernel says.
    pub can_move: bool,
    /// How often it came since the machine started.
    pub count: u64,
}

/// The file that has the processors to which an interrupt may go.
#[must_use]
pub fn affinity_file(number: u32) -> String {
    format!("/proc/irq/{number}/smp_affinity_list")
}

/// Those of all functions, by address of the function.
pub(super) fn read<'f>(
    attributes: &Attributes<'_>,
    functions: impl Iterator<Item = &'f String>,
) -> BTreeMap<String, Vec<Interrupt>> {
    let counts = match interrupts::read(attributes.root) {
        Ok(counts) => counts,
        Err(error) => {
            if !error.is_missing() {
                attributes.note(error);
            }
            return BTreeMap::new();
        }
    };
    let one = |name: &String| {
        let number = name.parse().ok()?;
        read_one(attributes, number, *counts.get(&number)?)
    };
    let of_function = |address: &String| {
        let names = attributes.names(format!("/sys/bus/pci/devices/{address}/msi_irqs"));
        let mut found: Vec<Interrupt> = names.iter().filter_map(one).collect();
        found.sort_by_key(|interrupt| interrupt.number);
        (!found.is_empty()).then(|| (address.clone(), found))
    };
    functions.filter_map(of_function).collect()
}

fn read_one(attributes: &Attributes<'_>, number: u32, count: u64) -> Option<Interrupt> {
    let file = affinity_file(number);
    let allowed = attributes.text(&file)?;
    let served_by = attributes.text(format!("/proc/irq/{number}/effective_affinity_list"));
    let mode = std::fs::metadata(attributes.root.path(file)).ok()?;
    Some(Interrupt {
        number,
        served_by: served_by.unwrap_or_else(|| allowed.clone()),
        allowed,
        can_move: mode.permissions().mode() & 0o200 != 0,
        count,
    })
}

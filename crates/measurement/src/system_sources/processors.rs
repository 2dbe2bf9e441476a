//! Processors: what they spent their time on, and how often devices interrupted them.
//!
//! Interrupts of devices only (those with a number), so that they can be held against requests;
//! timers and calls between processors are not among them. The file of a machine with many
//! processors and queues is long: one longer than [`SHORT_BYTES`] is read in every so many samples
//! only, and at the others its counters are missing.

use std::collections::BTreeMap;

use iopath_machine::counters::interrupts;
use iopath_machine::counters::processors::{self, ProcessorTimes};
use iopath_record::{Counter, Kind, Layer};

use super::{Entities, Ground, Named, Source, put, source};

/// How long the table of interrupts may be to be read at every sample: chosen; the kernel needs
/// about 1 ms for it.
const SHORT_BYTES: usize = 256 << 10;

pub(super) fn open(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    let found = processors::read(ground.root).map(|found| found.each).unwrap_or_default();
    let all = table.put(Named::new("cpu", Kind::Cpu, Layer::Processor));
    table.describe(all, None, u32::try_from(found.len()).unwrap_or(u32::MAX));
    let mut each = BTreeMap::new();
    for processor in &found {
        let name = format!("cpu{}", processor.index);
        let id = table.put(Named::new(name, Kind::Cpu, Layer::Processor));
        table.describe(id, Some(all), 1);
        each.insert(processor.index, id);
    }
    // Samples until the interrupts are read again.
    let mut wait = 0_usize;
    source(move |root, readings| {
        if let Ok(found) = processors::read(root) {
            put(readings, all, &times(&found.total));
            for processor in &found.each {
                if let Some(entity) = each.get(&processor.index) {
                    put(readings, *entity, &times(&processor.times));
                }
            }
        }
        if wait > 0 {
            wait -= 1;
            return;
        }
        let Ok(found) = interrupts::of_devices(root) else { return };
        wait = found.text_bytes / SHORT_BYTES;
        let total = found.each.iter().map(|(_, count)| *count).fold(0, u64::wrapping_add);
        put(readings, all, &[(Counter::Interrupts, total)]);
        for (index, count) in &found.each {
            if let Some(entity) = each.get(index) {
                put(readings, *entity, &[(Counter::Interrupts, *count)]);
            }
        }
    })
}

/// The times of a processor as a record has them.
fn times(times: &ProcessorTimes) -> [(Counter, u64); 6] {
    [
        (Counter::UserNs, times.user_ns + times.nice_ns),
        (Counter::SystemNs, times.system_ns),
        (Counter::IdleNs, times.idle_ns),
        (Counter::IoWaitNs, times.iowait_ns),
        (Counter::InterruptNs, times.irq_ns + times.softirq_ns),
        (Counter::StealNs, times.steal_ns),
    ]
}

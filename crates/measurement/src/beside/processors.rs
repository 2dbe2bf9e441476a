//! Processors: what they spent their time on, and how often devices interrupted them.
//!
//! Interrupts of devices only (those with a number), so that they can be held against requests;
//! timers and calls between processors are not among them. The file of a machine with many
//! processors and queues is long: one longer than [`SHORT_BYTES`] is read in every so many samples
//! only, and at the others its counters are missing.

use std::collections::BTreeMap;

use iopath_machine::Root;
use iopath_machine::counters::interrupts;
use iopath_machine::counters::processors::{self, ProcessorTimes};
use iopath_record::{Counter, EntityId, Layer, Reading};

use super::{Entities, Ground, Named, Source, put};

/// How long the table of interrupts may be to be read at every sample: chosen; the kernel needs
/// about 1 ms for it.
const SHORT_BYTES: usize = 256 << 10;

#[derive(Debug)]
struct Processors {
    all: EntityId,
    /// By the kernel's number.
    each: BTreeMap<u32, EntityId>,
    /// Samples until the interrupts are read again.
    wait: usize,
}

pub(super) fn open(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Box<dyn Source>> {
    let found = processors::read(ground.root).map(|found| found.each).unwrap_or_default();
    let all = table.put(Named::new("cpu", "cpu", Layer::Processor));
    table.describe(all, None, u32::try_from(found.len()).unwrap_or(u32::MAX));
    let mut each = BTreeMap::new();
    for processor in &found {
        let name = format!("cpu{}", processor.index);
        let id = table.put(Named::new(name, "cpu", Layer::Processor));
        table.describe(id, Some(all), 1);
        each.insert(processor.index, id);
    }
    Some(Box::new(Processors { all, each, wait: 0 }))
}

impl Source for Processors {
    fn sample(&mut self, root: &Root, readings: &mut Vec<Reading>) {
        if let Ok(found) = processors::read(root) {
            put(readings, self.all, &times(&found.total));
            for processor in &found.each {
                if let Some(entity) = self.each.get(&processor.index) {
                    put(readings, *entity, &times(&processor.times));
                }
            }
        }
        self.sample_interrupts(root, readings);
    }
}

impl Processors {
    fn sample_interrupts(&mut self, root: &Root, readings: &mut Vec<Reading>) {
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        let Ok(found) = interrupts::of_devices(root) else { return };
        self.wait = found.text_bytes / SHORT_BYTES;
        let total = found.each.iter().map(|(_, count)| *count).fold(0, u64::wrapping_add);
        put(readings, self.all, &[(Counter::Interrupts, total)]);
        for (index, count) in &found.each {
            if let Some(entity) = self.each.get(index) {
                put(readings, *entity, &[(Counter::Interrupts, *count)]);
            }
        }
    }
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

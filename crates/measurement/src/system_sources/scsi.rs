//! What SCSI devices counted as failed and timed out; bytes and times are the block device's.
//!
//! Two files a device: [`AT_ONCE`] devices are read in a sample, the next ones in the next. Where
//! there are more, a device's counters are missing at the instants between.

use iopath_machine::counters::scsi;
use iopath_record::Counter;

use super::{Entities, Ground, Source, put_known, source};

/// Devices that one sample reads: chosen, some 1.5 ms.
const AT_ONCE: usize = 128;

pub(super) fn open(_: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    let counts = |name: &str| matches!(scsi::read_errors(ground.root, name), Ok(Some(_)));
    let each: Vec<_> = ground.disks.iter().filter(|(_, name)| counts(name)).cloned().collect();
    if each.is_empty() {
        return None;
    }
    let mut next = 0;
    source(move |root, readings| {
        let count = each.len().min(AT_ONCE);
        for (entity, name) in each.iter().cycle().skip(next).take(count) {
            if let Ok(Some(found)) = scsi::read_errors(root, name) {
                let counters =
                    [(Counter::Errors, Some(found.failed)), (Counter::Timeouts, found.timed_out)];
                put_known(readings, *entity, &counters);
            }
        }
        next = (next + count) % each.len();
    })
}

//! Ways of native NVMe multipath: hidden disks without a number, and what they say of the device
//! above them.
//!
//! Before Linux 6.4 that device counts nothing itself (drivers/nvme/host/multipath.c): its counters
//! are then the sums of its ways', but for busy time, as ways are busy at the same time.

use std::collections::BTreeMap;

use iopath_machine::Root;
use iopath_machine::counters::block_stat;
use iopath_machine::counters::diskstats::DiskCounters;
use iopath_record::{Counter, EntityId};

use crate::sampler::disk_counters;

/// One way to a device.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub entity: EntityId,
    /// The kernel's, such as `nvme0c1n1`.
    pub name: String,
    /// The device that it leads to.
    pub whole: EntityId,
}

/// Counters of a block device.
pub(crate) type Counts = Vec<(Counter, u64)>;

/// What ways counted.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    pub each: Vec<(EntityId, Counts)>,
    sums: BTreeMap<EntityId, Counts>,
}

impl Ways {
    /// Reads all; what cannot be read is left out.
    pub(crate) fn read(root: &Root, ways: &[Way]) -> Self {
        let mut found = Self::default();
        for way in ways {
            let Ok(counters) = block_stat::read(root, &way.name) else { continue };
            let counts = disk_counters(&counters);
            let sums = found.sums.entry(way.whole).or_default();
            sums.resize(counts.len(), (Counter::ReadBytes, 0));
            for (sum, (counter, value)) in sums.iter_mut().zip(&counts) {
                *sum = (*counter, sum.1 + value);
            }
            found.each.push((way.entity, counts));
        }
        found
    }

    /// What a device counted; what its ways did where it counts nothing.
    pub(crate) fn counts(&self, entity: EntityId, own: &DiskCounters) -> Counts {
        let is_silent = own.read_operations == 0 && own.write_operations == 0;
        match self.sums.get(&entity).filter(|_| is_silent) {
            Some(sums) => {
                sums.iter().copied().filter(|(counter, _)| *counter != Counter::BusyNs).collect()
            }
            None => disk_counters(own),
        }
    }
}

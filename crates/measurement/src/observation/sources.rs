//! Reads everything that is watched, once; what cannot be read is left out of the sample.
//!
//! One file tells of all block devices and stays open; what is beside them is read by the sources
//! that measured records have, too ([`crate::system_sources`]).

use iopath_machine::Root;
use iopath_machine::counters::disk_sampler::DiskSampler;
use iopath_machine::counters::diskstats::DiskCounters;
use iopath_record::{EntityId, Reading};

use super::devices::Block;
use crate::system_sources::{SystemSources, put};
use crate::ways::Ways;

/// The sources, open.
#[derive(Debug)]
pub(super) struct Sources {
    root: Root,
    block: Block,
    system: SystemSources,
    /// Else why it cannot be opened.
    sampler: Result<DiskSampler, String>,
    /// Of devices without a size: requests when they were first seen.
    unused: Vec<Option<u64>>,
}

/// What a sample found out besides values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Noticed {
    /// The table of devices has other lines, or a device without a size has moved something.
    pub others: bool,
    /// The table of devices could not be read.
    pub unreadable: Option<String>,
    /// Devices that are there now.
    pub present: Vec<EntityId>,
}

impl Sources {
    pub(super) fn open(root: &Root, block: Block, system: SystemSources) -> Self {
        let numbers: Vec<_> = block.disks.iter().map(|disk| disk.number).collect();
        let sampler = DiskSampler::open(root, &numbers).map_err(|error| error.to_string());
        let unused = vec![None; numbers.len()];
        Self { root: root.clone(), block, system, sampler, unused }
    }

    /// Reads all, ordered by entity.
    pub(super) fn sample(&mut self, readings: &mut Vec<Reading>) -> Noticed {
        readings.clear();
        let ways = Ways::read(&self.root, &self.block.ways);
        let noticed = self.sample_disks(&ways, readings);
        for (entity, counts) in &ways.each {
            put(readings, *entity, counts);
        }
        self.system.sample(&self.root, readings);
        // Stable, since devices are in the order of their entities already.
        readings.sort_by_key(|reading| reading.entity);
        noticed
    }

    fn sample_disks(&mut self, ways: &Ways, readings: &mut Vec<Reading>) -> Noticed {
        let mut noticed = Noticed::default();
        let sampler = match &mut self.sampler {
            Ok(sampler) => sampler,
            Err(why) => {
                noticed.unreadable = Some(why.clone());
                return noticed;
            }
        };
        let before = sampler.changes();
        if let Err(error) = sampler.sample() {
            noticed.unreadable = Some(error.to_string());
            return noticed;
        }
        noticed.others = before > 0 && sampler.changes() != before;
        let each = self.block.disks.iter().zip(sampler.last()).zip(&mut self.unused);
        for ((disk, counters), unused) in each {
            match (disk.entity, counters) {
                (Some(entity), Some(counters)) => {
                    noticed.present.push(entity);
                    put(readings, entity, &ways.counts(entity, counters));
                }
                (None, Some(counters)) => {
                    let now = operations(counters);
                    noticed.others |= unused.replace(now).is_some_and(|before| before != now);
                }
                (_, None) => {}
            }
        }
        noticed
    }
}

fn operations(counters: &DiskCounters) -> u64 {
    counters.read_operations.wrapping_add(counters.write_operations)
}

//! Reads everything that is watched, once; what cannot be read is left out of the sample.
//!
//! One file tells of all block devices and stays open; the others are a read each. Read are bytes
//! and requests as their layer counts them: packets of a network card, frames' payload of a Fibre
//! Channel port, calls of NFS. It leaves out interrupts and NUMA, of which nothing is told.

use iopath_machine::counters::disk_sampler::DiskSampler;
use iopath_machine::counters::diskstats::DiskCounters;
use iopath_machine::counters::{
    block_stat, fc_hosts, memory, network, nfs, pressure, processors, virtual_memory, zfs,
};
use iopath_machine::{Devices, Root};
use iopath_record::{Counter, EntityId, Reading};

use super::beside::{Beside, RESOURCES};
use super::devices::Block;
use crate::sampler::{disk_counters, processor_counters};

/// The sources, open.
#[derive(Debug)]
pub(super) struct Sources {
    root: Root,
    block: Block,
    beside: Beside,
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
    pub(super) fn open(root: &Root, block: Block, beside: Beside) -> Self {
        let numbers: Vec<_> = block.disks.iter().map(|disk| disk.number).collect();
        let sampler = DiskSampler::open(root, &numbers).map_err(|error| error.to_string());
        let unused = vec![None; numbers.len()];
        Self { root: root.clone(), block, beside, sampler, unused }
    }

    /// Reads all, ordered by entity.
    pub(super) fn sample(&mut self, readings: &mut Vec<Reading>) -> Noticed {
        readings.clear();
        let noticed = self.sample_disks(readings);
        for (entity, name) in &self.block.hidden {
            if let Ok(counters) = block_stat::read(&self.root, name) {
                put(readings, *entity, &disk_counters(&counters));
            }
        }
        self.sample_processors(readings);
        self.sample_memory(readings);
        self.sample_adapters(readings);
        self.sample_file_systems(readings);
        // Stable, since devices are in the order of their entities already.
        readings.sort_by_key(|reading| reading.entity);
        noticed
    }

    fn sample_disks(&mut self, readings: &mut Vec<Reading>) -> Noticed {
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
                    put(readings, entity, &disk_counters(counters));
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

    fn sample_processors(&self, readings: &mut Vec<Reading>) {
        if let Ok(found) = processors::read(&self.root) {
            put(readings, self.beside.all_processors, &processor_counters(&found.total));
            for processor in &found.each {
                if let Some(entity) = self.beside.processors.get(&processor.index) {
                    put(readings, *entity, &processor_counters(&processor.times));
                }
            }
        }
        for ((resource, _), entity) in RESOURCES.into_iter().zip(self.beside.pressure) {
            let found = pressure::read(&self.root, resource).ok().flatten();
            if let Some((entity, found)) = entity.zip(found) {
                put(readings, entity, &[(Counter::BusyNs, found.some_ns)]);
            }
        }
    }

    fn sample_memory(&self, readings: &mut Vec<Reading>) {
        let entity = self.beside.memory;
        if let Ok(found) = memory::read(&self.root) {
            let gauges = [
                (Counter::CachedBytes, found.cached_bytes),
                (Counter::DirtyBytes, found.dirty_bytes),
                (Counter::WritebackBytes, found.writeback_bytes),
            ];
            put(readings, entity, &gauges);
        }
        if let Ok(found) = virtual_memory::read(&self.root) {
            let counters =
                [(Counter::ReadBytes, found.read_bytes), (Counter::WriteBytes, found.write_bytes)];
            put_known(readings, entity, &counters);
        }
        let arc = self.beside.arc.and_then(|id| Some((id, zfs::read_arc(&self.root).ok()??)));
        if let Some((entity, arc)) = arc {
            let counters = [
                (Counter::CacheHits, arc.hits),
                (Counter::CacheMisses, arc.misses),
                (Counter::CachedBytes, arc.size_bytes),
            ];
            put(readings, entity, &counters);
        }
    }

    fn sample_adapters(&self, readings: &mut Vec<Reading>) {
        if !self.beside.network.is_empty() {
            for one in network::read(&self.root).unwrap_or_default() {
                let Some(entity) = self.beside.network.get(&one.name) else { continue };
                let (received, sent) = (one.received, one.sent);
                let counters = [
                    (Counter::ReadBytes, received.bytes),
                    (Counter::WriteBytes, sent.bytes),
                    (Counter::ReadOperations, received.packets),
                    (Counter::WriteOperations, sent.packets),
                    (Counter::Errors, received.errors.saturating_add(sent.errors)),
                ];
                put(readings, *entity, &counters);
            }
        }
        if !self.beside.fibre.is_empty() {
            for one in fc_hosts::read(&self.root).unwrap_or_default() {
                let Some(entity) = self.beside.fibre.get(&one.name) else { continue };
                let counters = [
                    (Counter::ReadBytes, one.received_bytes),
                    (Counter::WriteBytes, one.sent_bytes),
                    (Counter::ReadOperations, one.input_requests),
                    (Counter::WriteOperations, one.output_requests),
                    (Counter::Errors, one.errors()),
                ];
                put_known(readings, *entity, &counters);
            }
        }
    }

    fn sample_file_systems(&self, readings: &mut Vec<Reading>) {
        if !self.beside.nfs.is_empty() {
            for one in nfs::read(&self.root).unwrap_or_default() {
                let place = (one.export.clone(), one.mount_point.display().to_string());
                if let Some(entity) = self.beside.nfs.get(&place) {
                    put_known(readings, *entity, &nfs_counters(&one));
                }
            }
        }
        for (pool, entity) in &self.beside.pools {
            if let Ok(Some(found)) = zfs::read_pool(&self.root, pool) {
                put(readings, *entity, &zfs_counters(found));
            }
        }
        for (pool, datasets) in &self.beside.datasets {
            for one in zfs::read_datasets(&self.root, pool).unwrap_or_default() {
                if let Some(entity) = datasets.get(&one.name) {
                    put(readings, *entity, &zfs_counters(one.counters));
                }
            }
        }
    }
}

/// The devices as they are now; an error where they cannot be listed.
pub(super) fn devices(root: &Root) -> Result<Devices, iopath_machine::ReadError> {
    Devices::read(root)
}

fn operations(counters: &DiskCounters) -> u64 {
    counters.read_operations.wrapping_add(counters.write_operations)
}

fn put(readings: &mut Vec<Reading>, entity: EntityId, counters: &[(Counter, u64)]) {
    let reading = |&(counter, value): &(Counter, u64)| Reading { entity, counter, value };
    readings.extend(counters.iter().map(reading));
}

fn put_known(readings: &mut Vec<Reading>, entity: EntityId, counters: &[(Counter, Option<u64>)]) {
    let known = counters.iter().filter_map(|(counter, value)| Some((*counter, (*value)?)));
    readings.extend(known.map(|(counter, value)| Reading { entity, counter, value }));
}

/// Bytes that went over the wire for reads and writes; a time is that of whole calls.
fn nfs_counters(mount: &nfs::NfsMount) -> [(Counter, Option<u64>); 8] {
    let (reads, writes, bytes) = (mount.reads, mount.writes, mount.bytes);
    let either = |of: fn(&nfs::Calls) -> Option<u64>| {
        let each = [reads, writes].map(|calls| calls.as_ref().and_then(of));
        each.into_iter().flatten().reduce(u64::saturating_add)
    };
    [
        (Counter::ReadBytes, bytes.map(|bytes| bytes.server_read)),
        (Counter::WriteBytes, bytes.map(|bytes| bytes.server_write)),
        (Counter::ReadOperations, reads.map(|calls| calls.operations)),
        (Counter::WriteOperations, writes.map(|calls| calls.operations)),
        (Counter::ReadNs, reads.map(|calls| calls.total_ns)),
        (Counter::WriteNs, writes.map(|calls| calls.total_ns)),
        (Counter::InFlightNs, either(|calls| Some(calls.total_ns))),
        (Counter::Errors, either(|calls| calls.errors)),
    ]
}

fn zfs_counters(found: zfs::ZfsCounters) -> [(Counter, u64); 4] {
    [
        (Counter::ReadBytes, found.read_bytes),
        (Counter::WriteBytes, found.write_bytes),
        (Counter::ReadOperations, found.read_operations),
        (Counter::WriteOperations, found.write_operations),
    ]
}

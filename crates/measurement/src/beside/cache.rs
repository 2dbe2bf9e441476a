//! The adaptive replacement cache of all ZFS pools.

use iopath_machine::Root;
use iopath_machine::counters::zfs;
use iopath_record::{Counter, EntityId, Layer, Reading};

use super::{Entities, Ground, Named, Source, put};

#[derive(Debug)]
struct Cache(EntityId);

pub(super) fn open(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Box<dyn Source>> {
    zfs::read_arc(ground.root).ok().flatten()?;
    Some(Box::new(Cache(table.put(Named::new("arc", "memory", Layer::Memory)))))
}

impl Source for Cache {
    fn sample(&mut self, root: &Root, readings: &mut Vec<Reading>) {
        if let Ok(Some(arc)) = zfs::read_arc(root) {
            let counters = [
                (Counter::CacheHits, arc.hits),
                (Counter::CacheMisses, arc.misses),
                (Counter::CachedBytes, arc.size_bytes),
            ];
            put(readings, self.0, &counters);
        }
    }
}

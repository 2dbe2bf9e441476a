//! The adaptive replacement cache of all ZFS pools.

use iopath_machine::counters::zfs;
use iopath_record::{Counter, Kind, Layer};

use super::{Entities, Ground, Named, Source, put, source};

pub(super) fn open(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    zfs::read_arc(ground.root).ok().flatten()?;
    let entity = table.put(Named::new("arc", Kind::Memory, Layer::Memory));
    source(move |root, readings| {
        let Ok(Some(arc)) = zfs::read_arc(root) else { return };
        let counters = [
            (Counter::CacheHits, arc.hits),
            (Counter::CacheMisses, arc.misses),
            (Counter::CachedBytes, arc.size_bytes),
        ];
        put(readings, entity, &counters);
    })
}

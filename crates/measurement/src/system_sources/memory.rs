//! Memory: the page cache, what it moved to and from all block devices, and from which NUMA node
//! pages came. A machine of one node has nothing to tell of nodes.

use iopath_machine::counters::{memory, numa, virtual_memory};
use iopath_record::{Counter, Kind, Layer};

use super::{Entities, Ground, Named, Source, put, put_known, source};

pub(super) fn open(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    let all = table.put(Named::new("memory", Kind::Memory, Layer::Memory));
    let found = numa::nodes(ground.root).ok().filter(|found| found.len() > 1).unwrap_or_default();
    let node = |index| {
        let id = table.put(Named::new(format!("node{index}"), Kind::Node, Layer::Memory));
        table.describe(id, Some(all), 1);
        (index, id)
    };
    // By the kernel's number.
    let nodes: Vec<_> = found.into_iter().map(node).collect();
    source(move |root, readings| {
        if let Ok(found) = memory::read(root) {
            let gauges = [
                (Counter::CachedBytes, found.cached_bytes),
                (Counter::DirtyBytes, found.dirty_bytes),
                (Counter::WritebackBytes, found.writeback_bytes),
            ];
            put(readings, all, &gauges);
        }
        if let Ok(found) = virtual_memory::read(root) {
            let counters =
                [(Counter::ReadBytes, found.read_bytes), (Counter::WriteBytes, found.write_bytes)];
            put_known(readings, all, &counters);
        }
        for (index, entity) in &nodes {
            if let Ok(found) = numa::read_node(root, *index) {
                let counters =
                    [(Counter::LocalPages, found.local), (Counter::RemotePages, found.remote)];
                put(readings, *entity, &counters);
            }
        }
    })
}

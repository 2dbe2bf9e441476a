//! Time in which at least one task waited for something (pressure stall information).

use iopath_machine::counters::pressure::{self, Resource};
use iopath_record::{Counter, Kind, Layer};

use super::{Entities, Ground, Named, Source, put, source};

/// What tasks can be stalled for, by name.
const RESOURCES: [(Resource, &str); 3] =
    [(Resource::Io, "io"), (Resource::Processor, "cpu"), (Resource::Memory, "memory")];

pub(super) fn open(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    let kept = |resource| pressure::stalled_ns(ground.root, resource).ok().flatten().is_some();
    let found = RESOURCES.into_iter().filter(|(resource, _)| kept(*resource));
    let named = |(resource, name)| {
        (resource, table.put(Named::new(name, Kind::Pressure, Layer::Generator)))
    };
    let each: Vec<_> = found.map(named).collect();
    if each.is_empty() {
        return None;
    }
    source(move |root, readings| {
        for (resource, entity) in &each {
            if let Ok(Some(stalled_ns)) = pressure::stalled_ns(root, *resource) {
                put(readings, *entity, &[(Counter::BusyNs, stalled_ns)]);
            }
        }
    })
}

//! Time in which at least one task waited for something (pressure stall information).

use iopath_machine::Root;
use iopath_machine::counters::pressure::{self, Resource};
use iopath_record::{Counter, EntityId, Layer, Reading};

use super::{Entities, Ground, Named, Source, put};

/// What tasks can be stalled for, by name.
const RESOURCES: [(Resource, &str); 3] =
    [(Resource::Io, "io"), (Resource::Processor, "cpu"), (Resource::Memory, "memory")];

#[derive(Debug)]
struct Pressure {
    each: Vec<(Resource, EntityId)>,
}

pub(super) fn open(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Box<dyn Source>> {
    let kept = |resource| pressure::stalled_ns(ground.root, resource).ok().flatten().is_some();
    let found = RESOURCES.into_iter().filter(|(resource, _)| kept(*resource));
    let put =
        |(resource, name)| (resource, table.put(Named::new(name, "pressure", Layer::Generator)));
    let each: Vec<_> = found.map(put).collect();
    (!each.is_empty()).then(|| Box::new(Pressure { each }) as Box<dyn Source>)
}

impl Source for Pressure {
    fn sample(&mut self, root: &Root, readings: &mut Vec<Reading>) {
        for (resource, entity) in &self.each {
            if let Ok(Some(stalled_ns)) = pressure::stalled_ns(root, *resource) {
                put(readings, *entity, &[(Counter::BusyNs, stalled_ns)]);
            }
        }
    }
}

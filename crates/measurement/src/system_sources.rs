//! What is sampled beside block devices, by [`measure`](crate::measure) and by
//! [`Observation`](crate::Observation) alike: one table of sources. Each finds its entities once
//! and reads its counters in every sample; what a machine lacks gives no entity, and what cannot
//! be read is left out of the sample.
//!
//! Processors, memory, its nodes and what tasks wait for belong to every machine. Of file systems
//! without block devices, network, Fibre Channel and SCSI only what lies below the targets is
//! sampled, or all where the whole machine is watched ([`Scope`]).

mod adapters;
mod cache;
mod file_systems;
mod memory;
mod pressure;
mod processors;
mod scope;
mod scsi;

use std::fmt::{self, Debug, Formatter};

use iopath_machine::Root;
use iopath_record::{Counter, EntityId, Kind, Layer, Reading};

pub(crate) use scope::Scope;

/// What an entity is called, and what it is.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub name: String,
    pub kind: Kind,
    pub layer: Layer,
    pub binding: Option<String>,
}

impl Named {
    pub(crate) fn new(name: impl Into<String>, kind: Kind, layer: Layer) -> Self {
        Self { name: name.into(), kind, layer, binding: None }
    }
}

/// A table of entities that grows.
pub(crate) trait Entities {
    /// The entity of that layer, kind and name.
    fn put(&mut self, named: Named) -> EntityId;

    /// Says what encloses an entity, and for how many equal things it stands.
    fn describe(&mut self, id: EntityId, parent: Option<EntityId>, count: u32);
}

/// Where sources look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub root: &'a Root,
    pub scope: &'a Scope,
    /// The block devices that are sampled, by their kernel's names.
    pub disks: &'a [(EntityId, String)],
}

/// Reads once what stands in one place.
type Source = Box<dyn FnMut(&Root, &mut Vec<Reading>) + Send>;

/// Looks for a source; none where the machine has no such thing.
type Open = fn(&mut dyn Entities, Ground<'_>) -> Option<Source>;

fn source(sample: impl FnMut(&Root, &mut Vec<Reading>) + Send + 'static) -> Option<Source> {
    Some(Box::new(sample))
}

/// All sources, in the order of their entities.
const SOURCES: [Open; 9] = [
    processors::open,
    memory::open,
    pressure::open,
    cache::open,
    file_systems::open_zfs,
    adapters::open_network,
    adapters::open_fibre,
    file_systems::open_mounts,
    scsi::open,
];

/// The sources that there are, open.
pub(crate) struct SystemSources {
    sources: Vec<Source>,
}

impl Debug for SystemSources {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemSources").finish_non_exhaustive()
    }
}

impl SystemSources {
    /// Finds everything there is, with its entities.
    pub(crate) fn open(table: &mut dyn Entities, ground: Ground<'_>) -> Self {
        let sources = SOURCES.iter().filter_map(|open| open(table, ground)).collect();
        Self { sources }
    }

    /// Reads all once.
    pub(crate) fn sample(&mut self, root: &Root, readings: &mut Vec<Reading>) {
        self.sources.iter_mut().for_each(|source| source(root, readings));
    }
}

/// Takes what was read of an entity.
pub(crate) fn put(readings: &mut Vec<Reading>, entity: EntityId, counters: &[(Counter, u64)]) {
    let reading = |&(counter, value): &(Counter, u64)| Reading { entity, counter, value };
    readings.extend(counters.iter().map(reading));
}

/// The same, of counters that not every kernel or driver keeps.
fn put_known(readings: &mut Vec<Reading>, entity: EntityId, counters: &[(Counter, Option<u64>)]) {
    let known = counters.iter().filter_map(|(counter, value)| Some((*counter, (*value)?)));
    readings.extend(known.map(|(counter, value)| Reading { entity, counter, value }));
}

//! In which tier an entity stands: streams, files, volumes; what the data cross, from the processor
//! out to the fabric and from there into arrays; what keeps them.
//!
//! A record says what contains what, not who stands on which side of a switch. So: what is in an
//! array or an enclosure is behind the fabric; so is a host with adapters for storage, where other
//! hosts have none and a switch is between them, as it serves these. Parts of one layer stand in
//! the order of what contains them.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Entity, EntityId, Kind, Layer, Record};

use crate::usage::related::depths;

/// A place in the order of tiers; entities of equal places stand side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub rank: Rank,
    pub depth: usize,
}

/// Stretches of the way, in the order of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Application,
    FileSystem,
    Volume,
    Processor,
    Bus,
    Adapter,
    Port,
    Switch,
    ServerNetwork,
    ServerProcessor,
    ServerBus,
    ServerAdapter,
    ArrayPort,
    Array,
    Cache,
    Lun,
    Device,
    Beside,
}

/// The place of each entity, by position; none of what is never drawn: parts of what is drawn.
pub(crate) fn all(record: &Record) -> Vec<Option<Place>> {
    let entities = &record.entities;
    let roots = roots(entities);
    let servers = servers(entities, &roots);
    let related = depths(record);
    let each = (0u32..).map(EntityId).zip(entities).zip(&roots);
    let each = each.map(|((id, entity), (root, depth))| {
        let side = side(&entities[*root], servers.contains(root));
        let rank = rank(record, entity, side)?;
        let depth = match rank {
            Rank::FileSystem | Rank::Volume | Rank::Lun | Rank::Device => {
                related.get(&id).copied().unwrap_or(0)
            }
            Rank::Processor | Rank::Bus | Rank::Array | Rank::ServerProcessor | Rank::ServerBus => {
                *depth
            }
            _ => 0,
        };
        Some(Place { rank, depth })
    });
    each.collect()
}

/// Where the tree that an entity is in stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Near,
    Server,
    Array,
}

fn side(root: &Entity, is_server: bool) -> Side {
    match root.kind {
        _ if is_server => Side::Server,
        Kind::Array if root.layer == Layer::Bus => Side::Array,
        Kind::Enclosure | Kind::Expander => Side::Array,
        _ => Side::Near,
    }
}

fn rank(record: &Record, entity: &Entity, side: Side) -> Option<Rank> {
    let above = entity.parent.and_then(|parent| record.entities.get(parent.0 as usize));
    // Streams of a class are drawn, not the class; a processor is part of all of them, a partition
    // of its disk.
    let is_part = above.is_some_and(|above| above.kind == entity.kind && entity.kind == Kind::Cpu);
    match entity.kind {
        Kind::Streams | Kind::SubStream | Kind::Partition | Kind::Pressure => return None,
        _ if is_part => return None,
        Kind::Cpu | Kind::Memory | Kind::Process => return Some(Rank::Beside),
        _ => {}
    }
    Some(match (entity.layer, side) {
        (Layer::Application, _) => Rank::Application,
        (Layer::FileSystem, _) => Rank::FileSystem,
        (Layer::Volume, _) => Rank::Volume,
        (Layer::Lun, _) => Rank::Lun,
        (Layer::Device, _) => Rank::Device,
        (Layer::Switch, _) => Rank::Switch,
        (Layer::Memory, _) => Rank::Cache,
        (Layer::Generator, _) => Rank::Beside,
        (Layer::Processor, Side::Near) => Rank::Processor,
        (Layer::Processor, Side::Server) => Rank::ServerProcessor,
        (Layer::Bus, Side::Near) if behind_adapter(record, entity) => Rank::Array,
        (Layer::Bus, Side::Near) => Rank::Bus,
        (Layer::Bus, Side::Server) => Rank::ServerBus,
        (Layer::Adapter, Side::Server) if entity.kind == Kind::Nic => Rank::ServerNetwork,
        (Layer::Adapter | Layer::Port, Side::Server) => Rank::ServerAdapter,
        (Layer::Adapter, _) => Rank::Adapter,
        (Layer::Port, Side::Array) => Rank::ArrayPort,
        (Layer::Port, Side::Near) => Rank::Port,
        (Layer::Bus | Layer::Processor, Side::Array) => Rank::Array,
    })
}

fn behind_adapter(record: &Record, entity: &Entity) -> bool {
    let above = |id: EntityId| record.entities.get(id.0 as usize);
    let mut next = entity.parent;
    // Records made by hand may have circles; no path is as deep.
    for _ in 0..DEEPEST {
        let Some(one) = next.and_then(above) else { return false };
        if one.layer == Layer::Adapter {
            return true;
        }
        next = one.parent;
    }
    false
}

/// Deepest containment that is followed: no path is as deep.
const DEEPEST: usize = 32;

/// What each is in at last, and how many things are between.
pub(crate) fn roots(entities: &[Entity]) -> Vec<(usize, usize)> {
    let root = |start: usize| {
        let mut at = start;
        for depth in 0..DEEPEST {
            match entities[at].parent.map(|parent| parent.0 as usize) {
                Some(parent) if parent < entities.len() => at = parent,
                _ => return (at, depth),
            }
        }
        (start, 0)
    };
    (0..entities.len()).map(root).collect()
}

/// Hosts that serve storage to other hosts.
fn servers(entities: &[Entity], roots: &[(usize, usize)]) -> BTreeSet<usize> {
    let mut stores: BTreeMap<usize, bool> = BTreeMap::new();
    for (entity, (root, _)) in entities.iter().zip(roots) {
        if entities[*root].kind == Kind::Host {
            let keeps =
                matches!(entity.layer, Layer::Device | Layer::Lun) || entity.kind == Kind::Hba;
            *stores.entry(*root).or_default() |= keeps;
        }
    }
    let has_switch = entities.iter().any(|entity| entity.layer == Layer::Switch);
    let has_clients = stores.values().any(|keeps| !keeps);
    match has_switch && has_clients {
        true => stores.into_iter().filter(|(_, keeps)| *keeps).map(|(root, _)| root).collect(),
        false => BTreeSet::new(),
    }
}

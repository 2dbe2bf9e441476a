//! In which tier an entity stands: streams, files, volumes; what the data cross, from the processor
//! out to the fabric and from there into arrays; what keeps them.
//!
//! A record says what contains what, not who stands on which side of a switch. So: what is in an
//! array or an enclosure is behind the fabric; so is a host with adapters for storage, where other
//! hosts have none and a switch is between them, as it serves these. An array without media, where
//! others have some, stands before these, with the volumes behind its caches. Parts of one layer
//! stand in the order of what contains them, and equal things at one depth ([`level`]).

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Entity, EntityId, Kind, Layer, Record};

use crate::usage::related::depths;

mod level;

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
    SwitchPort,
    Switch,
    FrontPort,
    Front,
    FrontCache,
    FrontVolume,
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
    let sides = Sides { servers: servers(entities, &roots), fronts: fronts(entities, &roots) };
    let mut ranks: Vec<Option<Rank>> = (entities.iter().zip(&roots))
        .map(|(entity, (root, _))| rank(record, entity, sides.of(&entities[*root], *root)))
        .collect();
    behind_fronts(record, &mut ranks);
    let related = level::levelled(record, &ranks).unwrap_or_else(|| depths(record));
    let each = (0u32..).map(EntityId).zip(ranks).zip(&roots);
    let place = |((id, rank), (_, depth)): ((EntityId, Option<Rank>), &(usize, usize))| {
        let rank = rank?;
        let depth = match rank {
            rank if by_relations(rank) => related.get(&id).copied().unwrap_or(0),
            rank if by_containment(rank) => *depth,
            _ => 0,
        };
        Some(Place { rank, depth })
    };
    each.map(place).collect()
}

/// Whether relations order the tiers of a rank.
fn by_relations(rank: Rank) -> bool {
    matches!(rank, Rank::FileSystem | Rank::Volume | Rank::FrontVolume | Rank::Lun | Rank::Device)
}

/// Whether what contains what orders the tiers of a rank.
fn by_containment(rank: Rank) -> bool {
    use Rank::{Array, Bus, Front, Processor, ServerBus, ServerProcessor};
    matches!(rank, Processor | Bus | Front | Array | ServerProcessor | ServerBus)
}

/// Whether a thing passes each byte in at one of its ports and out at another, so that these count
/// it twice: ports of switches and of what stands before arrays with media.
pub(crate) fn counts_twice(place: Place) -> bool {
    matches!(place.rank, Rank::SwitchPort | Rank::FrontPort)
}

/// Volumes behind the cache of a front are split there.
fn behind_fronts(record: &Record, ranks: &mut [Option<Rank>]) {
    for relation in &record.relations {
        let rank = |id: &EntityId| ranks.get(id.0 as usize).copied().flatten();
        if rank(&relation.upper) != Some(Rank::FrontCache) {
            continue;
        }
        let lowers = relation.lower.iter();
        let volumes: Vec<EntityId> =
            lowers.filter(|id| rank(id) == Some(Rank::Volume)).copied().collect();
        volumes.iter().for_each(|id| ranks[id.0 as usize] = Some(Rank::FrontVolume));
    }
}

/// Where the tree that an entity is in stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Near,
    Server,
    Switch,
    Front,
    Array,
}

/// Roots that are more than their kind says.
struct Sides {
    servers: BTreeSet<usize>,
    fronts: BTreeSet<usize>,
}

impl Sides {
    fn of(&self, root: &Entity, at: usize) -> Side {
        match root.kind {
            _ if self.servers.contains(&at) => Side::Server,
            _ if self.fronts.contains(&at) => Side::Front,
            Kind::Array if root.layer == Layer::Bus => Side::Array,
            Kind::Enclosure | Kind::Expander => Side::Array,
            Kind::Switch => Side::Switch,
            _ => Side::Near,
        }
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
        (Layer::Port, Side::Switch) => Rank::SwitchPort,
        (Layer::Port, Side::Front) => Rank::FrontPort,
        (Layer::Memory, Side::Front) => Rank::FrontCache,
        (Layer::Bus | Layer::Processor, Side::Front) => Rank::Front,
        (Layer::Lun, _) => Rank::Lun,
        (Layer::Device, _) => Rank::Device,
        (Layer::Switch, _) => Rank::Switch,
        (Layer::Memory, _) => Rank::Cache,
        (Layer::Generator, _) => Rank::Beside,
        (Layer::Processor, Side::Near | Side::Switch) => Rank::Processor,
        (Layer::Processor, Side::Server) => Rank::ServerProcessor,
        (Layer::Bus, Side::Near) if behind_adapter(record, entity) => Rank::Array,
        (Layer::Bus, Side::Near | Side::Switch) => Rank::Bus,
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

/// Arrays that keep nothing themselves, where others do.
fn fronts(entities: &[Entity], roots: &[(usize, usize)]) -> BTreeSet<usize> {
    let mut keeps: BTreeMap<usize, bool> = BTreeMap::new();
    for (entity, (root, _)) in entities.iter().zip(roots) {
        if entities[*root].kind == Kind::Array && entities[*root].layer == Layer::Bus {
            *keeps.entry(*root).or_default() |= matches!(entity.layer, Layer::Device | Layer::Lun);
        }
    }
    match keeps.values().any(|keeps| *keeps) {
        true => keeps.into_iter().filter(|(_, keeps)| !keeps).map(|(root, _)| root).collect(),
        false => BTreeSet::new(),
    }
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

//! The entities of all ranks, each thing once.
//!
//! A thing is known by its [`Key`]. What reads the machine was read by several ranks and is taken
//! from the lowest; what counts a rank's own work is added. A target that several kernels count,
//! each its own traffic, is an entity of its own over those that count.

mod key;
mod shared;

use std::collections::BTreeMap;

use super::Unmergeable;
use super::names::Names;
use super::parts::Parts;
use crate::{Counter, Entity, EntityId, Kind, Layer};

pub(super) use key::Key;
use key::Keys;

/// An entity of one of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub part: usize,
    pub entity: EntityId,
}

/// How counters of several sources are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// All read the same: those of the first.
    Once,
    /// Each counted its own.
    Added,
    /// Gauges of several kernels, of which each holds for the requests of its hosts.
    EachKernel,
}

/// Something that ranks recorded.
#[derive(Clone, Debug)]
pub(super) struct Thing {
    /// Where it is recorded, the lowest rank first; none of what stands over several.
    pub sources: Vec<Source>,
    pub counts: Counts,
}

/// Everything, with where each entity of each part went.
pub(super) struct Things {
    pub entities: Vec<Entity>,
    /// In the order of `entities`.
    pub all: Vec<Thing>,
    /// By part and entity.
    places: Vec<Vec<EntityId>>,
    /// Of targets that stand over those of several kernels, by part and entity.
    targets: BTreeMap<(usize, EntityId), EntityId>,
    /// Which devices of several kernels are one, by identity.
    pub same: BTreeMap<String, Vec<EntityId>>,
}

impl Things {
    pub(super) fn of(parts: &Parts) -> Result<Self, Unmergeable> {
        let mut growing = Growing::new(parts);
        for part in 0..parts.ranks.len() {
            for index in 0..parts.ranks[part].record.entities.len() as u32 {
                growing.add(Source { part, entity: EntityId(index) })?;
            }
        }
        Ok(growing.settled())
    }

    /// Where an entity of a part is.
    pub(super) fn place(&self, part: usize, entity: EntityId) -> EntityId {
        self.places[part][entity.0 as usize]
    }

    /// The same as what streams read and write.
    pub(super) fn target(&self, part: usize, entity: EntityId) -> EntityId {
        let over = self.targets.get(&(part, entity)).copied();
        over.unwrap_or_else(|| self.place(part, entity))
    }

    /// Each that stands over targets of several kernels, with these.
    pub(super) fn over(&self) -> BTreeMap<EntityId, Vec<EntityId>> {
        let mut over: BTreeMap<EntityId, Vec<EntityId>> = BTreeMap::new();
        for ((part, entity), shared) in &self.targets {
            let own = self.place(*part, *entity);
            let lower = over.entry(*shared).or_default();
            if !lower.contains(&own) {
                lower.push(own);
            }
        }
        over
    }

    pub(super) fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id.0 as usize]
    }
}

/// The same, while it grows.
struct Growing<'a> {
    parts: &'a Parts,
    keys: Keys<'a>,
    known: BTreeMap<Key<'a>, EntityId>,
    all: Vec<Thing>,
    places: Vec<Vec<EntityId>>,
    targets: BTreeMap<(usize, EntityId), EntityId>,
    over: BTreeMap<&'a str, EntityId>,
    /// What is called by a target that it is over.
    called: BTreeMap<EntityId, Source>,
}

impl<'a> Growing<'a> {
    fn new(parts: &'a Parts) -> Self {
        Self {
            parts,
            keys: Keys::of(parts),
            known: BTreeMap::new(),
            all: Vec::new(),
            places: vec![Vec::new(); parts.ranks.len()],
            targets: BTreeMap::new(),
            over: BTreeMap::new(),
            called: BTreeMap::new(),
        }
    }

    fn add(&mut self, source: Source) -> Result<(), Unmergeable> {
        self.stand_over(source);
        let key = self.keys.key(source);
        let counts = key.counts();
        let id = match self.known.get(&key) {
            Some(known) => *known,
            None => {
                let id = self.put(Thing { sources: Vec::new(), counts });
                self.known.insert(key.clone(), id);
                id
            }
        };
        let thing = &mut self.all[id.0 as usize];
        if let (Key::Stream { name }, Some(first)) = (&key, thing.sources.first()) {
            let ranks = [first.part, source.part].map(|part| self.parts.ranks[part].rank);
            return Err(Unmergeable::StreamTwice { name: (*name).to_owned(), ranks });
        }
        thing.sources.push(source);
        self.places[source.part].push(id);
        Ok(())
    }

    /// A target that several kernels count is below one that is theirs together.
    fn stand_over(&mut self, source: Source) {
        let Some(identity) = self.keys.shared.apart(self.parts, source) else { return };
        let over = match self.over.get(identity) {
            Some(over) => *over,
            None => {
                let id = self.put(Thing { sources: Vec::new(), counts: Counts::Once });
                self.called.insert(id, source);
                self.over.insert(identity, id);
                id
            }
        };
        self.targets.insert((source.part, source.entity), over);
    }

    fn put(&mut self, thing: Thing) -> EntityId {
        self.all.push(thing);
        EntityId(self.all.len() as u32 - 1)
    }

    fn settled(self) -> Things {
        let mut names = Names::of(self.parts);
        let mut entities = Vec::with_capacity(self.all.len());
        for (id, thing) in (0..).map(EntityId).zip(&self.all) {
            entities.push(match self.called.get(&id) {
                Some(target) => shared_target(names.shared(*target)),
                None => self.entity(thing, names.name(&thing.sources)),
            });
        }
        let same = self.same();
        let Self { all, places, targets, .. } = self;
        Things { entities, all, places, targets, same }
    }

    /// As the lowest rank has it.
    fn entity(&self, thing: &Thing, name: String) -> Entity {
        let Source { part, entity } = thing.sources[0];
        let first = self.parts.entity(part, entity);
        let each = || thing.sources.iter().map(|one| self.parts.entity(one.part, one.entity));
        let is_process = first.kind == Kind::Process;
        let is_one_binding = each().all(|other| other.binding == first.binding);
        // A sub-stream is in one stream only where one stream makes it.
        let is_alone = thing.sources.len() == 1 || first.kind != Kind::SubStream;
        let parent = first.parent.filter(|_| is_alone);
        Entity {
            name,
            parent: parent.map(|parent| self.places[part][parent.0 as usize]),
            binding: first.binding.clone().filter(|_| is_one_binding),
            count: if is_process { each().map(|one| one.count).sum() } else { first.count },
            ..first.clone()
        }
    }

    /// Counted things of one identity that several kernels have.
    fn same(&self) -> BTreeMap<String, Vec<EntityId>> {
        let mut all: BTreeMap<&str, Vec<(&str, EntityId)>> = BTreeMap::new();
        for (key, id) in &self.known {
            if let Key::Counted { machine, identity, .. } = key {
                all.entry(*identity).or_default().push((*machine, *id));
            }
        }
        let of_several = |counted: &Vec<(&str, EntityId)>| {
            counted.iter().any(|(machine, _)| *machine != counted[0].0)
        };
        let several = all.into_iter().filter(|(_, counted)| of_several(counted));
        let ids = |counted: Vec<(&str, EntityId)>| {
            let mut ids: Vec<EntityId> = counted.into_iter().map(|(_, id)| id).collect();
            ids.sort_unstable();
            ids
        };
        several.map(|(identity, counted)| (identity.to_owned(), ids(counted))).collect()
    }
}

/// What hosts share: it counts nothing itself.
fn shared_target(name: String) -> Entity {
    Entity {
        name,
        kind: Kind::Lun,
        layer: Layer::Lun,
        parent: None,
        binding: None,
        count: 1,
        limits: Vec::new(),
    }
}

/// Of one thing on several kernels, whether a gauge adds up.
pub(super) fn adds_up(counter: Counter) -> bool {
    // A request is served from the cache of its own host: only what all have is surely cached.
    counter != Counter::CachedBytes
}

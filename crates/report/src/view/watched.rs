//! What is watched, and what is stored of it: an observation, or counters that another tool wrote
//! down.

use std::collections::BTreeMap;

use iopath_analysis::{MemberShares, Usage, shares, usage};
use iopath_record::{Entity, EntityId, Layer, Record, Relation};

/// What is watched, and what it did.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// What was asked for, in words.
    pub what: &'a str,
    pub entities: &'a [Entity],
    /// Whose traffic reappears where.
    pub relations: &'a [Relation],
    /// What each entity did, by its position.
    pub usage: &'a [Usage],
    /// Wall clock at the end, in ns since 1970.
    pub at_unix_ns: u64,
    /// Over which time, in ns.
    pub interval_ns: u64,
}

impl<'a> Watched<'a> {
    /// What each entity stands on.
    pub(crate) fn below(&self) -> BTreeMap<EntityId, &'a Relation> {
        self.relations.iter().map(|relation| (relation.upper, relation)).collect()
    }

    /// How even what is below carries the traffic; a copy in another cache is no part of that.
    pub(crate) fn shares_of(&self, relation: &Relation) -> Option<MemberShares> {
        let of = |id: &EntityId| self.entities.get(id.0 as usize);
        let is_copied = relation.lower.iter().filter_map(of).any(|one| one.layer == Layer::Memory);
        let shares = || shares::of(relation, self.usage, self.interval_ns);
        (!is_copied).then(shares).flatten()
    }

    pub(crate) fn usage_of(&self, id: EntityId) -> Option<&'a Usage> {
        self.usage.get(id.0 as usize)
    }

    pub(crate) fn name(&self, id: EntityId) -> &'a str {
        self.entities.get(id.0 as usize).map_or("", |entity| &entity.name)
    }
}

/// What was watched, over all passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    what: String,
    entities: Vec<Entity>,
    relations: Vec<Relation>,
    usage: Vec<Usage>,
    at_unix_ns: u64,
    interval_ns: u64,
    events: Vec<String>,
}

impl Stored {
    /// Of the passes of one observation; none where there is no pass.
    pub(crate) fn of(passes: &[Record]) -> Option<Self> {
        let last = passes.last()?;
        let length = |record: &Record| {
            let first = record.instants_ns.first().copied().unwrap_or_default();
            record.instants_ns.last().copied().unwrap_or_default() - first
        };
        let end_ns = last.instants_ns.last().copied().unwrap_or_default();
        let events = passes.iter().flat_map(|pass| &pass.events);
        Some(Self {
            what: last.case.experiment.clone(),
            entities: last.entities.clone(),
            relations: last.relations.clone(),
            usage: usage::over(passes),
            at_unix_ns: last.clock.started_unix_ns.saturating_add(end_ns),
            interval_ns: passes.iter().map(length).sum(),
            events: events.map(|event| event.what.clone()).collect(),
        })
    }

    /// The time that was watched, in ns.
    pub(crate) fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    /// The same picture over all of its time.
    pub(crate) fn watched(&self) -> Watched<'_> {
        Watched {
            what: &self.what,
            entities: &self.entities,
            relations: &self.relations,
            usage: &self.usage,
            at_unix_ns: self.at_unix_ns,
            interval_ns: self.interval_ns,
        }
    }

    pub(crate) fn events(&self) -> &[String] {
        &self.events
    }
}

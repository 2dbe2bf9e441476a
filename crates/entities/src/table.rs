//! The table of entities: streams, and the components of the path with their limits.
//!
//! Streams that are alike stand in one entity of kind `streams`, whose limits are theirs.
//! Components that are alike are one entity with a count; its name is the selector of exactly
//! these. Processors and memory are entities of their own within their machine, because what they
//! count is not what passes it.

use iopath_path::{ComponentId, Network, RowId};
use iopath_record::{Entity, EntityId, Kind, Layer, Limit, LimitId};
use iopath_study::Case;

use crate::classes::classes;
use crate::limits::{self, is_apart, limits_of};
use crate::names::selector;
use crate::streams::StreamClass;

/// The entities of a record, and which of them stands for what.
///
/// What encloses an entity stands before it.
#[derive(Clone, Debug)]
pub struct Table {
    /// All of them: streams first.
    pub entities: Vec<Entity>,
    /// Of each stream of the network.
    pub streams: Vec<EntityId>,
    /// Limits of each class of streams.
    pub of_class: Vec<OfClass>,
    /// Of each component; several of one entity are alike. `None` where the record tells nothing.
    pub components: Vec<Option<EntityId>>,
    /// Of each row, then each pool.
    pub limits: Vec<Option<LimitId>>,
    /// The rows behind the entities that stand for processors and memory: those of one place in
    /// each component that the entity around them stands for.
    pub apart: Vec<(EntityId, Vec<RowId>)>,
}

/// The limits that streams of a class have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfClass {
    /// Requests in flight.
    pub depth: Option<LimitId>,
    /// A rate of their own.
    pub wanted: Option<LimitId>,
    /// The time of their thread.
    pub thread: Option<LimitId>,
    /// The time of their flushes.
    pub flush: Option<LimitId>,
}

impl Table {
    /// The table of a case's network. Every stream of the network is in one class.
    ///
    /// A component has a key where the model has something to tell of it. It is in the table
    /// besides where it has limits, or contains what is in the table; not where it was removed.
    /// Components of equal keys are one entity where they come from one declaration, stand in one
    /// entity, and have equal limits from equal origins.
    #[must_use]
    pub fn new(
        case: &Case,
        network: &Network,
        streams: &[StreamClass],
        keys: &dyn Fn(ComponentId) -> Option<Vec<u64>>,
    ) -> Self {
        let mut table = Self {
            entities: Vec::new(),
            streams: Vec::new(),
            of_class: Vec::new(),
            components: vec![None; network.components.len()],
            limits: vec![None; network.rows.len() + network.pools.len()],
            apart: Vec::new(),
        };
        table.add_streams(case, network, streams);
        let limits = limits_of(network);
        for members in classes(network, &limits, keys) {
            table.add_components(network, &members, &limits);
        }
        table
    }

    /// Adds an entity.
    pub(crate) fn add(&mut self, entity: Entity) -> EntityId {
        self.entities.push(entity);
        EntityId((self.entities.len() - 1) as u32)
    }

    /// Adds alike components as one.
    fn add_components(&mut self, network: &Network, members: &[ComponentId], all: &[Vec<u32>]) {
        let first = network.component(members[0]);
        let name = selector(members.iter().map(|id| network.component(*id).name.as_str()));
        let kind = Kind::from(first.kind);
        let own = |id: ComponentId| {
            let limits = all[id.0 as usize].iter().copied();
            limits.filter(|limit| !network.rows.get(*limit as usize).is_some_and(is_apart))
        };
        let entity = self.add(Entity {
            name: name.clone(),
            layer: crate::layers::of(&kind),
            kind,
            parent: first.parent.and_then(|parent| self.components[parent.0 as usize]),
            binding: None,
            count: members.len() as u32,
            limits: own(members[0]).map(|limit| limits::worded(network, limit)).collect(),
        });
        for id in members {
            self.components[id.0 as usize] = Some(entity);
            for (limit, at) in (0..).zip(own(*id)) {
                self.limits[at as usize] = Some(LimitId { entity, limit });
            }
        }
        let rows = members.iter().map(|id| rows_apart(network, *id)).collect::<Vec<_>>();
        for place in 0..rows[0].len() {
            let rows = rows.iter().filter_map(|rows| rows.get(place).copied()).collect();
            self.add_apart(network, rows, (&name, entity));
        }
    }

    /// Adds processors or memory of alike machines.
    fn add_apart(&mut self, network: &Network, rows: Vec<RowId>, within: (&str, EntityId)) {
        let (name, parent) = within;
        let row = network.row(rows[0]);
        let entity = self.add(Entity {
            name: format!("{name} {}", row.property),
            kind: limits::kind_apart(row),
            layer: limits::layer_apart(row),
            parent: Some(parent),
            binding: None,
            count: rows.len() as u32 * limits::servers(row),
            limits: vec![limits::of_row(row)],
        });
        for row in &rows {
            self.limits[row.0 as usize] = Some(LimitId { entity, limit: 0 });
        }
        self.apart.push((entity, rows));
    }
}

/// The processors and memory of a component.
fn rows_apart(network: &Network, component: ComponentId) -> Vec<RowId> {
    let rows = network.component(component).rows.iter().copied();
    rows.filter(|row| is_apart(network.row(*row))).collect()
}

/// An entity without parent.
pub(crate) fn plain(name: String, kind: Kind, count: u32, limits: Vec<Limit>) -> Entity {
    let layer = Layer::Application;
    Entity { name, kind, layer, parent: None, binding: None, count, limits }
}

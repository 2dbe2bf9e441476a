//! The table of entities: streams, and the components of the path with their limits.
//!
//! Components that one declaration makes within equal parents, whose limits are alike (so they are
//! used alike in every bound), are one entity with a count; its name is the selector of exactly
//! these. What has
//! neither limits nor traffic, and contains nothing that has, is left out. Processors and memory
//! are entities of their own within their machine, because what they count is not what passes it.
//! Streams that are alike stand in one entity of kind `streams`, whose limit is theirs.

mod layers;
pub(crate) mod limits;
mod streams;

use std::collections::BTreeMap;

use iopath_path::fold::label;
use iopath_path::{ComponentId, Network, RowId};
use iopath_record::{Entity, EntityId, Layer, Limit, LimitId};
use iopath_units::Op;

use crate::model::Model;
use crate::names::selector;
use crate::traffic::{Flow, Traffic, is_apart};

/// The entities of a record, and which of them stands for what.
pub(crate) struct Table {
    pub entities: Vec<Entity>,
    /// Of each stream of the network.
    pub streams: Vec<EntityId>,
    /// Limits of each class of streams: requests in flight, wanted rate.
    pub of_class: Vec<[Option<LimitId>; 2]>,
    /// Of each component.
    pub components: Vec<Option<EntityId>>,
    /// Of each row, then each pool.
    pub limits: Vec<Option<LimitId>>,
    /// The rows behind the entities that stand for processors and memory.
    pub apart: Vec<(EntityId, Vec<RowId>)>,
}

impl Table {
    /// The table of a model, with the traffic of one bound.
    pub(crate) fn of(model: &Model<'_>, traffic: &Traffic) -> Self {
        let network = model.network;
        let mut table = Self {
            entities: Vec::new(),
            streams: Vec::new(),
            of_class: Vec::new(),
            components: vec![None; network.components.len()],
            limits: vec![None; network.rows.len() + network.pools.len()],
            apart: Vec::new(),
        };
        table.add_streams(model);
        let pools = pools(network);
        let shown = shown(network, &pools, traffic);
        for members in classes(model, traffic, &pools, &shown) {
            table.add_components(network, &members, &pools);
        }
        table
    }

    /// Adds an entity.
    fn add(&mut self, entity: Entity) -> EntityId {
        self.entities.push(entity);
        EntityId((self.entities.len() - 1) as u32)
    }

    /// Adds equal components as one.
    fn add_components(&mut self, network: &Network, members: &[ComponentId], pools: &[Vec<u32>]) {
        let first = network.component(members[0]);
        let parent = first.parent.and_then(|parent| self.components[parent.0 as usize]);
        let name = selector(network, members);
        let (apart, own): (Vec<RowId>, Vec<RowId>) =
            first.rows.iter().copied().partition(|row| is_apart(network.row(*row)));
        let mut limits: Vec<Limit> =
            own.iter().map(|row| limits::of_row(network.row(*row))).collect();
        let pools_of = |id: ComponentId| &pools[id.0 as usize];
        limits.extend(pools_of(members[0]).iter().map(|pool| limits::of_pool(network, *pool)));
        let entity = self.add(Entity {
            name: name.clone(),
            kind: first.kind.to_owned(),
            layer: layers::of(first.kind),
            parent,
            binding: None,
            count: members.len() as u32,
            limits,
        });
        for id in members {
            self.components[id.0 as usize] = Some(entity);
            let rows = network.component(*id).rows.iter();
            let own = rows.filter(|row| !is_apart(network.row(**row))).map(|row| row.0);
            let rows = network.rows.len() as u32;
            let all = own.chain(pools_of(*id).iter().map(|pool| rows + pool));
            for (limit, at) in (0..).zip(all) {
                self.limits[at as usize] = Some(LimitId { entity, limit });
            }
        }
        for (place, row) in apart.into_iter().enumerate() {
            let of_name = (name.as_str(), entity);
            self.add_apart(network, members, (place, row), of_name);
        }
    }

    /// Adds processors or memory of equal machines.
    fn add_apart(
        &mut self,
        network: &Network,
        members: &[ComponentId],
        (place, row): (usize, RowId),
        (name, parent): (&str, EntityId),
    ) {
        let row = network.row(row);
        let servers = limits::servers(row);
        let entity = self.add(Entity {
            name: format!("{name} {}", row.property),
            kind: limits::kind_apart(row).to_owned(),
            layer: limits::layer_apart(row),
            parent: Some(parent),
            binding: None,
            count: members.len() as u32 * servers,
            limits: vec![limits::of_row(row)],
        });
        let of_member = |id: &ComponentId| {
            let mut rows = network.component(*id).rows.iter().copied();
            rows.by_ref().filter(|row| is_apart(network.row(*row))).nth(place)
        };
        let rows: Vec<RowId> = members.iter().filter_map(of_member).collect();
        for row in &rows {
            self.limits[row.0 as usize] = Some(LimitId { entity, limit: 0 });
        }
        self.apart.push((entity, rows));
    }
}

/// The pools of each component.
fn pools(network: &Network) -> Vec<Vec<u32>> {
    let mut pools = vec![Vec::new(); network.components.len()];
    for (number, pool) in (0..).zip(&network.pools) {
        pools[pool.component.0 as usize].push(number);
    }
    pools
}

/// Which components the record tells of.
fn shown(network: &Network, pools: &[Vec<u32>], traffic: &Traffic) -> Vec<bool> {
    let mut shown: Vec<bool> = network.components.iter().map(|_| false).collect();
    // Parents stand before what they contain.
    for (index, component) in network.components.iter().enumerate().rev() {
        let has_limits = !component.rows.is_empty() || !pools[index].is_empty();
        let has_traffic = traffic.components[index] != Flow::default();
        shown[index] |= (has_limits || has_traffic) && !component.removed;
        if let Some(parent) = component.parent.filter(|_| shown[index]) {
            shown[parent.0 as usize] = true;
        }
    }
    shown
}

/// Components that are alike, in the order of their first members.
fn classes(
    model: &Model<'_>,
    traffic: &Traffic,
    pools: &[Vec<u32>],
    shown: &[bool],
) -> Vec<Vec<ComponentId>> {
    let network = model.network;
    let mut known: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
    let mut class_of: Vec<u32> = vec![u32::MAX; network.components.len()];
    let mut members: Vec<Vec<ComponentId>> = Vec::new();
    for (index, component) in network.components.iter().enumerate().filter(|(at, _)| shown[*at]) {
        let parent = component.parent.map_or(u32::MAX, |parent| class_of[parent.0 as usize]);
        let mut key = vec![u64::from(model.declarations[index]), u64::from(parent)];
        let rows = network.rows.len() as u32;
        let of_pools = pools[index].iter().map(|pool| rows + pool);
        for limit in component.rows.iter().map(|row| row.0).chain(of_pools) {
            key.extend(model.limit_of[limit as usize].iter().copied().map(u64::from));
        }
        key.extend(origins(network, index));
        let Flow { bytes, operations } = traffic.components[index];
        let flows = Op::BOTH.map(|op| [label(bytes[op.index()]), label(operations[op.index()])]);
        key.extend(flows.into_iter().flatten());
        let class = *known.entry(key).or_insert(members.len() as u32);
        if class as usize == members.len() {
            members.push(Vec::new());
        }
        class_of[index] = class;
        members[class as usize].push(ComponentId(index as u32));
    }
    members
}

/// Who states the limits of a component, as numbers.
fn origins(network: &Network, component: usize) -> impl Iterator<Item = u64> {
    use iopath_study::source::Origin;
    let rows = network.components[component].rows.iter();
    rows.map(|row| match network.row(*row).origin {
        Origin::Unstated | Origin::Assumed => 0,
        Origin::Given => 1,
        Origin::Rated => 2,
        Origin::Published(_) => 3,
    })
}

/// An entity without limits and parent.
fn plain(name: String, kind: &str, layer: Layer, count: u32) -> Entity {
    let kind = kind.to_owned();
    Entity { name, kind, layer, parent: None, binding: None, count, limits: Vec::new() }
}

//! What holds of every table, whatever the keys.

use std::collections::BTreeSet;

use iopath_entities::{Table, is_apart, limits_of};
use iopath_path::{ComponentId, Measure, Network, Row};
use iopath_record::{EntityId, Kind};
use iopath_study::selector::Selector;
use iopath_study::{Case, PartId};

use crate::text::record;

pub(crate) fn check(case: &Case, network: &Network, table: &Table) {
    assert_eq!(record(table, Vec::new()).validate(), []);
    parents_come_first(table);
    every_component_is_in_one(network, table);
    components_stand_in_what_contains_them(network, table);
    names_mean_their_components(case, network, table);
    limits_are_those_of_the_network(network, table);
    what_is_apart_is_within(network, table);
}

/// The components of each entity.
pub(crate) fn members(table: &Table) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); table.entities.len()];
    for (at, entity) in (0..).zip(&table.components) {
        entity.iter().for_each(|entity| members[entity.0 as usize].push(at));
    }
    members
}

fn ids(table: &Table) -> impl Iterator<Item = EntityId> {
    (0..table.entities.len() as u32).map(EntityId)
}

fn parents_come_first(table: &Table) {
    for (id, entity) in ids(table).zip(&table.entities) {
        assert!(entity.parent.is_none_or(|parent| parent < id), "{}", entity.name);
    }
}

/// Every entity is streams, components, or apart; counts add up to what there is of each.
fn every_component_is_in_one(network: &Network, table: &Table) {
    let apart: BTreeSet<EntityId> = table.apart.iter().map(|(id, _)| *id).collect();
    let streams: BTreeSet<EntityId> = table.streams.iter().copied().collect();
    assert_eq!(streams.len(), network.streams.len());
    let mut count = 0;
    for ((id, entity), members) in ids(table).zip(&table.entities).zip(members(table)) {
        let is_streams = streams.contains(&id) || entity.kind == Kind::Streams;
        let is = [!members.is_empty(), apart.contains(&id), is_streams];
        assert_eq!(is.into_iter().filter(|is| *is).count(), 1, "{}", entity.name);
        if is[0] {
            assert_eq!(entity.count as usize, members.len(), "{}", entity.name);
            count += members.len();
        }
    }
    assert_eq!(count, table.components.iter().flatten().count());
}

fn components_stand_in_what_contains_them(network: &Network, table: &Table) {
    for (component, of) in network.components.iter().zip(&table.components) {
        let Some(of) = of else { continue };
        let around = component.parent.map(|parent| table.components[parent.0 as usize].unwrap());
        assert_eq!(table.entities[of.0 as usize].parent, around, "{}", component.name);
        assert_eq!(table.entities[of.0 as usize].kind.as_str(), component.kind);
    }
}

fn names_mean_their_components(case: &Case, network: &Network, table: &Table) {
    assert_eq!(case.system.parts.len(), network.components.len());
    for (entity, members) in table.entities.iter().zip(members(table)) {
        if !members.is_empty() {
            let meant = case.system.select(&entity.name.parse::<Selector>().unwrap());
            let members = members.into_iter().map(|at| PartId::from(ComponentId(at))).collect();
            assert_eq!(meant, members, "{}", entity.name);
        }
    }
}

/// Each row and pool of a component in the table is a limit of its figures, once.
fn limits_are_those_of_the_network(network: &Network, table: &Table) {
    for (limits, of) in limits_of(network).iter().zip(&table.components) {
        let mut places = BTreeSet::new();
        for at in limits.iter().map(|limit| *limit as usize) {
            let Some(of) = of else {
                assert_eq!(table.limits[at], None);
                continue;
            };
            let id = table.limits[at].unwrap();
            assert!(places.insert(id));
            let entity = &table.entities[id.entity.0 as usize];
            let limit = &entity.limits[id.limit as usize];
            match network.rows.get(at) {
                Some(row) => {
                    let around = if is_apart(row) { entity.parent } else { Some(id.entity) };
                    assert_eq!(around, Some(*of));
                    assert_eq!(limit.per_sec, per_sec(row));
                }
                None => {
                    let tokens = network.pools[at - network.rows.len()].tokens;
                    assert_eq!((id.entity, limit.tokens), (*of, Some(tokens)));
                }
            }
        }
    }
}

/// What one server of a row does in a second.
fn per_sec(row: &Row) -> u64 {
    match row.measure {
        Measure::Bytes | Measure::Operations => row.capacity.round() as u64,
        Measure::Busy => (row.capacity / row.capacity.round().max(1.0) * 1e9).round() as u64,
    }
}

fn what_is_apart_is_within(network: &Network, table: &Table) {
    let members = members(table);
    for (id, rows) in &table.apart {
        let entity = &table.entities[id.0 as usize];
        let around = entity.parent.unwrap();
        let of: Vec<u32> = rows.iter().map(|row| network.row(*row).component.0).collect();
        assert_eq!(of, members[around.0 as usize], "{}", entity.name);
        let all: f64 = rows.iter().map(|row| servers(network.row(*row))).sum();
        assert_eq!(f64::from(entity.count), all, "{}", entity.name);
        assert!(rows.iter().all(|row| is_apart(network.row(*row))));
    }
    let rows = table.apart.iter().map(|(_, rows)| rows.len()).sum::<usize>();
    let told = network
        .rows
        .iter()
        .filter(|row| is_apart(row) && table.components[row.component.0 as usize].is_some());
    assert_eq!(rows, told.count());
}

fn servers(row: &Row) -> f64 {
    if row.measure == Measure::Busy { row.capacity.round().max(1.0) } else { 1.0 }
}

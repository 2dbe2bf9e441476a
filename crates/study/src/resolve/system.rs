//! From instances to the system of a case.

use std::collections::BTreeMap;

use super::{links, members, packets};
use crate::declaration::Declaration;
use crate::instances::{Instance, Instances};
use crate::mistake::Collected;
use crate::scene::Scene;
use crate::source::{Sourced, Span};
use crate::system::{Declared, Part, PartId, System};
use crate::value::Value;

/// Every part with its values, and how they are joined.
pub(super) fn system(
    scene: &Scene,
    instances: &Instances<'_>,
    collected: &mut Collected,
) -> System {
    let members = members::members(scene, instances, collected);
    let (wires, zones) = links::links(scene, instances, collected);
    let multipath = links::multipath(scene);
    let mut system = System { wires, zones, multipath, ..System::default() };
    let mut places: BTreeMap<Span, usize> = BTreeMap::new();
    for (at, instance) in instances.all.iter().enumerate() {
        let row = instance.declaration;
        let declared = *places.entry(row.span).or_insert_with(|| {
            system.declarations.push(declared(row));
            system.declarations.len() - 1
        });
        system.parts.push(Part {
            declared,
            name: instance.name.clone(),
            index: instance.index,
            parent: instance.parent.map(PartId),
            members: members.of(instances, at),
            place: instance.place.map(PartId),
            changed: changed(instance),
        });
    }
    system
}

type Values = BTreeMap<&'static str, Sourced<Value>>;

fn declared(row: &Declaration) -> Declared {
    let stated = row
        .kind
        .all_properties()
        .filter_map(|property| Some((property.name, row.get(property.name)?)));
    let (mut values, mut rated): (Values, Values) = (stated.collect(), row.rated.clone());
    for (way, carried) in packets::rates(|name| row.get(name)) {
        match row.get(way) {
            None => drop(values.insert(way, carried)),
            // What is measured or said of a link stands beside what it can carry.
            Some(own) if own.value != carried.value => drop(rated.entry(way).or_insert(carried)),
            Some(_) => {}
        }
    }
    Declared {
        kind: row.kind.name,
        class: row.kind.class,
        name: row.name.clone(),
        span: row.span,
        values,
        rated,
    }
}

/// What an assignment with an index changed, with what follows from it.
fn changed(instance: &Instance<'_>) -> Values {
    let mut changed = instance.changed.clone();
    if packets::PROPERTIES.iter().any(|name| changed.contains_key(name)) {
        for (way, carried) in packets::rates(|name| instance.get(name)) {
            if instance.get(way).is_none() {
                changed.insert(way, carried);
            }
        }
    }
    changed
}

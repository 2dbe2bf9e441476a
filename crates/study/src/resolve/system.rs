//! From instances to the system of a case.

use std::collections::BTreeMap;

use super::{links, members};
use crate::declaration::Declaration;
use crate::instances::Instances;
use crate::mistake::Collected;
use crate::scene::Scene;
use crate::source::Span;
use crate::system::{Declared, Part, PartId, System};

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
            changed: instance.changed.clone(),
        });
    }
    system
}

fn declared(row: &Declaration) -> Declared {
    let values = row
        .kind
        .all_properties()
        .filter_map(|property| Some((property.name, row.get(property.name)?)));
    Declared {
        kind: row.kind.name,
        name: row.name.clone(),
        span: row.span,
        values: values.collect(),
        rated: row.rated.clone(),
    }
}

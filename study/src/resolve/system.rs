//! From instances to the system of a case.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::declaration::Declaration;
use crate::instances::{Instance, Instances};
use crate::source::Span;
use crate::system::{Declared, Part, PartId, System};

/// Every part with its values.
pub(super) fn system(instances: &Instances<'_>) -> System {
    let mut system = System::default();
    let mut places: BTreeMap<Span, usize> = BTreeMap::new();
    for instance in &instances.all {
        let row = instance.declaration;
        let declared = *places.entry(row.span).or_insert_with(|| {
            system.declarations.push(declared(row));
            system.declarations.len() - 1
        });
        system.parts.push(part(instance, declared));
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
    }
}

fn part(instance: &Instance<'_>, declared: usize) -> Part {
    Part {
        declared,
        name: instance.name.clone(),
        index: instance.index,
        parent: instance.parent.map(PartId),
        members: Arc::from([]),
        place: None,
        changed: instance.changed.clone(),
    }
}

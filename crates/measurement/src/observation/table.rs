//! What is watched, as entities and their relations: a table that only grows, so that a position
//! means the same from the first sample to the last. What comes later is added behind; what comes
//! back takes its old place.

use std::collections::BTreeMap;

use iopath_record::{Entity, EntityId, Kind, Layer, Relation};

use crate::below::Copies;
use crate::system_sources::{Entities, Named};

/// The entities so far.
#[derive(Debug, Default)]
pub(super) struct Table {
    entities: Vec<Entity>,
    places: BTreeMap<(Layer, Kind, String), EntityId>,
    relations: BTreeMap<EntityId, (Vec<EntityId>, Copies)>,
}

impl Entities for Table {
    /// Made where it is not there yet.
    fn put(&mut self, named: Named) -> EntityId {
        let Named { name, kind, layer, binding } = named;
        let next = EntityId(u32::try_from(self.entities.len()).unwrap_or(u32::MAX));
        let place = self.places.entry((layer, kind.clone(), name.clone())).or_insert(next);
        if *place == next {
            let limits = Vec::new();
            let entity = Entity { name, kind, layer, parent: None, binding, count: 1, limits };
            self.entities.push(entity);
        }
        *place
    }

    fn describe(&mut self, id: EntityId, parent: Option<EntityId>, count: u32) {
        let entity = &mut self.entities[id.0 as usize];
        (entity.parent, entity.count) = (parent, count.max(1));
    }
}

impl Table {
    /// Says in what the traffic of `upper` reappears now; what was said before is forgotten.
    pub(super) fn relate(&mut self, upper: EntityId, mut lower: Vec<EntityId>, copies: Copies) {
        lower.sort_unstable();
        lower.dedup();
        lower.retain(|id| *id != upper && !self.is_above(*id, upper));
        if lower.is_empty() {
            self.relations.remove(&upper);
        } else {
            self.relations.insert(upper, (lower, copies));
        }
    }

    pub(super) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    pub(super) fn relations(&self) -> Vec<Relation> {
        let relation = |(upper, (lower, copies)): (&EntityId, &(Vec<EntityId>, Copies))| Relation {
            upper: *upper,
            lower: lower.clone(),
            read_copies_ppm: copies.read_ppm,
            write_copies_ppm: copies.write_ppm,
        };
        self.relations.iter().map(relation).collect()
    }

    /// Whether relations lead from one entity down to another: a file of a file system that lies on
    /// itself is no path.
    fn is_above(&self, from: EntityId, to: EntityId) -> bool {
        let mut open = vec![from];
        let mut seen = Vec::new();
        while let Some(id) = open.pop() {
            if id == to {
                return true;
            }
            if !seen.contains(&id) {
                seen.push(id);
                open.extend(self.relations.get(&id).into_iter().flat_map(|(lower, _)| lower));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(name: &str) -> Named {
        Named { name: name.to_owned(), kind: Kind::Disk, layer: Layer::Device, binding: None }
    }

    #[test]
    fn what_comes_back_takes_its_old_place() {
        let mut table = Table::default();
        let (a, b) = (table.put(disk("sda")), table.put(disk("sdb")));
        assert_eq!((table.put(disk("sda")), table.entities().len()), (a, 2));
        table.relate(a, vec![b, b], Copies::ONE);
        assert_eq!(table.relations()[0].lower, [b]);
        table.relate(a, Vec::new(), Copies::ONE);
        assert!(table.relations().is_empty());
    }

    #[test]
    fn relations_never_lead_back() {
        let mut table = Table::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| table.put(disk(name)));
        table.relate(a, vec![b], Copies::ONE);
        table.relate(b, vec![c], Copies::ONE);
        table.relate(c, vec![a], Copies::ONE);
        assert_eq!(table.relations().len(), 2);
    }
}

//! Names of many equal things as one: `a[0].b[0]`, `a[0].b[1]`, `a[1].b[0]`, `a[1].b[1]` are
//! `a.b`, and where there is an `a[2]` as well, `a[0-1].b`. A name in this form is a selector of
//! the study language.
//!
//! It leaves out sets that are no product of indices: they get the name of all, and how many they
//! are says the rest.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Entity, EntityId, Record};

/// A name split at its indices: `a[0].b[12]` is `a[].b[]` with 0 and 12.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Indexed {
    pattern: String,
    indices: Vec<u32>,
}

impl Indexed {
    /// What stands in brackets and is no number belongs to the pattern.
    fn of(name: &str) -> Self {
        let (mut pattern, mut indices) = (String::new(), Vec::new());
        let mut rest = name;
        while let Some((before, behind)) = rest.split_once('[') {
            pattern.push_str(before);
            pattern.push('[');
            let number =
                behind.split_once(']').and_then(|(n, after)| Some((n.parse().ok()?, after)));
            rest = match number {
                Some((number, after)) => {
                    indices.push(number);
                    pattern.push(']');
                    after
                }
                None => behind,
            };
        }
        pattern.push_str(rest);
        Self { pattern, indices }
    }
}

/// All entities of a record that are called alike but for their indices.
#[derive(Debug, Default)]
struct Family {
    /// The indices that occur at each place.
    indices: Vec<BTreeSet<u32>>,
    /// How many things they stand for.
    count: u64,
}

/// The names of a record's entities, split.
pub(super) struct Names {
    each: Vec<Indexed>,
    families: BTreeMap<String, Family>,
}

/// Some of the entities that are called alike but for their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Their common name.
    pub name: String,
    /// How many things they stand for.
    pub count: u64,
    /// How many things are called so in all.
    pub of: u64,
}

impl Names {
    pub(super) fn of(record: &Record) -> Self {
        let each: Vec<Indexed> = record.entities.iter().map(|e| Indexed::of(&e.name)).collect();
        let mut families: BTreeMap<String, Family> = BTreeMap::new();
        for (indexed, entity) in each.iter().zip(&record.entities) {
            let family = families.entry(indexed.pattern.clone()).or_default();
            family.indices.resize(indexed.indices.len(), BTreeSet::new());
            for (set, index) in family.indices.iter_mut().zip(&indexed.indices) {
                set.insert(*index);
            }
            family.count += u64::from(entity.count);
        }
        Self { each, families }
    }

    /// What entities must share to have one name.
    pub(super) fn pattern(&self, id: EntityId) -> &str {
        &self.each[id.0 as usize].pattern
    }

    /// The name of some entities of one pattern.
    pub(super) fn label(&self, entities: &[Entity], members: &[EntityId]) -> Label {
        let first = &self.each[members[0].0 as usize];
        let family = &self.families[&first.pattern];
        let count = members.iter().map(|id| u64::from(entities[id.0 as usize].count)).sum();
        let sets = self.sets(first.indices.len(), members);
        let product = sets.iter().map(BTreeSet::len).fold(1, usize::saturating_mul);
        let distinct: BTreeSet<_> = members.iter().collect();
        let is_product = product == distinct.len();
        let parts = sets.iter().zip(&family.indices).map(|(set, all)| {
            let says_nothing = set == all && all.len() > 1;
            if says_nothing || !is_product { String::new() } else { format!("[{}]", ranges(set)) }
        });
        let mut name = String::new();
        let mut pieces = first.pattern.split("[]");
        name.push_str(pieces.next().unwrap_or_default());
        for (piece, part) in pieces.zip(parts) {
            name.push_str(&part);
            name.push_str(piece);
        }
        Label { name, count, of: family.count }
    }

    fn sets(&self, places: usize, members: &[EntityId]) -> Vec<BTreeSet<u32>> {
        let mut sets = vec![BTreeSet::new(); places];
        for id in members {
            for (set, index) in sets.iter_mut().zip(&self.each[id.0 as usize].indices) {
                set.insert(*index);
            }
        }
        sets
    }
}

/// `0-3,5` for 0, 1, 2, 3 and 5.
fn ranges(set: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &index in set {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(index) => *last = index,
            _ => runs.push((index, index)),
        }
    }
    let text = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    runs.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use iopath_record::Layer;

    fn record(names: &[&str]) -> Record {
        let mut record = crate::sample::Sample::new().record();
        record.entities = names
            .iter()
            .map(|name| Entity {
                name: (*name).to_owned(),
                kind: "disk".to_owned(),
                layer: Layer::Device,
                parent: None,
                binding: None,
                count: 1,
                limits: Vec::new(),
            })
            .collect();
        record
    }

    fn label(names: &[&str], members: &[u32]) -> (String, u64, u64) {
        let record = record(names);
        let members: Vec<EntityId> = members.iter().copied().map(EntityId).collect();
        let Label { name, count, of } = Names::of(&record).label(&record.entities, &members);
        (name, count, of)
    }

    #[test]
    fn many_names_become_one() {
        let names = ["a[0].b[0]", "a[0].b[1]", "a[1].b[0]", "a[1].b[1]", "a[2].b[0]", "a[2].b[1]"];
        assert_eq!(label(&names, &[0, 1, 2, 3, 4, 5]), ("a.b".to_owned(), 6, 6));
        assert_eq!(label(&names, &[0, 1, 2, 3]), ("a[0-1].b".to_owned(), 4, 6));
        assert_eq!(label(&names, &[0, 4]), ("a[0,2].b[0]".to_owned(), 2, 6));
        assert_eq!(label(&names, &[3]), ("a[1].b[1]".to_owned(), 1, 6));
        // No product: nothing shorter is true of them and only of them.
        assert_eq!(label(&names, &[0, 3]), ("a.b".to_owned(), 2, 6));
    }

    #[test]
    fn what_is_no_index_stays() {
        assert_eq!(label(&["hba", "disk[x]", "b[1"], &[1]), ("disk[x]".to_owned(), 1, 1));
        assert_eq!(label(&["hba", "disk[x]", "b[1"], &[2]), ("b[1".to_owned(), 1, 1));
        assert_eq!(label(&["[1]x[2]y", "[1]x[3]y"], &[0]), ("[1]x[2]y".to_owned(), 1, 2));
    }
}

//! Names of many equal things as one: `a[0].b[0]`, `a[0].b[1]`, `a[1].b[0]`, `a[1].b[1]` are
//! `a.b`, and where there is an `a[2]` as well, `a[0-1].b`. A name in this form is a selector of
//! the study language.
//!
//! It leaves out sets that are no product of indices: they get the name of all, and how many they
//! are says the rest.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Entity, EntityId, Record};
use iopath_study::selector::IndexedNames;
use iopath_study::unindexed;

/// The most indices of all names of a record that are kept: chosen, ten times those of 100,000
/// components; a hostile record may say more.
const MOST: u32 = 1 << 20;

/// All entities of one kind that are called alike but for their indices.
struct Family {
    /// All of their names.
    all: IndexedNames,
    /// How many things they stand for.
    count: u64,
}

/// The names of a record's entities, split.
pub(crate) struct Names<'a> {
    each: Vec<IndexedNames>,
    entities: &'a [Entity],
    families: BTreeMap<(String, &'a str), Family>,
}

/// What entities must share to have one name: it without indices, and their kind.
pub(crate) type Pattern<'a> = (&'a str, &'a str);

/// Some of the entities that are called alike but for their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// Their common name.
    pub name: String,
    /// How many things they stand for.
    pub count: u64,
    /// How many things are called so in all.
    pub of: u64,
}

impl<'a> Names<'a> {
    pub(crate) fn of(record: &'a Record) -> Self {
        let entities = &record.entities;
        let mut room = MOST;
        let split = |entity: &Entity| IndexedNames::read(&entity.name, &mut room);
        let each: Vec<IndexedNames> = entities.iter().map(split).collect();
        let mut families: BTreeMap<(String, &str), Family> = BTreeMap::new();
        for (names, entity) in each.iter().zip(entities) {
            let key = (names.pattern.clone(), entity.kind.as_str());
            let count = u64::from(entity.count);
            let more = |family: &mut Family| {
                family.all.take_in(names);
                family.count += count;
            };
            let first = || Family { all: names.clone(), count };
            families.entry(key).and_modify(more).or_insert_with(first);
        }
        Self { each, entities, families }
    }

    /// What entities must share to have one name.
    pub(crate) fn pattern(&self, id: EntityId) -> Pattern<'_> {
        (&self.each[id.0 as usize].pattern, self.entities[id.0 as usize].kind.as_str())
    }

    /// Whether a name that stands for one or several things stands for this one: `a[0].b` for
    /// `a[0].b[3]`.
    pub(crate) fn covers(&self, name: &str, id: EntityId) -> bool {
        let one = &self.each[id.0 as usize];
        if self.entities[id.0 as usize].name == name {
            return true;
        }
        let mut room = MOST;
        let wanted = IndexedNames::read(name, &mut room);
        if unindexed(&wanted.pattern) != unindexed(&one.pattern) {
            return false;
        }
        // Where the name says no index, all are meant.
        let places = |pattern: &str| -> Vec<usize> {
            let pieces: Vec<usize> = pattern.split("[]").map(str::len).collect();
            let ends = pieces.iter().scan(0, |end, length| {
                *end += length;
                Some(*end)
            });
            ends.take(pieces.len() - 1).collect()
        };
        let own: BTreeMap<usize, &BTreeSet<u32>> =
            places(&one.pattern).into_iter().zip(&one.indices).collect();
        let mut said = places(&wanted.pattern).into_iter().zip(&wanted.indices);
        said.all(|(place, set)| own.get(&place).is_some_and(|own| !own.is_disjoint(set)))
    }

    /// The name of some entities of one pattern.
    pub(crate) fn label(&self, members: &[EntityId]) -> Label {
        let (pattern, kind) = self.pattern(members[0]);
        let family = &self.families[&(pattern.to_owned(), kind)];
        let members: BTreeSet<&EntityId> = members.iter().collect();
        let count = members.iter().map(|id| u64::from(self.entities[id.0 as usize].count)).sum();
        let mut rest = members.iter().map(|id| &self.each[id.0 as usize]);
        let mut all = rest.next().expect("there is one").clone();
        rest.for_each(|names| all.take_in(names));
        let is_product = all.is_product();
        if let (false, 1, true) = (is_product, members.len(), count < family.count) {
            let id = members.first().expect("there is one");
            let name = self.entities[id.0 as usize].name.clone();
            return Label { name, count, of: family.count };
        }
        let says_nothing = |place: usize, set: &BTreeSet<u32>| {
            !is_product || set.len() > 1 && family.all.indices.get(place) == Some(set)
        };
        Label { name: all.text(says_nothing), count, of: family.count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iopath_record::{Kind, Layer};

    fn record(names: &[&str]) -> Record {
        let mut record = crate::sample::Sample::new().record();
        record.entities = names
            .iter()
            .map(|name| Entity {
                name: (*name).to_owned(),
                kind: Kind::Disk,
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
        let Label { name, count, of } = Names::of(&record).label(&members);
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
    fn names_of_many_are_taken_together() {
        let names = [
            "a[0-1].b[0,2]",
            "a[0-1].b[1]",
            "a[2].b[0-2]",
            "a[0].b, a[1].c[0]",
            "c[0].d[0], c[1].d[0-1]",
            "c[0].d[1]",
        ];
        assert_eq!(label(&names, &[0, 1]).0, "a[0-1].b");
        assert_eq!(label(&names, &[0, 1, 2]).0, "a.b");
        assert_eq!(label(&names, &[1]).0, "a[0-1].b[1]");
        assert_eq!(label(&names, &[3]).0, names[3]);
        assert_eq!(label(&names, &[4]).0, names[4]);
        assert_eq!(label(&names, &[4, 5]).0, "c.d");
        assert_eq!(label(&["x[0-4000000000]"], &[0]).0, "x[0-4000000000]");
    }

    #[test]
    fn what_is_no_index_stays() {
        assert_eq!(label(&["hba", "disk[x]", "b[1"], &[1]), ("disk[x]".to_owned(), 1, 1));
        assert_eq!(label(&["hba", "disk[x]", "b[1"], &[2]), ("b[1".to_owned(), 1, 1));
        assert_eq!(label(&["[1]x[2]y", "[1]x[3]y"], &[0]), ("[1]x[2]y".to_owned(), 1, 2));
    }
}

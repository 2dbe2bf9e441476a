//! Names of many equal things as one: `a[0].b[0]`, `a[0].b[1]`, `a[1].b[0]`, `a[1].b[1]` are
//! `a.b`, and where there is an `a[2]` as well, `a[0-1].b`. A name in this form is a selector of
//! the study language.
//!
//! It leaves out sets that are no product of indices: they get the name of all, and how many they
//! are says the rest.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Entity, EntityId, Record};
use iopath_study::selector::ranges;
use iopath_study::unindexed;

/// A name split at its indices: `a[0].b[2-4]` is `a[].b[]` with 0 and 2, 3, 4.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Indexed {
    pattern: String,
    /// The indices that occur at each place.
    indices: Vec<BTreeSet<u32>>,
    /// How many names it stands for.
    names: usize,
}

impl Indexed {
    /// A list of selectors is one if all of them are called alike.
    fn of(text: &str, room: &mut u32) -> Self {
        let mut parts = text.split(", ").map(|part| Self::of_one(part, room));
        let mut all = parts.next().unwrap_or_else(|| Self::of_one("", &mut 0));
        for part in parts {
            if part.pattern != all.pattern {
                return Self { pattern: text.to_owned(), indices: Vec::new(), names: 1 };
            }
            for (set, indices) in all.indices.iter_mut().zip(part.indices) {
                set.extend(indices);
            }
            all.names = all.names.saturating_add(part.names);
        }
        all
    }

    /// What stands in brackets and is no index belongs to the pattern.
    fn of_one(name: &str, room: &mut u32) -> Self {
        let (mut pattern, mut indices) = (String::new(), Vec::new());
        let mut rest = name;
        while let Some((before, behind)) = rest.split_once('[') {
            pattern.push_str(before);
            pattern.push('[');
            let set = behind.split_once(']').and_then(|(set, rest)| Some((read(set, room)?, rest)));
            rest = match set {
                Some((set, after)) => {
                    indices.push(set);
                    pattern.push(']');
                    after
                }
                None => behind,
            };
        }
        pattern.push_str(rest);
        let names = indices.iter().map(BTreeSet::len).fold(1, usize::saturating_mul);
        Self { pattern, indices, names }
    }
}

/// The most indices of all names of a record that are kept: chosen, ten times those of 100,000
/// components; a hostile record may say more.
const MOST: u32 = 1 << 20;

/// The set that `0-3,5` says; none where it has more than `room`, which it takes up.
fn read(text: &str, room: &mut u32) -> Option<BTreeSet<u32>> {
    let mut set = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        *room = room.checked_sub(last.checked_sub(first)?)?.checked_sub(1)?;
        set.extend(first..=last);
    }
    Some(set)
}

/// All entities of one kind that are called alike but for their indices.
#[derive(Debug, Default)]
struct Family {
    /// The indices that occur at each place.
    indices: Vec<BTreeSet<u32>>,
    /// How many things they stand for.
    count: u64,
}

/// The names of a record's entities, split.
pub(crate) struct Names<'a> {
    each: Vec<Indexed>,
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
        let split = |entity: &Entity| Indexed::of(&entity.name, &mut room);
        let each: Vec<Indexed> = entities.iter().map(split).collect();
        let mut families: BTreeMap<(String, &str), Family> = BTreeMap::new();
        for (indexed, entity) in each.iter().zip(entities) {
            let key = (indexed.pattern.clone(), entity.kind.as_str());
            let family = families.entry(key).or_default();
            family.indices.resize(indexed.indices.len(), BTreeSet::new());
            for (set, indices) in family.indices.iter_mut().zip(&indexed.indices) {
                set.extend(indices);
            }
            family.count += u64::from(entity.count);
        }
        Self { each, entities, families }
    }

    /// What entities must share to have one name.
    pub(crate) fn pattern(&self, id: EntityId) -> Pattern<'_> {
        (&self.each[id.0 as usize].pattern, &self.entities[id.0 as usize].kind)
    }

    /// Whether a name that stands for one or several things stands for this one: `a[0].b` for
    /// `a[0].b[3]`.
    pub(crate) fn covers(&self, name: &str, id: EntityId) -> bool {
        let one = &self.each[id.0 as usize];
        if self.entities[id.0 as usize].name == name {
            return true;
        }
        let mut room = MOST;
        let wanted = Indexed::of(name, &mut room);
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
        let first = &self.each[members[0].0 as usize];
        let kind = self.entities[members[0].0 as usize].kind.as_str();
        let family = &self.families[&(first.pattern.clone(), kind)];
        let members: BTreeSet<&EntityId> = members.iter().collect();
        let count = members.iter().map(|id| u64::from(self.entities[id.0 as usize].count)).sum();
        let sets = self.sets(first.indices.len(), &members);
        let product = sets.iter().map(BTreeSet::len).fold(1, usize::saturating_mul);
        let own = members.iter().map(|id| self.each[id.0 as usize].names);
        let is_product = product == own.fold(0, usize::saturating_add);
        if let (false, 1, true) = (is_product, members.len(), count < family.count) {
            let id = members.first().expect("there is one");
            let name = self.entities[id.0 as usize].name.clone();
            return Label { name, count, of: family.count };
        }
        let parts = sets.iter().zip(&family.indices).map(|(set, all)| {
            let says_nothing = set == all && all.len() > 1;
            if says_nothing || !is_product { String::new() } else { brackets(set) }
        });
        let mut pieces = first.pattern.split("[]");
        let mut name = pieces.next().unwrap_or_default().to_owned();
        for (piece, part) in pieces.zip(parts) {
            name.push_str(&part);
            name.push_str(piece);
        }
        Label { name, count, of: family.count }
    }

    fn sets(&self, places: usize, members: &BTreeSet<&EntityId>) -> Vec<BTreeSet<u32>> {
        let mut sets = vec![BTreeSet::new(); places];
        for id in members {
            for (set, indices) in sets.iter_mut().zip(&self.each[id.0 as usize].indices) {
                set.extend(indices);
            }
        }
        sets
    }
}

/// `[0-3,5]` for 0, 1, 2, 3 and 5.
fn brackets(set: &BTreeSet<u32>) -> String {
    format!("[{}]", ranges(&set.iter().copied().collect::<Vec<_>>()))
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

//! Whose traffic reappears where, over all ranks.
//!
//! Below a thing lies what any rank saw below it. Copies hold for all of that together, so they
//! stay as they are: each byte of a shared file is in the devices of the host that moved it. A
//! described part that carries devices says of each what share passes; there relations add.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::Parts;
use super::things::Things;
use crate::{EntityId, Layer, Record, Relation};

pub(super) fn of(parts: &Parts, things: &Things) -> Vec<Relation> {
    let mut growing = Growing::default();
    for (part, one) in parts.ranks.iter().enumerate() {
        growing.add_all(&one.record, things, part);
    }
    for (upper, lower) in things.over() {
        let (read_copies_ppm, write_copies_ppm) = (1_000_000, 1_000_000);
        let relation = Relation { upper, lower, read_copies_ppm, write_copies_ppm };
        growing.add(relation, Which::Nth(0));
    }
    growing.all.retain(|relation| !relation.lower.is_empty());
    growing.all
}

/// Which of the relations of one upper.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Which {
    /// As ranks have them, in their order.
    Nth(u64),
    /// What a described part carries, by what share of it passes.
    Carried { read_copies_ppm: u64, write_copies_ppm: u64 },
}

#[derive(Default)]
struct Growing {
    all: Vec<Relation>,
    known: BTreeMap<(EntityId, Which), usize>,
}

impl Growing {
    fn add_all(&mut self, record: &Record, things: &Things, part: usize) {
        let counted: BTreeSet<EntityId> = record.series.iter().map(|one| one.entity).collect();
        let mut seen: BTreeMap<EntityId, u64> = BTreeMap::new();
        for relation in &record.relations {
            let Relation { upper, read_copies_ppm, write_copies_ppm, .. } = *relation;
            let own = &record.entities[upper.0 as usize];
            let is_stream = own.layer == Layer::Application;
            let nth = seen.entry(upper).or_default();
            let which = match !is_stream && !own.limits.is_empty() && !counted.contains(&upper) {
                true => Which::Carried { read_copies_ppm, write_copies_ppm },
                false => Which::Nth(*nth),
            };
            *nth += 1;
            let below = |id: &EntityId| match is_stream {
                true => things.target(part, *id),
                false => things.place(part, *id),
            };
            let lower = relation.lower.iter().map(below).collect();
            let upper = things.place(part, upper);
            self.add(Relation { upper, lower, read_copies_ppm, write_copies_ppm }, which);
        }
    }

    /// A rank that only reads a volume may not say how often writes are copied.
    fn add(&mut self, relation: Relation, which: Which) {
        let Relation { upper, read_copies_ppm, write_copies_ppm, .. } = relation;
        let at = *self.known.entry((upper, which)).or_insert(self.all.len());
        if at == self.all.len() {
            self.all.push(Relation { lower: Vec::new(), ..relation.clone() });
        }
        let known = &mut self.all[at];
        known.read_copies_ppm = known.read_copies_ppm.max(read_copies_ppm);
        known.write_copies_ppm = known.write_copies_ppm.max(write_copies_ppm);
        for id in relation.lower {
            if id != upper && !known.lower.contains(&id) {
                known.lower.push(id);
            }
        }
    }
}

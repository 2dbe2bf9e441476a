//! Equal things at one depth: what has the same name but for indices is as far below the streams as
//! the farthest of them, however its own traffic comes there.
//!
//! Only names with indices in brackets say that things are equal: the kernel's `dm-0` may stand on
//! `dm-1`.

use std::collections::BTreeMap;

use iopath_record::{EntityId, Record};

use super::{Rank, by_relations};

/// What equal things have in common: where they are, and their name without numbers.
type Family = (Rank, String);

/// How many steps stand above each related entity; none where equal things stand on one another.
pub(super) fn levelled(
    record: &Record,
    ranks: &[Option<Rank>],
) -> Option<BTreeMap<EntityId, usize>> {
    let families = families(record, ranks);
    let family = |id: &EntityId| families.get(id.0 as usize).copied();
    let rank = |id: &EntityId| ranks.get(id.0 as usize).copied().flatten();
    let count = families.iter().max().map_or(0, |last| last + 1);
    let mut levels = vec![0; count];
    // No way is longer than there are families, unless it leads back.
    for _ in 0..=count {
        let mut is_settled = true;
        for relation in &record.relations {
            let Some(upper) = family(&relation.upper) else { continue };
            // Caches mirror one another within their tier.
            let tier = rank(&relation.upper).filter(|rank| !by_relations(*rank));
            let below = relation.lower.iter().filter(|lower| tier.is_none() || rank(lower) != tier);
            for lower in below.filter_map(family) {
                is_settled &= levels[lower] > levels[upper];
                levels[lower] = levels[lower].max(levels[upper] + 1);
            }
        }
        if is_settled {
            let ends = record.relations.iter().flat_map(|one| one.lower.iter().chain([&one.upper]));
            return Some(ends.filter_map(|id| Some((*id, levels[family(id)?]))).collect());
        }
    }
    None
}

/// The number of the family of each entity, by position.
fn families(record: &Record, ranks: &[Option<Rank>]) -> Vec<usize> {
    let mut known: BTreeMap<Family, usize> = BTreeMap::new();
    let mut next = 0;
    let number = |(entity, rank): (&iopath_record::Entity, &Option<Rank>)| {
        let own = next;
        next += 1;
        match rank.filter(|_| entity.name.contains('[')) {
            Some(rank) => *known.entry((rank, without_numbers(&entity.name))).or_insert(own),
            None => own,
        }
    };
    record.entities.iter().zip(ranks).map(number).collect()
}

fn without_numbers(name: &str) -> String {
    name.chars().filter(|character| !character.is_ascii_digit()).collect()
}

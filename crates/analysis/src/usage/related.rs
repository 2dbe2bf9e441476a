//! Which entities carry one another's traffic: relations that share an end are one step.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{EntityId, Kind, Layer, Record, Relation};

/// Uppers whose traffic reappears in lowers, all together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Joined<'a> {
    pub uppers: Vec<EntityId>,
    pub lowers: Vec<EntityId>,
    pub relations: Vec<Cow<'a, Relation>>,
}

/// The steps of a record, in the order in which they begin: without what only carries devices.
pub(crate) fn steps(record: &Record) -> Vec<Joined<'_>> {
    let carriers = carriers(record);
    let other = |relation: &&Relation| !carriers.contains(&relation.upper);
    joined(record.relations.iter().filter(other).map(Cow::Borrowed).collect())
}

/// What only carries the traffic of devices, and has no counters of its own: a rated component of
/// the path that nobody counted and that nothing which was counted goes to.
pub(crate) fn carriers(record: &Record) -> BTreeSet<EntityId> {
    let mut found: BTreeSet<EntityId> = record.relations.iter().map(|one| one.upper).collect();
    found.retain(|id| {
        let entity = record.entities.get(id.0 as usize);
        entity.is_some_and(|one| one.layer != Layer::Application && !one.limits.is_empty())
    });
    if found.is_empty() {
        return found;
    }
    let below = record.relations.iter().flat_map(|relation| relation.lower.iter().copied());
    let counted = record.series.iter().map(|series| series.entity);
    let others: BTreeSet<EntityId> = below.chain(counted).collect();
    found.difference(&others).copied().collect()
}

/// What entities of block devices that the kernel puts together of others are called.
const STACKED: [Kind; 5] =
    [Kind::Array, Kind::Concat, Kind::Multipath, Kind::Partition, Kind::Volume];

/// Block devices that stand on others which are in the record, too: arrays, volumes, multipath.
pub(crate) fn stacked(record: &Record) -> BTreeSet<EntityId> {
    let is_stacked = |id: &EntityId| {
        let entity = record.entities.get(id.0 as usize);
        entity.is_some_and(|one| {
            let is_node = one.binding.as_deref().is_some_and(|path| path.starts_with("/dev/"));
            is_node && STACKED.contains(&one.kind)
        })
    };
    record.relations.iter().map(|relation| relation.upper).filter(is_stacked).collect()
}

/// Steps between what is counted: what nobody counts hands on what it gets. Where that ends at
/// something that nobody counts, there is no step.
pub(crate) fn counted_steps<'a>(
    record: &'a Record,
    is_counted: &dyn Fn(EntityId) -> bool,
) -> Vec<Joined<'a>> {
    let counted = record.relations.iter().filter(|relation| is_counted(relation.upper));
    joined(counted.filter_map(|one| handed_on(record, one, is_counted)).collect())
}

/// Longest way through what nobody counts: no path is as deep.
const DEEPEST: usize = 16;

fn handed_on<'a>(
    record: &'a Record,
    relation: &'a Relation,
    is_counted: &dyn Fn(EntityId) -> bool,
) -> Option<Cow<'a, Relation>> {
    let mut found = Cow::Borrowed(relation);
    for _ in 0..DEEPEST {
        let Some(hidden) = found.lower.iter().copied().find(|id| !is_counted(*id)) else {
            return Some(found);
        };
        let below = record.relations.iter().find(|one| one.upper == hidden)?;
        let whole = found.lower.len() == 1;
        let equal = below.read_copies_ppm == 1_000_000 && below.write_copies_ppm == 1_000_000;
        // Copies of one member of several cannot be told of all together.
        if !whole && !equal {
            return None;
        }
        let next = found.to_mut();
        next.lower.retain(|id| *id != hidden);
        next.lower.extend(below.lower.iter().filter(|id| !relation.lower.contains(id)));
        if whole {
            let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) / 1_000_000) as u64;
            next.read_copies_ppm = times(next.read_copies_ppm, below.read_copies_ppm);
            next.write_copies_ppm = times(next.write_copies_ppm, below.write_copies_ppm);
        }
    }
    None
}

fn joined(relations: Vec<Cow<'_, Relation>>) -> Vec<Joined<'_>> {
    let mut group: Vec<usize> = (0..relations.len()).collect();
    // Two relations are one step where they share an upper or a lower.
    let mut of_end: BTreeMap<(bool, EntityId), usize> = BTreeMap::new();
    for (index, relation) in relations.iter().enumerate() {
        let lowers = relation.lower.iter().map(|id| (false, *id));
        for end in lowers.chain([(true, relation.upper)]) {
            let first = *of_end.entry(end).or_insert(index);
            let (left, right) = (root(&group, first), root(&group, index));
            group[left.max(right)] = left.min(right);
        }
    }
    let mut steps: BTreeMap<usize, Joined<'_>> = BTreeMap::new();
    for (index, relation) in relations.into_iter().enumerate() {
        let step = steps.entry(root(&group, index)).or_default();
        step.uppers.push(relation.upper);
        step.lowers.extend(&relation.lower);
        step.relations.push(relation);
    }
    steps.into_values().map(Joined::settled).collect()
}

fn root(group: &[usize], mut index: usize) -> usize {
    while group[index] != index {
        index = group[index];
    }
    index
}

impl Joined<'_> {
    fn settled(mut self) -> Self {
        let settle = |ids: &mut Vec<EntityId>| {
            *ids = ids.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        };
        settle(&mut self.uppers);
        settle(&mut self.lowers);
        self
    }
}

/// How many steps stand above each related entity.
pub(crate) fn depths(record: &Record) -> BTreeMap<EntityId, usize> {
    let mut depths: BTreeMap<EntityId, usize> = BTreeMap::new();
    for relation in &record.relations {
        depths.entry(relation.upper).or_insert(0);
        relation.lower.iter().for_each(|lower| {
            depths.entry(*lower).or_insert(1);
        });
    }
    // Relations lead back to nowhere, so this ends; the bound is for records made by hand.
    for _ in 0..record.relations.len() {
        let mut is_settled = true;
        for relation in &record.relations {
            let below = depths[&relation.upper] + 1;
            for lower in &relation.lower {
                let depth = depths.entry(*lower).or_insert(below);
                is_settled &= *depth >= below;
                *depth = below.max(*depth);
            }
        }
        if is_settled {
            break;
        }
    }
    depths
}

//! What must hold within a record: rules that every reader may rely on.
//!
//! A record that breaks one is refused by the codec, so that analysis neither checks nor panics.
//! They are rules of form: positions exist, lists are as long as they say, sums fit into 64 bits.
//! It leaves out whether the figures are plausible (the audit's task) and whether cumulative
//! counters ascend: the kernel's may start again, and a record keeps what was read.

mod bounds;
mod parts;
mod sums;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::{BadBlocks, BadKind, Entity, EntityId, LISTED_BLOCKS, Record};

/// A rule that a record breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// The part of the record, as a path: `streams[3].phases[0]`.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// How many broken rules a message lists (chosen: more would hide the first).
const LISTED: usize = 5;

/// The first few rules on one line.
pub(crate) fn listed(broken: &[BrokenRule]) -> String {
    let first: Vec<String> = broken.iter().take(LISTED).map(ToString::to_string).collect();
    let more = broken.len().saturating_sub(LISTED);
    let rest = if more == 0 { String::new() } else { format!("; and {more} more") };
    format!("{}{rest}", first.join("; "))
}

/// The rules broken so far, and the record's sizes that places are checked against.
struct Check {
    entities: usize,
    instants: usize,
    broken: Vec<BrokenRule>,
}

impl Check {
    fn require(&mut self, holds: bool, place: impl fmt::Display, what: &str) {
        if !holds {
            self.broken.push(BrokenRule { place: place.to_string(), what: what.to_owned() });
        }
    }

    fn entity(&mut self, id: EntityId, place: impl fmt::Display) {
        let exists = (id.0 as usize) < self.entities;
        self.require(exists, place, "names an entity that does not exist");
    }
}

impl Record {
    /// The rules that this record breaks; none of a good record.
    #[must_use]
    pub fn validate(&self) -> Vec<BrokenRule> {
        let mut check = Check {
            entities: self.entities.len(),
            instants: self.instants_ns.len(),
            broken: Vec::new(),
        };
        check.require(
            (1..=Self::FORMAT).contains(&self.format),
            "format",
            "is not a known version",
        );
        names(&mut check, "case.levels", &self.case.levels);
        names(&mut check, "environment", &self.environment);
        entities(&mut check, &self.entities);
        relations(&mut check, self);
        check.require(
            ascending(self.instants_ns.iter()),
            "instants_ns",
            "does not ascend from each instant to the next",
        );
        parts::series(&mut check, &self.series);
        parts::streams(&mut check, &self.streams);
        heat(&mut check, self);
        events(&mut check, self);
        bad_blocks(&mut check, self);
        bounds::check(&mut check, self);
        sums::check(&mut check, self);
        check.broken
    }
}

fn names(check: &mut Check, place: &str, values: &BTreeMap<String, String>) {
    check.require(!values.contains_key(""), place, "has an entry without a name");
}

fn entities(check: &mut Check, entities: &[Entity]) {
    let mut parents = Vec::new();
    for (index, entity) in (0u32..).zip(entities) {
        let place = format!("entities[{index}]");
        check.require(!entity.name.is_empty(), &place, "has no name");
        check.require(entity.count > 0, &place, "stands for nothing: its count is 0");
        if let Some(parent) = entity.parent {
            check.entity(parent, format!("{place}.parent"));
            parents.push((index, parent.0));
        }
    }
    let circular = has_cycle(entities.len(), &parents);
    check.require(!circular, "entities", "has a cycle");
}

fn relations(check: &mut Check, record: &Record) {
    let mut edges = Vec::new();
    for (index, relation) in record.relations.iter().enumerate() {
        let place = format!("relations[{index}]");
        check.entity(relation.upper, format!("{place}.upper"));
        check.require(!relation.lower.is_empty(), &place, "has nothing below");
        let lower: BTreeSet<_> = relation.lower.iter().collect();
        let once = lower.len() == relation.lower.len();
        check.require(once, format!("{place}.lower"), "names an entity twice");
        for id in lower {
            check.entity(*id, format!("{place}.lower"));
            edges.push((relation.upper.0, id.0));
        }
    }
    let circular = has_cycle(record.entities.len(), &edges);
    check.require(!circular, "relations", "form a cycle");
}

fn heat(check: &mut Check, record: &Record) {
    let intervals = record.instants_ns.len().saturating_sub(1);
    let fits = record.heat.is_empty() || record.heat.len() == intervals;
    check.require(fits, "heat", "is not one histogram for each interval between two instants");
    for (index, histogram) in record.heat.iter().enumerate() {
        parts::histogram(check, histogram, &format!("heat[{index}]"));
    }
}

fn events(check: &mut Check, record: &Record) {
    for (index, event) in record.events.iter().enumerate() {
        if let Some(entity) = event.entity {
            check.entity(entity, format!("events[{index}]"));
        }
    }
}

fn bad_blocks(check: &mut Check, record: &Record) {
    let BadBlocks { counts, listed } = &record.bad_blocks;
    let known = record.format >= 6 || record.bad_blocks.is_empty();
    check.require(known, "format", "is below 6, which has no bad blocks");
    check.require(listed.len() <= LISTED_BLOCKS, "bad_blocks.listed", "lists too many");
    for (kind, count) in counts {
        let place = format!("bad_blocks.counts.{}", kind.name());
        check.require(*count > 0, place, "counts a kind that does not occur");
    }
    let mut seen: BTreeMap<BadKind, u64> = BTreeMap::new();
    listed.iter().for_each(|block| *seen.entry(block.kind).or_default() += 1);
    let counted = seen.iter().all(|(kind, seen)| counts.get(kind).is_some_and(|all| all >= seen));
    check.require(counted, "bad_blocks", "lists more of a kind than it counts");
}

/// Whether each item is above the one before.
fn ascending<T: PartialOrd>(mut items: impl Iterator<Item = T>) -> bool {
    let Some(mut last) = items.next() else { return true };
    items.all(|item| {
        let above = last < item;
        last = item;
        above
    })
}

/// Whether a walk along the edges can come back to where it began (Kahn's algorithm: nodes that
/// nothing leads to are taken away until none is left, or only circles). Edges from or to what
/// does not exist are passed over.
fn has_cycle(nodes: usize, edges: &[(u32, u32)]) -> bool {
    let mut below = vec![Vec::new(); nodes];
    let mut entries = vec![0_u32; nodes];
    for (from, to) in edges.iter().map(|(from, to)| (*from as usize, *to as usize)) {
        if from < nodes && to < nodes {
            below[from].push(to);
            entries[to] += 1;
        }
    }
    let mut free: Vec<usize> = (0..nodes).filter(|node| entries[*node] == 0).collect();
    let mut taken = 0;
    while let Some(node) = free.pop() {
        taken += 1;
        for next in &below[node] {
            entries[*next] -= 1;
            if entries[*next] == 0 {
                free.push(*next);
            }
        }
    }
    taken < nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_circles_of_any_length() {
        assert!(!has_cycle(0, &[]));
        assert!(!has_cycle(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]));
        assert!(has_cycle(1, &[(0, 0)]));
        assert!(has_cycle(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]));
        assert!(!has_cycle(2, &[(0, 9), (9, 0)]));
    }

    #[test]
    fn equal_neighbours_do_not_ascend() {
        assert!(ascending([0; 0].iter()));
        assert!(ascending([1, 2, 9].iter()));
        assert!(!ascending([1, 1].iter()));
        assert!(!ascending([3, 2].iter()));
    }

    #[test]
    fn a_message_lists_the_first_rules_and_counts_the_rest() {
        let rule = |n: usize| BrokenRule { place: format!("p[{n}]"), what: "is bad".to_owned() };
        let broken: Vec<_> = (0..7).map(rule).collect();
        assert_eq!(listed(&broken[..2]), "p[0]: is bad; p[1]: is bad");
        assert!(listed(&broken).ends_with("p[4]: is bad; and 2 more"));
    }
}

//! Wires as doors: where a way may leave or enter a box, which switches a wire reaches, and how the
//! switches are joined to one another.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use iopath_study::System;

use super::tree::Tree;
use crate::network::ComponentId;

/// One end of a wire, seen from inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Door {
    /// The wired part.
    pub inside: u32,
    /// The part at the other end.
    pub outside: u32,
    /// Delay of the wire, in seconds.
    pub latency_s: f64,
    /// Whether this is the end that the wire is declared `from`.
    pub is_from: bool,
    /// The switch that the other end belongs to.
    pub beyond: Option<u32>,
}

impl Door {
    /// The other end of the wire.
    pub(super) fn turned(self, tree: &Tree) -> Self {
        Self {
            inside: self.outside,
            outside: self.inside,
            is_from: !self.is_from,
            beyond: tree.region(self.inside),
            ..self
        }
    }
}

/// All doors, by the wired part, then in the order of declaration.
#[derive(Debug)]
pub(super) struct Doors {
    all: Vec<Door>,
    /// The doors of each switch that lead to another switch.
    links: BTreeMap<u32, Vec<Door>>,
    /// Wires from each switch to the one of the outer key, found when asked for.
    distances: BTreeMap<u32, BTreeMap<u32, u32>>,
}

impl Doors {
    /// The doors that are left: a wire of a removed part is none.
    pub(super) fn new(system: &System, tree: &Tree) -> Self {
        let mut all = Vec::new();
        for link in &system.wires {
            let latency_s = link.latency.as_ref().map_or(0.0, |delay| delay.value.as_secs_f64());
            for (from, to) in &link.pairs {
                let (from, to) = (ComponentId::from(*from).0, ComponentId::from(*to).0);
                if !tree.is_removed(from) && !tree.is_removed(to) {
                    let beyond = tree.region(to);
                    let door = Door { inside: from, outside: to, latency_s, is_from: true, beyond };
                    all.extend([door, door.turned(tree)]);
                }
            }
        }
        all.sort_by_key(|door| door.inside);
        let mut links: BTreeMap<u32, Vec<Door>> = BTreeMap::new();
        for door in &all {
            let here = tree.region(door.inside);
            if let Some(here) = here.filter(|here| door.beyond.is_some_and(|there| there != *here))
            {
                links.entry(here).or_default().push(*door);
            }
        }
        Self { all, links, distances: BTreeMap::new() }
    }

    /// The doors of the parts in a range.
    pub(super) fn within(&self, range: Range<u32>) -> &[Door] {
        within(&self.all, range)
    }

    /// The doors of a switch that lead one wire nearer to another switch.
    pub(super) fn nearer(&self, from: u32, to: u32) -> Vec<Door> {
        let Some(distances) = self.distances.get(&to) else { return Vec::new() };
        let Some(here) = distances.get(&from) else { return Vec::new() };
        let is_nearer = |door: &&Door| {
            let there = door.beyond.and_then(|beyond| distances.get(&beyond));
            there.is_some_and(|there| there + 1 == *here)
        };
        self.links.get(&from).into_iter().flatten().filter(is_nearer).copied().collect()
    }

    /// Wires between two switches on the shortest way; none where there is no way.
    pub(super) fn distance(&mut self, from: u32, to: u32) -> Option<u32> {
        let links = &self.links;
        let distances = self.distances.entry(to).or_insert_with(|| from_links(links, to));
        distances.get(&from).copied()
    }
}

/// The doors of the parts in a range, of doors that are sorted by part.
pub(super) fn within(doors: &[Door], range: Range<u32>) -> &[Door] {
    let first = doors.partition_point(|door| door.inside < range.start);
    let end = doors.partition_point(|door| door.inside < range.end);
    &doors[first..end]
}

/// Breadth first from one switch; wires join both ways.
fn from_links(links: &BTreeMap<u32, Vec<Door>>, to: u32) -> BTreeMap<u32, u32> {
    let mut distances = BTreeMap::from([(to, 0)]);
    let mut waiting = VecDeque::from([to]);
    while let Some(here) = waiting.pop_front() {
        let next = distances[&here] + 1;
        for there in links.get(&here).into_iter().flatten().filter_map(|door| door.beyond) {
            distances.entry(there).or_insert_with(|| {
                waiting.push_back(there);
                next
            });
        }
    }
    distances
}

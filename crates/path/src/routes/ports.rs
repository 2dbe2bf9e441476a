//! Which pair of ports a way between two boxes may leave and enter by: those with the fewest wires
//! between them that may talk.
//!
//! Boxes are looked at from both ends, so a switch with thousands of ports costs no more than the
//! ports of the two boxes on it; what holds for two boxes is found once.

use std::collections::BTreeMap;

use iopath_study::{Class, System};

use super::doors::{Door, Doors};
use super::tree::Tree;
use super::zones::Zones;

/// Where a way leaves one box and enters another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The door of the box that it leaves, seen from there.
    pub leave: Door,
    /// The door of the box that it enters, seen from there.
    pub enter: Door,
}

/// Why no way leads from a box to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// No wires join them.
    Wire,
    /// Wires do, zones do not.
    Zone,
}

/// The ports of all boxes.
#[derive(Debug)]
pub(super) struct Ports {
    pub doors: Doors,
    zones: Zones,
    /// The doors of each box by the switch that they lead to, found when asked for.
    boxes: BTreeMap<u32, BTreeMap<u32, Vec<Door>>>,
}

impl Ports {
    pub(super) fn new(system: &System, tree: &Tree) -> Self {
        let doors = Doors::new(system, tree);
        Self { doors, zones: Zones::new(system), boxes: BTreeMap::new() }
    }

    /// The pairs between two boxes, in turn over the ports that they leave and enter by, so that
    /// the first few of them use as many ports as there are.
    pub(super) fn between(
        &mut self,
        tree: &Tree,
        from: u32,
        to: u32,
    ) -> Result<Vec<Pair>, Missing> {
        let direct = self.direct(tree, from, to);
        if !direct.is_empty() {
            return Ok(in_turn(direct));
        }
        self.look_at(tree, from);
        self.look_at(tree, to);
        let zoned = self.through_switches(tree, from, to, !self.zones.is_empty());
        if !zoned.is_empty() {
            return Ok(in_turn(zoned));
        }
        let wired = self.through_switches(tree, from, to, false);
        Err(if wired.is_empty() { Missing::Wire } else { Missing::Zone })
    }

    /// Pairs that one wire joins.
    fn direct(&self, tree: &Tree, from: u32, to: u32) -> Vec<Pair> {
        let leaving = self.doors.within(tree.range(from));
        let entering = self.doors.within(tree.range(to));
        // From the side that has fewer: one of them may be a host or array of thousands of ports.
        if leaving.len() <= entering.len() {
            let found = leaving.iter().filter(|door| tree.range(to).contains(&door.outside));
            found.map(|leave| Pair { leave: *leave, enter: leave.turned(tree) }).collect()
        } else {
            let found = entering.iter().filter(|door| tree.range(from).contains(&door.outside));
            found.map(|enter| Pair { leave: enter.turned(tree), enter: *enter }).collect()
        }
    }

    fn look_at(&mut self, tree: &Tree, id: u32) {
        self.boxes.entry(id).or_insert_with(|| {
            let mut by_switch: BTreeMap<u32, Vec<Door>> = BTreeMap::new();
            for door in self.doors.within(tree.range(id)) {
                if let Some(beyond) = door.beyond {
                    by_switch.entry(beyond).or_default().push(*door);
                }
            }
            by_switch
        });
    }

    /// Pairs that switches join: those on one switch, else those with the fewest wires between.
    fn through_switches(&mut self, tree: &Tree, from: u32, to: u32, by_zones: bool) -> Vec<Pair> {
        let (leaving, entering) = (&self.boxes[&from], &self.boxes[&to]);
        let zones = by_zones.then_some(&self.zones);
        let mut best = Vec::new();
        for (switch, enter) in entering {
            if let Some(leave) = leaving.get(switch) {
                best.extend(joined(tree, zones, leave, enter));
            }
        }
        if !best.is_empty() {
            return best;
        }
        let mut fewest = u32::MAX;
        for (last, enter) in entering {
            for (first, leave) in leaving {
                let wires = self.doors.distance(*first, *last);
                let Some(wires) = wires.filter(|wires| *wires <= fewest) else { continue };
                let pairs = joined(tree, zones, leave, enter);
                if wires < fewest && !pairs.is_empty() {
                    fewest = wires;
                    best.clear();
                }
                best.extend(pairs);
            }
        }
        best
    }
}

/// The doors of two boxes on one fabric that may talk.
fn joined(tree: &Tree, zones: Option<&Zones>, leave: &[Door], enter: &[Door]) -> Vec<Pair> {
    let fabric = leave.iter().chain(enter).filter_map(|door| door.beyond);
    let is_zoned = fabric.take(1).any(|switch| tree.class(switch) == Class::Switch);
    let mut pairs = Vec::new();
    for door in enter {
        match zones.filter(|_| is_zoned) {
            Some(zones) => {
                let partners = zones.partners(tree, door, leave);
                pairs.extend(partners.iter().map(|at| Pair { leave: leave[*at], enter: *door }));
            }
            None => pairs.extend(leave.iter().map(|leave| Pair { leave: *leave, enter: *door })),
        }
    }
    pairs
}

/// The first pair of every port that is left by, then the second of every port, and so on; each
/// port begins one port further on the other side than the one before.
fn in_turn(pairs: Vec<Pair>) -> Vec<Pair> {
    let mut by_port: BTreeMap<(u32, u32), Vec<Pair>> = BTreeMap::new();
    for pair in pairs {
        by_port.entry((pair.leave.inside, pair.leave.outside)).or_default().push(pair);
    }
    let longest = by_port.values().map(Vec::len).max().unwrap_or(0);
    let turn = |rank: usize| {
        let ports = by_port.values().enumerate().filter(move |(_, pairs)| rank < pairs.len());
        ports.map(move |(port, pairs)| pairs[(rank + port) % pairs.len()])
    };
    (0..longest).flat_map(turn).collect()
}

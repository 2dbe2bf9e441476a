//! What a way crosses, in order, and which way data moves through it.
//!
//! Every component on the way is crossed once, the turning point of each climb included; what
//! merely encloses it is not. A start that the request came to before is not charged again.
//!
//! **Directions.** `read` of a component is where data goes on a read as its maker states it:
//! into a machine or a host bus adapter, out of an array, up an expander. So a way that enters a
//! machine, or leaves an array or controller, goes against it, and its read uses up `write`. A
//! node of an SVC shows why: of one byte that a host reads, the node's ports carry one in from the
//! array (leaving for it: `write`) and one out to the host (entered from it: `read`). So a
//! full-duplex port of 200 MB/s a way passes 200 MB/s to the host, not 100: 8 nodes with 4 ports
//! each reach 6.4 GB/s instead of 3.2. The port of a switch goes with the box at its wire's other
//! end, or, between switches, with the wire: from its `from` to its `to` is along.

use std::collections::BTreeMap;

use iopath_study::Class;

use super::doors::{Door, Doors};
use super::ports::Pair;
use super::tree::{Climb, Facing, Tree};

/// What is crossed, with `true` where data moves against the component's own directions.
#[derive(Clone, Debug, Default)]
pub(super) struct Crossing {
    pub crossed: Vec<(u32, bool)>,
    /// Delay of the wires, in seconds.
    pub wires_s: f64,
}

/// Which way data moves on the two slopes of a climb.
#[derive(Clone, Copy, Default)]
struct Against {
    up: bool,
    down: bool,
}

impl Crossing {
    /// Inside one box.
    pub(super) fn inside(tree: &Tree, climb: &Climb) -> Self {
        let mut crossing = Self::default();
        crossing.add(tree, climb, Against::default());
        crossing
    }

    /// From a part by one pair of ports to a part in another box: as many as there are equally
    /// short ways between the switches.
    pub(super) fn outside(
        tree: &Tree,
        doors: &Doors,
        (from, to): (u32, u32),
        pair: &Pair,
    ) -> Vec<Self> {
        let mut start = Self { crossed: Vec::new(), wires_s: pair.leave.latency_s };
        let down = tree.facing(pair.leave.inside) == Facing::Outward;
        start.climb(tree, (from, pair.leave.inside), Against { up: false, down });
        let through = match (pair.leave.beyond, pair.enter.beyond) {
            (Some(_), Some(_)) if pair.leave.outside != pair.enter.inside => {
                through_fabric(tree, doors, &start, pair)
            }
            _ => vec![start],
        };
        let up = tree.facing(pair.enter.inside) == Facing::Inward;
        let mut ways = through;
        for way in &mut ways {
            way.climb(tree, (pair.enter.inside, to), Against { up, down: false });
        }
        ways
    }

    fn climb(&mut self, tree: &Tree, (from, to): (u32, u32), against: Against) {
        if let Some(climb) = tree.climb(from, to) {
            self.add(tree, &climb, against);
        }
    }

    fn add(&mut self, tree: &Tree, climb: &Climb, against: Against) {
        let up = climb.up.iter().map(|id| (*id, against.up));
        let turn = climb.turn.iter().map(|id| (*id, false));
        let down = climb.down.iter().map(|id| (*id, against.down));
        let all = up.chain(turn).chain(down);
        self.crossed.extend(all.filter(|(id, _)| tree.class(*id).is_crossed()));
    }

    /// Passes a switch between two wired parts; only the ports at the wires have a direction.
    fn pass(&mut self, tree: &Tree, (from, to): (u32, u32), against: Against) {
        let before = self.crossed.len();
        self.climb(tree, (from, to), Against::default());
        let turn = tree.climb(from, to).and_then(|climb| climb.turn);
        for (id, flipped) in &mut self.crossed[before..] {
            if Some(*id) != turn {
                *flipped = (*id == from && against.up) || (*id == to && against.down);
            }
        }
    }
}

/// From the first switch to the last one, by every shortest way.
fn through_fabric(tree: &Tree, doors: &Doors, start: &Crossing, pair: &Pair) -> Vec<Crossing> {
    let (Some(first), Some(last)) = (pair.leave.beyond, pair.enter.beyond) else {
        return vec![start.clone()];
    };
    let leaving = tree.facing(pair.leave.inside) == Facing::Outward;
    let mut done = Vec::new();
    // A way so far, the switch it is in, where it came in, and which way that port is passed.
    let mut open = vec![(start.clone(), first, pair.leave.outside, leaving)];
    while let Some((way, here, entered, up)) = open.pop() {
        if here == last {
            let mut way = way;
            let down = tree.facing(pair.enter.inside) == Facing::Inward;
            way.pass(tree, (entered, pair.enter.outside), Against { up, down });
            way.wires_s += pair.enter.latency_s;
            done.push(way);
            continue;
        }
        // The last one pushed is the first one popped: so ways come out in the order of doors.
        for door in doors.nearer(here, last).into_iter().rev() {
            let mut way = way.clone();
            let against = !door.is_from;
            way.pass(tree, (entered, door.inside), Against { up, down: against });
            way.wires_s += door.latency_s;
            let Door { outside, beyond, .. } = door;
            open.extend(beyond.map(|there| (way, there, outside, against)));
        }
    }
    done
}

/// Whether a way crosses no controller but those that hold its start or its end.
pub(super) fn is_optimised(tree: &Tree, crossed: &[(u32, bool)], ends: (Option<u32>, u32)) -> bool {
    let is_own =
        |id: u32| ends.0.is_some_and(|from| tree.holds(id, from)) || tree.holds(id, ends.1);
    let controllers = crossed.iter().filter(|(id, _)| tree.class(*id) == Class::Controller);
    controllers.into_iter().all(|(id, _)| is_own(*id))
}

/// The pairs of ports between two parts whose ways are optimised: what a way crosses between them
/// are switches, so its climbs to the ports decide.
pub(super) fn optimised_pairs<'a>(
    tree: &Tree,
    pairs: &'a [Pair],
    from: u32,
    to: u32,
) -> Vec<&'a Pair> {
    let is_own_climb = |below: u32, above: u32| {
        let mut way = Crossing::default();
        way.climb(tree, (below, above), Against::default());
        is_optimised(tree, &way.crossed, (Some(from), to))
    };
    let (mut leaving, mut entering) = (BTreeMap::new(), BTreeMap::new());
    let mut has_own_climbs = |pair: &&Pair| {
        let (leave, enter) = (pair.leave.inside, pair.enter.inside);
        *leaving.entry(leave).or_insert_with(|| is_own_climb(from, leave))
            && *entering.entry(enter).or_insert_with(|| is_own_climb(enter, to))
    };
    pairs.iter().filter(|pair| has_own_climbs(pair)).collect()
}

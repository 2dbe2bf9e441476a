//! Random paths, each made by its seed and number alone.
//!
//! Some choices keep a path comparable on a machine of two processors, where its rates are kept by
//! token buckets: all LUNs together carry up to some 400 MB/s and each at least 5 MB/s; requests of
//! 64 KiB or more where rates limit, in flight for three on each LUN; and delays of 20 ms or more
//! where requests in flight do, as a bucket that is not full takes no time for a request. Two of
//! these never meet on one device: QEMU before 10.1 answers the newest first, and the older one
//! waits for it.

use super::world::{LUN, Layout, Load, Part, Wire, World};
use crate::limits::Draw;

/// Bytes a second of all LUNs together.
const MOST: u64 = 400_000_000;

/// Of one, at least.
const LEAST: u64 = 5_000_000;

/// Rates are multiples of it, to be read easily.
const STEP: u64 = 100_000;

const KIB: u64 = 1024;

/// What may stand between a host and its own LUNs, from the top.
const IN_HOST: [&str; 4] = ["drawer", "bridge", "hba", "enclosure"];

/// What else than LUNs may be rated behind a fabric.
const BEHIND_FABRIC: [&str; 5] = ["hba", "switch", "port", "controller", "enclosure"];

/// What has been decided before anything is made.
struct Plan {
    /// Kinds that have a rate, LUNs not among them.
    rated: Vec<&'static str>,
    /// The one that is tighter than the others, or LUNs.
    tight: &'static str,
    /// Whether equal things have equal rates and counts.
    is_even: bool,
    /// Rates of LUNs.
    rates: Vec<u64>,
}

/// The path of this number among those of a seed.
pub(crate) fn world(seed: u64, number: u64) -> World {
    let mut draw = Draw::of(&format!("random-path-{number}"), seed);
    let is_closed = draw.within(1, 4) == 1;
    let luns = if is_closed {
        draw.within(2, 16)
    } else {
        draw.one(&[2, 4, 6, 8, 12, 16, 24, 32, 48, 64])
    };
    let mut world = match draw.within(0, 1) {
        0 => direct(&mut draw, luns),
        _ => fabric(&mut draw, luns),
    };
    world.load = load(&mut draw, &world, is_closed);
    if is_closed {
        world.latency_ms = draw.within(20, 40);
    }
    world
}

fn plan(draw: &mut Draw, kinds: &[&'static str], luns: u64) -> Plan {
    let mut rated = kinds.to_vec();
    let count = draw.within(0, kinds.len() as u64) as usize;
    while rated.len() > count {
        let at = draw.within(0, rated.len() as u64 - 1) as usize;
        rated.remove(at);
    }
    let tight = match draw.within(0, count as u64) as usize {
        0 => LUN,
        at => rated[at - 1],
    };
    let is_even = draw.within(0, 1) == 0;
    let most = (MOST / luns).clamp(LEAST, 60_000_000);
    let mut rate = || draw.within(LEAST.max(most / 2) / STEP, most / STEP) * STEP;
    let rates = if is_even { vec![rate()] } else { vec![rate(), rate()] };
    Plan { rated, tight, is_even, rates }
}

fn direct(draw: &mut Draw, luns: u64) -> World {
    // The host itself may be rated too.
    let kinds: Vec<&'static str> = ["host"].into_iter().chain(IN_HOST).collect();
    let plan = plan(draw, &kinds, luns);
    let between: Vec<&'static str> =
        IN_HOST.into_iter().filter(|kind| plan.rated.contains(kind)).collect();
    let host = grow(draw, &plan, &between, luns);
    let node_rate = rate(draw, &plan, "host", of(&host));
    World { node_rate, host, ..empty(plan.rated.len() + 1) }
}

fn fabric(draw: &mut Draw, luns: u64) -> World {
    let plan = plan(draw, &BEHIND_FABRIC, luns);
    let (nodes, fabrics) = (draw.within(1, 3), draw.within(1, 2));
    let controllers = draw.one(&[1, 2, 2, 4]).min(luns);
    let is_dual = draw.within(0, 1) == 0;
    let mut world = World { nodes, ..empty(plan.rated.len() + 1) };
    for (number, luns) in split(draw, &plan, luns, controllers).into_iter().enumerate() {
        let ports = if is_dual { fabrics } else { 1 };
        world.array.push(controller(draw, &plan, &Owned { number, luns, ports }));
        world.wires.extend((0..ports as usize).map(|port| {
            let fabric = if is_dual { port } else { number % fabrics as usize };
            Wire { from: format!("box.c{number}.p{port}"), fabric }
        }));
    }
    for number in 0..fabrics as usize {
        link(draw, &plan, &mut world, &Half { number, of: fabrics });
    }
    world.policy = draw.one(&["owner", "round-robin"]);
    world
}

/// A part of its own, that holds nothing.
fn alone(kind: &'static str, name: String, rate: Option<u64>) -> Part {
    Part { kind, name, count: 1, rate, holds: Vec::new() }
}

/// One of so many fabrics.
struct Half {
    number: usize,
    of: u64,
}

/// A fabric, and the adapter of each node in it.
fn link(draw: &mut Draw, plan: &Plan, world: &mut World, half: &Half) {
    let Half { number, of: fabrics } = *half;
    let total = of(&world.array);
    let switch = rate(draw, plan, "switch", total / fabrics);
    let hba = rate(draw, plan, "hba", total / (fabrics * world.nodes));
    world.fabrics.push(alone("switch", format!("f{number}"), switch));
    let name = format!("h{number}");
    world.wires.push(Wire { from: format!("node.{name}"), fabric: number });
    world.host.push(alone("hba", name, hba));
}

/// What a controller has.
struct Owned {
    number: usize,
    luns: u64,
    ports: u64,
}

fn controller(draw: &mut Draw, plan: &Plan, owned: &Owned) -> Part {
    let Owned { number, luns, ports } = *owned;
    let between: Vec<&'static str> =
        plan.rated.iter().copied().filter(|kind| *kind == "enclosure").collect();
    let inner = grow(draw, plan, &between, luns);
    let total = of(&inner);
    let port =
        |number| alone("port", format!("p{number}"), rate(draw, plan, "port", total / ports));
    let mut holds: Vec<Part> = (0..ports).map(port).collect();
    holds.extend(inner);
    let rate = rate(draw, plan, "controller", total);
    Part { kind: "controller", name: format!("c{number}"), count: 1, rate, holds }
}

/// One to three parts of the first kind, with the others below them; at the end LUNs.
fn grow(draw: &mut Draw, plan: &Plan, kinds: &[&'static str], luns: u64) -> Vec<Part> {
    let Some((kind, inner)) = kinds.split_first() else {
        let rate = Some(draw.one(&plan.rates));
        return vec![Part {
            kind: LUN,
            name: "lun".to_owned(),
            count: luns,
            rate,
            holds: Vec::new(),
        }];
    };
    let count = draw.within(1, 3).min(luns);
    let each = split(draw, plan, luns, count).into_iter().enumerate().map(|(number, luns)| {
        let holds = grow(draw, plan, inner, luns);
        let rate = rate(draw, plan, kind, of(&holds));
        Part { kind, name: format!("{}{number}", &kind[..1]), count: 1, rate, holds }
    });
    each.collect()
}

/// So many LUNs on so many places, at least one on each.
fn split(draw: &mut Draw, plan: &Plan, luns: u64, places: u64) -> Vec<u64> {
    let mut each: Vec<u64> = (0..places).map(|at| (luns + at) / places).collect();
    for at in 1..each.len() {
        let moved = if plan.is_even { 0 } else { draw.within(0, each[at - 1] / 2) };
        let moved = moved.min(each[at - 1] - 1);
        each[at - 1] -= moved;
        each[at] += moved;
    }
    each
}

/// What LUNs below these parts carry together.
fn of(parts: &[Part]) -> u64 {
    let carries = |part: &Part| match part.kind == LUN {
        true => part.count * part.rate.unwrap_or_default(),
        false => of(&part.holds),
    };
    parts.iter().map(carries).sum()
}

/// The rate of a part of this kind through which so much could pass; none where it is not rated.
fn rate(draw: &mut Draw, plan: &Plan, kind: &str, passes: u64) -> Option<u64> {
    let percent = match (plan.tight == kind, plan.is_even) {
        (true, true) => 60,
        (true, false) => draw.within(40, 80),
        (false, true) => 130,
        (false, false) => draw.within(90, 220),
    };
    let rate = (passes * percent / 100).next_multiple_of(STEP);
    plan.rated.contains(&kind).then_some(rate)
}

fn load(draw: &mut Draw, world: &World, is_closed: bool) -> Load {
    let unit = draw.one(&[64, 128, 256]) * KIB;
    let layout = layout(draw, world.luns(), unit);
    let reads = match layout {
        Layout::Stripe { .. } => draw.one(&[100, 100, 0, 70]),
        Layout::Mirrors { .. } | Layout::Each => draw.one(&[100, 0]),
    };
    let is_random = draw.within(1, 3) == 1;
    if is_closed {
        let block = draw.one(&[4, 8, 16]) * KIB;
        let (layout, most) = apart(layout, block, world.luns());
        let depth = draw.within(1, most);
        return Load { layout, reads, is_random: false, block, depth };
    }
    let block = unit * draw.one(&[1, 2, 4]);
    // Three parts on each LUN, and up to twice as many.
    let (parts, streams) = match layout {
        Layout::Each => (1, world.luns()),
        Layout::Stripe { .. } | Layout::Mirrors { .. } => (block / unit, 1),
    };
    let least = (3 * world.luns()).div_ceil(parts * streams * world.nodes);
    Load { layout, reads, is_random, block, depth: draw.within(least, 2 * least) }
}

/// The layout, and the most requests in flight of a stream, so that no two of them meet on one
/// device: one after the other they go to the next LUN.
fn apart(layout: Layout, block: u64, luns: u64) -> (Layout, u64) {
    let most = (luns / 2).clamp(1, 8);
    match layout {
        Layout::Stripe { .. } => (Layout::Stripe { unit: block }, most),
        Layout::Mirrors { .. } => (Layout::Mirrors { unit: block }, most),
        Layout::Each => (layout, 1),
    }
}

fn layout(draw: &mut Draw, luns: u64, unit: u64) -> Layout {
    let mut layouts = vec![Layout::Stripe { unit }, Layout::Stripe { unit }];
    layouts.extend(luns.is_multiple_of(2).then_some(Layout::Mirrors { unit }));
    layouts.extend((luns <= 16).then_some(Layout::Each));
    draw.one(&layouts)
}

fn empty(layers: usize) -> World {
    World {
        layers,
        nodes: 1,
        node_rate: None,
        host: Vec::new(),
        fabrics: Vec::new(),
        array: Vec::new(),
        wires: Vec::new(),
        policy: "round-robin",
        latency_ms: 0,
        load: Load { layout: Layout::Each, reads: 100, is_random: false, block: 0, depth: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_same_alone() {
        assert_eq!(world(3, 7), world(3, 7));
        assert_ne!(world(3, 7), world(3, 8));
        assert_ne!(world(3, 7), world(4, 7));
    }

    #[test]
    fn this_machine_can_stand_for_every_path() {
        for number in 1..=200 {
            let world = world(1, number);
            let groups = world.groups();
            assert!(groups.iter().all(|group| group.rate >= LEAST), "{number}");
            let sum: u64 = groups.iter().map(|group| group.count * group.rate).sum();
            assert!(sum <= MOST, "{number}: {sum}");
            assert!((2..=64).contains(&world.luns()) && (1..=3).contains(&world.nodes));
            assert!((1..=6).contains(&world.layers), "{number}");
        }
    }
}

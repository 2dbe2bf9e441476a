//! Whose traffic reappears where: streams on their targets, volumes on their members.
//!
//! How many bytes appear below for each one above is counted, not stated: behind a cache it is
//! less than one, of a mirror's writes two. Where nothing flows above, it is one.

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::{ComponentId, Leg, LegId, Network, StreamLoad};
use iopath_record::{EntityId, Relation};
use iopath_units::Op;

use crate::table::Table;
use crate::uncounted;

/// One for one.
const ONE_COPY: u64 = 1_000_000;

/// What flowed, in a second or in any other span that is the same for all.
#[derive(Clone, Copy)]
pub struct Flows<'a> {
    /// Requests of a leg.
    pub requests: &'a dyn Fn(LegId) -> f64,
    /// Requests that those of a leg led to; which is told by its position in [`Leg::next`].
    pub led_to: &'a dyn Fn(LegId, usize) -> f64,
    /// Bytes that crossed or reached a component, by operation ([`Op::index`]).
    pub bytes: &'a dyn Fn(ComponentId) -> [f64; 2],
}

/// One kind of request that others led to.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// What led to it.
    pub upper: ComponentId,
    /// Where it went.
    pub lower: ComponentId,
    /// What it did.
    pub op: Op,
    /// How many bytes it was in all.
    pub bytes: f64,
}

/// What flowed, for a model that knows other kinds of requests than legs.
#[derive(Clone, Copy)]
pub struct Flowed<'a> {
    /// What each stream of the network goes to.
    pub streams: &'a [Vec<ComponentId>],
    /// What requests ended at: each stands before those that it led to.
    pub order: &'a [ComponentId],
    /// The kinds of requests.
    pub flows: &'a [Flow],
    /// Bytes that crossed or reached a component, by operation ([`Op::index`]).
    pub bytes: &'a dyn Fn(ComponentId) -> [f64; 2],
}

/// All relations; none leads back, because legs do not.
#[must_use]
pub fn relations(network: &Network, table: &Table, flows: &Flows<'_>) -> Vec<Relation> {
    let to = |leg: LegId| network.leg(leg).to;
    let roots = |stream: &StreamLoad| stream.roots.iter().map(|(leg, _)| to(*leg)).collect();
    let streams: Vec<Vec<ComponentId>> = network.streams.iter().map(roots).collect();
    let order: Vec<ComponentId> = flowing(network, flows).map(|(_, leg)| leg.to).collect();
    let mut all = Vec::new();
    for (id, leg) in flowing(network, flows) {
        all.extend(leg.next.iter().enumerate().map(|(place, next)| {
            let below = network.leg(next.leg);
            let bytes = (flows.led_to)(id, place) * below.bytes as f64;
            Flow { upper: leg.to, lower: below.to, op: below.op, bytes }
        }));
    }
    let flowed = Flowed { streams: &streams, order: &order, flows: &all, bytes: flows.bytes };
    related(table, &flowed)
}

/// All relations; none leads back, because each leads to what stands later in the order.
#[must_use]
pub fn related(table: &Table, flowed: &Flowed<'_>) -> Vec<Relation> {
    let of = |component: ComponentId| table.components[component.0 as usize];
    let mut relations = Vec::new();
    for (position, ends) in flowed.streams.iter().enumerate() {
        let lower: BTreeSet<EntityId> = ends.iter().filter_map(|end| of(*end)).collect();
        relations.extend(relation(table.streams[position], lower, [ONE_COPY; 2]));
    }
    let mut rank: BTreeMap<EntityId, usize> = BTreeMap::new();
    for (place, end) in flowed.order.iter().enumerate() {
        if let Some(end) = of(*end) {
            rank.entry(end).or_insert(place);
        }
    }
    let mut below: BTreeMap<EntityId, Below> = BTreeMap::new();
    for flow in &uncounted::between_entities(table, flowed.flows) {
        let Some(upper) = of(flow.upper) else { continue };
        let Some(lower) = of(flow.lower).filter(|lower| *lower != upper) else { continue };
        below.entry(upper).or_default().add(lower, flow);
    }
    let above = above(table, flowed.bytes);
    for (upper, below) in below {
        let deeper = |lower: &EntityId| rank.get(lower) > rank.get(&upper);
        let lower: BTreeSet<EntityId> = below.lower.iter().copied().filter(deeper).collect();
        let copies = below.copies(above[upper.0 as usize]);
        relations.extend(relation(upper, lower, copies));
    }
    relations
}

/// The legs of which there were requests.
fn flowing<'a>(
    network: &'a Network,
    flows: &'a Flows<'_>,
) -> impl Iterator<Item = (LegId, &'a Leg)> {
    let legs = (0..).map(LegId).zip(&network.legs);
    legs.filter(|(leg, _)| (flows.requests)(*leg) > 0.0)
}

fn relation(upper: EntityId, lower: BTreeSet<EntityId>, copies: [u64; 2]) -> Option<Relation> {
    let [read_copies_ppm, write_copies_ppm] = copies;
    let lower: Vec<EntityId> = lower.into_iter().collect();
    (!lower.is_empty()).then_some(Relation { upper, lower, read_copies_ppm, write_copies_ppm })
}

/// Bytes of every entity, by operation.
fn above(table: &Table, bytes: &dyn Fn(ComponentId) -> [f64; 2]) -> Vec<[f64; 2]> {
    let mut above = vec![[0.0; 2]; table.entities.len()];
    for (component, entity) in (0..).map(ComponentId).zip(&table.components) {
        let Some(entity) = entity else { continue };
        let bytes = bytes(component);
        for op in Op::BOTH.map(Op::index) {
            above[entity.0 as usize][op] += bytes[op];
        }
    }
    above
}

/// What reappears below an entity.
#[derive(Default)]
struct Below {
    lower: BTreeSet<EntityId>,
    /// Bytes, by operation.
    bytes: [f64; 2],
}

impl Below {
    fn add(&mut self, lower: EntityId, flow: &Flow) {
        self.lower.insert(lower);
        self.bytes[flow.op.index()] += flow.bytes;
    }

    fn copies(&self, above: [f64; 2]) -> [u64; 2] {
        Op::BOTH.map(Op::index).map(|op| match above[op] > 0.0 {
            true => (self.bytes[op] / above[op] * 1e6).round() as u64,
            false => ONE_COPY,
        })
    }
}

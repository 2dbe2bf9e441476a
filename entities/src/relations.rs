//! Whose traffic reappears where: streams on their targets, volumes on their members.
//!
//! How many bytes appear below for each one above is counted, not stated: behind a cache it is
//! less than one, of a mirror's writes two. Where nothing flows above, it is one.

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::{ComponentId, Leg, LegId, Network};
use iopath_record::{EntityId, Relation};
use iopath_units::Op;

use crate::table::Table;

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

/// All relations; none leads back, because legs do not.
#[must_use]
pub fn relations(network: &Network, table: &Table, flows: &Flows<'_>) -> Vec<Relation> {
    let of = |leg: LegId| table.components[network.leg(leg).to.0 as usize];
    let mut relations = Vec::new();
    for (position, stream) in network.streams.iter().enumerate() {
        let lower: BTreeSet<EntityId> =
            stream.roots.iter().filter_map(|(leg, _)| of(*leg)).collect();
        relations.extend(related(table.streams[position], lower, [ONE_COPY; 2]));
    }
    let mut rank: BTreeMap<EntityId, LegId> = BTreeMap::new();
    let mut below: BTreeMap<EntityId, Below> = BTreeMap::new();
    for (id, leg) in flowing(network, flows) {
        let Some(upper) = of(id) else { continue };
        rank.entry(upper).or_insert(id);
        for (place, next) in leg.next.iter().enumerate() {
            let Some(lower) = of(next.leg).filter(|lower| *lower != upper) else { continue };
            let requests = (flows.led_to)(id, place);
            below.entry(upper).or_default().add(lower, network.leg(next.leg), requests);
        }
    }
    let above = above(table, flows);
    for (upper, below) in below {
        let deeper = |lower: &EntityId| rank.get(lower) > rank.get(&upper);
        let lower: BTreeSet<EntityId> = below.lower.iter().copied().filter(deeper).collect();
        let copies = below.copies(above[upper.0 as usize]);
        relations.extend(related(upper, lower, copies));
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

fn related(upper: EntityId, lower: BTreeSet<EntityId>, copies: [u64; 2]) -> Option<Relation> {
    let [read_copies_ppm, write_copies_ppm] = copies;
    let lower: Vec<EntityId> = lower.into_iter().collect();
    (!lower.is_empty()).then_some(Relation { upper, lower, read_copies_ppm, write_copies_ppm })
}

/// Bytes of every entity, by operation.
fn above(table: &Table, flows: &Flows<'_>) -> Vec<[f64; 2]> {
    let mut above = vec![[0.0; 2]; table.entities.len()];
    for (component, entity) in (0..).map(ComponentId).zip(&table.components) {
        let Some(entity) = entity else { continue };
        let bytes = (flows.bytes)(component);
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
    fn add(&mut self, lower: EntityId, leg: &Leg, requests: f64) {
        self.lower.insert(lower);
        self.bytes[leg.op.index()] += requests * leg.bytes as f64;
    }

    fn copies(&self, above: [f64; 2]) -> [u64; 2] {
        Op::BOTH.map(Op::index).map(|op| match above[op] > 0.0 {
            true => (self.bytes[op] / above[op] * 1e6).round() as u64,
            false => ONE_COPY,
        })
    }
}

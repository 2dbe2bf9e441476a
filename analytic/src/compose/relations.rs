//! Whose traffic reappears where: streams on their targets, volumes on their members.
//!
//! How many bytes appear below for each one above is counted, not stated: behind a cache it is
//! less than one, of a mirror's writes two. Where nothing flows above, it is one.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{EntityId, Relation};
use iopath_units::Op;

use crate::entities::Table;
use crate::model::Model;
use crate::traffic::Traffic;

/// One for one.
const ONE_COPY: u64 = 1_000_000;

/// All relations; none leads back, because legs do not.
pub(super) fn relations(model: &Model<'_>, table: &Table, traffic: &Traffic) -> Vec<Relation> {
    let network = model.network;
    let of = |leg: &iopath_path::Leg| table.components[leg.to.0 as usize];
    let mut relations = Vec::new();
    for (position, stream) in network.streams.iter().enumerate() {
        let lower: BTreeSet<EntityId> =
            stream.roots.iter().filter_map(|(leg, _)| of(network.leg(*leg))).collect();
        let upper = table.streams[position];
        relations.extend(related(upper, lower, [ONE_COPY; 2]));
    }
    let mut rank: BTreeMap<EntityId, usize> = BTreeMap::new();
    let mut below: BTreeMap<EntityId, Below> = BTreeMap::new();
    for (index, leg) in network.legs.iter().enumerate().filter(|(at, _)| traffic.legs[*at] > 0.0) {
        let Some(upper) = of(leg) else { continue };
        rank.entry(upper).or_insert(index);
        for next in &leg.next {
            let lower_leg = network.leg(next.leg);
            let Some(lower) = of(lower_leg).filter(|lower| *lower != upper) else { continue };
            let bytes = traffic.legs[index] * next.times * lower_leg.bytes as f64;
            below.entry(upper).or_default().add(lower, lower_leg.op, bytes);
        }
    }
    let above = above(table, traffic);
    for (upper, below) in below {
        let deeper = |lower: &EntityId| rank.get(lower) > rank.get(&upper);
        let lower: BTreeSet<EntityId> = below.lower.iter().copied().filter(deeper).collect();
        let copies = below.copies(above[upper.0 as usize]);
        relations.extend(related(upper, lower, copies));
    }
    relations
}

fn related(upper: EntityId, lower: BTreeSet<EntityId>, copies: [u64; 2]) -> Option<Relation> {
    let [read_copies_ppm, write_copies_ppm] = copies;
    let lower: Vec<EntityId> = lower.into_iter().collect();
    (!lower.is_empty()).then_some(Relation { upper, lower, read_copies_ppm, write_copies_ppm })
}

/// Bytes per second of every entity, by operation.
fn above(table: &Table, traffic: &Traffic) -> Vec<[f64; 2]> {
    let mut above = vec![[0.0; 2]; table.entities.len()];
    for (entity, flow) in table.components.iter().zip(&traffic.components) {
        let Some(entity) = entity else { continue };
        for op in Op::BOTH.map(Op::index) {
            above[entity.0 as usize][op] += flow.bytes[op];
        }
    }
    above
}

/// What reappears below an entity.
#[derive(Default)]
struct Below {
    lower: BTreeSet<EntityId>,
    /// Bytes per second, by operation.
    bytes: [f64; 2],
}

impl Below {
    fn add(&mut self, lower: EntityId, op: Op, bytes: f64) {
        self.lower.insert(lower);
        self.bytes[op.index()] += bytes;
    }

    fn copies(&self, above: [f64; 2]) -> [u64; 2] {
        Op::BOTH.map(Op::index).map(|op| match above[op] > 0.0 {
            true => (self.bytes[op] / above[op] * 1e6).round() as u64,
            false => ONE_COPY,
        })
    }
}

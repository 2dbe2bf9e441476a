//! What carries the traffic of devices that somebody counts: adapters, links, switches, buses,
//! boxes, as entities without counters of their own.
//!
//! Each has the limits that everything uses up that crosses it, and relations to the devices whose
//! traffic that is: copies say which share. Of a volume of the kernel the parts are followed, as
//! the layout deals them out. Where data moves against a component's own directions the directions
//! of its limits are turned round, so that a read is a read in all of them.
//! It leaves out what reads beneath a write (parity), what lies inside an array, and tokens: the
//! traffic that is told is never more than there was.

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::{ComponentId, LegId, Measure, Network};
use iopath_record::{Direction, Entity, EntityId, Kind, Limit, Relation};
use iopath_study::Class;
use iopath_units::Op;

use crate::{layers, limits};

/// One for one.
const ONE: f64 = 1e6;

/// Least share of a device's traffic that is told, in millionths: below it rounding is all.
const LEAST: f64 = 1.0;

/// A device that somebody counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedDevice {
    /// Its entity in the record.
    pub entity: EntityId,
    /// Whether what it moves goes on to what it lies on: not through the page cache, as that of a
    /// loop device does.
    pub hands_on: bool,
}

/// What carries devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedComponents {
    /// Entities to add behind those that are there.
    pub entities: Vec<Entity>,
    /// Whose traffic passes them.
    pub relations: Vec<Relation>,
}

/// Share of each device's reads and writes that crosses a component; whether data moves against
/// its own directions.
#[derive(Default)]
struct Crossing {
    shares: BTreeMap<EntityId, [f64; 2]>,
    flipped: bool,
    straight: bool,
}

/// The carriers of devices, by the component that each is, of those that are `wanted`; the first
/// new entity has the position `first`. One that has no limit is there where it contains another.
#[must_use]
pub fn carriers(
    network: &Network,
    devices: &BTreeMap<ComponentId, CountedDevice>,
    wanted: &dyn Fn(ComponentId) -> bool,
    first: u32,
) -> SharedComponents {
    let mut crossings: BTreeMap<ComponentId, Crossing> = BTreeMap::new();
    for (component, device) in devices {
        for op in Op::BOTH {
            cross(network, devices, (*component, *device, op), &mut crossings);
        }
    }
    let has_limits = |id: ComponentId| !limits_of(network, id).is_empty();
    crossings.retain(|id, _| has_limits(*id) && !devices.contains_key(id) && wanted(*id));
    let mut shown: BTreeSet<ComponentId> = BTreeSet::new();
    for id in crossings.keys() {
        let up = |at: &ComponentId| network.component(*at).parent;
        shown.extend(std::iter::successors(Some(*id), up));
    }
    shown.retain(|id| !devices.contains_key(id));
    let at: BTreeMap<ComponentId, EntityId> =
        shown.iter().copied().zip((first..).map(EntityId)).collect();
    let mut found = SharedComponents::default();
    for (id, entity) in &at {
        let crossing = crossings.get(id);
        found.entities.push(carrier(network, *id, &at, crossing));
        found.relations.extend(crossing.into_iter().flat_map(|one| one.relations(*entity)));
    }
    found
}

fn carrier(
    network: &Network,
    id: ComponentId,
    at: &BTreeMap<ComponentId, EntityId>,
    crossing: Option<&Crossing>,
) -> Entity {
    let component = network.component(id);
    let turned = |limit| match crossing {
        Some(crossing) => crossing.turned(limit),
        None => Some(limit),
    };
    let kind = Kind::from(component.kind);
    Entity {
        name: component.name.clone(),
        layer: layers::of(&kind),
        kind,
        parent: component.parent.and_then(|parent| at.get(&parent).copied()),
        binding: None,
        count: 1,
        limits: limits_of(network, id).into_iter().filter_map(turned).collect(),
    }
}

/// Rates that everything uses up that crosses it.
fn limits_of(network: &Network, id: ComponentId) -> Vec<Limit> {
    let rows = network.component(id).rows.iter().map(|row| network.row(*row));
    let rates = rows.filter(|row| row.crossed && row.measure != Measure::Busy);
    rates.map(limits::of_row).collect()
}

/// Follows what a device moves by one operation, from what asks for it to where it ends.
fn cross(
    network: &Network,
    devices: &BTreeMap<ComponentId, CountedDevice>,
    (id, device, op): (ComponentId, CountedDevice, Op),
    crossings: &mut BTreeMap<ComponentId, Crossing>,
) {
    let begins = begins(network, id, op);
    let each = 1.0 / begins.len().max(1) as f64;
    let mut requests: BTreeMap<LegId, f64> = BTreeMap::new();
    for leg in begins {
        requests.insert(leg, each / network.leg(leg).bytes.max(1) as f64);
    }
    // Legs stand before those that they lead to.
    while let Some((leg, requests_of_it)) = requests.pop_first() {
        let found = network.leg(leg);
        let bytes = requests_of_it * found.bytes as f64;
        for way in &found.ways {
            for (crossed, flipped) in &network.route(way.route).crossed {
                let crossing = crossings.entry(*crossed).or_default();
                let shares = crossing.shares.entry(device.entity).or_default();
                shares[op.index()] += bytes * way.share;
                crossing.flipped |= flipped;
                crossing.straight |= !flipped;
            }
        }
        let end = network.component(found.to);
        let is_dealt = Class::of(end.kind) == Class::Volume && end.place.is_none();
        if !(device.hands_on && is_dealt) {
            continue;
        }
        for next in &found.next {
            let below = network.leg(next.leg);
            if below.op == found.op && !below.background && !devices.contains_key(&below.to) {
                *requests.entry(next.leg).or_default() += requests_of_it * next.times;
            }
        }
    }
}

/// The legs by which requests come to a component, none of them from within it; where nobody asks
/// for this operation those of the other, which take the same ways.
fn begins(network: &Network, id: ComponentId, op: Op) -> Vec<LegId> {
    let inner: BTreeSet<LegId> = network
        .legs
        .iter()
        .filter(|leg| leg.volume == id)
        .flat_map(|leg| leg.next.iter().map(|next| next.leg))
        .collect();
    let legs = || (0..).map(LegId).zip(&network.legs);
    let come = |wanted: Op| {
        let comes = legs().filter(|(at, leg)| {
            leg.volume == id && leg.op == wanted && !leg.background && !inner.contains(at)
        });
        comes.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let other = if op == Op::Read { Op::Write } else { Op::Read };
    Some(come(op)).filter(|found| !found.is_empty()).unwrap_or_else(|| come(other))
}

impl Crossing {
    /// One for each share, so that each device stands in one of them.
    fn relations(&self, upper: EntityId) -> Vec<Relation> {
        let mut by_copies: BTreeMap<[u64; 2], Vec<EntityId>> = BTreeMap::new();
        for (device, shares) in &self.shares {
            let copies = shares.map(copies);
            if copies != [0, 0] {
                by_copies.entry(copies).or_default().push(*device);
            }
        }
        let relation = |([read_copies_ppm, write_copies_ppm], lower): ([u64; 2], _)| Relation {
            upper,
            lower,
            read_copies_ppm,
            write_copies_ppm,
        };
        by_copies.into_iter().map(relation).collect()
    }

    /// A limit as reads and writes of the devices meet it; none of one direction where it is
    /// crossed in both.
    fn turned(&self, mut limit: Limit) -> Option<Limit> {
        if limit.direction == Direction::Both || !self.flipped {
            return Some(limit);
        }
        limit.direction = limit.direction.opposite();
        (!self.straight).then_some(limit)
    }
}

/// Bytes of a device for each byte here, in millionths; 0 where nothing of it comes by.
fn copies(share: f64) -> u64 {
    if share * ONE < LEAST { 0 } else { (ONE / share).round() as u64 }
}

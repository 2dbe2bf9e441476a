//! From each stream down to the devices that its requests end on, and what each uses up on the way.
//!
//! A chain is the legs from a stream to a device. What a leg on it uses up is laid on the devices
//! below it in proportion to the bytes that they get of it: a device of a mirrored volume carries
//! half of what its writes use up above the mirror. Caches and file systems above the devices serve
//! nothing here: each request of a stream goes down, and what the model would spare the path makes
//! rates so much higher.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use iopath_path::{ComponentId, Leg, LegId, Network, Next, RouteId, RowId, StreamLoad};
use iopath_study::{PartId, unindexed};

use super::behind::{Behind, is_copy};
use super::notes::Notes;
use super::ways::{rounds, turns};

/// What makes a device another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// The copies of a cache stand behind everything else.
    pub is_copy: bool,
    /// The part of the system that it stands for.
    pub part: ComponentId,
    /// Its way, leg by leg.
    pub routes: Vec<RouteId>,
    /// Volumes above it that have limits of their own.
    pub above: Vec<ComponentId>,
}

/// What requests of one operation use up, all streams together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Used {
    /// Of each row.
    pub amounts: BTreeMap<RowId, f64>,
    pub bytes: f64,
    pub requests: f64,
    /// Sizes of requests: the smallest and the largest.
    pub sizes: Option<(u64, u64)>,
}

/// A device, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub by_op: [Used; 2],
    /// Rows in the order in which a request meets them, from the host to the medium.
    pub order: Vec<RowId>,
    /// Rows that are met at its end or behind it, not on the way.
    pub at_end: BTreeSet<RowId>,
    latency: f64,
}

/// A leg of a chain: how often one request of the stream leads to it.
#[derive(Clone, Copy)]
struct Hop {
    leg: LegId,
    /// By the network.
    modelled: f64,
    /// By the host that measures.
    real: f64,
}

/// What a leg uses up at its end, in the order in which it is met.
type Uses = Rc<Vec<(RowId, f64)>>;

pub(super) struct Walk<'a> {
    network: &'a Network,
    behind: Behind<'a>,
    pub found: BTreeMap<Key, Found>,
    /// The cache that writes of a part are copied to.
    pub copies: BTreeMap<PartId, Key>,
    ends: BTreeSet<ComponentId>,
    carried: BTreeMap<LegId, [f64; 2]>,
    uses: BTreeMap<LegId, Uses>,
    notes: BTreeSet<(&'static str, String)>,
}

impl Key {
    /// Ways to one medium have this in common.
    pub(super) fn medium(&self) -> (ComponentId, bool) {
        // In order of the devices.
        (self.part, self.is_copy)
    }
}

impl Found {
    /// Delay of a request, in seconds: the mean over its operations.
    pub(super) fn latency_s(&self) -> f64 {
        let requests: f64 = self.by_op.iter().map(|used| used.requests).sum();
        if requests > 0.0 { self.latency / requests } else { 0.0 }
    }

    /// Mean bytes of a request, by operation.
    pub(super) fn request_bytes(&self) -> [f64; 2] {
        [0, 1].map(|op| {
            let used: &Used = &self.by_op[op];
            if used.requests > 0.0 { used.bytes / used.requests } else { 0.0 }
        })
    }

    fn meet(&mut self, row: RowId) {
        if !self.order.contains(&row) {
            self.order.push(row);
        }
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        Self {
            network,
            behind: Behind::new(network),
            found: BTreeMap::new(),
            copies: BTreeMap::new(),
            ends: ends(network),
            carried: BTreeMap::new(),
            uses: BTreeMap::new(),
            notes: BTreeSet::new(),
        }
    }

    /// Adds what a stream uses up, and the devices that its requests end on.
    pub(super) fn stream(&mut self, load: &StreamLoad, leaves: &mut BTreeMap<PartId, Vec<Key>>) {
        for (leg, share) in &load.roots {
            let mut hops = Vec::new();
            self.descend(Hop { leg: *leg, modelled: *share, real: *share }, &mut hops, leaves);
        }
    }

    /// A device that nobody uses: its medium has to be there.
    pub(super) fn idle(&mut self, part: PartId) -> Key {
        let key = Key { is_copy: false, part: part.into(), routes: Vec::new(), above: Vec::new() };
        self.found.entry(key.clone()).or_default();
        key
    }

    pub(super) fn tell(&self, notes: &mut Notes) {
        for (kind, text) in &self.notes {
            notes.tell(kind, text.clone());
        }
    }

    fn descend(&mut self, hop: Hop, hops: &mut Vec<Hop>, leaves: &mut BTreeMap<PartId, Vec<Key>>) {
        let leg = self.network.leg(hop.leg);
        hops.push(hop);
        if self.ends.contains(&leg.volume) {
            self.device(hops, leaves);
        } else {
            for (next, real) in self.below(leg) {
                let modelled = hop.modelled * next.times;
                let real = hop.real * real;
                self.descend(Hop { leg: next.leg, modelled, real }, hops, leaves);
            }
        }
        hops.pop();
    }

    /// What the host that measures makes of a request: as the network says where a volume splits
    /// it; all of it, once, where a cache or a file system stands.
    fn below(&self, leg: &'a Leg) -> Vec<(Next, f64)> {
        let network = self.network;
        let is_same = |next: &&Next| {
            let below = network.leg(next.leg);
            !is_copy(network, below) && below.op == leg.op
        };
        let serves = matches!(network.component(leg.to).kind, "cache" | "file" | "filesystem");
        if !serves {
            let all = leg.next.iter().filter(|next| !is_copy(network, network.leg(next.leg)));
            return all.map(|next| (*next, next.times)).collect();
        }
        let bytes = |next: &Next| next.times * network.leg(next.leg).bytes as f64;
        let total: f64 = leg.next.iter().filter(is_same).map(bytes).sum();
        let factor = leg.bytes as f64 / total;
        leg.next.iter().filter(is_same).map(|next| (*next, next.times * factor)).collect()
    }

    /// Bytes of devices that one request of a leg leads to, by operation.
    fn carried(&mut self, id: LegId) -> [f64; 2] {
        if let Some(known) = self.carried.get(&id) {
            return *known;
        }
        let leg = self.network.leg(id);
        let mut bytes = [0.0; 2];
        if self.ends.contains(&leg.volume) {
            bytes[leg.op.index()] = leg.bytes as f64;
        } else {
            for (next, real) in self.below(leg) {
                let below = self.carried(next.leg);
                bytes.iter_mut().zip(below).for_each(|(sum, below)| *sum += real * below);
            }
        }
        self.carried.insert(id, bytes);
        bytes
    }

    /// The share of what a leg of a chain uses up that is the device's, whose requests are `bytes`
    /// for one of the stream.
    fn part(&mut self, hop: Hop, device: &Leg, bytes: f64) -> f64 {
        let leg = self.network.leg(hop.leg);
        let carried = self.carried(hop.leg);
        let own = carried[leg.op.index()];
        let all = match own > 0.0 {
            true if device.op != leg.op => return 0.0,
            true => own,
            false => carried[0] + carried[1],
        };
        hop.modelled * bytes / (hop.real * all)
    }

    fn device(&mut self, hops: &[Hop], leaves: &mut BTreeMap<PartId, Vec<Key>>) {
        let network = self.network;
        let Some((last, above)) = hops.split_last() else { return };
        let leg = network.leg(last.leg);
        let bytes = last.real * leg.bytes as f64;
        let legs: Vec<&Leg> = hops.iter().map(|hop| network.leg(hop.leg)).collect();
        let turns: Vec<Vec<RouteId>> = legs.iter().map(|leg| self.turns(leg)).collect();
        let count = rounds(turns.iter().map(Vec::len));
        let limited = above.iter().map(|hop| network.leg(hop.leg).to);
        let limited: Vec<_> =
            limited.filter(|to| !network.component(*to).rows.is_empty()).collect();
        let parts: Vec<f64> = hops.iter().map(|hop| self.part(*hop, leg, bytes)).collect();
        let mut keys = Vec::with_capacity(count);
        for turn in 0..count {
            let routes: Vec<Option<RouteId>> =
                turns.iter().map(|turns| turns.get(turn % turns.len().max(1)).copied()).collect();
            let key = Key {
                is_copy: false,
                part: leg.volume,
                routes: routes.iter().flatten().copied().collect(),
                above: limited.clone(),
            };
            let mut found = self.found.remove(&key).unwrap_or_default();
            let share = 1.0 / count as f64;
            self.add(&mut found, (hops, &routes), (&parts, share));
            self.found.insert(key.clone(), found);
            keys.push(key);
        }
        let known = leaves.entry(leg.volume.into()).or_default();
        // A way that takes two turns stands twice, but once for each kind of request.
        keys.retain(|key| !known.contains(key));
        known.extend(keys);
        self.copy(last, leg);
    }

    /// Adds a share of a chain that takes these routes to a device.
    fn add(
        &mut self,
        found: &mut Found,
        (hops, routes): (&[Hop], &[Option<RouteId>]),
        (parts, share): (&[f64], f64),
    ) {
        let network = self.network;
        let Some(last) = hops.last() else { return };
        let (end, op) = (network.leg(last.leg), network.leg(last.leg).op);
        let mut latency = 0.0;
        for (at, hop) in hops.iter().enumerate() {
            let leg = network.leg(hop.leg);
            let weight = parts[at] * share;
            if let Some(route) = routes[at] {
                latency += network.route(route).latency_s;
                for charge in network.crossing(route, leg.op, leg.bytes) {
                    found.meet(charge.row);
                    *found.by_op[op.index()].amounts.entry(charge.row).or_default() +=
                        weight * charge.amount;
                }
            }
            let is_end = at + 1 == hops.len();
            for (row, amount) in self.uses(hop.leg, is_end).iter() {
                found.meet(*row);
                if is_end {
                    found.at_end.insert(*row);
                }
                *found.by_op[op.index()].amounts.entry(*row).or_default() += weight * amount;
            }
            latency += self.behind.at_end(hop.leg);
        }
        latency += self.behind.latency(last.leg);
        let used = &mut found.by_op[op.index()];
        let requests = last.real * share;
        used.bytes += requests * end.bytes as f64;
        used.requests += requests;
        let (least, most) = used.sizes.unwrap_or((end.bytes, end.bytes));
        used.sizes = Some((least.min(end.bytes), most.max(end.bytes)));
        found.latency += requests * latency;
    }

    /// What a leg uses up at its end; with all that is behind it where that is no device of its
    /// own. Copies between caches above a device are used up by its writes.
    fn uses(&mut self, id: LegId, is_end: bool) -> Uses {
        if let Some(known) = self.uses.get(&id) {
            return Rc::clone(known);
        }
        let leg = self.network.leg(id);
        let mut uses: Vec<(RowId, f64)> = Vec::new();
        uses.extend(leg.charges.iter().map(|charge| (charge.row, charge.amount)));
        for next in &leg.next {
            let below = self.network.leg(next.leg);
            if is_copy(self.network, below) != is_end {
                uses.extend(self.behind.uses(next));
            }
        }
        self.note_hits(leg);
        let uses = Rc::new(uses);
        self.uses.insert(id, Rc::clone(&uses));
        uses
    }

    /// A cache whose partner's cache gets each write, too: a device of its own, which writes of the
    /// part wait for.
    fn copy(&mut self, hop: &Hop, leg: &Leg) {
        let network = self.network;
        for next in leg.next.iter().filter(|next| is_copy(network, network.leg(next.leg))) {
            let copy = network.leg(next.leg);
            let uses = self.behind.uses(next);
            if uses.is_empty() {
                continue;
            }
            let (routes, above) = (Vec::new(), Vec::new());
            let key = Key { is_copy: true, part: copy.volume, routes, above };
            let found = self.found.entry(key.clone()).or_default();
            let used = &mut found.by_op[copy.op.index()];
            for (row, amount) in uses {
                if !found.order.contains(&row) {
                    found.order.push(row);
                }
                *used.amounts.entry(row).or_default() += hop.modelled * amount;
            }
            let requests = hop.real * next.times;
            used.bytes += requests * copy.bytes as f64;
            used.requests += requests;
            used.sizes = Some(used.sizes.map_or((copy.bytes, copy.bytes), |(least, most)| {
                (least.min(copy.bytes), most.max(copy.bytes))
            }));
            found.latency += requests * self.behind.whole(next.leg);
            self.copies.entry(leg.volume.into()).or_insert(key);
        }
    }

    fn turns(&mut self, leg: &Leg) -> Vec<RouteId> {
        let (turns, is_exact) = turns(&leg.ways);
        if !is_exact {
            let name = unindexed(&self.network.component(leg.to).name);
            let text = format!("paths to {name} have equal shares here, but others by the policy");
            self.notes.insert(("ways", text));
        }
        turns
    }

    fn note_hits(&mut self, leg: &Leg) {
        let network = self.network;
        let end = network.component(leg.to);
        let same = leg.next.iter().filter(|next| {
            let below = network.leg(next.leg);
            below.volume == leg.volume && below.op == leg.op
        });
        let bytes = |next: &Next| next.times * network.leg(next.leg).bytes as f64;
        let missed = same.map(bytes).sum::<f64>() / leg.bytes as f64;
        if end.kind != "cache" || missed == 0.0 || missed > 1.0 - 1e-9 {
            return;
        }
        let name = unindexed(&end.name);
        let percent = (100.0 * (1.0 - missed)).round();
        let text = format!(
            "{name} serves {percent} % of {}s on average, not per request: rates behind it are \
             raised accordingly",
            leg.op
        );
        self.notes.insert(("cache-hits", text));
    }
}

/// Where requests of streams end as far as this host is concerned: what stands in the path, and
/// whatever serves them all.
fn ends(network: &Network) -> BTreeSet<ComponentId> {
    let is_end = |leg: &&Leg| {
        let volume = network.component(leg.volume);
        let leads = leg.next.iter().any(|next| !is_copy(network, network.leg(next.leg)));
        !is_copy(network, leg) && (volume.parent.is_some() || volume.kind == "lun" || !leads)
    };
    network.legs.iter().filter(is_end).map(|leg| leg.volume).collect()
}

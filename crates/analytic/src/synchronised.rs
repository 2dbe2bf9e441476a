//! What waiting for the slowest part costs.
//!
//! Where a request leads to parts on several servers whose service times vary, it is done when the
//! slowest is. A server is the nearest component with a stated variability: the member itself,
//! what contains it, or what is crossed on the way to it; parts that meet in one server are not
//! waited for one by one. Two things follow, and the bound has both:
//!
//! * alone, a request takes as long as the slowest of its parts ([`greatest`]);
//! * together, the servers lose the share of their capacity that `efficiency` tells, by how many
//!   parts of all streams each of them has in flight: bytes in flight over the stripe's width.
//!
//! It leaves out work that fills the gaps (destaging, readahead of others), and parts of parts:
//! each leg that leads to several is looked at for itself.

use std::collections::BTreeMap;

use iopath_path::visits::Visits;
use iopath_path::{ComponentId, Leg, Network, Next, RowId};

use crate::demand::{Demand, StreamClass};
use crate::efficiency::efficiency;
use crate::lognormal::greatest;
use crate::times::{Slowdown, Span, Stages, spans};

/// Where a network waits for the slowest of several parts: legs and phases.
pub(crate) struct Synchronised {
    forks: BTreeMap<(usize, u8), Fork>,
}

/// The parts of one phase of a leg.
struct Fork {
    /// How many servers one request meets at once.
    servers: f64,
    /// Their coefficient of variation: the least, where they differ.
    variation: f64,
    /// How often one request meets each server.
    hits: BTreeMap<ComponentId, f64>,
}

/// The least that a request must meet to wait for several: chosen, above rounding.
const SEVERAL: f64 = 1.0 + 1e-9;

impl Synchronised {
    /// `None` where no request waits for several servers whose variability is stated.
    pub(crate) fn of(network: &Network) -> Option<Self> {
        let forks = forks(network);
        (!forks.is_empty()).then_some(Self { forks })
    }

    /// Share of its capacity that each row, then each pool, keeps, once for each epoch; every
    /// stream of a class has so many requests in flight.
    pub(crate) fn kept(&self, network: &Network, demand: &Demand, in_flight: &[f64]) -> Vec<f64> {
        let kept = (0..demand.epochs).flat_map(|epoch| {
            let classes = demand.classes.iter().zip(in_flight.iter().copied());
            kept(network, &self.forks, classes.filter(move |(class, _)| class.epoch == epoch))
        });
        kept.collect()
    }

    /// Zero-load time of each leg, with the slowest of its parts.
    pub(crate) fn spans(&self, network: &Network, stages: &Stages) -> Vec<Span> {
        spans(network, stages, &self.stretched())
    }

    /// That requests take as long as the slowest of their parts.
    pub(crate) fn stretched(&self) -> Stretched<'_> {
        Stretched { forks: &self.forks }
    }
}

/// Share of its capacity that each row, then each pool, keeps.
fn kept<'a>(
    network: &Network,
    forks: &BTreeMap<(usize, u8), Fork>,
    classes: impl Iterator<Item = (&'a StreamClass, f64)>,
) -> Vec<f64> {
    let mut kept = vec![1.0_f64; network.rows.len() + network.pools.len()];
    // Of thousands of servers most are alike, and each share takes an integral.
    let mut known: BTreeMap<[u64; 3], f64> = BTreeMap::new();
    for (server, meeting) in meetings(network, classes, forks) {
        let [servers, variation] = [meeting.servers(), meeting.variation()];
        let alike = [servers, variation, meeting.depth].map(f64::to_bits);
        let share = known.entry(alike);
        let share = *share.or_insert_with(|| efficiency(servers, variation, meeting.depth));
        for row in meeting.rows.into_iter().chain(network.component(server).rows.clone()) {
            let kept = &mut kept[row.0 as usize];
            *kept = kept.min(share);
        }
    }
    kept
}

/// Alone, but as long as the slowest part.
pub(crate) struct Stretched<'a> {
    forks: &'a BTreeMap<(usize, u8), Fork>,
}

impl Slowdown for Stretched<'_> {
    fn stretch(&self, leg: usize, phase: u8) -> f64 {
        let fork = self.forks.get(&(leg, phase));
        fork.map_or(1.0, |fork| greatest(fork.servers, fork.variation))
    }
}

/// Every phase of a leg that leads one request to several servers: parts of one stripe, copies,
/// data and their parity.
fn forks(network: &Network) -> BTreeMap<(usize, u8), Fork> {
    let mut forks = BTreeMap::new();
    if network.components.iter().all(|component| component.variability.is_none()) {
        return forks;
    }
    for (index, leg) in network.legs.iter().enumerate().filter(|(_, leg)| !leg.serial) {
        let mut phases: BTreeMap<u8, Vec<&Next>> = BTreeMap::new();
        for next in leg.next.iter().filter(|next| !network.leg(next.leg).background) {
            phases.entry(next.phase).or_default().push(next);
        }
        let found = phases.into_iter().filter_map(|(phase, next)| {
            let fork = fork(network, &next)?;
            (fork.servers > SEVERAL).then_some(((index, phase), fork))
        });
        forks.extend(found);
    }
    forks
}

/// The servers of some parts; none where the variability of one is not stated.
fn fork(network: &Network, parts: &[&Next]) -> Option<Fork> {
    let mut fork = Fork { servers: 0.0, variation: f64::INFINITY, hits: BTreeMap::new() };
    for next in parts {
        let (server, variation) = server(network, network.leg(next.leg))?;
        fork.variation = fork.variation.min(variation);
        let hit = next.times / next.at_once.max(next.times).max(f64::MIN_POSITIVE);
        *fork.hits.entry(server).or_default() += hit;
    }
    fork.hits.values_mut().for_each(|hit| *hit = hit.min(1.0));
    fork.servers = fork.hits.values().sum();
    Some(fork)
}

/// The nearest component whose variability is stated: the end, what contains it, what lies on the
/// way to it, from there back.
fn server(network: &Network, leg: &Leg) -> Option<(ComponentId, f64)> {
    let around = within(network, leg.to);
    let crossed = leg.ways.iter().take(1).flat_map(|way| {
        network.route(way.route).crossed.iter().rev().map(|(component, _)| *component)
    });
    let mut all = around.chain(crossed);
    all.find_map(|id| Some((id, network.component(id).variability?)))
}

/// A component and all that contains it.
fn within(network: &Network, id: ComponentId) -> impl Iterator<Item = ComponentId> {
    std::iter::successors(Some(id), |id| network.component(*id).parent)
}

/// What all streams let one server do.
#[derive(Default)]
struct Meeting {
    /// Parts in flight.
    depth: f64,
    /// Sums over the parts in flight.
    servers: f64,
    variation: f64,
    /// Rows of members that lie in the server.
    rows: Vec<RowId>,
}

impl Meeting {
    /// Servers that a request meets, on average.
    fn servers(&self) -> f64 {
        self.servers / self.depth
    }

    fn variation(&self) -> f64 {
        self.variation / self.depth
    }
}

fn meetings<'a>(
    network: &Network,
    classes: impl Iterator<Item = (&'a StreamClass, f64)>,
    forks: &BTreeMap<(usize, u8), Fork>,
) -> BTreeMap<ComponentId, Meeting> {
    let mut meetings: BTreeMap<ComponentId, Meeting> = BTreeMap::new();
    let mut walk = Visits::new(network);
    let mut passes = vec![0.0; network.legs.len()];
    for (class, in_flight) in classes {
        let in_flight = in_flight * class.count();
        walk.waited(&class.roots, |leg, visits| passes[leg.0 as usize] += in_flight * visits);
    }
    for ((leg, _), fork) in forks {
        for (server, hit) in &fork.hits {
            let parts = passes[*leg] * hit;
            let meeting = meetings.entry(*server).or_default();
            meeting.depth += parts;
            meeting.servers += parts * fork.servers;
            meeting.variation += parts * fork.variation;
        }
        for next in network.legs[*leg].next.iter().map(|next| network.leg(next.leg)) {
            let Some((server, _)) = server(network, next) else { continue };
            let inside = within(network, next.to).take_while(|id| *id != server);
            let inside: Vec<ComponentId> = inside.collect();
            let is_inside = within(network, next.to).any(|id| id == server);
            let rows = inside.iter().filter(|_| is_inside);
            let rows = rows.flat_map(|id| network.component(*id).rows.iter().copied());
            meetings.entry(server).or_default().rows.extend(rows);
        }
    }
    meetings.retain(|_, meeting| meeting.depth > 0.0);
    meetings
}
